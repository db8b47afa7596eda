/**
 * The x of every vertex of a layered drawing, once the order in each layer is settled: near its neighbours, in order, and
 * never closer than the cards allow. Each layer is a small regression that keeps an order (pool adjacent violators).
 */

const GAP = 28;

/** @typedef {{left: number, right: number}} Extent   how far a vertex reaches to both sides of its middle */

/** @param {import("./layers.js").Arrangement} arrangement
 * @param {number} n  vertices from n on are dummies
 * @param {(vertex: number) => Extent} extent
 * @returns {Float64Array}
 */
export function coordinates({ layers, up, down, total }, n, extent) {
  const x = new Float64Array(total);
  const apart = layers.map((layer) => offsets(layer, extent));
  layers.forEach((layer, i) => {
    const width = apart[i].at(-1) ?? 0;
    layer.forEach((vertex, k) => (x[vertex] = apart[i][k] - width / 2));
  });
  const rounds = total < 12000 ? 12 : 6;
  for (let round = 0; round < rounds; round++) {
    const downward = round % 2 === 0;
    const both = round >= rounds - 4;
    for (let step = 0; step < layers.length; step++) {
      const i = downward ? step : layers.length - 1 - step;
      settle(layers[i], apart[i], x, (vertex) => wish(vertex, both, downward ? up : down, { up, down, x, n }));
    }
  }
  return x;
}

function offsets(layer, extent) {
  let at = 0;
  return layer.map((vertex, i) => {
    if (i) at += extent(layer[i - 1]).right + GAP + extent(vertex).left;
    return at;
  });
}

/** Where a vertex would like to stand, and how much it insists: dummies insist, so that long wires run straight. */
function wish(vertex, both, side, { up, down, x, n }) {
  const near = both ? up[vertex].concat(down[vertex]) : side[vertex];
  if (!near.length) return [x[vertex], 0.1];
  const places = near.map((other) => x[other]).sort((a, b) => a - b);
  const last = places.length - 1;
  const middle = (places[last >> 1] + places[(last + 1) >> 1]) / 2;
  if (vertex < n) return [middle, 1];
  return [middle, near.some((other) => other >= n) ? 8 : 2];
}

/** Move a layer to where its vertices wish to be, as near as order and width allow. */
function settle(layer, apart, x, wishOf) {
  const sums = [];
  const weights = [];
  const counts = [];
  layer.forEach((vertex, i) => {
    const [place, weight] = wishOf(vertex);
    let [sum, mass, size] = [(place - apart[i]) * weight, weight, 1];
    while (sums.length && sums.at(-1) / weights.at(-1) > sum / mass) {
      sum += sums.pop();
      mass += weights.pop();
      size += counts.pop();
    }
    sums.push(sum);
    weights.push(mass);
    counts.push(size);
  });
  let i = 0;
  sums.forEach((sum, block) => {
    for (let k = 0; k < counts[block]; k++, i++) x[layer[i]] = sum / weights[block] + apart[i];
  });
}
