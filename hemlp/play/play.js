"use strict";
// The page holds the state (taxonomy, instance, measure) and draws answers; every number comes from the server.
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const FIRST = { classes: [], edges: [["animal", "mammal"], ["animal", "bird"], ["mammal", "sheep"], ["mammal", "cow"], ["bird", "owl"]],
  true: ["sheep", "owl"], pred: ["cow"], measure: { text: "GIE" } };
const TABS = { values: "Values", flow: "Flow network", lca: "LCA graphs", program: "Program", copy: "Copy" };
const ROLES = { true: "true", predicted: "predicted", both: "true and predicted", other: "neither" };
let state = structuredClone(FIRST), wanted = state, answer = null, before = {}, selected = null, connecting = false, asked = 0;
const history = [];

async function ask(question, body) {
  const reply = await fetch(question, { method: "POST", body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(await reply.text());
  const data = await reply.json();
  if (data.error !== undefined) throw new Error(data.error);
  return data.answer;
}
function make(parent, tag, attributes = {}, text = null) {
  const node = parent.namespaceURI === SVG || tag === "svg" ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== null) node.textContent = text;
  parent.append(node);
  return node;
}
const format = (value) => value === null ? "undefined" : Number.isInteger(value) ? String(value) : value.toPrecision(4).replace(/\.?0+$/, "");

// a change is shown only if the library takes it: a cycle, say, is refused with its reason, and the state stays;
// quick changes build on what is wanted, though its answer is still under way
async function change(edit, keep = true) {
  const next = structuredClone(wanted);
  edit(next);
  wanted = next;
  const turn = ++asked;
  try {
    const reply = await ask("board", next);
    if (turn !== asked) return;
    if (keep) history.push(state);
    before = answer ? Object.fromEntries(answer.values.map((row) => [row.name, row.value])) : {};
    state = next;
    answer = reply;
    $("message").textContent = "";
    draw();
  } catch (error) {
    if (turn !== asked) return;
    wanted = state;
    $("message").textContent = error.message;
    if (answer) drawMeasure();
  }
}

function draw() {
  const own = answer.values[0];
  $("result").textContent = answer.undefined ? `${own.name}: ${answer.undefined}` : `${own.name} = ${format(answer.score)} (${answer.status}), ${own.better ? "greater" : "smaller"} is better`;
  drawTree(); drawMeasure(); drawCurve(); drawValues(); drawViews();
}
function drawTree() {
  const tree = $("tree"), data = answer.taxonomy, focus = document.activeElement?.dataset?.label;
  tree.replaceChildren();
  tree.setAttribute("viewBox", `0 30 ${data.width} ${data.height}`);
  for (const [, , path] of data.edges) make(tree, "path", { class: "edge", d: path });
  for (const path of data.curves) make(tree, "path", { class: "pair", d: path });
  for (const box of data.boxes) {
    const group = make(tree, "g", { class: `node ${box.role}` });
    make(group, "title", {}, box.title);
    const round = box.role === "predicted" || box.role === "default" ? 11 : box.role === "both" ? 5 : 0;
    make(group, "rect", { x: box.x - box.width / 2, y: box.y - box.height / 2, width: box.width, height: box.height, rx: round });
    make(group, "text", { x: box.x, y: box.y + 4 }, box.text);
    if (box.label === null) continue;
    group.dataset.label = box.label;
    group.classList.toggle("selected", box.label === selected);
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    group.setAttribute("aria-label", `${box.title}, ${ROLES[box.role]}${box.label === selected ? ", selected" : ""}`);
    group.addEventListener("click", () => choose(box.label));
    if (box.label === focus) group.focus();
  }
  const costs = make(tree, "g", { class: "costs" });
  for (const [x, y, text] of data.costs) make(costs, "text", { x, y: y + 4 }, text);
}
function choose(label) {
  if (connecting && selected !== null && selected !== label) {
    const parent = selected;
    setConnecting(false);
    return change((next) => {
      const there = next.edges.findIndex(([p, c]) => p === parent && c === label);
      next.classes = [...new Set([...next.classes, parent, label])];
      if (there >= 0) next.edges.splice(there, 1); else next.edges.push([parent, label]);
    });
  }
  if (selected !== label) { select(label); if (connecting) return; }
  const isTrue = wanted.true.includes(label), isPred = wanted.pred.includes(label);
  const [t, p] = !isTrue && !isPred ? [true, false] : isTrue && !isPred ? [false, true] : !isTrue ? [true, true] : [false, false];
  change((next) => {
    next.true = next.true.filter((each) => each !== label).concat(t ? [label] : []);
    next.pred = next.pred.filter((each) => each !== label).concat(p ? [label] : []);
  });
}
function select(label) {
  selected = label;
  $("name").value = label ?? "";
  for (const node of $("tree").querySelectorAll("g.node")) node.classList.toggle("selected", node.dataset.label === label);
}
function setConnecting(on) { connecting = on; $("connect").setAttribute("aria-pressed", String(on)); }
const labels = () => answer.taxonomy.boxes.map((box) => box.label).filter((label) => label !== null);
function say(text) { $("message").textContent = text; }
function add() {
  let name = $("name").value.trim();
  if (name === "" || labels().includes(name)) for (let k = 1; labels().includes(name) || name === ""; k++) name = `class ${k}`;
  const parent = selected;
  return change((next) => { next.classes.push(name); if (parent !== null) next.edges.push([parent, name]); }).then(() => select(name));
}
function rename() {
  const old = selected, name = $("name").value.trim();
  if (old === null) return say("Select a class first.");
  if (name === "" || labels().includes(name)) return say(`There is a class “${name}” already, or the name is empty.`);
  const to = (label) => label === old ? name : label;
  selected = name;
  return change((next) => {
    next.classes = next.classes.map(to); next.true = next.true.map(to); next.pred = next.pred.map(to);
    next.edges = next.edges.map((edge) => edge.map(to));
  });
}
function remove() {
  const old = selected;
  if (old === null) return say("Select a class first.");
  const rest = labels().filter((label) => label !== old);
  select(null);
  return change((next) => {
    next.classes = rest; next.true = next.true.filter((each) => each !== old); next.pred = next.pred.filter((each) => each !== old);
    next.edges = next.edges.filter((edge) => !edge.includes(old));
  });
}

// sliders: 6 stands for ALL, 13 for no limit
const shown = (id) => { const value = Number($(id).value); return ["ap", "bp", "at", "bt"].includes(id) ? (value === 6 ? "ALL" : value) : ["md", "hz"].includes(id) ? (value === 13 ? null : value) : value; };
function drawMeasure() {
  const own = answer.measure, plain = own.predicted !== undefined;
  $("sliders").disabled = !plain && !["", null].includes($("measure").value) && $("measure").value !== "own";
  if (plain) {
    const put = (id, value) => { $(id).value = value; };
    put("ap", own.predicted[0] === "ALL" ? 6 : own.predicted[0]); put("bp", own.predicted[1] === "ALL" ? 6 : own.predicted[1]);
    put("at", own.true[0] === "ALL" ? 6 : own.true[0]); put("bt", own.true[1] === "ALL" ? 6 : own.true[1]);
    $("dc-on").checked = own.default_cost !== null;
    if (own.default_cost !== null) put("dc", own.default_cost);
    put("md", own.max_distance ?? 13); put("hz", own.horizon ?? 13);
    if (own.cost) $("cost").value = own.cost;
  }
  $("dc").disabled = !$("dc-on").checked;
  for (const output of document.querySelectorAll("#sliders output")) {
    const value = shown(output.htmlFor.value);
    output.textContent = value === null ? "none" : output.htmlFor.value === "dc" && !$("dc-on").checked ? "none" : value;
  }
}
function fromSliders() {
  $("measure").value = "own";
  change((next) => {
    next.measure = { name: $("own-name").value || "mine", predicted: [shown("ap"), shown("bp")], true: [shown("at"), shown("bt")], cost: $("cost").value,
      default_cost: $("dc-on").checked ? shown("dc") : null, max_distance: shown("md"), horizon: shown("hz") };
  });
}
function drawCurve() {
  const curve = $("curve"), points = answer.sensitivity;
  curve.replaceChildren();
  curve.style.display = points.length ? "" : "none";
  if (!points.length) return;
  const right = points.at(-1)[0], top = Math.max(1e-9, ...points.map(([, error]) => error)), w = 600, h = 70;
  curve.setAttribute("viewBox", `0 0 ${w + 20} 90`);
  const x = (d) => 10 + w * d / right, y = (error) => 8 + h * (1 - error / top);
  make(curve, "path", { d: "M" + points.map(([d, error]) => `${x(d)} ${y(error)}`).join("L") });
  const now = answer.measure.default_cost;
  if (typeof now === "number") make(curve, "line", { x1: x(now), x2: x(now), y1: 4, y2: 80 });
  for (const [d] of points.slice(1, -1)) make(curve, "text", { x: x(d), y: 89, "text-anchor": "middle" }, format(d));
  make(curve, "text", { x: 12, y: 16 }, `error up to ${format(top)}, by D from 0 to ${format(right)}`);
}
function drawValues() {
  const body = $("values").tBodies[0];
  body.replaceChildren();
  answer.values.forEach((row, k) => {
    const old = before[row.name], moved = old !== undefined && row.value !== null && old !== null && Math.abs(row.value - old) > 1e-12;
    const line = make(body, "tr", { class: (k === 0 ? "own " : "") + (moved ? "changed" : "") });
    make(line, "th", { scope: "row" }, `${row.name} ${row.better ? "↑" : "↓"}`);
    make(line, "td", { class: "number", title: row.why }, row.value === null ? "–" : format(row.value));
    make(line, "td", {}, moved ? `${row.value > old ? "+" : "−"}${format(Math.abs(row.value - old))}, ${row.value > old === row.better ? "better" : "worse"}` : "");
  });
}
function drawViews() {
  $("network").innerHTML = answer.network || "<p class=hint>A flow network is drawn for one pairing only.</p>";
  const prices = $("prices").tBodies[0];
  prices.replaceChildren();
  for (const row of answer.prices) { const line = make(prices, "tr"); row.forEach((cell) => make(line, "td", {}, typeof cell === "number" ? format(cell) : cell)); }
  $("prices").hidden = !answer.prices.length;
  $("lca").replaceChildren();
  for (const each of answer.lca) {
    make($("lca"), "h3", {}, each.F === null ? `${each.name}: nothing to draw` : `${each.name}: F_LCA = ${format(each.F)}, |Z| = ${each.lcas}`);
    make($("lca"), "div").innerHTML = each.svg;
  }
  lines($("algebra"), answer.program.algebra);
  lines($("lp"), answer.program.lp);
  const copy = $("view-copy"), pieces = { Python: answer.copy.python, TOML: answer.copy.toml, "Command line": answer.copy.command,
    "Test case": answer.copy.test, "Picture (SVG)": answer.network || answer.lca[0].svg };
  copy.replaceChildren();
  for (const [name, text] of Object.entries(pieces)) {
    const head = make(copy, "h3", {}, name + " ");
    const button = make(head, "button", {}, "Copy");
    button.addEventListener("click", () => navigator.clipboard.writeText(text).then(() => { button.textContent = "Copied"; }));
    make(copy, "pre", {}, text.length > 3000 ? text.slice(0, 3000) + " …" : text);
  }
}
// pointing at a rule lights its rows, and the classes that it speaks of
function lines(parent, text) {
  parent.replaceChildren();
  for (const each of text.split("\n")) {
    const line = make(parent, "span", {}, each || " ");
    const side = /for each predicted|^\s*p_\d/.test(each) ? "p" : /for each true|^\s*t_\d/.test(each) ? "t" : "";
    if (!side) continue;
    line.dataset.side = side; line.tabIndex = 0;
    for (const [event, on] of [["mouseenter", true], ["mouseleave", false], ["focus", true], ["blur", false]]) line.addEventListener(event, () => light(side, on));
  }
}
function light(side, on) {
  for (const line of document.querySelectorAll(`pre span[data-side="${side}"]`)) line.classList.toggle("lit", on);
  const set = side === "p" ? state.pred : state.true;
  for (const node of $("tree").querySelectorAll("g.node")) node.classList.toggle("lit", on && set.includes(node.dataset.label));
}
function showTab(name) {
  for (const key of Object.keys(TABS)) { $(`view-${key}`).hidden = key !== name; $(`tab-${key}`).setAttribute("aria-selected", String(key === name)); $(`tab-${key}`).tabIndex = key === name ? 0 : -1; }
}
function load(start) {
  select(null);
  $("note").textContent = start.note ?? "";
  return change((next) => { for (const key of ["classes", "edges", "true", "pred"]) next[key] = structuredClone(start[key]); });
}
async function begin() {
  for (const [key, title] of Object.entries(TABS)) {
    const tab = make(document.querySelector(".tabs"), "button", { id: `tab-${key}`, role: "tab", "aria-controls": `view-${key}` }, title);
    tab.addEventListener("click", () => showTab(key));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const keys = Object.keys(TABS), other = keys[(keys.indexOf(key) + step + keys.length) % keys.length];
      showTab(other); $(`tab-${other}`).focus();
    });
  }
  showTab("values");
  const starts = await ask("starts", {});
  const options = [["an empty table", { classes: ["root"], edges: [], true: [], pred: [] }], ["animals", FIRST], ...starts.cases.map((each) => [`the paper: ${each.name}`, each])];
  options.forEach(([name], k) => make($("start"), "option", { value: k }, name));
  make($("start"), "option", { value: "refute" }, "counter-examples of this measure …");
  $("start").value = 1;
  $("start").addEventListener("change", async () => {
    if ($("start").value !== "refute") return load(options[Number($("start").value)][1]);
    say("Looking for the smallest counter-examples …");
    try {
      const refuted = await ask("counterexamples", state.measure);
      say(refuted.length ? "" : "No property is refuted by up to 4 classes.");
      for (const each of refuted) { options.push([`${answer.measure.name}: ${each.name}?`, each]); make($("start"), "option", { value: options.length - 1 }, options.at(-1)[0]); }
      if (refuted.length) { $("start").value = options.length - refuted.length; await load(refuted[0]); }
    } catch (error) { say(error.message); }
  });
  $("ownlabel").hidden = !starts.instances.length;
  for (const name of starts.instances) make($("owns"), "option", { value: name });
  $("own").addEventListener("change", async () => { try { await load(await ask("instance", { name: $("own").value })); } catch (error) { say(error.message); } });
  make($("measure"), "option", { value: "own" }, "defined by the sliders");
  await change(() => {}, false);
  for (const row of answer.values.slice(1)) make($("measure"), "option", { value: row.name }, row.name);
  $("measure").value = "GIE";
  $("measure").addEventListener("change", () => $("measure").value === "own" ? fromSliders() : change((next) => { next.measure = { text: $("measure").value }; }));
  for (const id of ["ap", "bp", "at", "bt", "dc", "md", "hz", "dc-on", "cost", "own-name"]) $(id).addEventListener(id === "own-name" ? "change" : "input", fromSliders);
  $("add").addEventListener("click", add); $("rename").addEventListener("click", rename); $("delete").addEventListener("click", remove);
  $("connect").addEventListener("click", () => selected === null ? say("Select a class first.") : setConnecting(!connecting));
  const undo = () => { const old = history.pop(); if (old) change((next) => Object.assign(next, structuredClone(old)), false); };
  $("undo").addEventListener("click", undo);
  document.addEventListener("keydown", (event) => { if ((event.ctrlKey || event.metaKey) && event.key === "z") { event.preventDefault(); undo(); } });
  $("tree").addEventListener("keydown", (event) => {
    const label = event.target.dataset?.label;
    if (label === undefined || event.ctrlKey || event.metaKey) return;
    const nodes = [...$("tree").querySelectorAll("g.node[tabindex]")], at = nodes.indexOf(event.target);
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(label); }
    else if (event.key === "ArrowRight" || event.key === "ArrowDown") { event.preventDefault(); nodes[(at + 1) % nodes.length].focus(); }
    else if (event.key === "ArrowLeft" || event.key === "ArrowUp") { event.preventDefault(); nodes[(at - 1 + nodes.length) % nodes.length].focus(); }
    else if (event.key === "a") { select(label); $("name").value = ""; add(); }
    else if (event.key === "c") { select(label); setConnecting(true); }
    else if (event.key === "r") { event.preventDefault(); select(label); $("name").focus(); }
    else if (event.key === "Delete") { select(label); remove(); }
  });
}
begin().catch((error) => say(error.message));
