/**
 * What a value looks like as a tile: its grid of numbers, its scalar, or how its numbers are spread. Pure.
 */

import { inRows, unpackCells } from "../lib/cells.js";

/** @import { Value } from "../lib/format.js" */

/** @typedef {{scalar: number|string|boolean}|{rows: any[][]}|{bins: number[], min: number, max: number}} Grid */

/** A vector of more numbers is folded to near a square. */
const LONG = 8;
/** A matrix of so many rows to a column is folded into columns. */
const TALL = 3;
const MANY_ROWS = 12;

const grids = new WeakMap();
const greatest = new WeakMap();

/** @param {Value & {bins?: number[], grid?: [number, number]}|null|undefined} value @returns {Grid|null} */
export function gridOf(value) {
  if (!value) return null;
  if (!grids.has(value)) grids.set(value, makeGrid(value));
  return grids.get(value);
}

function makeGrid(value) {
  if (value.whole) return value.shape.length ? wholeGrid(value) : { scalar: value.data };
  if (value.cells) return { rows: rowsOf(value) };
  if (value.bins && Number.isFinite(value.min) && Number.isFinite(value.max))
    return { bins: value.bins, min: value.min, max: value.max };
  return null;
}

function wholeGrid({ shape, data }) {
  const flat = [data].flat(Infinity);
  if (!flat.length) return null;
  const wide = shape.at(-1) || 1;
  if (shape.length === 1 && wide > LONG) return { rows: inRows(flat, Math.ceil(Math.sqrt(wide))) };
  const rows = inRows(flat, wide);
  return { rows: rows.length > TALL * wide && rows.length > MANY_ROWS ? inColumns(rows, wide) : rows };
}

/** A tall matrix beside itself, so that it is about as wide as high. */
function inColumns(rows, wide) {
  const columns = Math.ceil(Math.sqrt(rows.length / wide));
  const each = Math.ceil(rows.length / columns);
  const none = Array(wide).fill(null);
  return Array.from({ length: each }, (_, row) =>
    Array.from({ length: columns }, (_, column) => rows[column * each + row] ?? none).flat(),
  );
}

/** The rows of what came as float16. */
function rowsOf({ shape, grid, cells }) {
  const wide = (grid ?? shape).at(-1);
  const rows = inRows(unpackCells(cells), wide);
  return rows.length > TALL * wide && rows.length > MANY_ROWS ? inColumns(rows, wide) : rows;
}

/** The largest size of a finite number in a value. @param {Value|null|undefined} value @returns {number} */
export function mostOf(value) {
  if (!value) return 0;
  if (!greatest.has(value)) greatest.set(value, greatestIn(value));
  return greatest.get(value);
}

function greatestIn(value) {
  const numbers = value.whole ? [value.data].flat(Infinity) : [value.min, value.max];
  return Math.max(0, ...numbers.map((each) => (Number.isFinite(each) ? Math.abs(each) : 0)));
}

/** A number as short as a tile needs it: `.26`, `−3`, `1e5`. @param {any} number @returns {string} */
export function tileNumber(number) {
  if (typeof number === "boolean") return number ? "1" : "0";
  if (typeof number !== "number") return String(number ?? "");
  const size = Math.abs(number);
  if (Number.isInteger(number) && size < 1e5) return String(number).replace("-", "−");
  const text = size >= 1000 || size < 0.01 ? number.toExponential(0).replace("e+", "e")
    : String(Number(number.toPrecision(size < 1 ? 2 : 3)));
  return text.replace(/^-/, "−").replace(/^(−?)0\./, "$1.");
}

/** The sides of a tile that is `size` at the longer one. @param {Value|null|undefined} value @param {number} size */
export function tileSize(value, size) {
  const grid = gridOf(value);
  if (grid && "rows" in grid) {
    const ratio = Math.max(0.42, Math.min(2.4, (grid.rows[0]?.length || 1) / grid.rows.length));
    return ratio >= 1 ? [size, size / ratio] : [size * ratio, size];
  }
  return grid ? [size, size * 0.7] : [size, size];
}
