/**
 * Small arrays of numbers as float32 has them: what it takes to compute an expression again in the page. Each operation
 * is done in double precision and rounded once, as PyTorch's are to within the last digit.
 */

/** @typedef {{shape: number[], data: number[]}} Numbers */

export const sizeOf = (shape) => shape.reduce((all, each) => all * each, 1);

/** @param {number[]} shape @param {number[]} data @returns {Numbers} */
export const numbers = (shape, data) => ({ shape, data: data.map(Math.fround) });

/** @param {number[]} shape @param {number} value @returns {Numbers} */
export const full = (shape, value) => ({ shape, data: Array(sizeOf(shape)).fill(value) });

/** Nested lists as an array; the shape is told, for a list of nothing tells none. @returns {Numbers} */
export const fromNested = (shape, nested) => numbers(shape, [nested].flat(Infinity).map(Number));

/** An array as nested lists. @param {Numbers} array @param {(number: number) => any} [tell] */
export function toNested({ shape, data }, tell = (number) => number) {
  let at = 0;
  const nested = (/** @type {number[]} */ [length, ...inner]) =>
    length === undefined ? tell(data[at++]) : Array.from({ length }, () => nested(inner));
  return nested(shape);
}

/** The shape of several side by side. @param {number[][]} shapes */
export function broadcast(...shapes) {
  const long = Math.max(...shapes.map(({ length }) => length));
  return Array.from({ length: long }, (_, i) => {
    const sides = shapes.map((shape) => shape[shape.length - long + i] ?? 1);
    return sides.find((side) => side !== 1) ?? 1;
  });
}

/** For each place in a shape the place in a smaller one that is stretched to it. */
function placesIn(shape, whole) {
  const strides = whole.map(() => 0);
  let stride = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    if (shape[i] !== 1) strides[whole.length - shape.length + i] = stride;
    stride *= shape[i];
  }
  return walk(whole, strides);
}

/** The places that strides lead to, for each place in a shape. */
function walk(shape, strides, start = 0) {
  let found = [start];
  shape.forEach((length, i) => {
    found = found.flatMap((place) => Array.from({ length }, (_, at) => place + at * strides[i]));
  });
  return found;
}

/** Element by element, stretched to a common shape. @param {(...each: number[]) => number} f @param {Numbers[]} arrays
 * @returns {Numbers}
 */
export function map(f, ...arrays) {
  const shape = broadcast(...arrays.map((each) => each.shape));
  const places = arrays.map((each) => placesIn(each.shape, shape));
  const data = Array.from({ length: sizeOf(shape) }, (_, at) =>
    Math.fround(f(...arrays.map((each, nr) => each.data[places[nr][at]]))));
  return { shape, data };
}

/** The sum over all places that a shape was stretched to. @param {Numbers} array @param {number[]} shape */
export function sumToSize(array, shape) {
  if (String(array.shape) === String(shape)) return array;
  const places = placesIn(shape, array.shape);
  const data = Array(sizeOf(shape)).fill(0);
  array.data.forEach((each, at) => (data[places[at]] += each));
  return numbers(shape, data);
}

/** @param {Numbers} array @param {number[]} shape @returns {Numbers} */
export const broadcastTo = (array, shape) => ({
  shape, data: placesIn(array.shape, shape).map((at) => array.data[at]),
});

/** @param {Numbers} array @param {number[]} shape @returns {Numbers} */
export const reshape = ({ data }, shape) => ({ shape, data });

const stridesOf = (shape) => shape.map((_, i) => sizeOf(shape.slice(i + 1)));

/** The axes in another order. @param {Numbers} array @param {number[]} axes */
export function permute({ shape, data }, axes) {
  const strides = stridesOf(shape);
  const turned = axes.map((axis) => shape[axis]);
  return { shape: turned, data: walk(turned, axes.map((axis) => strides[axis])).map((at) => data[at]) };
}

/** A part of an array: along `axis` those at `start`, `start + step` ...: their places in it, and the shape. */
export function placesAlong(shape, axis, start, step, many) {
  const strides = stridesOf(shape);
  const part = shape.with(axis, many);
  return { shape: part, places: walk(part, strides.with(axis, strides[axis] * step), start * strides[axis]) };
}

/** An array in lanes along `axes`: which lane each place is in, the numbers of each, and the shape with these axes of
 * length 1.
 * @param {Numbers} array @param {number[]} axes
 */
export function lanesOf({ shape, data }, axes) {
  const kept = shape.map((length, axis) => (axes.includes(axis) ? 1 : length));
  const lane = placesIn(kept, shape);
  const parts = Array.from({ length: sizeOf(kept) }, () => []);
  data.forEach((each, at) => parts[lane[at]].push(each));
  return { kept, lane, parts };
}

/** Of each lane one number. @param {Numbers} array @param {number[]} axes @param {(lane: number[]) => number} f
 * @returns {Numbers} with these axes of length 1
 */
export function reduce(array, axes, f) {
  const { kept, parts } = lanesOf(array, axes);
  return numbers(kept, parts.map(f));
}

/** Of each lane as many numbers. @param {Numbers} array @param {number[]} axes @param {(lane: number[]) => number[]} f
 * @returns {Numbers}
 */
export function perLane(array, axes, f) {
  const { lane, parts } = lanesOf(array, axes);
  const done = parts.map((part) => f(part)[Symbol.iterator]());
  return numbers(array.shape, lane.map((nr) => done[nr].next().value));
}

export const sum = (all) => all.reduce((total, each) => total + each, 0);

/** The product of two matrices. @param {Numbers} a @param {Numbers} b @returns {Numbers} */
export function matmul(a, b) {
  const [rows, inner] = a.shape;
  const columns = b.shape[1];
  const data = Array(rows * columns).fill(0);
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < inner; k++)
      for (let j = 0; j < columns; j++) data[i * columns + j] += a.data[i * inner + k] * b.data[k * columns + j];
  return numbers([rows, columns], data);
}

/** @param {Numbers} matrix */
export const transpose = (matrix) => permute(matrix, [1, 0]);

/** Determinant and inverse of a square matrix, by elimination with pivots; of a singular one no inverse.
 * @param {Numbers} matrix
 * @returns {{determinant: number, inverse: Numbers|null}}
 */
export function invert({ shape, data }) {
  const n = shape[0];
  const rows = Array.from({ length: n }, (_, i) =>
    [...data.slice(i * n, (i + 1) * n), ...Array.from({ length: n }, (_, j) => Number(i === j))]);
  let determinant = 1;
  for (let at = 0; at < n; at++) {
    const pivot = rows.reduce((best, row, i) =>
      i >= at && Math.abs(row[at]) > Math.abs(rows[best][at]) ? i : best, at);
    if (!rows[pivot][at]) return { determinant: rows[pivot][at], inverse: null };
    if (pivot !== at) [rows[at], rows[pivot], determinant] = [rows[pivot], rows[at], -determinant];
    const head = rows[at][at];
    determinant *= head;
    rows[at] = rows[at].map((each) => each / head);
    rows.forEach((row, i) => {
      if (i !== at && row[at]) rows[i] = row.map((each, j) => each - row[at] * rows[at][j]);
    });
  }
  return { determinant, inverse: numbers(shape, rows.flatMap((row) => row.slice(n))) };
}
