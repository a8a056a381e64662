// Charts, drawn to the width that they have. Colours are those of the style sheet, shapes tell systems apart without.

const TEXT = 12;
const SHAPES = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M-3.5-3.5h7v7h-7z", "M0-5L5 0L0 5L-5 0z", "M0-4.5L4.5 4h-9z",
  "M0 4.5L4.5-4h-9z", "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z", "M-4.5-3h9v6h-9z", "M-3-4.5h6v9h-6z",
];

function textWidth(text) {
  let width = 0;
  for (const letter of text) width += letter.codePointAt(0) > 0x2e7f ? 13.4 : 6.7;
  return width;
}

function shortened(text, width) {
  if (textWidth(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && textWidth(letters.join("")) > width - 7) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

function label(text, x, y, attributes = {}) {
  return svgElement("text", { x: x.toFixed(1), y: y.toFixed(1), ...attributes }, text);
}

function canvas(place, width, height) {
  const svg = svgElement("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  place.replaceChildren(svg);
  return svg;
}

function pointed(shape, words) {
  shape.append(svgElement("title", {}, words));
  return shape;
}

function ticks(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((size) => size >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(k * step);
  return found;
}

function powers(low, high) {
  const found = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    found.push(...[1, 2, 5].map((k) => k * power).filter((value) => value >= low && value <= high));
  }
  return found;
}

// The number of a mark below an axis, moved inward where it would be cut.
function below(text, x, y, width) {
  const half = textWidth(text) / 2;
  return label(text, Math.min(Math.max(x, half), width - half), y, { class: "soft", "text-anchor": "middle" });
}

function tickText(value) {
  return String(Number(value.toPrecision(6)));
}

function marker(s, x, y) {
  const shape = SHAPES[(s + Math.floor(s / SHAPES.length)) % SHAPES.length];
  return svgElement("path", { class: `mark s${s % 8}`, d: shape, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
}

function legend(place, names) {
  const list = element("ul", { class: "legend" });
  names.forEach((name, s) => {
    const sign = svgElement("svg", { width: 14, height: 12, viewBox: "-7 -6 14 12", "aria-hidden": "true" }, marker(s, 0, 0));
    list.append(element("li", {}, sign, ` ${name}`));
  });
  place.append(list);
}

function scale(from, to) {
  const span = from[1] - from[0] || 1;
  return (value) => to[0] + ((value - from[0]) / span) * (to[1] - to[0]);
}

// Names of rows stand beside these, or above them where there is little room.
function nameRoom(rows, width) {
  const above = width < 520;
  const names = above ? 0 : Math.min(0.36 * width, Math.max(...rows.map((row) => textWidth(row.name))) + 8);
  const put = (name, y, high) => (above
    ? label(name, 0, y - high, { class: "small" })
    : pointed(label(shortened(name, names - 6), names, y, { "text-anchor": "end" }), name));
  return { names, put, more: above ? 14 : 0 };
}

const CHARTS = {
  intervals(place, spec, width) {
    const { names, put, more } = nameRoom(spec.rows, width);
    const known = spec.rows.filter((row) => row.at);
    const all = known.flatMap((row) => row.at);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    const x = scale([low - room, high + room], [names + 8, width - 8]);
    const end = spec.rows.length * (36 + more) + 4;
    const svg = canvas(place, width, end + 22);
    for (const tick of known.length ? ticks(low - room, high + room, (width - names) / 80) : []) {
      svg.append(svgElement("path", { class: "grid", d: `M${x(tick).toFixed(1)} 0V${end}` }));
      svg.append(below(tickText(tick), x(tick), end + 16, width));
    }
    spec.rows.forEach((row, s) => {
      const y = 14 + more + s * (36 + more);
      svg.append(put(row.name, y + 4, 14));
      if (row.at) {
        const [mean, from, to] = row.at.map(x);
        svg.append(svgElement("path", { class: `line s${s % 8}`, d: `M${from.toFixed(1)} ${y}H${to.toFixed(1)}` }));
        svg.append(pointed(marker(s, mean, y), `${row.name}: ${row.text}`));
      }
      const wide = textWidth(row.text) * 0.92;
      const at = row.at ? Math.max(names + 8, Math.min(width - wide, x(row.at[0]) - wide / 2)) : names + 8;
      svg.append(label(row.text, at, y + 18, { class: "soft small" }));
    });
  },

  lines(place, spec, width) {
    const height = Math.min(340, Math.max(220, 0.5 * width));
    const series = spec.series.map((each) => ({ ...each, x: each.x ?? spec.x }));
    const points = series.flatMap((each) => each.x.map((x, k) => [x, each.y[k]])).filter(([, y]) => y !== null);
    const xs = points.map(([x]) => x);
    const ys = [...points.map(([, y]) => y), ...series.flatMap((each) => (each.ends ?? []).flatMap((ends) => ends ?? []))];
    if (!points.length) return place.replaceChildren("There is nothing to draw.");
    const low = Math.min(spec.low ?? Infinity, ...ys);
    const [left, bottom] = [52, height - 40];
    const along = spec.log ? Math.log10 : (value) => value;
    const straight = scale([along(Math.min(...xs)), along(Math.max(...xs))], [left, width - 14]);
    const x = (value) => straight(along(value));
    const y = scale([low, Math.max(...ys)], [bottom, 22]);  // below its label
    const svg = canvas(place, width, height);
    for (const tick of ticks(low, Math.max(...ys), 6)) {
      svg.append(svgElement("path", { class: "grid", d: `M${left} ${y(tick).toFixed(1)}H${width - 8}` }));
      svg.append(label(tickText(tick), left - 6, y(tick) + 4, { class: "soft", "text-anchor": "end" }));
    }
    const whole = series.every((each) => each.x.every(Number.isInteger));
    const ends = [Math.min(...xs), Math.max(...xs)];
    const across = spec.log ? powers(...ends) : ticks(...ends, (width - left) / 60);
    for (const tick of across) {
      if (whole && !Number.isInteger(tick)) continue;
      svg.append(below(tickText(tick), x(tick), bottom + 18, width));
    }
    svg.append(label(spec.xlabel, (left + width) / 2, height - 4, { class: "soft", "text-anchor": "middle" }));
    svg.append(label(spec.ylabel, 4, 10, { class: "soft" }));
    if (spec.rule !== undefined) {
      svg.append(svgElement("path", { class: "rule", d: `M${x(spec.rule).toFixed(1)} 14V${bottom}` }));
    }
    series.forEach((each, s) => {
      let path = "";
      each.x.forEach((at, k) => {
        if (each.y[k] === null) return;
        const follows = k > 0 && each.y[k - 1] !== null;
        const [px, py] = [x(at).toFixed(1), y(each.y[k]).toFixed(1)];
        // of a step, the value at a point holds down to the point before it
        path += follows ? (spec.step ? `V${py}H${px}` : `L${px} ${py}`) : `M${px} ${py}`;
      });
      svg.append(pointed(svgElement("path", { class: `line s${s % 8}`, d: path }), each.name));
      if (spec.marks === false) {
        const last = each.x.length - 1; // one mark at the end tells the lines apart
        if (each.y[last] !== null) svg.append(marker(s, x(each.x[last]), y(each.y[last])));
        return;
      }
      each.x.forEach((at, k) => {
        if (each.y[k] === null) return;
        const ends = each.ends?.[k];
        if (ends) {
          const bar = `M${x(at).toFixed(1)} ${y(ends[0]).toFixed(1)}V${y(ends[1]).toFixed(1)}`;
          svg.append(svgElement("path", { class: `line s${s % 8}`, d: bar }));
        }
        const words = `${figure(each.y[k])}${ends ? ` [${figure(ends[0])}, ${figure(ends[1])}]` : ""}`;
        svg.append(pointed(marker(s, x(at), y(each.y[k])), `${each.name}, ${spec.xlabel} ${at}: ${words}`));
      });
    });
    for (const [at, value] of spec.dots ?? []) {
      const dot = svgElement("circle", { class: "dot", cx: x(at).toFixed(1), cy: y(value).toFixed(1), r: 3.5 });
      svg.append(pointed(dot, `${spec.xlabel} = ${tickText(at)}`));
    }
    legend(place, series.map((each) => each.name));
  },

  stacked(place, spec, width) {
    const { names, put, more } = nameRoom(spec.rows, width);
    const svg = canvas(place, width, spec.rows.length * (22 + more) + 4);
    spec.rows.forEach((row, k) => {
      const total = row.parts.reduce((a, b) => a + b, 0);
      const y = more + k * (22 + more);
      svg.append(put(row.name, y + 16, 18));
      let x = names + 8;
      row.parts.forEach((number, kind) => {
        const part = total ? ((width - names - 12) * number) / total : 0;
        const box = { class: `part k${kind}`, x: x.toFixed(1), y: y + 2, width: part.toFixed(1), height: 18 };
        const share = total ? ((100 * number) / total).toFixed(1) : "0.0";
        svg.append(pointed(svgElement("rect", box), `${row.name}: ${spec.parts[kind]} ${number} (${share}%)`));
        if (part > 40) svg.append(label(`${share}%`, x + part / 2, y + 15, { class: "on small", "text-anchor": "middle" }));
        x += part;
      });
    });
    const list = element("ul", { class: "legend" });
    spec.parts.forEach((kind, k) => list.append(element("li", {}, element("i", { class: `k${k}` }), ` ${kind}`)));
    place.append(list);
  },

  histograms(place, spec, width) {
    const { names, put, more } = nameRoom(spec.rows, width);
    const ends = [spec.edges[0], spec.edges[spec.edges.length - 1]];
    const x = scale(ends, [names + 8, width - 10]);
    const bottom = spec.rows.length * (46 + more) + 2;
    const svg = canvas(place, width, bottom + 36);
    spec.rows.forEach((row, s) => {
      const top = Math.max(1, ...row.counts);
      const foot = (s + 1) * (46 + more);
      svg.append(put(row.name, foot - 8, 34));
      svg.append(svgElement("path", { class: "grid", d: `M${names + 8} ${foot}H${width - 10}` }));
      row.counts.forEach((count, k) => {
        const [from, to] = [x(spec.edges[k]), x(spec.edges[k + 1])];
        const tall = (38 * count) / top;
        const box = {
          class: `part s${s % 8}`, x: from.toFixed(1), y: (foot - tall).toFixed(1),
          width: Math.max(0.5, to - from - 0.7).toFixed(1), height: tall.toFixed(1),
        };
        const words = `${row.name}, ${figure(spec.edges[k])} to ${figure(spec.edges[k + 1])}: ${count}`;
        if (count) svg.append(pointed(svgElement("rect", box), words));
      });
    });
    for (const tick of ticks(...ends, (width - names) / 60)) {
      svg.append(below(tickText(tick), x(tick), bottom + 16, width));
    }
    svg.append(label(spec.xlabel, (names + width) / 2, bottom + 32, { class: "soft", "text-anchor": "middle" }));
  },
};

function startCharts() {
  const specs = JSON.parse(document.getElementById("charts").textContent);
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const width = Math.floor(target.clientWidth);
      if (!width || width === target.drawn) continue;
      target.drawn = width;
      const spec = specs[target.dataset.chart];
      CHARTS[spec.type](target, spec, width);
    }
  });
  for (const place of document.querySelectorAll("[data-chart]")) observer.observe(place);
}
