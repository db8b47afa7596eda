/**
 * The order of a layered drawing: which layer a vertex stands in, and where in it. Pure and deterministic. Vertices are
 * numbers; an edge [from, to] points down. An edge that spans layers passes through a dummy vertex in each, so that it
 * finds a way between the cards; one that spans very many is drawn directly, since its dummies would outnumber all
 * else.
 */

export const LONGEST = 12;

/** The layer of each vertex: the longest way from a root, then pulled down to its successors where that shortens edges.
 * @param {number} n
 * @param {[number, number][]} edges
 * @returns {Int32Array}
 */
export function rank(n, edges) {
  const below = lists(n);
  const above = lists(n);
  for (const [from, to] of edges) {
    below[from].push(to);
    above[to].push(from);
  }
  const sequence = topological(n, above, below);
  const place = new Int32Array(n);
  sequence.forEach((vertex, index) => (place[vertex] = index));
  const layer = new Int32Array(n);
  for (const vertex of sequence)
    for (const to of below[vertex]) if (place[to] > place[vertex]) layer[to] = Math.max(layer[to], layer[vertex] + 1);
  for (const vertex of sequence.toReversed()) {
    const next = below[vertex].filter((to) => place[to] > place[vertex]);
    if (!next.length || above[vertex].length > next.length) continue;
    layer[vertex] = Math.max(layer[vertex], next.reduce((least, to) => Math.min(least, layer[to]), Infinity) - 1);
  }
  const least = layer.reduce((a, b) => Math.min(a, b), Infinity);
  return layer.map((value) => value - least);
}

/** Vertices in an order in which edges point onward; a cycle (folded groups may make one) is cut at its first vertex.
 */
function topological(n, above, below) {
  const waiting = Int32Array.from(above, (list) => list.length);
  const done = new Uint8Array(n);
  const sequence = [];
  const ready = [];
  let next = 0;
  for (let vertex = n - 1; vertex >= 0; vertex--) if (!waiting[vertex]) ready.push(vertex);
  while (sequence.length < n) {
    if (!ready.length) {
      while (done[next]) next++;
      ready.push(next);
    }
    const vertex = ready.pop();
    if (done[vertex]) continue;
    done[vertex] = 1;
    sequence.push(vertex);
    for (const to of below[vertex]) if (--waiting[to] === 0 && !done[to]) ready.push(to);
  }
  return sequence;
}

/** @typedef {{layers: number[][], up: number[][], down: number[][], chains: number[][], total: number}} Arrangement
 *   chains[i]: the vertices edge i passes through, its ends included; vertices from n on are dummies.
 */

/** Order the vertices of every layer so that few edges cross.
 * @param {number} n
 * @param {[number, number][]} edges
 * @param {Int32Array} layer
 * @returns {Arrangement}
 */
export function arrange(n, edges, layer) {
  const depth = Array.from(layer);
  const up = lists(n);
  const down = lists(n);
  const first = Array.from({ length: n }, (_, vertex) => vertex);
  const connect = (from, to) => {
    down[from].push(to);
    up[to].push(from);
  };
  const chains = edges.map(([from, to]) => {
    const span = depth[to] - depth[from];
    if (span < 1 || span > LONGEST) return [from, to];
    const chain = [from];
    for (let step = 1; step < span; step++) {
      const dummy = depth.push(depth[from] + step) - 1;
      up.push([]);
      down.push([]);
      first.push(first[to]);
      connect(chain.at(-1), dummy);
      chain.push(dummy);
    }
    connect(chain.at(-1), to);
    chain.push(to);
    return chain;
  });
  const total = depth.length;
  const height = depth.reduce((most, value) => Math.max(most, value), 0) + 1;
  const position = new Int32Array(total);
  const starts = [inDepthFirst, inTurn].map((start) => start({ total, height, depth, up, down, first }));
  const layers = best(starts, { total, up, down, position });
  return { layers, up, down, chains, total };
}

function inDepthFirst({ total, height, depth, up, down }) {
  const layers = lists(height);
  const seen = new Uint8Array(total);
  for (let root = 0; root < total; root++) {
    if (seen[root] || up[root].length) continue;
    const stack = [root];
    while (stack.length) {
      const vertex = stack.pop();
      if (seen[vertex]) continue;
      seen[vertex] = 1;
      layers[depth[vertex]].push(vertex);
      for (let i = down[vertex].length - 1; i >= 0; i--) stack.push(down[vertex][i]);
    }
  }
  return layers;
}

function inTurn({ total, height, depth, first }) {
  const layers = lists(height);
  const order = Array.from({ length: total }, (_, vertex) => vertex).sort((a, b) => first[a] - first[b] || a - b);
  for (const vertex of order) layers[depth[vertex]].push(vertex);
  return layers;
}

function best(starts, graph) {
  const { total, up, down, position } = graph;
  const rounds = total < 3000 ? 20 : total < 12000 ? 8 : 4;
  let found = null;
  let fewest = Infinity;
  for (const layers of starts) {
    index(layers, position);
    let idle = 0;
    for (let round = 0; round <= rounds && fewest > 0 && idle < 6; round++) {
      if (round > 0) {
        sweep(layers, round % 2 ? up : down, position, round);
        if (total < 6000) exchange(layers, up, down, position);
      }
      const crossings = count(layers, up, position);
      idle = crossings < fewest ? 0 : idle + 1;
      if (crossings >= fewest) continue;
      fewest = crossings;
      found = layers.map((layer) => layer.slice());
    }
  }
  return found;
}

function index(layers, position) {
  for (const layer of layers) layer.forEach((vertex, i) => (position[vertex] = i));
}

/** One pass of the barycentre rule, downward or upward; ties change sides every other round. */
function sweep(layers, beside, position, round) {
  const downward = round % 2 === 1;
  const key = new Float64Array(position.length);
  for (let step = 1; step < layers.length; step++) {
    const layer = layers[downward ? step : layers.length - 1 - step];
    if (round % 4 > 1) layer.reverse();
    for (const vertex of layer) {
      const near = beside[vertex];
      let sum = 0;
      for (const other of near) sum += position[other];
      key[vertex] = near.length ? sum / near.length : position[vertex];
    }
    layer.sort((a, b) => key[a] - key[b]);
    layer.forEach((vertex, i) => (position[vertex] = i));
  }
}

/** Exchange neighbours wherever that removes crossings. */
function exchange(layers, up, down, position) {
  const rising = (list) => list.map((vertex) => position[vertex]).sort((a, b) => a - b);
  for (const layer of layers) {
    const sides = new Map(layer.map((vertex) => [vertex, [rising(up[vertex]), rising(down[vertex])]]));
    for (let round = 0, changed = true; changed && round < 3; round++) {
      changed = false;
      for (let i = 0; i + 1 < layer.length; i++) {
        const [left, right] = [layer[i], layer[i + 1]];
        const [a, b] = [sides.get(left), sides.get(right)];
        const now = inversions(a[0], b[0]) + inversions(a[1], b[1]);
        if (now === 0 || now <= inversions(b[0], a[0]) + inversions(b[1], a[1])) continue;
        [layer[i], layer[i + 1]] = [right, left];
        position[right] = i;
        position[left] = i + 1;
        changed = true;
      }
    }
  }
}

function inversions(left, right) {
  let sum = 0;
  let j = 0;
  for (const place of left) {
    while (j < right.length && right[j] < place) j++;
    sum += j;
  }
  return sum;
}

/** How many pairs of edges cross between neighbouring layers. */
export function count(layers, up, position) {
  let sum = 0;
  for (let i = 1; i < layers.length; i++) {
    const tree = new Int32Array(layers[i - 1].length + 2);
    let seen = 0;
    for (const vertex of layers[i]) {
      const places = up[vertex].map((other) => position[other]).sort((a, b) => a - b);
      for (const place of places) {
        sum += seen;
        for (let j = place + 1; j > 0; j -= j & -j) sum -= tree[j];
        seen++;
        for (let j = place + 1; j < tree.length; j += j & -j) tree[j]++;
      }
    }
  }
  return sum;
}

function lists(n) {
  return Array.from({ length: n }, () => []);
}
