// Where the boxes of a drawing go: layers from the roots down, folded into rows that are no wider than the page.

const BOX = { height: 29, padding: 9, gap: 12, rowGap: 12, layerGap: 44, longest: 26 };

function boxOf(key, text, role, mark = "") {
  const letters = [...text];
  const short = (letters.length <= BOX.longest ? text : `${letters.slice(0, BOX.longest - 1).join("").trimEnd()}…`) + mark;
  return { key, text: short, title: text, role, width: Math.max(34, textWidth(short) + 2 * BOX.padding), x: 0, y: 0 };
}

// boxes: Map of key to box; arrows: [child, parent, kind]; curves: {first, second, text}. Returns the size of the whole.
function laidOut({ boxes, arrows, curves }, widest) {
  const [above, below] = neighbours(boxes, arrows);
  const rows = layers(boxes, above, below, curves).flatMap((layer) => folded(layer, widest - 2 * BOX.gap));
  let width = Math.max(280, ...rows.map(({ row }) => rowWidth(row) + 2 * BOX.gap));
  let y = BOX.gap - BOX.layerGap;
  for (const { row, first } of rows) {
    y += (first ? BOX.layerGap : BOX.rowGap) + BOX.height;
    let x = (width - rowWidth(row)) / 2;
    for (const box of row) {
      box.x = x + box.width / 2;
      box.y = y - BOX.height / 2;
      x += box.width + BOX.gap;
    }
  }
  for (let sweep = 0; sweep < 8; sweep++) { // towards what a box is joined to, as far as its row has room
    const near = sweep % 2 ? below : above;
    for (const { row } of sweep % 2 ? [...rows].reverse() : rows) {
      placed(row, row.map((box) => middle(near.get(box.key).map((key) => boxes.get(key).x), box.x)), width);
    }
  }
  const points = curves.flatMap((curve) => curvePoints(boxes, curve));
  const left = Math.max(0, ...points.map(([x]) => BOX.gap - x));
  const right = Math.max(0, ...points.map(([x]) => x + BOX.gap - width));
  for (const box of boxes.values()) box.x += left;
  return [left + width + right, Math.max(y + BOX.gap, ...points.map(([, bottom]) => bottom + BOX.gap))];
}

function neighbours(boxes, arrows) {
  const above = new Map([...boxes.keys()].map((key) => [key, []]));
  const below = new Map([...boxes.keys()].map((key) => [key, []]));
  for (const [child, parent] of arrows) {
    above.get(child).push(parent);
    below.get(parent).push(child);
  }
  return [above, below];
}

function layers(boxes, above, below, curves) {
  const depth = new Map();
  const pending = new Map([...boxes.keys()].map((key) => [key, above.get(key).length]));
  const ready = [...boxes.keys()].filter((key) => !pending.get(key));
  for (const key of ready) { // parents before children; the list grows while it is read
    depth.set(key, Math.max(-1, ...above.get(key).map((parent) => depth.get(parent))) + 1);
    for (const child of below.get(key)) {
      pending.set(child, pending.get(child) - 1);
      if (!pending.get(child)) ready.push(child);
    }
  }
  for (const key of ready) { // what has no parent in the drawing stands just above its children
    if (!above.get(key).length && below.get(key).length) {
      depth.set(key, Math.min(...below.get(key).map((child) => depth.get(child))) - 1);
    }
  }
  const found = [];
  for (const key of ready) (found[depth.get(key)] ??= []).push(key);
  const partners = new Map([...boxes.keys()].map((key) => [key, []]));
  for (const { first, second } of curves) {
    partners.get(first).push(second);
    partners.get(second).push(first);
  }
  const place = new Map();
  const note = (layer) => layer.forEach((key, k) => place.set(key, layer.length > 1 ? k / (layer.length - 1) : 0.5));
  const filled = found.filter(Boolean);
  filled.forEach(note);
  for (let sweep = 0; sweep < 6; sweep++) { // boxes near the middle of what they are joined to
    const near = sweep % 2 ? below : above;
    for (const layer of sweep % 2 ? [...filled].reverse() : filled) {
      const wanted = new Map(layer.map((key) => {
        const others = [...near.get(key), ...partners.get(key)].map((other) => place.get(other));
        return [key, middle(others, place.get(key))];
      }));
      layer.sort((a, b) => wanted.get(a) - wanted.get(b));
      note(layer);
    }
  }
  return filled.map((layer) => layer.map((key) => boxes.get(key)));
}

function folded(layer, widest) {
  const rows = [[]];
  let filled = 0;
  for (const box of layer) {
    if (rows.at(-1).length && filled + box.width > widest) {
      rows.push([]);
      filled = 0;
    }
    rows.at(-1).push(box);
    filled += box.width + BOX.gap;
  }
  return rows.map((row, k) => ({ row, first: k === 0 }));
}

function rowWidth(row) {
  return row.reduce((sum, box) => sum + box.width, 0) + BOX.gap * (row.length - 1);
}

function middle(places, otherwise) {
  return places.length ? places.reduce((a, b) => a + b, 0) / places.length : otherwise;
}

// Boxes go where they want to be, in their order, with gaps, and within the borders.
function placed(row, wanted, width) {
  const right = pushed(row, wanted, 1, -Infinity);
  const left = pushed(row, wanted, -1, Infinity);
  const between = right.map((x, k) => (x + left[k]) / 2);
  pushed(row, pushed(row, between, 1, 0), -1, width).forEach((x, k) => (row[k].x = x));
}

function pushed(row, places, way, border) {
  const found = [...places];
  let edge = border;
  for (let n = 0; n < row.length; n++) {
    const k = way > 0 ? n : row.length - 1 - n;
    const nearest = edge + way * (BOX.gap + row[k].width / 2);
    found[k] = way > 0 ? Math.max(found[k], nearest) : Math.min(found[k], nearest);
    edge = found[k] + (way * row[k].width) / 2;
  }
  return found;
}

// Four points of a curve: hanging below two boxes of one row, swinging out beside boxes of several.
function curvePoints(boxes, { first, second }) {
  let [a, b] = [boxes.get(first), boxes.get(second)];
  if (Math.abs(a.y - b.y) < 1) {
    if (a.x > b.x) [a, b] = [b, a];
    const drop = 20 + Math.min(30, Math.abs(a.x - b.x) / 12);
    const [start, end] = [[a.x + a.width / 5, a.y + BOX.height / 2], [b.x - b.width / 5, b.y + BOX.height / 2]];
    return [start, [start[0], start[1] + drop], [end[0], end[1] + drop], end];
  }
  if (a.y > b.y) [a, b] = [b, a];
  const [start, end] = [[a.x, a.y + BOX.height / 2], [b.x, b.y - BOX.height / 2]];
  const half = (start[1] + end[1]) / 2;
  return [start, [start[0], half], [end[0], half], end];
}

function arrowPoints(boxes, child, parent) {
  const [a, b] = [boxes.get(child), boxes.get(parent)];
  const [top, bottom] = [a.y - BOX.height / 2, b.y + BOX.height / 2];
  const half = (top + bottom) / 2;
  return [[a.x, top], [a.x, half], [b.x, half], [b.x, bottom]];
}

function onCurve(points, t) {
  const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
  return [0, 1].map((k) => weights.reduce((sum, weight, n) => sum + weight * points[n][k], 0));
}

// Where along its line a word covers the least, the middle first.
function wordPlace(points, text, taken) {
  const width = textWidth(text) + 4;
  let best = null;
  for (let n = 0; n <= 16; n++) {
    const [x, y] = onCurve(points, 0.5 + (n % 2 ? 1 : -1) * Math.ceil(n / 2) * 0.05);
    const covered = taken.filter(
      (box) => Math.abs(x - box.x) < (width + box.width) / 2 && Math.abs(y - box.y) < (15 + box.height) / 2 - 2,
    );
    if (best === null || covered.length < best.covered) best = { x, y, width, height: 15, covered: covered.length };
    if (!covered.length) break;
  }
  taken.push(best);
  return best;
}
