/**
 * A tensor's contents as something to look at: a grid of shaded numbers where they fit, else how they are spread. Pure.
 */

import { number } from "./format.js";

/** The largest side of a grid. */
export const SIDE = 32;
const BARS = 24;

/** @typedef {{text: string, shade: number, odd: boolean}} Cell   shade from -1 to 1; odd: nan or infinite */

/** The grid of a value of at most two dimensions (a vector is one row), or null where there is none to show.
 * @param {import("./format.js").Value|null|undefined} value
 * @returns {Cell[][]|null}
 */
export function gridOf(value) {
  if (!value?.whole || value.shape.length === 0 || value.shape.length > 2 || value.shape.some((side) => side < 1 || side > SIDE)) return null;
  const rows = value.shape.length === 1 ? [value.data] : value.data;
  const most = Math.max(...rows.flat().map((item) => (typeof item === "number" ? Math.abs(item) : 0)));
  return rows.map((row) => row.map((item) => ({
    text: number(item),
    shade: typeof item === "number" && most > 0 ? item / most : item === true ? 1 : 0,
    odd: typeof item === "string",
  })));
}

/** How the numbers of a value are spread: bars from its least to its greatest, or null where that says nothing.
 * @param {import("./format.js").Value & {bins?: number[]}|null|undefined} value
 * @returns {{least: number, most: number, bars: number[]}|null}
 */
export function spreadOf(value) {
  if (!value || value.shape.length === 0) return null;
  if (!value.whole) return value.bins && Number.isFinite(value.min) && Number.isFinite(value.max) ? { least: value.min, most: value.max, bars: value.bins } : null;
  const numbers = [value.data].flat(Infinity).filter((item) => typeof item === "number");
  if (numbers.length < 2) return null;
  const least = Math.min(...numbers);
  const most = Math.max(...numbers);
  const bars = new Array(BARS).fill(0);
  for (const item of numbers) bars[most > least ? Math.min(BARS - 1, Math.floor(((item - least) / (most - least)) * BARS)) : 0]++;
  return { least, most, bars };
}
