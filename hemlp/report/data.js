"use strict";
// What the page embeds: plain values and arrays, see embedded.py.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  let at = 4 + size;
  for (const [name, kind, length] of data.arrays) {
    at += (8 - (at % 8)) % 8;
    data[name] = new ARRAYS[kind](buffer, at, length);
    at += data[name].byteLength;
  }
  return data;
}

// ---- classes, by their numbers in the page

function shortName(data, node) {
  return data.names[node] || data.labels[node];
}

function fullName(data, node) {
  return data.names[node] ? `${data.names[node]} (${data.labels[node]})` : data.labels[node];
}

function parentsOf(data, node) {
  return data.parents.subarray(data.parentPtr[node], data.parentPtr[node + 1]);
}

// ---- instances, by their places in the page

function trueClasses(data, i) {
  return data.true.subarray(data.truePtr[i], data.truePtr[i + 1]);
}

function predictedClasses(data, s, i) {
  return data[`pred${s}`].subarray(data[`predPtr${s}`][i], data[`predPtr${s}`][i + 1]);
}

function kindsOf(data, s, i) {
  return {
    predicted: data[`predKind${s}`].subarray(data[`predPtr${s}`][i], data[`predPtr${s}`][i + 1]),
    true: data[`trueKind${s}`].subarray(data.truePtr[i], data.truePtr[i + 1]),
  };
}

function pairsOf(data, s, i) {
  const found = [];
  if (!data[`pairPtr${s}`]) return found;
  for (let k = data[`pairPtr${s}`][i]; k < data[`pairPtr${s}`][i + 1]; k++) {
    found.push({
      predicted: data[`pairPred${s}`][k] - 1,
      true: data[`pairTrue${s}`][k] - 1,
      cost: data[`pairCost${s}`][k],
    });
  }
  return found;
}

// The minimal LCA graphs of an instance, null where the page has none of it.
function graphsOf(data, s, i) {
  const g = data[`graphRow${s}`]?.indexOf(i) ?? -1;
  if (g < 0) return null;
  const part = (of, ptr) => data[of + s].subarray(data[ptr + s][g], data[ptr + s][g + 1]);
  const nodes = part("graphNode", "graphPtr");
  const marks = part("graphMark", "graphPtr");
  const [low, high, side] = ["linkLow", "linkHigh", "linkSide"].map((of) => part(of, "linkPtr"));
  return {
    marks: new Map([...nodes].map((node, k) => [node - 1, marks[k]])),
    links: [...side].map((of, k) => ({ low: nodes[low[k]] - 1, high: nodes[high[k]] - 1, side: of })),
  };
}

function rowOf(data, i) {
  return data.rows ? data.rows[i] : i;
}

function instanceName(data, i) {
  return `instance ${rowOf(data, i) + 1}${data.ids ? ` (${data.ids[i]})` : ""}`;
}

// ---- numbers as texts, as everywhere in hemlp: four decimals, half to even, or three digits of what is small

function figure(value, least = 0.01) {
  if (Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value !== 0 && Math.abs(value) < least) {
    return value.toExponential(2).replace(/e([+-])(\d)$/, "e$10$2");
  }
  const exact = value.toFixed(60);
  const cut = exact.indexOf(".") + 5;
  const tie = /^50*$/.test(exact.slice(cut)) && "02468".includes(exact[cut - 1]);
  return tie ? exact.slice(0, cut) : value.toFixed(4);
}

function decimals(value) {
  return figure(value, 0.00005); // beside others, as long as four decimals show something
}

// ---- elements

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
