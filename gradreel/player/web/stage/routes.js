/**
 * The way of a gradient from one thing to another: where its line leaves, what it passes, where it arrives, and the
 * point at any share of it. Things may be on their way to their places, so lines follow where they are now. Pure.
 */

import { clamp } from "./pen.js";

/** @import { Item, Layout, Link } from "./types.js" */

/** @typedef {{x: number, y: number, scale: number}} Spot   where an item is now */
/** @typedef {{kind: "fall"|"flow"|"corners", points: number[][], bend?: number}} Route
 *   `bend`: how much later, in pixels, a curve turns than one whose halves are alike
 */

/** More edges between the same two are drawn as one. */
const BUNDLE = 6;
const CORNER = 14;
/** So far from each other edges between the same two turn, at scale 1. */
const TWINS = 24;
/** Beside a line of the page, where links turn to the next. */
const TURN = 30;

/** @param {Link} link */
export const isBundle = (link) => link.edges.length > BUNDLE;
const linesOf = (link) => (isBundle(link) ? 1 : link.edges.length);
const isLeaf = ({ type }) => type === "leaf" || type === "drawer";

/** Where a line of a link stands among all lines on that side, from -0.5 to 0.5, and how many these are. */
function rankOf(links, link, place) {
  let before = 0;
  let all = 0;
  for (const each of links) {
    if (each === link) before = all + place;
    all += linesOf(each);
  }
  return { at: all > 1 ? (before + 0.5) / all - 0.5 : 0, all };
}

/** The middle of the mouth of a leaf's funnel, from the middle of its plate. @param {Item} item */
export const mouthX = (item) => (item.type === "leaf" ? item.tile / 2 + (item.compact ? 6 : 12) : 0);
const mouthWide = (item) => (item.type === "drawer" ? item.w * 0.6 : item.compact ? 30 : 56);

/** How far from a node its lines end: at the mouth of a funnel, where gradients are added before it.
 * @param {Pick<Item, "inlet">} item
 */
export const inletDeep = ({ inlet }) => inlet?.deep ?? 0;

/** How wide the lines into a node stand apart. */
const inlet = ({ w, h }, all, lying) => Math.min(lying ? h * 0.7 : w * 0.5, all * 26);

/** How wide the lines into an item stand apart, in its units. @param {Layout} layout @param {Item} item */
export const inletOf = ({ ins, lying }, item) =>
  inlet(item, (ins.get(item) ?? []).reduce((sum, link) => sum + linesOf(link), 0), lying);

/** The way of edge number `place` of a link.
 * @param {Layout} layout @param {Link} link @param {number} place @param {(item: Item) => Spot|undefined} spotOf
 * @returns {Route|null}
 */
export function routeOf(layout, link, place, spotOf) {
  const [from, to] = [spotOf(link.from), spotOf(link.to)];
  if (!from || !to) return null;
  const line = isBundle(link) ? 0 : place;
  const outs = (layout.outs.get(link.from) ?? [link]).filter((each) =>
    !layout.lying || isLeaf(each.to) === isLeaf(link.to));
  const twin = isBundle(link) ? 0 : line - (link.edges.length - 1) / 2;
  const out = { ...rankOf(outs, link, line), twin };
  const into = rankOf(layout.ins.get(link.to) ?? [link], link, line);
  if (!layout.lying) return falling(link, from, to, out, into, inletDeep(link.to));
  if (isLeaf(link.to) || isStacked(link)) return falling(link, from, to, out, into);
  return flowing(layout, link, from, to, out, into);
}

/** Whether one is above the other, as storeys are. @param {Link} link */
export const isStacked = ({ from, to }) =>
  from.column === to.column && Math.abs(from.x - to.x) < Math.max(from.w, to.w) * 0.5 && from.y < to.y;

/** @returns {Route} */
function falling({ from, to, via }, a, b, out, into, inlets = 0) {
  const leaves = Math.min(0.62 * from.w, out.all * 40) * a.scale;
  const arrives = (isLeaf(to) ? mouthWide(to) : inlet(to, into.all, false)) * b.scale;
  const start = [a.x + out.at * leaves, a.y + (from.h / 2) * a.scale];
  const top = b.y - (to.h / 2 + inlets + (to.over ?? 0)) * b.scale - (to.lens ? 26 * b.scale : 0);
  const end = [b.x + mouthX(to) * b.scale + into.at * (to.lens ? 8 : arrives), top + (isLeaf(to) && !to.lens ? 2 : 0)];
  const points = via.flatMap(({ x, y, h }) => (h > 30 ? [[x, y - h / 2], [x, y + h / 2]] : [[x, y]]));
  return { kind: "fall", points: [start, ...points, end], bend: bendOf(out.twin * a.scale, start, end, 1) };
}

/** @returns {Route} */
function flowing(layout, link, a, b, out, into) {
  const { from, to, via } = link;
  const start = [a.x - (from.w / 2) * a.scale, a.y + out.at * Math.min(from.h * 0.7, out.all * 26) * a.scale];
  const end = [b.x + (to.w / 2 + inletDeep(to)) * b.scale, b.y + into.at * inlet(to, into.all, true) * b.scale];
  const points = through(via);
  const [upper, lower] = [layout.lines[from.row], layout.lines[to.row]];
  if (from.row === to.row || layout.lines.length < 2 || !upper || !lower)
    return { kind: "flow", points: [start, ...points, end], bend: bendOf(out.twin * a.scale, start, end, 0) };
  const before = through(via.filter(({ row }) => row === from.row));
  const after = through(via.filter(({ row }) => row === to.row));
  const [last, first] = [before.at(-1) ?? start, after[0] ?? end];
  const y = from.row > to.row
    ? (upper.bottom + layout.lines[from.row - 1].top) / 2
    : (upper.top + layout.lines[from.row + 1].bottom) / 2;
  const turn = TURN * a.scale;
  const corners = [[last[0] - turn, last[1]], [last[0] - turn, y + out.at * 14], [first[0] + turn, y + out.at * 14],
    [first[0] + turn, first[1]]];
  return { kind: "corners", points: [start, ...before, ...corners, ...after, end] };
}

/** The points of columns that a line passes, level as far as the column is wide: it cuts no corner of what is in it.
 * @param {Link["via"]} via
 */
const through = (via) =>
  via.flatMap(({ x, y, wide = 0 }) => (wide ? [[x + wide / 2, y], [x - wide / 2, y]] : [[x, y]]));

/** How much later than others an edge turns that has twins: so none turns into the way of another, and where they run
 * side by side they are apart.
 * @param {number} twin  which it is, from the middle of them @param {number[]} start @param {number[]} end
 * @param {0|1} axis  along which they leave
 */
function bendOf(twin, start, end, axis) {
  const [far, aside] = [end[axis] - start[axis], end[1 - axis] - start[1 - axis]];
  const bend = -Math.sign(far) * Math.sign(aside) * twin * TWINS;
  return Math.sign(far) * clamp(Math.sign(far) * bend, -Math.abs(far) / 2, Math.abs(far) / 2);
}

/** The points that a piece of a curve bends to. @param {Route} route @param {number} i */
function controls({ kind, points, bend = 0 }, i) {
  const [[x0, y0], [x1, y1]] = [points[i], points[i + 1]];
  const last = points.length === 2 ? bend : 0;
  if (kind === "flow") return [[x0 + (x1 - x0) / 2 + last, y0], [x1 - (x1 - x0) / 2 + last, y1]];
  return [[x0, y0 + (y1 - y0) / 2 + last], [x1, y1 - (y1 - y0) / 2 + last]];
}

/** Draw a route as a path. @param {any} context @param {Route} route */
export function trace(context, route) {
  const { kind, points } = route;
  context.beginPath();
  context.moveTo(...points[0]);
  if (kind === "corners") return traceCorners(context, points);
  for (let i = 0; i + 1 < points.length; i++) {
    const [one, other] = controls(route, i);
    context.bezierCurveTo(...one, ...other, ...points[i + 1]);
  }
}

/** Straight lines with round corners. */
function traceCorners(context, points) {
  for (let i = 1; i + 1 < points.length; i++) {
    const [before, corner, after] = [points[i - 1], points[i], points[i + 1]];
    const radius = Math.min(CORNER, distance(before, corner) / 2, distance(corner, after) / 2);
    context.lineTo(...towards(corner, before, radius));
    context.quadraticCurveTo(...corner, ...towards(corner, after, radius));
  }
  context.lineTo(...points.at(-1));
}

/** @param {number[]} one @param {number[]} other */
const distance = ([x0, y0], [x1, y1]) => Math.hypot(x1 - x0, y1 - y0);

function towards(from, to, far) {
  const part = far / (distance(from, to) || 1);
  return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
}

const bezier = (a, b, c, d, t) =>
  (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;

/** How long a route is, from point to point. @param {Route} route */
export const lengthOf = ({ points }) =>
  points.slice(1).reduce((sum, point, i) => sum + distance(points[i], point), 0) || 1;

/** The point at a share of a route. @param {Route} route @param {number} part @returns {{x: number, y: number}} */
export function along(route, part) {
  const { kind, points } = route;
  const lengths = points.slice(1).map((point, i) => distance(points[i], point));
  let far = lengths.reduce((sum, each) => sum + each, 0) * Math.max(0, Math.min(1, part));
  let i = 0;
  while (i < lengths.length - 1 && far > lengths[i]) far -= lengths[i++];
  const t = lengths[i] ? Math.min(1, far / lengths[i]) : 0;
  const [[x0, y0], [x1, y1]] = [points[i], points[i + 1]];
  if (kind === "corners") return { x: x0 + (x1 - x0) * t, y: y0 + (y1 - y0) * t };
  const [one, other] = controls(route, i);
  return { x: bezier(x0, one[0], other[0], x1, t), y: bezier(y0, one[1], other[1], y1, t) };
}

