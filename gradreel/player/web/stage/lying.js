/**
 * Deep graphs lie down: the loss at the right, gradients flow to the left and fall down into the leaves. Too long a
 * chain is broken into lines, as on a page, read from right to left and downwards; each storey is a line of its own.
 * Pure.
 */

import { tiesOf } from "./arrange.js";
import { inletDeep, isStacked } from "./routes.js";
import { MIN_SCALE, NAME } from "./sizes.js";
import { meanOf, orderRows, placeRows, setApart, within } from "./spread.js";
import { FRAME_ROOM, FRAME_TITLE, groundOf, heightAbove, lensRoom, padOf, SMALLEST } from "./standing.js";

/** @import { Arranged } from "./standing.js" */
/** @import { Item, Layout, Link } from "./types.js" */

const COLUMN_GAP = 50;
const ROW_GAP = 18;
const LARGEST = 1.6;
const MOST_LINES = 4;
/** Another line has to make all so much larger. */
const WORTHWHILE = 1.06;
const SHELF_GAP = 16;
/** Room at the right for the gradient that a call starts with, and at both sides for links from line to line. */
const MARGIN = 44;
const STOREY = 20;
/** Above the leaves there is room for a gradient that waits. */
const TILE_ROOM = 37;
const WIDEST_GAP = 130;
/** Between what stands in a lower line and a link that passes it, with what goes over it; between two such links. */
const CLEAR = 22;
const APART = 12;

/** @param {Arranged} made @param {{width: number, height: number}} room @returns {Partial<Layout>} */
export function lie({ items, shelf, links, layer, storeys, framed }, { width, height: whole }) {
  const height = heightAbove(shelf, whole);
  const bands = bandsOf(items, layer, storeys);
  const columns = Math.max(1, ...items.map((item) => item.column + 1));
  passColumns(links, bands);
  const ties = tiesOf(links);
  const down = placeBands(bands, ties);
  const widest = (sizeOf) => Array.from({ length: columns }, (_, at) =>
    Math.max(0, ...bands.flatMap((band) => band.columns[at].map(sizeOf))));
  const bodies = widest(({ w }) => w);
  const lefts = bodies.map((_, at) => (!at && bands.some((band) => band.columns[at].length > 1) ? 2 * CLEAR : 0));
  const widths = widest((thing) => thing.w / 2 + inletDeep(thing))
    .map((right, at) => lefts[at] + bodies[at] / 2 + right);
  const low = height < 620 || bands.length > 1;
  const page = {
    width,
    height,
    padY: low ? 16 : 28,
    padTop: framed ? FRAME_TITLE + 4 : low ? 16 : 28,
    lineGap: framed ? FRAME_ROOM : height < 620 ? 26 : 40,
    leafHigh: Math.max(0, ...shelf.map(({ h }) => h)),
    leafWide: shelf.reduce((sum, { w }) => sum + w + SHELF_GAP, 0),
    drop: shelf.length ? (low ? TILE_ROOM : 44) + lensRoom(shelf) : 0,
  };
  const { lines, wanted } = bestLines(bands, widths, down, page);
  const scale = Math.max(wanted, SMALLEST);
  placeLines(lines, { widths, lefts, bodies, down, scale, storeys, page, several: bands.length > 1 });
  for (const plate of shelf) plate.y = height - page.padY - page.leafHigh * scale + (plate.h * scale) / 2;
  placeShelf(shelf, scale, width);
  passLines(links, lines, items, { scale, width });
  return {
    lying: true, scale, wanted, storeys, ground: groundOf(shelf, scale, whole),
    lines: lines.map(({ top, bottom }) => ({ top, bottom })),
  };
}

/** Of each generation the columns. */
function bandsOf(items, layer, storeys) {
  const base = new Map(storeys.map(({ gen, from }) => [gen, from]));
  for (const item of items) item.column = layer.get(item) - base.get(item.gen);
  const many = Math.max(1, ...items.map(({ column }) => column + 1));
  const gens = storeys.length ? storeys.map(({ gen }) => gen) : [0];
  const bands = gens.map((gen) => ({ gen, columns: Array.from({ length: many }, () => []) }));
  for (const item of items) bands.find(({ gen }) => gen === item.gen).columns[item.column].push(item);
  return bands;
}

/** Long links get places to pass through in the columns between. */
function passColumns(links, bands) {
  for (const link of links) {
    link.via = [];
    if (link.to.column === undefined || link.from.gen !== link.to.gen) continue;
    const band = bands.find(({ gen }) => gen === link.from.gen);
    for (let at = link.from.column - 1; at > link.to.column; at--) {
      const dummy = { key: `${link.key}@${at}`, low: link.from.low, w: 0, h: 4, x: 0, y: 0, column: at };
      band.columns[at].push(dummy);
      link.via.push(dummy);
    }
  }
}

const before = ({ h, tag = 0, over = 0 }) => h / 2 + over + (tag ? NAME : 0);
const after = ({ h }) => h / 2;

/** The heights of all things within their bands. @returns {Map<any, number>} */
function placeBands(bands, ties) {
  const down = new Map();
  for (const { columns } of bands) {
    const own = new Set(columns.flat());
    const inBand = new Map([...own].map((thing) => [thing, (ties.get(thing) ?? []).filter((each) => own.has(each))]));
    orderRows(columns, inBand, ({ low }) => low);
    for (const [thing, place] of placeRows(columns, inBand, { before, after, gap: ROW_GAP })) down.set(thing, place);
  }
  return down;
}

/** As many lines as make all largest. */
function bestLines(bands, widths, down, page) {
  let best = null;
  const most = bands.length > 1 ? 1 : Math.min(MOST_LINES, widths.length);
  for (let many = 1; many <= most; many++) {
    const lines = linesOf(bands, widths, many, down);
    const high = lines.reduce((sum, line) => sum + line.high, 0) + (lines.length - 1) * page.lineGap
      + (bands.length > 1 ? lines.length * STOREY : 0);
    const wide = Math.max(...lines.map((line) => line.wide)) + MARGIN * (lines.length > 1 ? 2 : 1);
    const wanted = Math.min(
      LARGEST,
      (page.width - 2 * padOf(page.width)) / Math.max(wide, page.leafWide),
      (page.height - page.padY - page.padTop) / (high + page.leafHigh + page.drop),
    );
    if (!best || (wanted > best.wanted * WORTHWHILE && best.wanted < MIN_SCALE * 1.25)) best = { lines, wanted };
  }
  return best;
}

/** Columns in lines: the column of the leaves is the last of the lowest. */
function linesOf(bands, widths, many, down) {
  const total = widths.reduce((sum, wide) => sum + wide + COLUMN_GAP, 0);
  const parts = [[]];
  let wide = 0;
  widths.forEach((width, at) => {
    if (parts.at(-1).length && wide + width > total / many && parts.length < many) {
      parts.push([]);
      wide = 0;
    }
    parts.at(-1).push(at);
    wide += width + COLUMN_GAP;
  });
  const lines = bands.length > 1 ? bands.map((band) => ({ band, columns: parts[0] }))
    : parts.map((columns) => ({ band: bands[0], columns }));
  return lines.map((line) => measureLine(line, widths, down));
}

function measureLine({ band, columns }, widths, down) {
  const things = columns.flatMap((at) => band.columns[at]);
  const tops = things.map((thing) => down.get(thing) - before(thing));
  const bottoms = things.map((thing) => down.get(thing) + after(thing));
  const [top, bottom] = things.length ? [Math.min(...tops), Math.max(...bottoms)] : [0, 0];
  const wide = columns.reduce((sum, at) => sum + widths[at], 0) + (columns.length - 1) * COLUMN_GAP;
  return { band, columns, things, from: top, to: bottom, high: bottom - top, wide, top: 0, bottom: 0 };
}

function placeLines(lines, { widths, lefts, bodies, down, scale, storeys, page, several }) {
  const { width, height, padY, padTop, leafHigh, drop, lineGap } = page;
  const high = lines.reduce((sum, line) => sum + line.high, 0) * scale;
  const fixed = (leafHigh + drop + (lines.length - 1) * lineGap + (several ? lines.length * STOREY : 0)) * scale;
  const free = Math.max(0, height - padY - padTop - high - fixed);
  const air = free / (lines.length + 1);
  const side = MARGIN * scale;
  const room = width - 2 * padOf(width) - side * (lines.length > 1 && !several ? 2 : 1);
  const spares = lines.map(({ wide, columns }) => (room - wide * scale) / Math.max(1, columns.length - 1));
  const gap = COLUMN_GAP * scale + Math.min(WIDEST_GAP, Math.max(0, Math.min(...spares)));
  const wideOf = ({ columns }) => columns.reduce((sum, at) => sum + widths[at], 0) * scale + (columns.length - 1) * gap;
  const right = several || lines.length < 2 ? null : width / 2 + Math.max(...lines.map(wideOf)) / 2;
  let bottom = height - padY - (leafHigh + drop) * scale - air * 0.7;
  lines.forEach((line, row) => {
    if (!line.things.length) return;
    const tall = line.high ? Math.min(1.35, 1 + (air * 0.5) / (line.high * scale)) : 1;
    const middle = bottom - (line.high * scale * tall) / 2;
    let x = (right ?? width / 2 - side / 4 + wideOf(line) / 2) - wideOf(line);
    for (const at of line.columns) {
      for (const thing of line.band.columns[at]) {
        thing.row = row;
        thing.wide = (thing.w ? bodies : widths)[at] * scale;
        thing.x = x + (thing.w ? lefts[at] * scale : 0) + thing.wide / 2;
        thing.y = middle + (down.get(thing) - (line.from + line.to) / 2) * scale * tall;
      }
      x += widths[at] * scale + gap;
    }
    line.top = middle - (line.high * scale * tall) / 2;
    line.bottom = bottom;
    const storey = storeys.find(({ gen }) => gen === line.band.gen);
    if (storey) {
      storey.top = Math.min(storey.top, line.top);
      storey.bottom = Math.max(storey.bottom, line.bottom);
    }
    bottom = line.top - (lineGap + (several ? STOREY : 0)) * scale - air * 0.7;
  });
}

/** Each leaf below what uses it. */
function placeShelf(shelf, scale, width) {
  const wished = (plate) => {
    const users = (plate.users ?? []).filter(({ type }) => type !== "leaf");
    return users.length ? meanOf(users.map(({ x }) => x)) : width / 2;
  };
  shelf.sort((a, b) => wished(a) - wished(b) || a.low - b.low);
  const half = ({ w }) => (w / 2) * scale;
  const room = { before: half, after: half, gap: SHELF_GAP * scale };
  const places = within(setApart(shelf, shelf.map(wished), room), shelf, 12, width - 12, room);
  shelf.forEach((plate, i) => (plate.x = places[i]));
}

/** A link that falls, to a leaf or to another storey, passes between what stands in its way.
 * @param {Link[]} links
 */
function passLines(links, lines, items, { scale, width }) {
  const end = (item, way) => item.y + way * (item.h / 2) * scale;
  const topOf = (item) => end(item, -1) - ((item.over ?? 0) + (item.tag ? NAME : 0)) * scale;
  const rowOf = (inWay) => ({
    top: Math.min(...inWay.map(topOf)), bottom: Math.max(...inWay.map((item) => end(item, 1))), inWay,
    aside: (inWay.length - 1) * APART,
  });
  for (const link of links) {
    const { from, to } = link;
    if (to.column !== undefined && !isStacked(link)) continue;
    const isFree = (item) => item !== from && item !== to;
    const inColumn = (row) => items.filter((item) => item.row === row && isFree(item) && item.column === from.column
      && item.y > from.y && (to.column === undefined || item.y < to.y));
    const last = to.column === undefined ? -1 : to.row;
    const between = lines.map((line, row) => ({ ...line, inWay: items.filter((item) => item.row === row), aside: 0 }))
      .filter((_, row) => row < from.row && row > last).reverse();
    const ends = [from.row, last].map((row) => inColumn(row)).map((inWay) => (inWay.length ? [rowOf(inWay)] : []));
    const passed = [...ends[0], ...between, ...ends[1]];
    link.via = passed.map(({ top, bottom, inWay, aside }, i) => {
      const share = (i + 1) / (passed.length + 1);
      const free = freeBeside(from.x + (to.x - from.x) * share, inWay, scale, width);
      const x = free + Math.sign(free - from.x) * aside;
      return { key: `${link.key}@${i}`, x, y: (top + bottom) / 2, w: 0, h: bottom - top, low: 0 };
    });
  }
}

/** The place nearest to one that is beside all items. */
function freeBeside(wish, items, scale, width) {
  const taken = items.map(({ x, w }) => [x - (w / 2) * scale - CLEAR, x + (w / 2) * scale + CLEAR])
    .sort((a, b) => a[0] - b[0]);
  const inside = (x) => taken.some(([low, high]) => low < x && x < high);
  if (!inside(wish)) return wish;
  const ends = taken.flat().filter((x) => !inside(x) && x > CLEAR && x < width - CLEAR);
  return ends.length ? ends.reduce((best, x) => (Math.abs(x - wish) < Math.abs(best - wish) ? x : best)) : wish;
}
