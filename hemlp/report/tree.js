// Branches: a tree that opens, and a map of what is lost in the branches of one class.

const CELLS = 24; // of the map; smaller ones are put together
const TALL = 42; // its height, where its width is 100

function startTree(data) {
  const tree = document.getElementById("tree");
  if (!tree || !data.branch.length) return;
  const place = new Map([...data.branch].map((node, b) => [node, b]));
  const children = new Map([...data.branch].map((node) => [node, []]));
  const tops = [];
  for (const node of data.branch) {
    const above = [...parentsOf(data, node)].filter((parent) => place.has(parent));
    for (const parent of above) children.get(parent).push(node);
    if (!above.length) tops.push(node);
  }
  const [first, second] = ["tree-first", "tree-second"].map((key) => document.getElementById(key));
  const view = { data, place, children, tops, focus: tops.length === 1 ? [tops[0]] : [] };
  const show = () => {
    view.systems = [first, second].filter((each) => each && each.value !== "").map((each) => +each.value);
    const share = data[`branchShare${view.systems[0]}`];
    const order = (a, b) => share[place.get(b)] - share[place.get(a)] || a - b;
    for (const of of [tops, ...children.values()]) of.sort(order);
    const rows = tops.map((node, k) => branchRow(view, node, 1, k === 0));
    tree.replaceChildren(treeHead(view), ...rows);
    if (tops.length === 1) opened(view, rows[0], true);
    showMap(view);
  };
  for (const each of [first, second]) each?.addEventListener("change", show);
  tree.addEventListener("keydown", (event) => moved(view, tree, event));
  show();
}

function columnsOf(view) {
  const names = view.systems.map((s) => view.data.systems[s]);
  const share = `share of ${view.data.loss}`;
  if (names.length === 1) return ["instances", "mean", share];
  return ["instances", ...names.map((name) => `mean, ${name}`), "difference", ...names.map((name) => `${share}, ${name}`)];
}

function treeHead(view) {
  const cells = columnsOf(view).map((name) => element("span", { class: "cell" }, name));
  const name = element("span", { class: "name" }, "branch");
  return element("div", { class: `branch head c${cells.length}`, "aria-hidden": "true" }, name, ...cells);
}

function cellsOf(view, b) {
  const { data, systems } = view;
  const means = systems.map((s) => data[`branchMean${s}`][b]);
  const shares = systems.map((s) => data[`branchShare${s}`][b]);
  const ends = systems.map((s) => ["Low", "High"].map((which) => data[`branch${which}${s}`][b]));
  const bracket = (k) => (Number.isNaN(ends[k][0]) ? "" : ` [${ends[k].map(decimals).join(",\u00a0")}]`);
  const found = [String(data.branchInstances[b]), ...means.map((mean, k) => decimals(mean) + bracket(k))];
  if (systems.length === 2) {
    const gain = means[0] - means[1];
    found.push(Number.isNaN(gain) ? "" : `${gain < 0 ? "-" : "+"}${decimals(Math.abs(gain))}`);
  }
  return [...found, ...shares.map((share) => `${(100 * share).toFixed(2)}%`)];
}

function branchRow(view, node, level, reached) {
  const b = view.place.get(node);
  const heads = columnsOf(view);
  const shares = view.systems.length;
  const cells = cellsOf(view, b).map((text, k) => {
    const cell = element("span", { class: "cell", "data-head": heads[k] }, text);
    const which = k - (heads.length - shares);
    if (which >= 0) {
      cell.classList.add("share");
      cell.style.setProperty("--share", `${100 * view.data[`branchShare${view.systems[which]}`][b]}%`);
    }
    return cell;
  });
  const opens = view.children.get(node).length > 0;
  const sign = element("i", { class: "sign" });
  const name = element("span", { class: "name", title: fullName(view.data, node) }, sign, shortName(view.data, node));
  const row = element("div", {
    class: `branch c${cells.length}`, role: "treeitem", "aria-level": level, "aria-expanded": opens ? "false" : null,
    tabindex: reached ? 0 : -1,
  }, name, ...cells);
  row.style.setProperty("--level", level - 1);
  row.node = node;
  row.addEventListener("click", () => opened(view, row, row.getAttribute("aria-expanded") !== "true"));
  return row;
}

function opened(view, row, open) {
  if (!row.hasAttribute("aria-expanded") || (row.getAttribute("aria-expanded") === "true") === open) return;
  row.setAttribute("aria-expanded", open);
  const level = +row.getAttribute("aria-level");
  if (open) {
    row.after(...view.children.get(row.node).map((node) => branchRow(view, node, level + 1, false)));
    return;
  }
  while (row.nextElementSibling && +row.nextElementSibling.getAttribute("aria-level") > level) row.nextElementSibling.remove();
}

function moved(view, tree, event) {
  const row = event.target.closest("[role=treeitem]");
  const rows = [...tree.querySelectorAll("[role=treeitem]")];
  const at = rows.indexOf(row);
  if (at < 0) return;
  const open = row.getAttribute("aria-expanded");
  const level = +row.getAttribute("aria-level");
  let next = null;
  if (event.key === "ArrowDown") next = rows[at + 1];
  else if (event.key === "ArrowUp") next = rows[at - 1];
  else if (event.key === "Home") next = rows[0];
  else if (event.key === "End") next = rows.at(-1);
  else if (event.key === "ArrowRight" && open === "false") opened(view, row, true);
  else if (event.key === "ArrowRight" && open === "true") next = rows[at + 1];
  else if (event.key === "ArrowLeft" && open === "true") opened(view, row, false);
  else if (event.key === "ArrowLeft") next = rows.slice(0, at).findLast((other) => +other.getAttribute("aria-level") < level);
  else if (event.key === "Enter" || event.key === " ") opened(view, row, open !== "true");
  else return;
  event.preventDefault();
  if (next) {
    row.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

// ---- the map

function showMap(view) {
  const map = document.getElementById("treemap");
  const { data, focus, systems, place } = view;
  const share = (node) => data[`branchShare${systems[0]}`][place.get(node)];
  const nodes = (focus.length ? view.children.get(focus.at(-1)) : view.tops).filter((node) => share(node) > 0);
  const way = element("p", { class: "way note" }, "Where the loss is, by area: ");
  const steps = [...(view.tops.length > 1 ? [null] : []), ...focus];
  steps.forEach((node, k) => {
    const words = node === null ? "all" : shortName(data, node);
    const button = element("button", { class: "link", disabled: k === steps.length - 1 }, words);
    button.addEventListener("click", () => {
      view.focus = node === null ? [] : focus.slice(0, focus.indexOf(node) + 1);
      showMap(view);
    });
    way.append(k ? " › " : "", button);
  });
  const large = nodes.slice(0, CELLS);
  const rest = nodes.slice(CELLS);
  const items = large.map((node) => ({ node, size: share(node) }));
  if (rest.length) items.push({ node: null, size: rest.reduce((sum, node) => sum + share(node), 0) });
  items.sort((a, b) => b.size - a.size);
  const area = element("div", { class: "area" });
  const colour = mapColours(view, large);
  for (const { item, x, y, w, h } of squares(items, 0, 0, 100, TALL)) {
    const words = item.node === null ? `${rest.length} others` : shortName(data, item.node);
    const cell = element("button", { class: "cell" }, element("span", {}, words));
    Object.assign(cell.style, { left: `${x}%`, top: `${(y / TALL) * 100}%`, width: `${w}%`, height: `${(h / TALL) * 100}%` });
    if (item.node === null) {
      cell.disabled = true;
    } else {
      const texts = cellsOf(view, place.get(item.node));
      cell.title = `${fullName(data, item.node)}\n${columnsOf(view).map((head, k) => `${head} ${texts[k]}`).join("\n")}`;
      cell.style.setProperty("--shade", colour(item.node).shade);
      cell.style.setProperty("--hue", colour(item.node).hue);
      cell.disabled = !view.children.get(item.node).length;
      cell.addEventListener("click", () => {
        view.focus = [...focus, item.node];
        showMap(view);
        map.querySelector(".area button:not(:disabled)")?.focus();
      });
    }
    area.append(cell);
  }
  const meaning = systems.length === 2
    ? `Blue: ${data.systems[systems[0]]} is better there than ${data.systems[systems[1]]}, orange: worse`
    : "The darker, the worse the mean";
  map.replaceChildren(way, area, element("p", { class: "note" }, `${meaning}; a click opens a branch.`));
}

function mapColours(view, nodes) {
  const { data, systems, place } = view;
  const better = data.measures[data.leader][1] ? 1 : -1;
  const mean = (s, node) => data[`branchMean${s}`][place.get(node)];
  const value = systems.length === 2
    ? (node) => better * (mean(systems[0], node) - mean(systems[1], node))
    : (node) => -better * mean(systems[0], node);
  const known = nodes.map(value).filter(Number.isFinite);
  const low = systems.length === 2 ? 0 : Math.min(...known);
  const reach = Math.max(1e-9, ...known.map((each) => Math.abs(each - low)));
  return (node) => {
    const each = value(node);
    const hue = systems.length === 2 && each < 0 ? "var(--differ)" : "var(--agree)";
    return { hue, shade: Number.isFinite(each) ? `${8 + (50 * Math.abs(each - low)) / reach}%` : "0%" };
  };
}

// Rectangles of the given sizes within one, as near to squares as a row at a time allows.
function squares(items, x, y, w, h) {
  const found = [];
  let left = items.filter((item) => item.size > 0);
  let total = left.reduce((sum, item) => sum + item.size, 0);
  const worst = (row, sum, side, unit) => {
    const thick = (sum * unit) / side;
    return Math.max(...row.map((item) => Math.max(thick / ((item.size * unit) / thick), (item.size * unit) / thick / thick)));
  };
  while (left.length) {
    const unit = (w * h) / total;
    const side = Math.min(w, h);
    let taken = 1;
    let sum = left[0].size;
    while (taken < left.length) {
      const more = sum + left[taken].size;
      if (worst(left.slice(0, taken + 1), more, side, unit) > worst(left.slice(0, taken), sum, side, unit)) break;
      sum = more;
      taken += 1;
    }
    const thick = (sum * unit) / side;
    let at = 0;
    for (const item of left.slice(0, taken)) {
      const long = (item.size * unit) / thick;
      found.push(w >= h ? { item, x, y: y + at, w: thick, h: long } : { item, x: x + at, y, w: long, h: thick });
      at += long;
    }
    if (w >= h) [x, w] = [x + thick, w - thick];
    else [y, h] = [y + thick, h - thick];
    total -= sum;
    left = left.slice(taken);
  }
  return found;
}
