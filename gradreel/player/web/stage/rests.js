/**
 * Where gradients stand on their lines: those that wait to be added before the end, those that have gone over it where
 * they cover no thing and no other gradient. Decided once for a layout, so that none jumps while a call goes about.
 */

import { leastCovering, mouthAt, overlapOf, thingsIn } from "./places.js";
import { along, inletDeep, isBundle, lengthOf, routeOf } from "./routes.js";

/** @import { Edge, Layout, Link } from "./types.js" */
/** @import { Box } from "./places.js" */
/** @import { Route } from "./routes.js" */

/** A stage of few edges shows on each what went over it. */
const FEW_EDGES = 26;
/** Gradients on their way are so large, at scale 1, and not smaller than LEAST; those that have arrived, in pixels. */
const TRAVELLING = 34;
const LEAST = 34;
export const ARRIVED = 30;
/** So far from the end of its line a gradient waits, where the line is long. */
const WAITS = 0.8;
const APART = 4;
/** Where there is no room for its numbers a gradient waits as a bead. */
export const BEAD = 14;
/** A gradient has its numbers on its line only where it covers no more with such a share of it. */
const COVERS = 0.02;
/** So far from where its line begins a gradient covers nothing of its node. */
const CLEAR = 22;
/** Shares of a line to try, from the one that is wished for. */
const TRIES = [0, -0.07, 0.07, -0.14, 0.14, -0.21, 0.21, -0.28, 0.28, -0.35, 0.35, -0.42, 0.42];

/** @typedef {{edge: Edge, link: Link, route: Route}} Way */
/** @typedef {Box & {id?: string}} Taken   a place, and the edge that it is on: what goes over one is not there twice */
/** @typedef {{waits: Map<string, number>, rests: Map<string, number>, beads: Set<string>, tiles: Box[]}} Rests
 *   `waits`, `rests`: shares of lines, by edge; `beads`: those that wait small; `tiles`: all places that they come to,
 *   before nodes, too
 */

export const isFew = ({ links }) => links.reduce((sum, { edges }) => sum + edges.length, 0) <= FEW_EDGES;

export const travelling = ({ scale }) => Math.max(LEAST, TRAVELLING * Math.min(1.35, scale));

/** @type {WeakMap<Layout, Rests>} */
const known = new WeakMap();

/** @param {Layout} layout @returns {Rests} */
export function restsOf(layout) {
  if (!known.has(layout)) known.set(layout, placeRests(layout));
  return known.get(layout);
}

/** How far along its line a gradient waits for its turn to be added. @param {Layout} layout @param {Edge} edge */
export const waitsAt = (layout, { id }) => restsOf(layout).waits.get(id) ?? WAITS;

/** The lines that are drawn one by one, with all things in their places. @param {Layout} layout @returns {Way[]} */
export function waysOf(layout) {
  const spotOf = ({ x, y }) => ({ x, y, scale: layout.scale });
  return layout.links.filter((link) => !isBundle(link)).flatMap((link) =>
    link.edges.map((edge, place) => ({ edge, link, route: routeOf(layout, link, place, spotOf) })));
}

/** @param {Layout} layout @returns {Rests} */
function placeRests(layout) {
  const ways = waysOf(layout);
  const mouths = layout.items.filter((item) => inletDeep(item)).map((item) => {
    const { x, y, size } = mouthAt(layout, item, { x: item.x, y: item.y, scale: layout.scale });
    return { x, y, w: size, h: size };
  });
  const things = [...thingsIn(layout), ...mouths];
  const size = travelling(layout);
  const waitAt = ({ route }) => Math.max(0.5, Math.min(WAITS, 1 - (size / 2 + APART) / lengthOf(route)));
  const large = settle(ways, things, layout.tileOn(size), waitAt, COVERS);
  const small = ways.filter(({ edge }) => !large.has(edge.id));
  const beads = settle(small, [...things, ...large.values()], () => [BEAD, BEAD], waitAt);
  const waits = new Map([...large, ...beads]);
  const restAt = ({ link, route }) => restOf(layout, link, route);
  const taken = [...things, ...waits.values()];
  const rests = settle(isFew(layout) ? ways : [], taken, layout.tileOn(ARRIVED, size), restAt, COVERS);
  const shares = (found) => new Map([...found].map(([id, { part }]) => [id, part]));
  const tiles = [...waits.values(), ...rests.values(), ...mouths];
  return { waits: shares(waits), rests: shares(rests), beads: new Set(beads.keys()), tiles };
}

/** Each on its line as near to where it is wished as it covers nothing, or where it covers least.
 * @param {Way[]} ways @param {Taken[]} things @param {(edge: Edge) => number[]} sidesOf
 * @param {(way: Way) => number} wish
 * @param {number} [most]  what covers more, as a share of itself, has no place
 * @returns {Map<string, Taken & {part: number}>}
 */
function settle(ways, things, sidesOf, wish, most = Infinity) {
  const full = [...things];
  const found = new Map();
  for (const way of ways) {
    const wished = wish(way);
    const [w, h] = sidesOf(way.edge);
    const parts = TRIES.map((off) => wished + off).filter((part) => part >= 0.04 && part <= 0.96);
    const others = full.filter(({ id }) => id !== way.edge.id);
    const at = leastCovering(parts.map((part) => ({ ...along(way.route, part), w, h, part, id: way.edge.id })), others);
    if (others.reduce((sum, other) => sum + overlapOf(at, other), 0) > most * w * h) continue;
    found.set(way.edge.id, at);
    full.push(at);
  }
  return found;
}

/** Where on its line what has gone over it would best rest.
 * @param {Layout} layout @param {Link} link @param {Route} route
 */
function restOf({ lying }, link, route) {
  if (lying && link.to.type === "leaf") {
    const clear = Math.min(0.5, CLEAR / lengthOf(route));
    return Math.max(clear, link.from.row > 0 ? 0.08 : 0.3);
  }
  return route.kind === "corners" || route.points.length < 3 ? 0.48 : 0.22;
}
