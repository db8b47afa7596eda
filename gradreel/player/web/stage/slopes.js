/**
 * By what a node multiplies on each way: a few letters beside the line, where they cover no thing, no tile, no other
 * line. On a stage of few lines all that have room are told; else those of the node that is pointed at or selected.
 */

import { box, write } from "./pen.js";
import { along, isBundle, routeOf } from "./routes.js";
import { isAlive } from "./moment.js";

/** @import { Pen } from "./pen.js" */
/** @import { Edge, Frame, Item, Layout } from "./types.js" */

/** @typedef {{x: number, y: number, w: number, h: number}} Box   around its middle */

const PX = 12.5;
const STYLE = { bold: true };
/** Where along a line the words may stand, the better places first. */
const PARTS = [0.3, 0.4, 0.2, 0.6, 0.7, 0.5, 0.12, 0.8];
/** How far from the line: beside it, or beside the tiles on it. */
const GAPS = [4, 20];
/** What a gradient that rests on a line takes. */
const TILE = 34;
/** A name stands so high above its node, or so far beside it. */
const NAME = 36;
/** So near to each other are the points of a line that words may not cover. */
const NEAR = 9;

/** @type {WeakMap<Layout, Map<string, Box>>} */
const spots = new WeakMap();

/** @param {Pen} pen @param {Frame} frame @param {{few: boolean, rests: (route: any, link: any) => number[]}} how
 *   `rests`: the shares of a line at which gradients may stand
 */
export function drawSlopes(pen, frame, { few, rests }) {
  const { layout, moment, sprites } = frame;
  const looked = new Set([frame.hover, frame.chosen]);
  const isLooked = (edge) => looked.has(edge.from.id) || looked.has(edge.id);
  if (!few && !layout.links.some(({ edges }) => edges.some(isLooked))) return;
  if (!spots.has(layout)) spots.set(layout, placeSlopes(layout, pen, rests));
  const titles = frame.targets.filter(({ kind }) => kind === "open");
  for (const { edges, from } of layout.links)
    for (const edge of edges) {
      const at = spots.get(layout).get(edge.id) ?? (isLooked(edge) ? onLine(pen, frame, edge) : null);
      const sprite = sprites.get(from.key);
      if (!at || !sprite || sprite.gone || !isAlive(edge.from, moment.step) || !(few || isLooked(edge))) continue;
      const [x, y] = [at.x + sprite.x - sprite.to.x, at.y + sprite.y - sprite.to.y];
      if (!isLooked(edge) && titles.some((title) => isUnder(title, { ...at, x, y }))) continue;
      const colour = isLooked(edge) ? pen.colours.ink : pen.colours.soft;
      if (isLooked(edge)) box(pen, { ...at, x, y }, 6, { fill: pen.colours.panel, stroke: pen.colours.line, line: 1 });
      write(pen, edge.slope, x, y + 0.5, PX, { ...STYLE, colour });
    }
}

/** @param {Box} title  from its corner @param {Box} words */
const isUnder = (title, { x, y, w, h }) =>
  x + w / 2 > title.x && x - w / 2 < title.x + title.w && y + h / 2 > title.y && y - h / 2 < title.y + title.h;

/** Where there is no room beside, the words that are asked for stand on the line.
 * @param {Pen} pen @param {Frame} frame @param {Edge} edge @returns {Box|null}
 */
function onLine({ measure }, frame, { id, slope }) {
  const found = frame.layout.linkOf.get(id);
  if (!slope || !found || isBundle(found.link)) return null;
  const route = routeOf(frame.layout, found.link, found.place, (item) => frame.sprites.get(item.key)?.to);
  return route && { ...along(route, PARTS[0]), ...sizeOf(measure, slope) };
}

const sizeOf = (measure, slope) => ({ w: measure(slope, PX, STYLE) + 8, h: 19 });

/** @param {Layout} layout @param {Pen} pen @returns {Map<string, Box>} by edge, where there is room */
function placeSlopes(layout, { measure }, rests) {
  const spotOf = (item) => ({ x: item.x, y: item.y, scale: layout.scale });
  /** @type {{edge: Edge, route: any, link: any}[]} */
  const ways = layout.links.filter((link) => !isBundle(link)).flatMap((link) =>
    link.edges.map((edge, place) => ({ edge, link, route: routeOf(layout, link, place, spotOf) })));
  const lines = ways.flatMap(({ route }) => pointsOf(route));
  const tiles = ways.flatMap(({ route, link }) => rests(route, link).map((part) => along(route, part)));
  const full = [
    ...layout.items.map((item) => thingBox(item, layout)),
    ...tiles.map((at) => ({ ...at, w: TILE, h: TILE })),
  ];
  const found = new Map();
  for (const { edge, route } of ways) {
    if (!edge.slope) continue;
    const size = sizeOf(measure, edge.slope);
    const places = GAPS.flatMap((gap) => PARTS.flatMap((part) => beside(route, part, size, gap)));
    const at = places.find((each) => isFree(each, full, lines, layout));
    if (!at) continue;
    found.set(edge.id, at);
    full.push(at);
  }
  return found;
}

/** @returns {{x: number, y: number}[]} */
function pointsOf(route) {
  const { points } = route;
  const far = points.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - points[i][0], y - points[i][1]), 0);
  const many = Math.ceil(far / NEAR) + 1;
  return Array.from({ length: many + 1 }, (_, i) => along(route, i / many));
}

/** A thing with the name that may be at it. @param {Item} item @param {Layout} layout @returns {Box} */
function thingBox({ x, y, w, h, tag, lens }, { scale, lying }) {
  const above = (lens ? 28 : 0) + (tag && lying ? NAME : 0);
  const right = tag && !lying ? tag : 0;
  return { x: x + (right / 2) * scale, y: y - (above / 2) * scale, w: (w + right) * scale, h: (h + above) * scale };
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
  const meets = (other) => Math.abs(other.x - x) < (w + other.w) / 2 && Math.abs(other.y - y) < (h + other.h) / 2;
  return !full.some(meets) && !lines.some(holds);
}
