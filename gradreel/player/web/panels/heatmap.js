/**
 * A tensor's contents as something to look at: a grid of shaded numbers where they fit, else how they are spread. Pure.
 */

import { complexParts, formatNumber, sizeOf } from "../lib/format.js";
import { inRows, unpackCells } from "../stage/values.js";

/** The largest side of a grid. */
export const SIDE = 32;
const BARS = 24;
/** Up to this power of two float16 holds integers as they are. */
const EXACT = -4;

/** @typedef {{text: string, shade: number, odd: boolean}} Cell   shade from -1 to 1; odd: nan or infinite */

/** The grid of a value, or null where there is none to show: a vector is one row, of more than two dimensions the
 * matrices stand below each other, as `gapOf` parts them.
 * @param {import("../lib/format.js").Value|null|undefined} value
 * @returns {Cell[][]|null}
 */
export function gridOf(value) {
  if (!fits(value)) return null;
  if (!value.whole)
    return value.cells
      ? shadeCells(rowsOf(value), /int|bool/.test(value.dtype) && value.cells[0] <= EXACT ? formatNumber : digits)
      : null;
  return shadeCells([value.data].flat(Math.max(0, value.shape.length - 1)), formatNumber);
}

/** So many rows make one matrix of a grid. @param {{shape: number[]}} value */
export const gapOf = ({ shape }) => shape.at(-2) ?? 1;

/** Whether a value has few enough elements for a grid. */
export function fits(value) {
  if (!value?.shape.length || (value.shape.length > 2 && !value.whole)) return false;
  const rows = value.shape.slice(0, -1).reduce((product, side) => product * side, 1);
  return rows >= 1 && rows <= SIDE && value.shape.at(-1) >= 1 && value.shape.at(-1) <= SIDE;
}

/** The rows of a matrix whose cells came as float16: what is not finite by its name, as everywhere.
 * @param {import("../lib/format.js").Value} value
 */
function rowsOf({ shape, cells }) {
  const finite = (item) => (Number.isNaN(item) ? "nan" : Number.isFinite(item) ? item : item > 0 ? "inf" : "-inf");
  return inRows(unpackCells(cells).map(finite), shape.at(-1));
}

/** What a cell is sure of: three digits. */
function digits(item) {
  return typeof item === "number" ? formatNumber(Number(item.toPrecision(3))) : item;
}

/** @returns {Cell[][]} */
function shadeCells(rows, write) {
  const sizes = rows.flat().map(sizeOf).filter((item) => typeof item === "number");
  const most = Math.max(0, ...sizes.map(Math.abs));
  return rows.map((row) => row.map((item) => ({
    text: write(item),
    shade: typeof sizeOf(item) === "number" && most > 0 ? sizeOf(item) / most : item === true ? 1 : 0,
    odd: typeof item === "string" && !complexParts(item),
  })));
}

/** How the numbers of a value are spread: bars from its least to its greatest, or null where that says nothing.
 * @param {import("../lib/format.js").Value & {bins?: number[]}|null|undefined} value
 * @returns {{least: number, most: number, bars: number[]}|null}
 */
export function spreadOf(value) {
  if (!value || value.shape.length === 0) return null;
  if (!value.whole)
    return value.bins && Number.isFinite(value.min) && Number.isFinite(value.max)
      ? { least: value.min, most: value.max, bars: value.bins }
      : null;
  const numbers = [value.data].flat(Infinity).map(sizeOf).filter((item) => typeof item === "number");
  if (numbers.length < 2) return null;
  const least = Math.min(...numbers);
  const most = Math.max(...numbers);
  const bars = new Array(BARS).fill(0);
  for (const item of numbers)
    bars[most > least ? Math.min(BARS - 1, Math.floor(((item - least) / (most - least)) * BARS)) : 0]++;
  return { least, most, bars };
}
