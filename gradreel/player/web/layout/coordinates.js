/**
 * The x of every vertex of a layered drawing, once the order in each layer is settled. Vertices are threaded into
 * straight columns, so that chains and long wires run straight down; columns are first set as close as the cards allow
 * and then drawn towards their neighbours, as far as the columns beside them let them.
 */

const GAP = 28;
const SINK = 0.25;

/** @typedef {{left: number, right: number}} Extent   how far a vertex reaches to both sides of its middle */

/** @param {import("./layers.js").Arrangement} arrangement
 * @param {number} n  vertices from n on are dummies
 * @param {(vertex: number) => Extent} extent
 * @returns {Float64Array}
 */
export function coordinates({ layers, up, down, total }, n, extent) {
  const graph = { layers, up, down, total, n };
  const column = thread(graph, conflicts(graph));
  const beside = neighbours(layers, column, extent);
  const sequence = inOrder(column, beside);
  const x = new Float64Array(total);
  for (const at of sequence) for (const [other, apart] of beside.left[at]) x[at] = Math.max(x[at], x[other] + apart);
  const pulls = pullsOf(graph, column);
  const rounds = total < 2000 ? 60 : total < 12000 ? 24 : 10;
  for (let round = 0; round < rounds; round++) {
    for (const at of sequence) draw(at, x, beside, pulls[at], -1);
    for (const at of sequence.toReversed()) draw(at, x, beside, pulls[at], 1);
  }
  return x.map((_, vertex) => x[column[vertex]]);
}

/** Pairs of vertices whose edge crosses a long wire between two dummies: there the wire keeps straight. */
function conflicts({ layers, up, n }) {
  const blocked = new Set();
  for (let i = 1; i < layers.length; i++) {
    const position = new Map(layers[i - 1].map((vertex, k) => [vertex, k]));
    let left = 0;
    let scanned = 0;
    layers[i].forEach((vertex, k) => {
      const inner = vertex >= n ? up[vertex].find((other) => other >= n) : undefined;
      if (inner === undefined && k < layers[i].length - 1) return;
      const right = inner === undefined ? layers[i - 1].length : position.get(inner);
      for (; scanned <= k; scanned++) {
        const here = layers[i][scanned];
        for (const other of up[here]) {
          const at = position.get(other);
          if ((at < left || at > right) && !(here >= n && other >= n)) blocked.add(`${other} ${here}`);
        }
      }
      left = right;
    });
  }
  return blocked;
}

/** Thread a vertex below another where each is all the other goes on with: chains of cards, and long wires.
 * @returns {Int32Array} the first vertex of each vertex's column
 */
function thread({ layers, up, down, total, n }, blocked) {
  const column = Int32Array.from({ length: total }, (_, vertex) => vertex);
  const position = new Int32Array(total);
  for (const layer of layers) layer.forEach((vertex, k) => (position[vertex] = k));
  for (const layer of layers) {
    let last = -1;
    for (const vertex of layer) {
      const [above, ...more] = spine(vertex, up[vertex], { down, n });
      if (above === undefined || more.length || position[above] <= last || blocked.has(`${above} ${vertex}`)) continue;
      const [below, ...others] = spine(above, down[above], { down, n });
      if (below !== vertex || others.length) continue;
      column[vertex] = column[above];
      last = position[above];
    }
  }
  return column;
}

/** The neighbours a vertex lines up with: a card looks to cards that go on, then to cards, then to passing wires. */
function spine(vertex, near, { down, n }) {
  if (vertex >= n) return near.slice();
  const cards = near.filter((other) => other < n);
  const onward = cards.filter((other) => down[other].length);
  return onward.length ? onward : cards.length ? cards : near.slice();
}

/** For each column, those to its left and right with the least distance to them. */
function neighbours(layers, column, extent) {
  const [left, right] = [0, 1].map(() => Array.from(column, () => []));
  const known = [new Map(), new Map()];
  const add = (side, at, other, apart) => {
    const list = [left, right][side][at];
    const key = `${at} ${other}`;
    const entry = known[side].get(key);
    if (entry) entry[1] = Math.max(entry[1], apart);
    else {
      known[side].set(key, [other, apart]);
      list.push(known[side].get(key));
    }
  };
  for (const layer of layers) {
    for (let k = 1; k < layer.length; k++) {
      const apart = extent(layer[k - 1]).right + GAP + extent(layer[k]).left;
      add(0, column[layer[k]], column[layer[k - 1]], apart);
      add(1, column[layer[k - 1]], column[layer[k]], apart);
    }
  }
  return { left, right };
}

/** The columns, each after all that stand to its left. */
function inOrder(column, { left, right }) {
  const waiting = new Map();
  const ready = [];
  column.forEach((at, vertex) => {
    if (at !== vertex) return;
    waiting.set(at, left[at].length);
    if (!left[at].length) ready.push(at);
  });
  const sequence = [];
  while (ready.length) {
    const at = ready.pop();
    sequence.push(at);
    for (const [other] of right[at]) {
      waiting.set(other, waiting.get(other) - 1);
      if (!waiting.get(other)) ready.push(other);
    }
  }
  return sequence;
}

/** For each column, the columns its wires lead to, with how much they pull: ends of the graph pull little. */
function pullsOf({ up, down, total }, column) {
  const pulls = Array.from({ length: total }, () => []);
  for (let vertex = 0; vertex < total; vertex++) {
    for (const other of up[vertex]) {
      const [a, b] = [column[vertex], column[other]];
      if (a === b) continue;
      const weight = down[vertex].length ? 1 : SINK;
      pulls[a].push([b, 1]);
      pulls[b].push([a, weight]);
    }
  }
  return pulls;
}

/** Draw a column to the mean of what pulls it, in one direction, as far as there is room. */
function draw(at, x, beside, pulls, direction) {
  if (!pulls.length) return;
  let [sum, mass] = [0, 0];
  for (const [other, weight] of pulls) {
    sum += x[other] * weight;
    mass += weight;
  }
  const wish = sum / mass;
  if (direction < 0 ? wish >= x[at] : wish <= x[at]) return;
  let room = wish;
  if (direction < 0) for (const [other, apart] of beside.left[at]) room = Math.max(room, x[other] + apart);
  else for (const [other, apart] of beside.right[at]) room = Math.min(room, x[other] - apart);
  x[at] = direction < 0 ? Math.min(x[at], room) : Math.max(x[at], room);
}
