/**
 * What a value looks like as a tile: its grid of numbers, its scalar, or how its numbers are spread. Pure.
 */

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
  if (value.cells) {
    const wide = (value.grid ?? value.shape).at(-1);
    return { rows: foldTall(inRows(unpackCells(value.cells), wide), wide) };
  }
  if (value.bins && Number.isFinite(value.min) && Number.isFinite(value.max))
    return { bins: value.bins, min: value.min, max: value.max };
  return null;
}

function wholeGrid({ shape, data }) {
  const flat = [data].flat(Infinity);
  if (!flat.length) return null;
  const wide = shape.at(-1) || 1;
  if (shape.length === 1 && wide > LONG) return { rows: inRows(flat, Math.ceil(Math.sqrt(wide))) };
  return { rows: foldTall(inRows(flat, wide), wide) };
}

/** A matrix, a tall one beside itself, so that it is about as wide as high. */
function foldTall(rows, wide) {
  if (rows.length <= TALL * wide || rows.length <= MANY_ROWS) return rows;
  const columns = Math.ceil(Math.sqrt(rows.length / wide));
  const each = Math.ceil(rows.length / columns);
  const none = Array(wide).fill(null);
  return Array.from({ length: each }, (_, row) =>
    Array.from({ length: columns }, (_, column) => rows[column * each + row] ?? none).flat(),
  );
}

/** The cells of a value that is not sent whole, in order: float16 numbers over a power of two, packed as base64.
 * @param {[number, string]} cells @returns {number[]}
 */
export function unpackCells([power, packed]) {
  const bytes = atob(packed);
  const bitsAt = (place) => bytes.charCodeAt(2 * place) | (bytes.charCodeAt(2 * place + 1) << 8);
  return Array.from({ length: bytes.length >> 1 }, (_, place) => half(bitsAt(place)) * 2 ** power);
}

/** The number that the sixteen bits of a float16 stand for. */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : (2 ** -14 * fraction) / 1024);
}

/** Numbers in rows of so many. @param {any[]} numbers @param {number} wide @returns {any[][]} */
export function inRows(numbers, wide) {
  const rows = [];
  for (let at = 0; at < numbers.length; at += wide) rows.push(numbers.slice(at, at + wide));
  return rows;
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

/** Where there is little room a number has so many digits. */
export const SHORT = 3;

/** A number as short as a tile needs it: `.26`, `−3`, `13.96`, `1e5`. Numbers that add up, or are multiplied, stand
 * beside what they make: they all have two decimals while there are digits for them.
 * @param {any} number @param {number} [digits] @returns {string}
 */
export function tileNumber(number, digits = 4) {
  if (typeof number === "boolean") return number ? "1" : "0";
  if (typeof number !== "number") return String(number ?? "");
  const size = Math.abs(number);
  if (Number.isInteger(number) && size < 1e5) return String(number).replace("-", "−");
  const text = size >= 10 ** digits || size < 0.01 ? number.toExponential(0).replace("e+", "e")
    : String(Number(size < 1 ? number.toPrecision(2) : number.toFixed(decimalsOf(size, digits))));
  return text.replace(/^-/, "−").replace(/^(−?)0\./, "$1.");
}

const decimalsOf = (size, digits) => Math.max(0, Math.min(2, digits - 1 - Math.floor(Math.log10(size))));

/** The sides of a tile that is `size` at the longer one. @param {Value|null|undefined} value @param {number} size */
export function tileSize(value, size) {
  const grid = gridOf(value);
  if (grid && "rows" in grid) {
    const ratio = Math.max(0.42, Math.min(2.4, (grid.rows[0]?.length || 1) / grid.rows.length));
    return ratio >= 1 ? [size, size / ratio] : [size * ratio, size];
  }
  return grid ? [size, size * 0.7] : [size, size];
}
