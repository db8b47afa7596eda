/**
 * The graph standing on the tensors' ground: layers one above the other, leaves in the lowest row, gradients fall.
 * What room is left goes into scale and gaps. Pure.
 */

import { tiesOf } from "./arrange.js";
import { inletDeep } from "./routes.js";
import { FUNNEL, MIN_SCALE } from "./sizes.js";
import { orderRows, placeRows } from "./spread.js";

/** @import { Item, Layout } from "./types.js" */

const GAP = 24;
const PAD = { y: 16 };
/** Room at both sides: a stage of a phone has little. */
export const padOf = (width) => Math.min(34, width * 0.03);
export const LARGEST = 1.9;
/** Gaps between rows, at scale 1, where there are few of them and where there are many. */
const AIRY = 46;
const TIGHT = 27;
/** Above the funnel of a node, for the lines that end there. */
const FUNNEL_ROOM = 16;
const WIDEST_GAP = 150;
const STRETCH = 2.4;
/** Above the highest row the gradient waits that a call starts with. */
const SEED = 40;
/** A storey has room for its name. */
const STOREY = 26;
/** Smaller than this nothing is drawn, even if it does not fit. */
export const SMALLEST = MIN_SCALE * 0.72;
/** The tensors' ground where no leaf stands on it. */
const BARE_GROUND = 58;
/** In pixels, above what is in an open fold: for its frame with its title. */
export const FRAME_TITLE = 34;
/** From what stands in a row, or line, to the rim of its frame; and between such rows, at scale 1. */
const BELOW = 12;
export const FRAME_ROOM = (FRAME_TITLE + BELOW) / MIN_SCALE;

/** The room above leaves for the lenses that only they are behind. @param {Item[]} shelf */
export const lensRoom = (shelf) => (shelf.some(({ lens }) => lens) ? 28 : 0);

/** @typedef {ReturnType<typeof import("./arrange.js").arrange> & {framed: boolean}} Arranged
 *   `framed`: around some of the items there are frames
 */

/** The room that there is above the tensors' ground where no leaf stands on it, else all of it.
 * @param {Item[]} shelf @param {number} height
 */
export const heightAbove = (shelf, height) => (shelf.length ? height : height - BARE_GROUND);

/** @param {Arranged} made @param {{width: number, height: number}} room @returns {Partial<Layout>} */
export function stand({ items, shelf, links, layer, storeys, framed }, { width, height: whole }) {
  const height = heightAbove(shelf, whole);
  const top = framed ? FRAME_TITLE : 0;
  const rows = [shelf, ...rowsOf(items, layer, storeys)];
  const dummies = passRows(links, rows, layer);
  const ties = tiesOf(links);
  orderRows(rows, ties, ({ low }) => low);
  const room = { before: ({ w }) => w / 2, after: ({ w, tag = 0 }) => w / 2 + (tag ? tag + 8 : 0), gap: GAP };
  const across = placeRows(rows, ties, room);
  const [left, right] = endsOf(rows.flat(), across, room);
  const heights = rows.map((row) => Math.max(0, ...row.map(({ h = 0 }) => h)));
  const lenses = lensRoom(shelf);
  heights[0] += lenses;
  const used = heights.filter((high) => high > 0).length;
  const funnels = Math.max(0, ...items.map(inletDeep));
  const gap = Math.max(used <= 5 ? AIRY : TIGHT, funnels && funnels + FUNNEL_ROOM, framed ? FRAME_ROOM : 0);
  const gaps = Math.max(0, used - 1);
  const extra = storeys.length > 1 ? storeys.length * STOREY : 0;
  const sum = heights.reduce((total, high) => total + high, 0) + extra + (items.length ? SEED : 0);
  const needs = { width: right - left, height: sum + gaps * gap };
  const [wide, high] = [width - 2 * padOf(width), height - 2 * PAD.y - top];
  const wanted = Math.min(LARGEST, wide / needs.width, high / needs.height);
  const scale = Math.max(wanted, SMALLEST);
  const between = gaps ? Math.min(WIDEST_GAP, Math.max(gap * scale, (high - sum * scale) / gaps)) : 0;
  const stretch = Math.min(STRETCH, Math.max(1, wide / (needs.width * scale)));
  const middle = (left + right) / 2;
  for (const thing of [...items, ...shelf, ...dummies])
    thing.x = width / 2 + (across.get(thing) - middle) * scale * stretch;
  stackRows(rows, { heights, height, scale, between, storeys });
  for (const plate of shelf) plate.y += (lenses / 2) * scale;
  return { lying: false, scale, wanted, storeys, lines: [], ground: groundOf(shelf, scale, whole) };
}

function rowsOf(items, layer, storeys) {
  const rows = Array.from({ length: (storeys.at(-1)?.to ?? -1) + 1 }, () => []);
  for (const item of items) rows[layer.get(item)].push(item);
  return rows;
}

/** Long links get places to pass through in the rows between. */
function passRows(links, rows, layer) {
  const dummies = [];
  for (const link of links) {
    const [from, to] = [layer.get(link.from), layer.get(link.to) ?? -1];
    link.via = [];
    for (let at = from - 1; at > to; at--) {
      const dummy = { key: `${link.key}@${at}`, low: link.from.low, w: 16, h: 0, x: 0, y: 0 };
      rows[at + 1].push(dummy);
      link.via.push(dummy);
      dummies.push(dummy);
    }
  }
  return dummies;
}

function endsOf(things, across, { before, after }) {
  if (!things.length) return [0, 1];
  return [
    Math.min(...things.map((thing) => across.get(thing) - before(thing))),
    Math.max(...things.map((thing) => across.get(thing) + after(thing))),
  ];
}

function stackRows(rows, { heights, height, scale, between, storeys }) {
  let bottom = height - PAD.y;
  rows.forEach((row, at) => {
    if (!heights[at]) {
      for (const thing of row) thing.y = bottom + between / 2;
      return;
    }
    const storey = storeys.find(({ from }) => from === at - 1);
    if (storey && storeys.length > 1) bottom -= (storey === storeys[0] ? 8 : STOREY) * scale;
    const top = bottom - heights[at] * scale;
    for (const thing of row) thing.y = (top + bottom) / 2;
    const of = storeys.find(({ from, to }) => from <= at - 1 && at - 1 <= to);
    if (of) [of.top, of.bottom] = [Math.min(of.top, top), Math.max(of.bottom, bottom)];
    bottom = top - between;
  });
}

/** Where the tensors' ground begins: half-way down the funnels. @param {Item[]} shelf */
export function groundOf(shelf, scale, height) {
  const tops = shelf.map(({ type, y, h, compact }) => {
    const funnel = type === "drawer" ? -10 : FUNNEL[compact ? "compact" : "big"] - 6;
    return y + (-h / 2 + funnel) * scale;
  });
  return tops.length ? Math.min(...tops) : height - BARE_GROUND;
}

