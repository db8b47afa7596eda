/**
 * `node write_gif.mjs GIF WIDTH HEIGHT DELAY:FRAME...`: pictures, each a file of red, green, blue and opacity of its
 * pixels, as a GIF; the encoder is that of the page.
 */

import { readFileSync, writeFileSync } from "node:fs";

import { createGif } from "../../gradreel/player/web/share/gif.js";

const SAMPLES = 8;

const [to, width, height, ...frames] = process.argv.slice(2);
const pixelsOf = (frame) => new Uint8ClampedArray(new Uint8Array(readFileSync(frame.slice(frame.indexOf(":") + 1))));
const samples = frames.filter((_, i) => i % Math.ceil(frames.length / SAMPLES) === 0).map(pixelsOf);
const gif = createGif(Number(width), Number(height), samples);
for (const frame of frames) gif.add(pixelsOf(frame), parseInt(frame, 10));
writeFileSync(to, gif.finish());
