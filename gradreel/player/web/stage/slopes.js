/**
 * By what a node multiplies on each way: a few letters beside the line, where they cover no thing, no tile, no other
 * line. On a stage of few lines all that have room are told; else those of the node that is pointed at or selected.
 */

import { box, write } from "./pen.js";
import { covers, overlapOf, thingsIn, titlesIn } from "./places.js";
import { isFew, restsOf, waysOf } from "./rests.js";
import { along, isBundle, lengthOf, routeOf } from "./routes.js";
import { isAlive } from "./moment.js";
import { storeyNames } from "./storeys.js";

/** @import { Pen } from "./pen.js" */
/** @import { Box } from "./places.js" */
/** @import { Edge, Frame, Layout } from "./types.js" */

const PX = 12.5;
const STYLE = { bold: true };
/** How far from a line the words may stand, and where along it: beside it, or beside the tile in its middle. */
/** @type {[number, number[]][]} */
const PLACES = [[4, [0.3, 0.4, 0.2, 0.6, 0.7, 0.5, 0.12, 0.8]], [20, [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]]];
/** Where along a line they stand above it, and how far. */
const [ON, ABOVE] = [0.48, 27];
/** So near to each other are the points of a line that words may not cover. */
const NEAR = 9;

/** @typedef {Box & {text: string}} Words */

/** @type {WeakMap<Layout, Map<string, Words>>} */
const spots = new WeakMap();

/** @param {Pen} pen @param {Frame} frame */
export function drawSlopes(pen, frame) {
  const { layout, moment, sprites } = frame;
  const looked = lookedAt(frame);
  const few = isFew(layout);
  if (!few && !looked.size) return;
  const places = spotsOf(layout, pen);
  const words = [...titlesIn(frame), ...frame.counts];
  for (const edge of few ? layout.links.flatMap(({ edges }) => edges) : looked) {
    const isLooked = looked.has(edge);
    const at = places.get(edge.id) ?? (isLooked ? onLine(pen, frame, edge) : null);
    const sprite = sprites.get(layout.linkOf.get(edge.id)?.link.from.key);
    if (!at || !sprite || sprite.gone || !isAlive(edge.from, moment.step)) continue;
    const [x, y] = [at.x + sprite.x - sprite.to.x, at.y + sprite.y - sprite.to.y];
    if (!isLooked && covers({ ...at, x, y }, words)) continue;
    if (isLooked) box(pen, { ...at, x, y }, 6, { fill: pen.colours.panel, stroke: pen.colours.line, line: 1 });
    const colour = isLooked ? pen.colours.ink : pen.colours.soft;
    write(pen, at.text, x, y + 0.5, PX, { ...STYLE, colour });
    frame.counts.push({ ...at, x, y });
  }
}

/** @param {Layout} layout @param {Pen} pen */
function spotsOf(layout, pen) {
  if (!spots.has(layout)) spots.set(layout, placeSlopes(layout, pen));
  return spots.get(layout);
}

/** Where slopes stand, or may. @param {Layout} layout @param {Pen} pen @returns {Words[]} */
export const slopesOf = (layout, pen) => [...spotsOf(layout, pen).values()];

/** The edges that are pointed at, selected, of such a node, or on a path that is shown.
 * @param {Frame} frame @returns {Set<Edge>}
 */
function lookedAt({ hover, chosen, path, layout, model }) {
  const ofNodes = [hover, chosen].flatMap((id) => model.node.get(id)?.out ?? []);
  const named = [hover, chosen, ...path].map((id) => layout.linkOf.get(id)).filter(Boolean);
  return new Set([...ofNodes, ...named.map(({ link, place }) => link.edges[place])]);
}

/** What a slope can be called: `× cos x = 0.54`, or only `× 0.54`. @param {string} slope */
function wordings(slope) {
  const number = slope.split(" = ")[1];
  return number ? [slope, `× ${number}`] : [slope];
}

/** Where there is no room beside, the words that are asked for stand above the line.
 * @param {Pen} pen @param {Frame} frame @param {Edge} edge @returns {Words|null}
 */
function onLine({ measure }, frame, { id, slope }) {
  const found = frame.layout.linkOf.get(id);
  if (!slope || !found || isBundle(found.link)) return null;
  const route = routeOf(frame.layout, found.link, found.place, (item) => frame.sprites.get(item.key)?.to);
  if (!route) return null;
  const text = wordings(slope).at(-1);
  const { x, y } = along(route, ON);
  return { x, y: y - ABOVE, text, ...sizeOf(measure, text) };
}

const sizeOf = (measure, slope) => ({ w: measure(slope, PX, STYLE) + 8, h: 19 });

/** @param {Layout} layout @param {Pen} pen @returns {Map<string, Words>} by edge, where there is room */
function placeSlopes(layout, { measure }) {
  const ways = waysOf(layout);
  const lines = ways.flatMap(({ route }) => pointsOf(route));
  const full = [...thingsIn(layout), ...restsOf(layout).tiles, ...storeyNames({ measure }, layout)];
  const found = new Map();
  for (const { edge, route } of ways) {
    if (!edge.slope) continue;
    const at = wordings(edge.slope).flatMap((text) => {
      const size = sizeOf(measure, text);
      const places = PLACES.flatMap(([gap, parts]) => parts.flatMap((part) => beside(route, part, size, gap)));
      const free = places.find((each) => isFree(each, full, lines, layout));
      return free ? [{ ...free, text }] : [];
    })[0];
    if (!at) continue;
    found.set(edge.id, at);
    full.push(at);
  }
  return found;
}

/** Points of a line, near to each other. @param {import("./routes.js").Route} route */
export function pointsOf(route) {
  const many = Math.ceil(lengthOf(route) / NEAR) + 1;
  return Array.from({ length: many + 1 }, (_, i) => along(route, i / many));
}

/** At both sides of a line. @returns {Box[]} */
function beside(route, part, { w, h }, gap) {
  const [from, to] = [along(route, part - 0.02), along(route, part + 0.02)];
  const { x, y } = along(route, part);
  const long = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [nx, ny] = [-(to.y - from.y) / long, (to.x - from.x) / long];
  const far = (Math.abs(nx) * w + Math.abs(ny) * h) / 2 + gap;
  return [-1, 1].map((side) => ({ x: x + side * nx * far, y: y + side * ny * far, w, h }));
}

/** @param {Box} at @param {Box[]} full @param {{x: number, y: number}[]} lines @param {Layout} layout */
function isFree({ x, y, w, h }, full, lines, { width, height }) {
  if (x < w / 2 + 2 || y < h / 2 + 2 || x > width - w / 2 - 2 || y > height - h / 2 - 2) return false;
  const holds = (point) => Math.abs(point.x - x) < w / 2 && Math.abs(point.y - y) < h / 2;
  return !full.some((other) => overlapOf(other, { x, y, w, h })) && !lines.some(holds);
}
