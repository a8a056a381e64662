// The list of instances: searched, filtered, sorted and shown page by page; opened ones are drawn.

const PAGE = 20;

function startInstances(data) {
  const control = (key) => document.getElementById(key);
  const view = { data, page: 0, entries: [] };
  const show = () => {
    view.entries = matching(data, asked(control));
    view.page = 0;
    showPage(view);
  };
  let waiting = null;
  for (const key of ["search", "least", "most"]) {
    control(key).addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(show, 120);
    });
    control(key).addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      clearTimeout(waiting);
      show();
    });
  }
  for (const key of ["system", "measure", "kind", "order"]) control(key).addEventListener("change", show);
  for (const [key, step] of [["previous", -1], ["next", 1]]) {
    control(key).addEventListener("click", () => {
      view.page += step;
      showPage(view);
      document.getElementById("instances").scrollIntoView();
    });
  }
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      control("search").focus();
    }
  });
  control("list").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target.tagName !== "SUMMARY") return;
    const heads = [...control("list").querySelectorAll("summary")];
    event.preventDefault();
    heads[heads.indexOf(event.target) + step]?.focus();
  });
  for (const button of document.querySelectorAll("[data-open]")) {
    button.addEventListener("click", () => {
      const [s, row] = button.dataset.open.split(":").map(Number);
      for (const key of ["least", "most", "kind"]) control(key).value = "";
      control("system").value = s;
      control("search").value = `#${row + 1}`;
      show();
      document.getElementById("instances").scrollIntoView();
      const entry = control("list").querySelector("details");
      if (entry) entry.open = true;
      (entry?.querySelector("summary") ?? control("search")).focus({ preventScroll: true });
    });
  }
  show();
}

function asked(control) {
  const number = (key) => (control(key).value === "" ? null : Number(control(key).value));
  return {
    words: control("search").value.toLowerCase().split(/\s+/).filter(Boolean),
    system: number("system"), measure: number("measure"), least: number("least"), most: number("most"),
    kind: number("kind"), order: control("order").value,
  };
}

// Entries as system * count + place, in the order that was asked for.
function matching(data, { words, system, measure, least, most, kind, order }) {
  const tests = words.map((word) => wordTest(data, word));
  const found = [];
  const values = new Float64Array(data.systems.length * data.count);
  for (let s = 0; s < data.systems.length; s++) {
    values.set(data[`value${s}_${measure}`], s * data.count);
    if (system !== null && s !== system) continue;
    for (let i = 0; i < data.count; i++) {
      const value = values[s * data.count + i];
      if ((least !== null && !(value >= least)) || (most !== null && !(value <= most))) continue;
      if (kind !== null && !hasKind(data, s, i, kind)) continue;
      if (tests.every((test) => test(s, i))) found.push(s * data.count + i);
    }
  }
  if (order === "row") return found.sort((a, b) => (a % data.count) - (b % data.count) || a - b);
  const sign = data.measures[measure][1] === (order === "best") ? -1 : 1;
  return found.sort((a, b) => {
    const [x, y] = [values[a], values[b]];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a - b;
    return x === y ? a - b : x < y ? -sign : sign;
  });
}

// Whether an instance has a word in a label or name of either side, in its id, or as its number (#17: as nothing else).
function wordTest(data, word) {
  const exact = /^#\d+$/.test(word);
  if (exact) return (s, i) => rowOf(data, i) + 1 === Number(word.slice(1));
  const marked = new Uint8Array(data.labels.length);
  data.labels.forEach((text, node) => {
    marked[node] = text.toLowerCase().includes(word) || (data.names[node] ?? "").toLowerCase().includes(word);
  });
  const has = (node) => marked[node];
  return (s, i) =>
    String(rowOf(data, i) + 1) === word || Boolean(data.ids?.[i].toLowerCase().includes(word)) ||
    trueClasses(data, i).some(has) || predictedClasses(data, s, i).some(has);
}

function hasKind(data, s, i, kind) {
  const of = kindsOf(data, s, i);
  return of.predicted.includes(kind) || of.true.includes(kind);
}

function showPage(view) {
  const { data, entries } = view;
  const pages = Math.max(1, Math.ceil(entries.length / PAGE));
  const control = (key) => document.getElementById(key);
  const total = (control("system").value === "" ? data.systems.length : 1) * data.count;
  const sample = data.rows ? " of the sample" : "";
  control("found").textContent = `${entries.length.toLocaleString("en")} of ${total.toLocaleString("en")}${sample} found`;
  control("place").textContent = `page ${view.page + 1} of ${pages.toLocaleString("en")}`;
  control("previous").disabled = view.page === 0;
  control("next").disabled = view.page === pages - 1;
  const shown = entries.slice(view.page * PAGE, (view.page + 1) * PAGE);
  const made = shown.map((entry) => instanceEntry(data, Math.floor(entry / data.count), entry % data.count));
  control("list").replaceChildren(...made);
}

function valueText(data, s, m, i) {
  const unproved = data[`unproved${s}_${m}`]?.[i] ? " (not proved)" : "";
  return figure(data[`value${s}_${m}`][i]) + unproved;
}

function instanceEntry(data, s, i) {
  const m = Number(document.getElementById("measure").value);
  const side = (words, classes, kinds) => {
    const line = element("span", { class: "labels" }, `${words}: `);
    if (!classes.length) line.append("nothing");
    classes.forEach((node, k) => {
      const title = `${fullName(data, node)}: ${data.kinds[kinds[k]]}`;
      line.append(k ? "; " : "", element("span", { class: `label${kinds[k] ? "" : " hit"}`, title }, shortName(data, node)));
    });
    return line;
  };
  const kinds = kindsOf(data, s, i);
  const entry = element("details", { class: "instance" }, element("summary", {},
    element("span", { class: "which" }, `${data.systems[s]}, ${instanceName(data, i)}`), " ",
    element("b", {}, `${data.measures[m][0]} ${valueText(data, s, m, i)}`), " ",
    side("predicted", [...predictedClasses(data, s, i)], kinds.predicted), " ",
    side("true", [...trueClasses(data, i)], kinds.true)));
  entry.addEventListener("toggle", () => {
    if (entry.open && !entry.querySelector(".opened")) {
      const place = element("div", { class: "opened" });
      entry.append(place);
      openInstance(place, data, s, i);
    }
  });
  return entry;
}

// What is shown of an opened instance: the drawing, its classes, and all systems on it.
function openInstance(place, data, s, i) {
  const drawing = element("div", { class: "picture" });
  const summary = element("summary", {}, "Classes, kinds of error and pairs");
  const classes = element("details", { class: "more" }, summary, classTable(data, s, i));
  place.replaceChildren(drawing, systemTable(place, data, s, i), classes);
  draw(drawing, data, s, i);
}

function plainTable(caption, heads, rows) {
  const cell = (name, content, k) => element(name, name === "th" ? { scope: "col" } : { "data-head": heads[k] }, content);
  return element("div", { class: "card" }, element("table", {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads.map((head) => cell("th", head)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((content, k) => cell("td", content, k)))))));
}

function classTable(data, s, i) {
  const [predicted, truth, kinds] = [predictedClasses(data, s, i), trueClasses(data, i), kindsOf(data, s, i)];
  const pairs = pairsOf(data, s, i);
  const name = (side, k) => (k < 0 ? "no partner" : fullName(data, side[k]));
  const partners = (side, other, classes, k) => pairs
    .filter((pair) => pair[side] === k)
    .map((pair) => `${name(classes, pair[other])}: ${Number(pair.cost.toPrecision(6))}`)
    .join("; ");
  const rowsOf = (side, own, other, classes) => [...own].map((node, k) => [
    side, fullName(data, node), data.kinds[kinds[side][k]], partners(side, other, classes, k),
  ]);
  const rows = [...rowsOf("predicted", predicted, "true", truth), ...rowsOf("true", truth, "predicted", predicted)];
  const heads = ["side", "class", "kind", `paired by ${data.pairing}, cost`];
  const made = plainTable(`${data.systems[s]}: classes`, heads, rows);
  made.querySelector("table").classList.add("texts");
  return made;
}

function systemTable(place, data, s, i) {
  const rows = data.systems.map((system, other) => {
    const button = element("button", { class: "link", "aria-pressed": String(other === s) }, system);
    button.addEventListener("click", () => {
      openInstance(place, data, other, i);
      place.querySelectorAll("[aria-pressed]")[other].focus();
    });
    return [button, ...data.measures.map((_, m) => valueText(data, other, m, i))];
  });
  const heads = ["system", ...data.measures.map(([name, better]) => `${name} ${better ? "↑" : "↓"}`)];
  return plainTable("All systems on this instance; press one to see it", heads, rows);
}
