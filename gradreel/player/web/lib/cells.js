/**
 * The cells of a value that is not sent whole: float16 numbers over a power of two, packed as base64. Pure.
 */

/** All cells in order, as many as were sent. @param {[number, string]} cells @returns {number[]} */
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
