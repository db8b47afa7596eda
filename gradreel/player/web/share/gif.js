/**
 * Frames as a GIF that plays again and again. One palette serves them all: the colours of surfaces as they are, those
 * of rims and letters as near as the rest of it comes. Of each frame only what has changed is written; the rest is left
 * clear, so what was there shows through. Pure.
 */

import { GIFEncoder, nearestColorIndex, quantize } from "../vendor/gifenc.js";

/** One colour less than a GIF may have: the last is the clear one. */
const COLOURS = 255;
/** So many of them are kept as they are. */
const EXACT = 64;

/** @typedef {Uint8ClampedArray<ArrayBuffer>} Pixels  red, green, blue and opacity of each */

/** @param {number} width @param {number} height
 * @param {Pixels[]} samples  some of the frames, whose colours are those of all
 */
export function createGif(width, height, samples) {
  const palette = paletteOf(samples);
  const clear = palette.length;
  const encoder = GIFEncoder();
  /** @type {Map<number, number>} the place in the palette of each colour that was met */
  const known = new Map();
  let shown = null;
  let waiting = null;

  function placeOf(colour) {
    let place = known.get(colour);
    if (place === undefined) known.set(colour, (place = nearestColorIndex(palette, partsOf(colour))));
    return place;
  }

  function indexOf(pixels) {
    const colours = new Uint32Array(pixels.buffer);
    const index = new Uint8Array(colours.length);
    let place = placeOf(colours[0]);
    for (let i = 0; i < colours.length; i++) {
      if (i && colours[i] !== colours[i - 1]) place = placeOf(colours[i]);
      index[i] = place;
    }
    return index;
  }

  function write() {
    if (!waiting) return;
    const { index, delay } = waiting;
    const look = shown ? { transparent: true, transparentIndex: clear } : { palette: [...palette, [0, 0, 0]] };
    const changed = shown ? index.map((place, i) => (place === shown[i] ? clear : place)) : index;
    encoder.writeFrame(changed, width, height, { ...look, delay, dispose: 1 });
    shown = index;
  }

  return {
    /** @param {Pixels} pixels @param {number} delay  milliseconds that they are shown */
    add(pixels, delay) {
      const index = indexOf(pixels);
      if (waiting?.index.every((place, i) => place === index[i])) {
        waiting.delay += delay;
        return;
      }
      write();
      waiting = { index, delay };
    },
    /** @returns {Uint8Array<ArrayBuffer>} the file */
    finish() {
      write();
      encoder.finish();
      return encoder.bytes();
    },
  };
}

/** The colours that cover most as they are, and what all others come down to. @param {Pixels[]} samples */
function paletteOf(samples) {
  const counts = new Map();
  for (const { buffer } of samples)
    for (const colour of new Uint32Array(buffer)) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const colours = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  const exact = colours.slice(0, EXACT).map(partsOf);
  if (colours.length <= EXACT) return exact;
  const others = Uint32Array.from(colours.slice(EXACT).flatMap((each) => Array(counts.get(each)).fill(each)));
  return [...exact, ...quantize(new Uint8Array(others.buffer), COLOURS - exact.length)];
}

/** Red, green and blue of a colour as it lies in memory. */
const partsOf = (colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
