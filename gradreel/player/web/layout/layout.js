/**
 * Where everything stands, for the whole run: graphs in layers with the root on top and leaves below, one beside the
 * other in the order in which they were built. Pure: units and links in, rectangles and routes out. A leaf that many
 * units use is drawn as a small chip at each card that does, and its own card stands at the foot of the picture.
 * Sideways, with the root on the left, is the same drawing of cards that lie on their sides, turned.
 */

import { coordinates } from "./coordinates.js";
import { arrange, rank } from "./layers.js";

const GAP = 46;
const APART = 72;
const CLOSE = 28;
/** Between rows of leaves, where gradients pass on their way from folded cards. */
const ROWS = 46;
/** How much wider than high a picture is to be. */
const SHAPE = 1.7;
const CHIPS_FROM = 4;
const CHIP = { height: 22, least: 44 };
const DUMMY = { left: 9, right: 9 };

/**
 * @typedef {{id: string, width: number, height: number, right?: number, leaf?: boolean, below?: number, folded?:
 *   boolean, chipWidth?: number}} Unit  `right`, `below`: room kept free for the names tied to the card; a folded unit
 *   shows no chips
 */
/** @typedef {{id: string, from: string, to: string}} Link */
/** @typedef {{x: number, y: number, width: number, height: number}} Rect   x, y: the upper left corner */
/** @typedef {{id: string, leaf: string, user: string, rect: Rect}} Chip */
/** @typedef {{places: Map<string, Rect>, chips: Chip[], routes: Map<string, Route>, bounds: Rect}} Layout */
/** @typedef {{points: number[][], long: boolean, sideways?: boolean}} Route  points: [x, y] pairs; between an odd and
 *   an even one the wire runs straight down, then it swings to the next column
 */

/** @param {Unit[]} units  in the order in which they were built
 * @param {Link[]} links
 * @param {{sideways?: boolean}} [how]
 * @returns {Layout}
 */
export function layout(units, links, { sideways = false } = {}) {
  const { vertices, edges, chips } = withChips(units, links);
  const parts = components(sideways ? vertices.map(laid) : vertices, edges).map((part) => drawPart(part));
  const bounds = pack(parts, sideways ? 1 / SHAPE : SHAPE);
  const places = new Map();
  const routes = new Map();
  for (const part of parts) {
    for (const [id, rect] of part.places) places.set(id, shift(rect, part));
    for (const [id, route] of part.routes)
      routes.set(id, { ...route, points: route.points.map(([x, y]) => [x + part.x, y + part.y]) });
  }
  for (const chip of chips) {
    chip.rect = places.get(chip.id);
    places.delete(chip.id);
  }
  return sideways ? turned({ places, chips, routes, bounds }) : { places, chips, routes, bounds };
}

const laid = (unit) => ({ ...unit, width: unit.height, height: unit.width, right: unit.below });
const turn = ({ x, y, width, height }) => ({ x: y, y: x, width: height, height: width });

function turned({ places, chips, routes, bounds }) {
  for (const chip of chips) chip.rect = turn(chip.rect);
  /** @returns {[string, any]} */
  const swapped = ([id, route]) => [id, { ...route, sideways: true, points: route.points.map(([x, y]) => [y, x]) }];
  return {
    places: new Map([...places].map(([id, rect]) => [id, turn(rect)])),
    chips,
    routes: new Map([...routes].map(swapped)),
    bounds: turn(bounds),
  };
}

function shift(rect, part) {
  return { ...rect, x: rect.x + part.x, y: rect.y + part.y };
}

/** Replace links to a leaf with many users by links to chips of it. */
function withChips(units, links) {
  const leaves = new Map(units.filter((unit) => unit.leaf).map((unit) => [unit.id, unit]));
  const users = new Map();
  for (const { from, to } of links) {
    if (!leaves.has(to)) continue;
    if (!users.has(to)) users.set(to, new Set());
    users.get(to).add(from);
  }
  const folded = new Set(units.filter((unit) => unit.folded).map((unit) => unit.id));
  const chips = new Map();
  const edges = [];
  for (const link of links) {
    const shared = (users.get(link.to)?.size ?? 0) >= CHIPS_FROM;
    const id = `chip:${link.to}:${link.from}`;
    if (shared && !folded.has(link.from) && !chips.has(id))
      chips.set(id, { id, leaf: link.to, user: link.from, rect: null });
    if (!shared) edges.push(link);
    else if (chips.has(id)) edges.push({ ...link, to: id });
  }
  const vertices = units.map((unit) => ({
    ...unit,
    loose: unit.leaf && (users.get(unit.id)?.size ?? 0) >= CHIPS_FROM,
  }));
  for (const chip of chips.values()) {
    const width = leaves.get(chip.leaf).chipWidth ?? CHIP.least;
    vertices.push({ id: chip.id, width, height: CHIP.height });
  }
  return { vertices, edges, chips: [...chips.values()] };
}

/** The connected graphs, in the order of their first vertex; the leaf cards that only chips point to come last,
 * together.
 */
function components(vertices, edges) {
  const number = new Map(vertices.map((vertex, i) => [vertex.id, i]));
  const parent = vertices.map((_, i) => i);
  const root = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const edge of edges) parent[root(number.get(edge.from))] = root(number.get(edge.to));
  const parts = new Map();
  vertices.forEach((vertex, i) => {
    const key = root(i);
    if (!parts.has(key)) parts.set(key, { vertices: [], edges: [], loose: Boolean(vertex.loose) });
    parts.get(key).vertices.push(vertex);
  });
  for (const edge of edges) parts.get(root(number.get(edge.from))).edges.push(edge);
  const all = [...parts.values()];
  return [...all.filter((part) => !part.loose), ...all.filter((part) => part.loose)];
}

/** Draw one connected graph, its upper left corner at 0, 0. */
function drawPart({ vertices, edges, loose }) {
  const n = vertices.length;
  const number = new Map(vertices.map((vertex, i) => [vertex.id, i]));
  const pairs = new Map();
  for (const { from, to } of edges) {
    const pair = [number.get(from), number.get(to)];
    if (pair[0] !== pair[1]) pairs.set(pair[0] * n + pair[1], pair);
  }
  const unique = [...pairs.values()];
  const arrangement = arrange(n, unique, rank(n, unique));
  const extent = (vertex) => {
    if (vertex >= n) return DUMMY;
    const { width, right = 0 } = vertices[vertex];
    return { left: width / 2, right: width / 2 + right };
  };
  const x = coordinates(arrangement, n, extent);
  const bands = stack(arrangement, n, vertices, x);
  const left = least(x, (i) => x[i] - extent(i).left);
  const width = -least(x, (i) => -(x[i] + extent(i).right)) - left;
  const places = new Map(vertices.map((vertex, i) => {
    const band = bands.of[i];
    const y = bands.top[band] + (bands.height[band] - vertex.height) / 2;
    return [vertex.id, { x: x[i] - vertex.width / 2 - left, y, width: vertex.width, height: vertex.height }];
  }));
  const chainOf = new Map(unique.map(([from, to], i) => [from * n + to, arrangement.chains[i]]));
  const routes = route({ edges, number, n, chainOf, places, bands, x, left });
  return { places, routes, width, height: bands.total, x: 0, y: 0, loose, single: n === 1 };
}

function least(list, of) {
  let found = Infinity;
  for (let i = 0; i < list.length; i++) found = Math.min(found, of(i));
  return found;
}

/** The vertical band of each layer; wires that swing far get more room between the layers. */
function stack({ layers, down, total }, n, vertices, x) {
  const of = new Int32Array(total);
  const top = [];
  const height = [];
  let y = 0;
  layers.forEach((layer, i) => {
    let tallest = 0;
    let farthest = 0;
    for (const vertex of layer) {
      of[vertex] = i;
      if (vertex < n) tallest = Math.max(tallest, vertices[vertex].height);
      for (const other of down[vertex]) farthest = Math.max(farthest, Math.abs(x[other] - x[vertex]));
    }
    top.push(y);
    height.push(tallest);
    y += tallest + (i + 1 < layers.length ? Math.min(130, GAP + farthest / 11) : 0);
  });
  return { of, top, height, total: y };
}

/** The way of each wire: out of the lower edge, through its dummies, into the upper edge; wires of one card are spread
 * over its edge.
 */
function route({ edges, number, n, chainOf, places, bands, x, left }) {
  const ways = edges.map((edge) => {
    const chain = chainOf.get(number.get(edge.from) * n + number.get(edge.to)) ?? [];
    const inner = chain.slice(1, -1);
    const from = places.get(edge.from);
    const to = places.get(edge.to);
    const near = (rect, vertex) => (vertex === undefined ? rect.x + rect.width / 2 : x[vertex] - left);
    return { edge, inner, from, to, towards: near(to, inner[0]), comes: near(from, inner.at(-1)) };
  });
  const out = ports(ways, "from", "towards");
  const into = ports(ways, "to", "comes");
  return new Map(ways.map((way, i) => {
    const points = [[out[i], way.from.y + way.from.height]];
    points.push([out[i], bottom(bands, number.get(way.edge.from))]);
    for (const dummy of way.inner) {
      const band = bands.of[dummy];
      points.push([x[dummy] - left, bands.top[band]], [x[dummy] - left, bands.top[band] + bands.height[band]]);
    }
    points.push([into[i], bands.top[bands.of[number.get(way.edge.to)]]], [into[i], way.to.y]);
    const span = bands.of[number.get(way.edge.to)] - bands.of[number.get(way.edge.from)];
    return [way.edge.id, { points, long: span !== way.inner.length + 1 }];
  }));
}

function bottom(bands, vertex) {
  const band = bands.of[vertex];
  return bands.top[band] + bands.height[band];
}

function ports(ways, end, toward) {
  const at = new Array(ways.length);
  const groups = new Map();
  ways.forEach((way, i) => {
    if (!groups.has(way[end])) groups.set(way[end], []);
    groups.get(way[end]).push(i);
  });
  for (const [rect, group] of groups) {
    group.sort((a, b) => ways[a][toward] - ways[b][toward] || a - b);
    const apart = Math.min(30, (rect.width - 20) / group.length);
    group.forEach((i, k) => (at[i] = rect.x + rect.width / 2 + (k - (group.length - 1) / 2) * apart));
  }
  return at;
}

/** Set the parts side by side in rows, in order. Single cards stand in columns as tall as the graphs; loose leaves go
 * below them all.
 */
function pack(parts, shape) {
  const graphs = parts.filter((part) => !part.loose);
  const tallest = graphs.reduce((most, part) => Math.max(most, part.height), 0);
  const area = (list) => list.reduce((sum, part) => sum + (part.width + APART) * (part.height + APART), 0);
  const lone = graphs.every((part) => part.single) ? Math.sqrt(area(graphs) / shape) : 0;
  const columns = inColumns(graphs, Math.max(tallest, lone));
  const widest = columns.reduce((most, column) => Math.max(most, column.width), 0);
  const limit = Math.max(widest, Math.sqrt(area(columns) * shape));
  const rows = inRows(columns, limit);
  const leaves = parts
    .filter((part) => part.loose)
    .map((part) => ({ parts: [part], width: part.width, height: part.height }));
  rows.push(...inRows(leaves, Math.max(limit, shape > 1 ? 1100 : 640)));
  const width = rows.reduce((most, row) => Math.max(most, row.width), 0);
  let y = 0;
  for (const row of rows) {
    let x = (width - row.width) / 2;
    for (const column of row.columns) {
      let down = y;
      for (const part of column.parts) {
        Object.assign(part, { x, y: down });
        down += part.height + CLOSE;
      }
      x += column.width + row.apart;
    }
    y += row.height + below(row);
  }
  return { x: 0, y: 0, width, height: rows.length ? y - below(rows.at(-1)) : 0 };
}

const below = (row) => (row.apart === APART ? APART : ROWS);

function inColumns(parts, height) {
  const columns = [];
  for (const part of parts) {
    const last = columns.at(-1);
    if (part.single && last?.single && last.height + CLOSE + part.height <= height) {
      last.parts.push(part);
      last.height += CLOSE + part.height;
      last.width = Math.max(last.width, part.width);
    } else columns.push({ parts: [part], width: part.width, height: part.height, single: part.single });
  }
  return columns;
}

function inRows(columns, limit) {
  const rows = [];
  for (const column of columns) {
    const apart = column.parts[0].loose ? CLOSE : APART;
    const last = rows.at(-1);
    if (last && last.width + apart + column.width <= limit) {
      last.columns.push(column);
      last.width += apart + column.width;
      last.height = Math.max(last.height, column.height);
    } else rows.push({ columns: [column], width: column.width, height: column.height, apart });
  }
  return rows;
}
