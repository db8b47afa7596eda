/**
 * Values as short text: numbers, shapes, tensors, bytes. One idea: the same value reads the same everywhere it is
 * shown.
 */

/**
 * @typedef {{shape: number[], dtype: string, whole: boolean, data?: any, head?: any[], min?: any, max?: any, mean?:
 *   any, cells?: [number, string], grid?: [number, number]}} Value
 */

/** With so many significant digits; fewer where a few numbers would not find room with more. */
const DIGITS = [4, 3, 2];
const FEW = 6;

/** Grades of detail of a number: at most four significant digits, without trailing zeros.
 * @param {number|string|boolean} number
 * @param {number} [digits]
 * @returns {string}
 */
export function formatNumber(number, digits = 4) {
  if (typeof number === "boolean") return number ? "True" : "False";
  if (typeof number !== "number") return complexParts(number) ? formatComplex(number, digits) : String(number);
  if (Number.isInteger(number) && Math.abs(number) < 1e6) return String(number);
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-3 || size >= 1e6))
    return number
      .toExponential(Math.min(2, digits - 1))
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  return String(Number(number.toPrecision(Math.max(digits, String(Math.trunc(size)).length))));
}

const INFINITE = { inf: Infinity, "-inf": -Infinity };

/** A complex number travels as Python writes it. */
const COMPLEX = /^(.*?[^e])??([+-]?(?:[\d.]+(?:e[+-]\d+)?|inf|nan))j$/;

/** The real and the imaginary part of `1+2j`, or null for what is no complex number.
 * @param {any} item
 * @returns {[number, number]|null}
 */
export function complexParts(item) {
  const found = typeof item === "string" ? COMPLEX.exec(item) : null;
  const part = (text) => INFINITE[text.replace("+", "")] ?? Number(text);
  return found ? [part(found[1] ?? "0"), part(found[2])] : null;
}

function formatComplex(item, digits) {
  const [real, imaginary] = complexParts(item).map((part) =>
    Number.isNaN(part) ? "nan" : Number.isFinite(part) ? formatNumber(part, digits) : part > 0 ? "inf" : "-inf");
  return `${real}${imaginary.startsWith("-") ? "" : "+"}${imaginary}j`;
}

/** How large a number is; of a complex one its absolute value. What is no number stays.
 * @param {any} item
 */
export function sizeOf(item) {
  const parts = complexParts(item);
  return parts ? Math.hypot(...parts) : item;
}

/** The text of whole numbers as they were meant: PyTorch keeps the dimension -1 as 18446744073709551615.
 * @param {string} text
 */
export function formatSigned(text) {
  return text.replace(/\b\d{19,20}\b/g, (digits) => String(BigInt.asIntN(64, BigInt(digits))));
}

/** @param {number[]} shape @returns {string} `[2,3]`, the empty text for a scalar */
export function formatShape(shape) {
  return shape && shape.length ? `[${shape.join(",")}]` : "";
}

/** All elements of nested lists as text; a vector gets air, a matrix is set tight.
 * @param {any} data
 * @param {string} [comma]
 * @param {number} [digits]
 * @returns {string}
 */
export function formatNested(data, comma, digits = 4) {
  if (!Array.isArray(data)) return formatNumber(data, digits);
  const separator = comma ?? (data.some(Array.isArray) ? "," : ", ");
  return `[${data.map((item) => formatNested(item, separator, digits)).join(separator)}]`;
}

/** Both ends stay on one line: a word joiner, which nothing is drawn for. */
const TOGETHER = "…\u2060";

/** A value in at most `room` characters: all of it, else its ends, else its shape and from where to where it goes, else
 * its shape.
 * @param {Value|null|undefined} value
 * @param {number} [room]
 * @returns {string}
 */
export function formatShort(value, room = 26) {
  if (!value) return "None";
  if (value.whole && count(value.shape) <= 64) {
    for (const digits of count(value.shape) <= FEW ? DIGITS : [4]) {
      const text = formatNested(value.data, undefined, digits);
      if (text.length <= room) return text;
    }
    const found = value.shape.length === 1 && room >= 14 ? ends(value.data, room) : null;
    if (found) return found;
  }
  const ways = range(value).map((text) => `${formatShape(value.shape)} ${text}`);
  return ways.find((text) => text.length <= room)?.replace("…", TOGETHER) ?? `${formatShape(value.shape)} tensor`;
}

/** A text with something else in the place of how far the numbers of a tensor go: half of that would say what is not
 * so.
 * @param {string} text
 * @param {string} instead
 * @returns {string}
 */
export function withoutRange(text, instead) {
  return text.replace(/ \S+…\u2060\S+/, instead);
}

/** From the least to the greatest element, in two digits, small ones also in one: as large as gradients are, so fast
 * does a model learn.
 * @param {Value} value
 * @returns {string[]}
 */
function range(value) {
  if (!ranges.has(value)) ranges.set(value, spread(value));
  return ranges.get(value);
}

/** @type {WeakMap<Value, string[]>} pictures ask for the same values frame by frame */
const ranges = new WeakMap();

function spread(value) {
  const elements = value.whole ? [value.data].flat(Infinity) : [value.min, value.max];
  if (!elements.length || elements.some((item) => item === undefined || item === null)) return [];
  if (elements.includes("nan")) return ["has nan"];
  const numbers = elements.map((item) => INFINITE[item] ?? Number(sizeOf(item)));
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const grades = Math.max(-least, most) < 1 ? [2, 1] : [2];
  return grades.map((digits) => {
    const ends = [least, most].map((item) => formatElement(item, value.dtype, digits));
    const told = least === most ? `all ${ends[0]}` : ends.join("…");
    return value.dtype.startsWith("complex") ? `size ${told}` : told;
  });
}

function formatElement(item, dtype, digits) {
  if (!Number.isFinite(item)) return item > 0 ? "inf" : "-inf";
  return formatNumber(dtype === "bool" ? Boolean(item) : item, digits);
}

/** @param {number} bytes @returns {string} */
export function formatBytes(bytes) {
  if (bytes < 1024) return `${bytes ?? 0} B`;
  if (bytes < 1024 * 1024) return `${formatNumber(Number((bytes / 1024).toFixed(1)))} KB`;
  return `${formatNumber(Number((bytes / 1024 / 1024).toFixed(1)))} MB`;
}

/** @param {number} n @returns {string} first, 2nd, 3rd, 4th, 11th, 21st */
export function ordinal(n) {
  if (n === 1) return "first";
  const tens = n % 100;
  const ending = tens > 10 && tens < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th";
  return `${n}${ending}`;
}

/** `MvBackward0` as `Mv`, `torch::autograd::CopyBackwards` as `Copy`, for places with little room.
 * @param {string} name @returns {string}
 */
export function shortenName(name) {
  return name.replace(/^.*::/, "").replace(/Backwards?\d*$/, "");
}

/** A box in few words: `Mv #0`, or the leaf's variable.
 * @param {{kind: string, name: string, nr: number|null, variable?: string|null}} box
 * @returns {string}
 */
export function titleOf(box) {
  if (box.kind === "leaf") return box.variable ?? "leaf";
  return box.nr === null || box.nr === undefined ? shortenName(box.name) : `${shortenName(box.name)} #${box.nr}`;
}

function ends(data, room) {
  const first = formatNested(data.slice(0, 2));
  const text = `${first.slice(0, -1)}, … ×${data.length}]`;
  return text.length <= room ? text : null;
}

function count(shape) {
  return (shape ?? []).reduce((product, size) => product * size, 1);
}
