"use strict";
// The page holds the state (taxonomy, instance, measure) and draws answers; every number comes from the server.
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const FIRST = { classes: [], edges: [["animal", "mammal"], ["animal", "bird"], ["mammal", "sheep"], ["mammal", "cow"], ["bird", "owl"]],
  true: ["sheep", "owl"], pred: ["cow"], measure: { text: "GIE" } };
const TABS = { values: "Values", flow: "Flow network", lca: "LCA graphs", program: "Program", copy: "Copy" };
const ROLES = { true: "true", predicted: "predicted", both: "true and predicted", other: "neither" };
const LEGENDS = { legend: ["true", "predicted", "both", "other", "default", "pairs"], "lca-legend": ["true", "predicted", "both", "true_side", "predicted_side", "shared", "lca", "other"] };
const KEPT = ["classes", "edges", "true", "pred", "names"];
let state = structuredClone(FIRST), wanted = state, record = false, answer = null, before = {}, busy = null, selected = null, connecting = false, renaming = false;
const history = [];

async function ask(question, body) {
  const reply = await fetch(question, { method: "POST", body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(await reply.text());
  const data = JSON.parse(await reply.text(), (key, value) => key === "value" && typeof value === "string" ? Number(value) : value);  // "Infinity"
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
const format = (value) => value === null ? "undefined" : Math.abs(value) === Infinity ? (value > 0 ? "∞" : "−∞") : Number.isInteger(value) ? String(value) : value.toPrecision(4).replace(/\.?0+$/, "");

// a change is shown only if the library takes it: a cycle, say, is refused with its reason, and the state stays;
// one question at a time: changes made meanwhile build on what is wanted, and are asked for together
function change(edit, keep = true) {
  const next = structuredClone(wanted);
  edit(next);
  wanted = next;
  record = keep;
  return busy ??= settle().finally(() => { busy = null; });
}
async function settle() {
  while (wanted !== state || answer === null) {
    const next = wanted, keep = record;
    try {
      const reply = await ask("board", next);
      if (keep) history.push(state);
      before = answer ? Object.fromEntries(answer.values.map((row) => [row.name, row.value])) : {};
      state = next;
      answer = reply;
      say("");
      draw();
    } catch (error) {
      if (wanted !== next) continue;
      wanted = state;
      say(`Nothing has changed: ${error.message}`);
      if (answer) drawMeasure();
      return;
    }
  }
}

function draw() {
  const own = answer.values[0];
  $("result").textContent = answer.undefined ? `${own.name}: ${answer.undefined}` : `${own.name} = ${format(own.value)} (${answer.status}), ${own.better ? "greater" : "smaller"} is better`;
  if (selected !== null && !labels().includes(selected)) select(null);
  drawTree(); if (wanted === state) drawMeasure(); drawCurve(); drawValues(); drawViews();
}
function drawTree() {
  const tree = $("tree"), data = answer.taxonomy, focus = document.activeElement?.dataset?.label;
  tree.replaceChildren();
  tree.setAttribute("viewBox", data.frame.join(" "));
  tree.style.maxWidth = `${1.4 * data.frame[2]}px`;
  tree.style.minWidth = `${0.7 * data.frame[2]}px`;
  for (const [, , path] of data.edges) make(tree, "path", { class: "edge", d: path });
  for (const path of data.curves) make(tree, "path", { class: "pair", d: path });
  for (const box of data.boxes) {
    const group = make(tree, "g", { class: `node ${box.role}` });
    group.innerHTML = box.shape;
    make(group, "title", {}, box.label === null || box.title === box.label ? box.title : `${box.title} (${box.label})`);
    make(group, "text", { x: box.x, y: box.y + 4 }, box.text);
    if (box.label === null) continue;
    group.dataset.label = box.label;
    group.classList.toggle("selected", box.label === selected);
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    group.setAttribute("aria-label", `${box.title}, ${ROLES[box.role]}${box.label === selected ? ", selected" : ""}`);
    group.addEventListener("click", () => choose(box.label));
    if (box.label === focus) group.focus({ preventScroll: true });
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
function setConnecting(on) { connecting = on; $("connect").setAttribute("aria-pressed", String(on)); if (on) say(`Choose a child for ${selected}, or one that stops being its child.`); }
const labels = () => answer.taxonomy.boxes.map((box) => box.label).filter((label) => label !== null);
function say(text) { $("message").textContent = text; }
function add() {
  let name = $("name").value.trim();
  if (name !== selected && labels().includes(name)) return say(`There is a class “${name}” already.`);
  if (name === "" || name === selected) for (let k = 1; labels().includes(name) || name === ""; k++) name = `class ${k}`;
  const parent = selected;
  return change((next) => { next.classes.push(name); if (parent !== null) next.edges.push([parent, name]); }).then(() => { if (labels().includes(name)) select(name); });
}
function rename() {
  const old = selected, name = $("name").value.trim();
  if (old === null) return say("Select a class first.");
  if (name === "" || labels().includes(name)) return say(`There is a class “${name}” already, or the name is empty.`);
  const to = (label) => label === old ? name : label;
  selected = name;
  return change((next) => {
    next.classes = next.classes.map(to); next.true = next.true.map(to); next.pred = next.pred.map(to);
    next.edges = next.edges.map(([parent, child, ...length]) => [to(parent), to(child), ...length]);
    if (next.names) delete next.names[old];
  });
}
function remove() {
  const old = selected;
  if (old === null) return say("Select a class first.");
  const rest = labels().filter((label) => label !== old);
  select(null);
  return change((next) => {
    next.classes = rest; next.true = next.true.filter((each) => each !== old); next.pred = next.pred.filter((each) => each !== old);
    next.edges = next.edges.filter(([parent, child]) => parent !== old && child !== old);
  });
}

// a slider has few positions, and its box says any value; the rightmost position of a bound is ALL, of a limit none
const BOUNDS = { ap: "bp", bp: "ap", at: "bt", bt: "at" }, LIMITS = ["md", "hz"], COSTS = ["dc", "dt"], ALL_CONTROLS = [...Object.keys(BOUNDS), ...LIMITS, ...COSTS];
function valueOf(id) {
  const text = $(`${id}-box`).value.trim();
  if (id in BOUNDS) return /^all$/i.test(text) ? "ALL" : text === "" || Number.isNaN(Number(text)) ? text : Number(text);
  return text === "" || /^none$/i.test(text) ? null : Number.isNaN(Number(text)) ? text : Number(text);
}
function put(id, value) {
  $(`${id}-box`).value = value ?? "none";
  if (COSTS.includes(id)) { $(`${id}-none`).checked = value === null; $(id).disabled = value === null; $(id).max = Math.max(10, value ?? 0); }
  if (value === "ALL" || (value === null && LIMITS.includes(id))) $(id).value = $(id).max;
  else if (value !== null) $(id).value = value;
}
function slide(id) {
  const last = $(id).value === $(id).max, other = BOUNDS[id];
  $(`${id}-box`).value = last && id in BOUNDS ? "ALL" : last && LIMITS.includes(id) ? "none" : $(id).value;
  const lower = id[0] === "a";
  if (other && (lower ? Number($(other).value) < Number($(id).value) : Number($(other).value) > Number($(id).value))) { $(other).value = $(id).value; slide(other); return; }
  fromSliders();
}
function drawMeasure() {
  const own = answer.measure, plain = own.predicted !== undefined;
  $("measure").value = own.named ? own.name : "own";
  $("own-name").value = own.named ? "" : own.name;
  $("sliders").disabled = $("own-name").disabled = !plain;
  $("fixed").hidden = plain;
  $("fixed-name").textContent = own.name;
  if (!plain) return;
  put("ap", own.predicted[0]); put("bp", own.predicted[1]); put("at", own.true[0]); put("bt", own.true[1]);
  const apart = Array.isArray(own.default_cost);
  $("apart").checked = apart;
  $("dt-row").hidden = !apart;
  document.querySelector("label[for=dc]").textContent = apart ? "default cost of predicted classes" : "default cost (D)";
  put("dc", apart ? own.default_cost[0] : own.default_cost); put("dt", apart ? own.default_cost[1] : own.default_cost);
  put("md", own.max_distance); put("hz", own.horizon);
  $("cost").value = own.cost; $("score").value = own.score;
}
function fromSliders() {
  change((next) => {
    next.measure = { name: $("own-name").value.trim() || "mine", predicted: [valueOf("ap"), valueOf("bp")], true: [valueOf("at"), valueOf("bt")], cost: $("cost").value, score: $("score").value,
      default_cost: $("apart").checked ? [valueOf("dc"), valueOf("dt")] : valueOf("dc"), max_distance: valueOf("md"), horizon: valueOf("hz") };
  });
}
function drawCurve() {
  const curve = $("curve"), points = answer.sensitivity;
  curve.replaceChildren();
  curve.style.display = points.length ? "" : "none";
  if (!points.length) return;
  const right = points.at(-1)[0], top = Math.max(...points.map(([, error]) => error)), w = curve.clientWidth || 400, h = 52;
  $("dc").max = right; $("dc").value = answer.measure.default_cost;
  curve.setAttribute("viewBox", `0 0 ${w} 92`);
  const x = (d) => 8 + (w - 16) * d / right, y = (error) => 22 + h * (1 - error / (top || 1));
  make(curve, "path", { d: "M" + points.map(([d, error]) => `${x(d)} ${y(error)}`).join("L") });
  const now = answer.measure.default_cost;
  make(curve, "line", { x1: x(now), x2: x(now), y1: 16, y2: 78 });
  const marked = [];  // bends first, then the ends, where there is room
  for (const [d, error] of [...points.slice(1, -1), points[0], points.at(-1)]) {
    if (d > 0 && d < right) make(curve, "circle", { cx: x(d), cy: y(error), r: 3.5 });
    if (marked.some((other) => Math.abs(other - x(d)) < 20)) continue;
    make(curve, "text", { x: x(d), y: 89, "text-anchor": "middle" }, format(d));
    marked.push(x(d));
  }
  make(curve, "text", { x: 8, y: 10 }, `error by D (top: ${format(top)})`);
}
function drawValues() {
  const body = $("values").tBodies[0];
  body.replaceChildren();
  answer.values.forEach((row, k) => {
    const old = before[row.name], moved = old !== undefined && row.value !== null && old !== null && Math.abs(row.value - old) > 1e-12;
    const line = make(body, "tr", { class: (k === 0 ? "own " : "") + (moved ? "changed" : "") });
    make(line, "th", { scope: "row" }, `${row.name} ${row.better ? "↑" : "↓"}${row.note ? "*" : ""}`);
    make(line, "td", { class: "number" }, row.value === null ? "–" : format(row.value));
    make(line, "td", row.why ? { class: "why" } : {}, row.why || (moved ? `${row.value > old ? "+" : "−"}${format(Math.abs(row.value - old))}, ${row.value > old === row.better ? "better" : "worse"}` : ""));
  });
  const noted = answer.values.filter((row) => row.note);
  $("weights").textContent = "↑ greater is better, ↓ smaller is better." + (noted.length ? ` * ${noted.map((row) => row.name).join(", ")}: ${noted[0].note}.` : "");
}
function drawViews() {
  $("network").innerHTML = answer.network || "<p class=hint>A flow network is drawn for one pairing only.</p>";
  const prices = $("prices").tBodies[0];
  prices.replaceChildren();
  for (const row of answer.prices) { const line = make(prices, "tr"); row.forEach((cell) => make(line, "td", {}, typeof cell === "number" ? format(cell) : cell)); }
  $("prices").hidden = $("prices-note").hidden = !answer.prices.length;
  $("lca").replaceChildren();
  for (const each of answer.lca) {
    const part = make($("lca"), "div");
    make(part, "h3", {}, each.title);
    make(part, "div").innerHTML = each.svg;
  }
  drawProgram();
  const pictures = { "Taxonomy (SVG)": answer.taxonomy.svg, "Flow network (SVG)": answer.network };
  for (const each of answer.lca) pictures[`LCA graphs, ${each.name} (SVG)`] = each.svg;
  const copy = $("view-copy");
  copy.replaceChildren();
  for (const [name, text] of Object.entries({ ...answer.copy, ...pictures })) {
    if (!text) continue;
    const head = make(copy, "h3", {}, name + " ");
    const button = make(head, "button", { "aria-label": `Copy: ${name}` }, "Copy");
    button.addEventListener("click", () => navigator.clipboard.writeText(text).then(() => { button.textContent = "Copied"; }, (error) => say(error.message)));
    make(copy, "pre", { tabindex: 0 }, text.startsWith("<svg") ? `${text.slice(0, 200)} … ${text.length} characters` : text);
  }
}
// rules of the algebra and rows of the program that belong together light up together, with the classes they name
function drawProgram() {
  const meaning = {}, lp = $("lp"), algebra = $("algebra");
  let section = "";
  lp.replaceChildren(); algebra.replaceChildren();
  for (const text of answer.program.lp.split("\n")) {
    const line = make(lp, "span", {}, text || " "), comment = /^\\ (\w+): (.*)$/.exec(text), row = /^\s+(\w+):/.exec(text)?.[1];
    if (comment) meaning[comment[1]] = comment[2]; else if (/^[A-Z]/.test(text)) section = text;
    line.dataset.words = text.split(/[^\w]+/).join(" ").replace(/_(low|high)\b/g, "");
    if (/^\S/.test(text) && !comment) continue;
    const token = (comment?.[1] ?? row ?? /[a-z]+(_\w+)+/.exec(text)?.[0] ?? "").replace(/_(low|high)$/, "");
    if (token) line.dataset.token = token;
    line.dataset.group = /imize/.test(section) ? "goal" : section === "Subject To" ? token.split("_")[0] : section ? "domain" : /^[a-z]+/.exec(token)?.[0] ?? "";
    if (section === "Subject To") line.dataset.row = "";
  }
  const grouped = new Set([...lp.children].map((line) => line.dataset.group));
  for (const text of answer.program.algebra.split("\n")) {
    const line = make(algebra, "span", {}, text || " "), rule = /^\((.+?)\)/.exec(text)?.[1];
    const group = /^(min|max)\b/.test(text) ? "goal" : /∈ \{|integer/.test(text) ? "domain" : /for each predicted/.test(text) ? "p" : /for each true/.test(text) ? "t" : rule;
    if (group) line.dataset.group = grouped.has(group) ? group : "rows";
  }
  for (const line of document.querySelectorAll("#view-program span[data-group]")) {
    line.tabIndex = 0;
    for (const event of ["mouseenter", "focus"]) line.addEventListener(event, () => light(line, meaning));
    for (const event of ["mouseleave", "blur"]) line.addEventListener(event, () => light(null, meaning));
  }
}
function light(line, meaning) {
  const of = line?.dataset, names = new Set();
  for (const each of document.querySelectorAll("#view-program span[data-group]")) {
    const its = each.dataset, together = of && (its.group === of.group || (of.group === "rows" && its.row !== undefined));
    const lit = line !== null && (each === line || (of.token && each.parentNode.id === "lp" ? its.words.split(" ").includes(of.token) : together));
    each.classList.toggle("lit", lit);
    if (lit && its.token && (!of.token || its.token === of.token)) for (const name of (meaning[its.token] ?? "").split(/ ~ | implies |: |^predicted |^true |^LCA /)) names.add(name);
  }
  for (const node of $("tree").querySelectorAll("g.node")) node.classList.toggle("lit", names.has(node.dataset.label));
}
function showTab(name) {
  for (const key of Object.keys(TABS)) { $(`view-${key}`).hidden = key !== name; $(`tab-${key}`).setAttribute("aria-selected", String(key === name)); $(`tab-${key}`).tabIndex = key === name ? 0 : -1; }
}
function introduce(start) {
  $("note").textContent = start?.note ?? "";
  $("own").value = start?.next === undefined ? "" : start.name;
  $("next").dataset.name = start?.next ?? "";
  $("next").hidden = !start?.next;
  const { boxes, frame } = answer.taxonomy, top = boxes.reduce((a, b) => b.y < a.y ? b : a), view = $("drawing");
  view.scrollLeft = (top.x - frame[0]) / frame[2] * view.scrollWidth - view.clientWidth / 2;  // where it is wider: the root
}
function load(start) {
  select(null);
  return change((next) => { for (const key of KEPT) next[key] = structuredClone(start[key] ?? (key === "names" ? {} : [])); })
    .then(() => { introduce(start); before = {}; drawValues(); });  // another instance is no move
}
const STEPS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
function neighbour(label, [dx, dy]) {
  const boxes = answer.taxonomy.boxes.filter((box) => box.label !== null), here = boxes.find((box) => box.label === label);
  const far = (box) => { const x = box.x - here.x, y = box.y - here.y, along = x * dx + y * dy; return along > 5 ? along + 3 * Math.abs(x * dy + y * dx) : Infinity; };
  const near = boxes.reduce((best, box) => far(box) < far(best) ? box : best, here);
  return $("tree").querySelector(`g[data-label="${CSS.escape(near.label)}"]`);
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
  let refusal = "";
  for (const [role, shape, title] of [...starts.legend, ["pairs", '<path d="M2 9L22 9"/>', "pair with its cost"]]) for (const [list, kind] of [["legend", ""], ["lca-legend", "hemlp"]]) {
    if (!LEGENDS[list].includes(role)) continue;
    const item = make($(list), "li");
    make(item, "svg", { class: kind, width: 24, height: 18, "aria-hidden": "true" }).innerHTML = `<g class="node ${role}">${shape}</g>`;
    item.append(title);
  }
  const options = [];
  const offer = (parent, name, start) => { make(parent, "option", { value: options.length }, name); options.push(start); };
  const first = starts.kind ? await ask("instance", { name: null }).catch((error) => { refusal = error.message; }) : undefined;
  if (first) offer($("start"), "your own files", first);
  offer($("start"), "animals", FIRST);
  offer($("start"), "an empty table", { classes: ["root"] });
  for (const each of starts.cases) offer($("start"), `the paper: ${each.name}`, each);
  make($("start"), "option", { value: "refute" }, "counter-examples of this measure …");
  const refutations = make($("start"), "optgroup", { label: "counter-examples" });
  refutations.hidden = true;
  let started = "0";
  $("start").addEventListener("change", async () => {
    if ($("start").value !== "refute") { started = $("start").value; return load(options[Number(started)]); }
    say("Looking for the smallest counter-examples …");
    try {
      const refuted = await ask("counterexamples", state.measure), next = options.length;
      say(refuted.length ? "" : "No property is refuted by up to 4 classes.");
      if (refuted.length) {
        refutations.replaceChildren();
        refutations.hidden = false;
        for (const each of refuted) offer(refutations, `${answer.measure.name}: ${each.name}?`, each);
        started = String(next);
        await load(refuted[0]);
      }
    } catch (error) { say(error.message); }
    $("start").value = started;
  });
  $("ownlabel").hidden = !starts.instances.length;
  $("ownlabel").firstElementChild.textContent = starts.kind;
  for (const name of starts.instances) make($("owns"), "option", { value: name });
  const open = async (name) => { try { await load(await ask("instance", { name })); } catch (error) { say(error.message); } };
  $("own").addEventListener("change", () => open($("own").value));
  $("next").addEventListener("click", () => open($("next").dataset.name));
  make($("measure"), "option", { value: "own" }, "defined by the sliders");
  for (const name of starts.measures) make($("measure"), "option", { value: name }, name);
  if (first) for (const key of KEPT) state[key] = first[key];
  await change(() => {}, false);
  introduce(first);
  if (refusal) say(refusal);
  $("measure").addEventListener("change", () => $("measure").value === "own" ? fromSliders() : change((next) => { next.measure = { text: $("measure").value }; }));
  for (const id of ALL_CONTROLS) { $(id).addEventListener("input", () => slide(id)); $(`${id}-box`).addEventListener("change", fromSliders); }
  for (const id of COSTS) $(`${id}-none`).addEventListener("input", () => { $(`${id}-box`).value = $(`${id}-none`).checked ? "none" : $(id).value; fromSliders(); });
  $("apart").addEventListener("input", () => { $("dt-box").value = $("dc-box").value; fromSliders(); });
  for (const id of ["cost", "score", "own-name"]) $(id).addEventListener("change", fromSliders);
  addEventListener("resize", () => { if (answer) drawCurve(); });
  $("add").addEventListener("click", add); $("rename").addEventListener("click", rename); $("delete").addEventListener("click", remove);
  $("name").addEventListener("keydown", (event) => { if (event.key === "Enter") { (renaming ? rename : add)(); renaming = false; } });
  $("connect").addEventListener("click", () => selected === null ? say("Select a class first.") : setConnecting(!connecting));
  const undo = () => { const old = history.pop(); if (old) change((next) => Object.assign(next, structuredClone(old)), false); };
  $("undo").addEventListener("click", undo);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input:not([type=range]):not([type=checkbox])");
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing) { event.preventDefault(); undo(); }
    if (event.key === "Escape") { setConnecting(false); renaming = false; say(""); }
  });
  $("tree").addEventListener("keydown", (event) => {
    const label = event.target.dataset?.label;
    if (label === undefined || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(label); }
    else if (event.key in STEPS) { event.preventDefault(); neighbour(label, STEPS[event.key]).focus(); }
    else if (event.key === "a") { select(label); $("name").value = ""; add(); }
    else if (event.key === "c") { select(label); setConnecting(true); }
    else if (event.key === "r") { event.preventDefault(); select(label); renaming = true; $("name").focus(); $("name").select(); }
    else if (event.key === "Delete") { select(label); remove().then(() => $("tree").querySelector("g[tabindex]")?.focus()); }
  });
}
begin().catch((error) => say(error.message));
