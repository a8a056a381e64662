// The drawing of an instance: its classes and all above them, who is true and who is predicted, and the pairs; or its
// minimal LCA graphs.

const MOST_BOXES = 400; // more are not drawn
const NARROWEST = 640; // pixels
const MANY_BOXES = 60; // with more, ancestors that only pass something on are left out at first

const ROLES = {
  true: "true class",
  predicted: "predicted class",
  both: "true and predicted",
  shared: "ancestor on both sides",
  "true-side": "ancestor of true classes",
  "predicted-side": "ancestor of predicted classes",
  none: "no partner",
};
const LINKS = { 1: "on-predicted", 2: "on-true", 3: "on-both" };
const CHOSEN = 4;

function closureOf(data, classes) {
  const found = new Set(classes);
  for (const node of found) for (const parent of parentsOf(data, node)) found.add(parent);
  return found;
}

function roles(data, s, i) {
  const [predicted, truth] = [new Set(predictedClasses(data, s, i)), new Set(trueClasses(data, i))];
  const [left, right] = [closureOf(data, predicted), closureOf(data, truth)];
  const found = new Map();
  for (const node of new Set([...left, ...right])) {
    const here = predicted.has(node);
    const there = truth.has(node);
    const role = here && there ? "both" : here ? "predicted" : there ? "true"
      : left.has(node) && right.has(node) ? "shared" : left.has(node) ? "predicted-side" : "true-side";
    found.set(node, role);
  }
  return found;
}

// Without ancestors that have one child and are no class of the instance: their children go to their parents.
function contracted(nodes, keep, edges) {
  const above = new Map(nodes.map((node) => [node, new Set()]));
  const below = new Map(nodes.map((node) => [node, new Set()]));
  for (const [child, parent] of edges) {
    above.get(child).add(parent);
    below.get(parent).add(child);
  }
  const plain = new Set(edges.map((edge) => edge.join()));
  let changed = true;
  while (changed) {
    changed = false;
    for (const node of nodes) {
      if (keep(node) || !above.has(node) || below.get(node).size !== 1) continue;
      const [child] = below.get(node);
      above.get(child).delete(node);
      for (const parent of above.get(node)) {
        below.get(parent).delete(node);
        below.get(parent).add(child);
        above.get(child).add(parent);
      }
      above.delete(node);
      below.delete(node);
      changed = true;
    }
  }
  const left = [...above.keys()];
  const joined = left.flatMap((child) => [...above.get(child)].map((parent) => [child, parent]));
  return { left, joined: joined.map(([child, parent]) => [child, parent, plain.has(`${child},${parent}`) ? "plain" : "long"]) };
}

function graphOf(data, s, i, whole) {
  const found = roles(data, s, i);
  const nodes = [...found.keys()];
  const edges = nodes.flatMap((node) => [...parentsOf(data, node)].map((parent) => [node, parent]));
  const own = (node) => ["true", "predicted", "both"].includes(found.get(node));
  const { left, joined } = whole
    ? { left: nodes, joined: edges.map((edge) => [...edge, "plain"]) }
    : contracted(nodes, own, edges);
  const boxes = new Map(left.sort((a, b) => a - b).map((node) => {
    const box = boxOf(node, shortName(data, node), found.get(node));
    box.title = `${fullName(data, node)}: ${ROLES[box.role]}`;
    return [node, box];
  }));
  const [predicted, truth] = [predictedClasses(data, s, i), trueClasses(data, i)];
  const curves = [];
  for (const pair of pairsOf(data, s, i)) {
    if (pair.predicted >= 0 && pair.true >= 0) {
      const ends = { first: predicted[pair.predicted], second: truth[pair.true] };
      if (ends.first !== ends.second) curves.push({ ...ends, text: String(Number(pair.cost.toPrecision(4))) });
    } else {
      const box = boxes.get(pair.predicted >= 0 ? predicted[pair.predicted] : truth[pair.true]);
      box.alone = true;
      box.title += `; without a partner: ${Number(pair.cost.toPrecision(4))}`;
    }
  }
  return { boxes, arrows: joined, curves, hidden: nodes.length - left.length, size: nodes.length };
}

// Both minimal LCA graphs, and the classes that another one below them stands for.
function lcaGraphOf(data, s, i, { marks, links }) {
  const [predicted, truth] = [new Set(predictedClasses(data, s, i)), new Set(trueClasses(data, i))];
  const nodes = [...new Set([...marks.keys(), ...predicted, ...truth])].sort((a, b) => a - b);
  const boxes = new Map(nodes.map((node) => {
    const mark = marks.get(node) ?? 0;
    const role = predicted.has(node) && truth.has(node) ? "both" : predicted.has(node) ? "predicted" : truth.has(node) ? "true"
      : (mark & 3) === 3 ? "shared" : mark & 1 ? "predicted-side" : "true-side";
    const top = node < 0;
    const box = boxOf(node, top ? "⊤" : shortName(data, node), role, mark ? "" : " (left out)");
    box.chosen = Boolean(mark & CHOSEN);
    box.title = `${top ? "⊤ (above all roots)" : fullName(data, node)}: ${ROLES[role]}`;
    if (box.chosen) box.title += "; chosen lowest common ancestor";
    if (!mark) box.title += "; left out: a class below it on the same side stands for it";
    return [node, box];
  }));
  const drawn = new Set(links.map(({ low, high }) => `${low},${high}`));
  const arrows = links.map(({ low, high, side }) => [low, high, LINKS[side]]);
  for (const node of nodes.filter((each) => each >= 0)) {
    for (const parent of parentsOf(data, node)) {
      if (boxes.has(parent) && !drawn.has(`${node},${parent}`)) arrows.push([node, parent, "plain"]);
    }
  }
  return { boxes, arrows, curves: [], hidden: 0, size: nodes.length };
}

function cubic(points) {
  const [[ax, ay], ...rest] = points;
  return `M${ax.toFixed(1)} ${ay.toFixed(1)}C${rest.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(" ")}`;
}

function boxShape(box) {
  const corner = box.role.startsWith("predicted") ? 11 : box.role === "both" || box.role === "shared" ? 5 : 0;
  return svgElement("rect", {
    class: `box ${box.role}${box.alone ? " alone" : ""}${box.chosen ? " chosen" : ""}`, x: (box.x - box.width / 2).toFixed(1),
    y: (box.y - BOX.height / 2).toFixed(1), width: box.width.toFixed(1), height: BOX.height, rx: corner,
  });
}

function drawn(graph, width, words) {
  const [wide, high] = laidOut(graph, width);
  const size = { viewBox: `0 0 ${wide.toFixed(0)} ${high.toFixed(0)}`, width: wide.toFixed(0), height: high.toFixed(0) };
  const svg = svgElement("svg", { class: "drawing", role: "img", "aria-label": words, ...size });
  for (const [child, parent, kind] of graph.arrows) {
    svg.append(svgElement("path", { class: `edge ${kind}`, d: cubic(arrowPoints(graph.boxes, child, parent)) }));
  }
  for (const curve of graph.curves) {
    svg.append(svgElement("path", { class: "pair", d: cubic(curvePoints(graph.boxes, curve)) }));
  }
  for (const box of graph.boxes.values()) {
    const text = label(box.text, box.x, box.y + 4, { "text-anchor": "middle" });
    svg.append(pointed(svgElement("g", {}, boxShape(box), text), box.title));
  }
  const taken = [...graph.boxes.values()].map((box) => ({ x: box.x, y: box.y, width: box.width, height: BOX.height }));
  for (const curve of graph.curves) {
    const at = wordPlace(curvePoints(graph.boxes, curve), curve.text, taken);
    svg.append(label(curve.text, at.x, at.y + 4, { class: "cost", "text-anchor": "middle" }));
  }
  return svg;
}

// Fills a place with a drawing, and again whenever its width changes.
function draw(place, data, s, i) {
  const view = { data, s, i, whole: null, lca: false, width: 0 };
  new ResizeObserver(() => {
    const width = Math.max(NARROWEST, Math.floor(place.clientWidth)); // on a phone it is scrolled, not squeezed
    if (!place.clientWidth || width === view.width) return;
    view.width = width;
    fill(place, view);
  }).observe(place);
}

// The drawing, what its colours mean, and a choice of how much is drawn.
function fill(place, view) {
  const { data, s, i, whole, width } = view;
  const size = roles(data, s, i).size;
  const all = whole ?? size <= MANY_BOXES;
  const graphs = graphsOf(data, s, i);
  const lca = view.lca && graphs !== null;
  const graph = lca ? lcaGraphOf(data, s, i, graphs) : graphOf(data, s, i, all);
  if (graph.boxes.size > MOST_BOXES) {
    const words = `${graph.boxes.size.toLocaleString("en")} classes are too many to draw (${MOST_BOXES} at most).`;
    place.replaceChildren(element("p", { class: "note" }, words));
    if (graphs) place.append(lcaChoice(place, view));
    return;
  }
  const shown = lca ? `minimal LCA graphs of ${data.graphs}` : "classes and their ancestors";
  const words = `${data.systems[s]}, ${instanceName(data, i)}: ${shown}`;
  const svg = drawn(graph, width, words);
  const used = new Set([...graph.boxes.values()].map((box) => box.role));
  if ([...graph.boxes.values()].some((box) => box.alone)) used.add("none");
  const list = element("ul", { class: "legend" });
  for (const [role, text] of Object.entries(ROLES)) {
    const sign = element("i", { class: `box ${role === "none" ? "alone" : role}` });
    if (used.has(role)) list.append(element("li", {}, sign, ` ${text}`));
  }
  if (lca) {
    list.append(element("li", {}, element("i", { class: "box chosen" }), " chosen lowest common ancestor"));
    for (const [kind, side] of [["on-predicted", "predicted"], ["on-true", "true"], ["on-both", "both"]]) {
      if (!graph.arrows.some((arrow) => arrow[2] === kind)) continue;
      const sides = kind === "on-both" ? "both graphs" : `the ${side} graph`;
      list.append(element("li", {}, element("i", { class: `curve ${kind}` }), ` path of ${sides}`));
    }
  }
  if (graph.curves.length) {
    list.append(element("li", {}, element("i", { class: "curve" }), ` pair of ${data.pairing}, with its cost`));
  }
  const scroll = element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": words }, svg);
  place.replaceChildren(scroll, list);
  if (!lca && size <= MOST_BOXES && (graph.hidden || all)) {
    const box = element("input", { type: "checkbox" });
    box.checked = all;
    box.addEventListener("change", () => {
      view.whole = box.checked;
      fill(place, view);
      place.querySelector("input")?.focus();
    });
    const rest = graph.hidden ? ` (${graph.hidden} that only pass on are left out; dashed lines lead past them)` : "";
    place.append(element("label", { class: "note" }, box, ` all ${size} classes and ancestors${rest}`));
  } else if (graph.hidden) {
    const words = `${graph.hidden} ancestors that only pass on are left out; dashed lines lead past them`;
    place.append(element("p", { class: "note" }, words));
  }
  if (graphs) place.append(lcaChoice(place, view));
}

function lcaChoice(place, view) {
  const box = element("input", { type: "checkbox", class: "lca" });
  box.checked = view.lca;
  box.addEventListener("change", () => {
    view.lca = box.checked;
    fill(place, view);
    place.querySelector("input.lca")?.focus();
  });
  return element("label", { class: "note" }, box, ` minimal LCA graphs of ${view.data.graphs}`);
}
