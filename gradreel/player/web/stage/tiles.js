/**
 * Tensors as tiles: a matrix as heat around zero with its numbers where they fit, a scalar as its number over a bar to
 * the left or the right, a histogram where only the spread is known. The same tile stands on wires, in slots, at leaves
 * and in names.
 */

import { box, LEAST_TEXT, luminance, mix, onStage, write } from "./pen.js";
import { BOLD } from "./sizes.js";
import { gridOf, mostOf, SHORT, tileNumber, tileSize } from "./values.js";

/** @import { Pen } from "./pen.js" */
/** @import { Value } from "../lib/format.js" */

/** The faintest shade of what is not zero. */
const FAINT = 0.14;
const FEW = 3;
/** The share of a scalar's tile that its bar has where a number stands above it: no number stands on two colours. */
const BAR = 0.22;
const PLATES = 5;
const NUMBER = 15;
/** Between numbers beside each other. */
const APART = 3;
/** Between a number and the rim of its tile. */
const INSET = 3;
/** @type {Record<string, [string, number]>} */
const KINDS = { grad: ["run", 2.6], save: ["live", 2], value: ["ink", 1.5] };

/** @typedef {{kind?: "grad"|"save"|"value", most?: number, plates?: number, numbers?: boolean, radius?: number,
 *   room?: number}} Look
 *   `most`: the number that has the full colour; `plates`: how many lie below; `room`: so wide it may become for its
 *   number
 */

/** The colour of a number where `most` has the full one.
 * @param {Pen} pen @param {any} number @param {number} most @returns {number[]}
 */
export function heat({ colours: { rgb } }, number, most) {
  if (number === true) return rgb.more;
  if (number === false) return rgb.zero;
  if (typeof number !== "number" || !Number.isFinite(number)) return rgb.bad;
  const size = most ? Math.min(1, Math.abs(number) / most) : 0;
  return mix(rgb.zero, number < 0 ? rgb.less : rgb.more, size ? FAINT + (1 - FAINT) * Math.sqrt(size) : 0);
}

export const css = (rgb) => `rgb(${rgb.join()})`;

/** Draw a value around a point, `size` at its longer side.
 * @param {Pen} pen @param {Value|null|undefined} value @param {{x: number, y: number}} at @param {number} size
 * @param {Look} [look]
 * @returns {number[]} its sides
 */
export function tile(pen, value, { x, y }, size, look = {}) {
  const { kind = "value", most, plates = 0, numbers = true, radius = 4, room = Infinity } = look;
  const { colours } = pen;
  if (pen.tiles && value) pen.tiles.push({ value, ...onStage(pen, x, y) });
  const grid = gridOf(value);
  const [w, h] = numbers ? sidesOf(pen, value, size, room) : tileSize(value, size);
  const [edge, width] = KINDS[kind];
  const stroke = colours[edge];
  for (let plate = Math.min(plates, PLATES); plate > 0; plate--)
    box(pen, { x: x + plate * 2, y: y + plate * 2, w, h }, radius, { fill: colours.panel, stroke, line: 1.4 });
  const full = most || mostOf(value) || 1;
  if (!grid) box(pen, { x, y, w, h }, radius, { fill: colours.line });
  else if ("scalar" in grid) paintBar(pen, grid.scalar, { x, y, w, h }, pen.bar || full, numbers ? BAR : 1);
  else if ("rows" in grid) paintCells(pen, value, grid.rows, { x, y, w, h }, full);
  else paintSpread(pen, grid, { x, y, w, h }, full);
  box(pen, { x, y, w, h }, radius, { stroke, line: width });
  if (numbers && grid) writeNumbers(pen, grid, { x, y, w, h }, full);
  return [w, h];
}

/** The sides of a tile with its numbers: that of a scalar is as wide as its number, as far as there is room.
 * @param {Pick<Pen, "measure"|"zoom">} pen @param {Value|null|undefined} value @param {number} size
 * @param {number} [room]
 * @returns {[number, number]}
 */
export function sidesOf(pen, value, size, room = Infinity) {
  const grid = gridOf(value);
  const [w, h] = tileSize(value, size);
  return [grid && "scalar" in grid ? Math.max(w, Math.min(room, scalarWide(pen, grid.scalar))) : w, h];
}

/** The room that the number of a scalar needs at the least. */
const scalarWide = (pen, number) => pen.measure(tileNumber(number), LEAST_TEXT / pen.zoom, BOLD) + 2 * INSET;

function paintBar(pen, number, { x, y, w, h }, most, part) {
  const { context, colours } = pen;
  const [top, high] = [y + h / 2 - h * part, h * part];
  context.fillStyle = css(colours.rgb.zero);
  context.fillRect(x - w / 2, y - h / 2, w, h);
  const size = typeof number === "number" && Number.isFinite(number) ? Math.max(-1, Math.min(1, number / most)) : 0;
  const wide = (Math.sqrt(Math.abs(size)) * w) / 2;
  context.fillStyle = css(heat(pen, number, most));
  context.fillRect(size < 0 ? x - wide : x, top, wide, high);
  context.fillStyle = colours.gone;
  context.fillRect(x - 0.5, top, 1, high);
}

function paintSpread(pen, { bins, min, max }, { x, y, w, h }, most) {
  const { context, colours } = pen;
  context.fillStyle = css(colours.rgb.zero);
  context.fillRect(x - w / 2, y - h / 2, w, h);
  const top = Math.max(...bins);
  bins.forEach((count, i) => {
    if (!count) return;
    const middle = min + ((i + 0.5) / bins.length) * (max - min);
    const high = Math.max(2, Math.sqrt(count / top) * (h - 3));
    context.fillStyle = css(heat(pen, middle || most / 100, most));
    context.fillRect(x - w / 2 + (i / bins.length) * w, y + h / 2 - high, w / bins.length + 0.4, high);
  });
}

function paintCells(pen, value, rows, { x, y, w, h }, most) {
  const { context } = pen;
  const [many, wide] = [rows.length, rows[0]?.length || 1];
  if (many * wide <= FEW * FEW) {
    rows.forEach((row, r) => row.forEach((number, c) => {
      context.fillStyle = css(heat(pen, number, most));
      context.fillRect(x - w / 2 + (c * w) / wide, y - h / 2 + (r * h) / many, w / wide - 0.6, h / many - 0.6);
    }));
    return;
  }
  context.imageSmoothingEnabled = false;
  context.drawImage(bitmapOf(pen, value, rows, most), x - w / 2, y - h / 2, w, h);
}

const bitmaps = new WeakMap();

/** One pixel for each number; made once for a value, its scale and the colours. */
function bitmapOf(pen, value, rows, most) {
  if (!bitmaps.has(value)) bitmaps.set(value, new Map());
  const known = bitmaps.get(value);
  const key = `${most}|${pen.colours.key}`;
  if (known.has(key)) return known.get(key);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: rows[0]?.length || 1, height: rows.length });
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  rows.forEach((row, r) => row.forEach((number, c) => {
    if (number === null) return;
    image.data.set([...heat(pen, number, most), 255], 4 * (r * canvas.width + c));
  }));
  context.putImageData(image, 0, 0);
  if (known.size > 6) known.delete(known.keys().next().value);
  known.set(key, canvas);
  return canvas;
}

/** A number with as many digits as can be read in a room. @param {Pen} pen @param {number} room */
export function numberIn(pen, number, room) {
  const text = tileNumber(number);
  return pen.measure(text, LEAST_TEXT / pen.zoom, BOLD) <= room + 0.01 ? text : tileNumber(number, SHORT);
}

/** How large the tile of a matrix has to be for its numbers to stand in it, if that is not more than `most`.
 * @param {Pick<Pen, "measure"|"zoom">} pen @param {Value} value @param {number} size @param {number} most
 */
export function sizeFor(pen, value, size, most) {
  const grid = gridOf(value);
  if (!grid || !("rows" in grid) || grid.rows.length > FEW || grid.rows[0].length > FEW) return size;
  const least = LEAST_TEXT / pen.zoom;
  const widest = Math.max(...grid.rows.flat().map((number) => pen.measure(tileNumber(number, SHORT), least, BOLD)));
  const [w, h] = tileSize(value, 1);
  const wanted = Math.max(((widest + APART) * grid.rows[0].length) / w, (least * grid.rows.length) / h) + 0.01;
  return wanted > most ? size : Math.max(size, wanted);
}

function writeNumbers(pen, grid, { x, y, w, h }, most) {
  const least = LEAST_TEXT / pen.zoom;
  if ("scalar" in grid) {
    const text = numberIn(pen, grid.scalar, w - 2 * INSET);
    const px = Math.min(20, h * 0.5, (w - 2 * INSET) / pen.measure(text, 1, BOLD));
    write(pen, text, x, y + 0.5 - (h * BAR) / 2, Math.max(least, px), BOLD);
    return;
  }
  if (!("rows" in grid) || grid.rows.length > FEW || grid.rows[0].length > FEW) return;
  const [cellW, cellH] = [w / grid.rows[0].length, h / grid.rows.length];
  const widest = (texts) => Math.max(...texts.flat().map((text) => pen.measure(text, 1, BOLD)));
  const texts = [undefined, SHORT]
    .map((digits) => grid.rows.map((row) => row.map((number) => tileNumber(number, digits))))
    .find((each) => widest(each) * least <= cellW - APART + 0.01);
  if (!texts || least > cellH) return;
  const px = Math.max(least, Math.min(NUMBER, cellH * 0.52, cellW * 0.42, (cellW - APART) / widest(texts)));
  texts.forEach((row, r) => row.forEach((text, c) => {
    const colour = luminance(heat(pen, grid.rows[r][c], most)) > 0.52 ? "#14181f" : "#ffffff";
    write(pen, text, x - w / 2 + (c + 0.5) * cellW, y - h / 2 + (r + 0.5) * cellH + 0.5, px, { ...BOLD, colour });
  }));
}
