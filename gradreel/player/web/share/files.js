/**
 * A card as a file: a picture, or a loop of it as GIF or as a video. A GIF is made as fast as the browser can, piece by
 * piece so that the page goes on; a video is recorded while the loop plays, for browsers offer no other way.
 */

import { SIDE } from "./card.js";
import { createGif } from "./gif.js";

/** @import { Instant, Loop } from "../stage/pace.js" */

/** Pixels of a unit: a picture and a video are looked at on fine screens, a GIF is to stay small. */
const FINE = 2;
const MOVING = 1.8;
/** Pixels to a side of a picture. */
export const PICTURE = SIDE * FINE;
/** Milliseconds of a frame: a GIF counts in hundredths of a second. */
const GIF_FRAME = 60;
const VIDEO_FRAME = 1000 / 30;
/** Frames whose colours are those of all. */
const SAMPLES = 8;
const BITS_PER_SECOND = 6_000_000;

const VIDEOS = [
  { type: "video/webm;codecs=vp9", ending: "webm" },
  { type: "video/webm", ending: "webm" },
  { type: "video/mp4", ending: "mp4" },
];

/** @typedef {(context: any, ratio: number, instant: Instant, elapsed?: number) => void} Card
 * @typedef {{signal: AbortSignal, onProgress: (share: number) => void}} Making
 */

/** What kind of video this browser records, if any. */
export const findVideoType = () =>
  globalThis.MediaRecorder && HTMLCanvasElement.prototype.captureStream
    ? (VIDEOS.find(({ type }) => MediaRecorder.isTypeSupported(type)) ?? null)
    : null;

/** @param {Card} card @param {Instant} instant @returns {Promise<Blob>} */
export async function makePicture(card, instant) {
  const { canvas, context } = createCanvas(FINE);
  card(context, FINE, instant);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}

/** @param {Card} card @param {Loop} loop @param {Making} making @returns {Promise<Blob>} */
export async function makeGif(card, loop, { signal, onProgress }) {
  const { context } = createCanvas(1);
  const pixelsAt = (time, elapsed) => {
    card(context, 1, loop.at(time), elapsed);
    return context.getImageData(0, 0, SIDE, SIDE).data;
  };
  const samples = [];
  for (let i = 0; i < SAMPLES; i++) samples.push(pixelsAt(((i + 0.5) / SAMPLES) * loop.length));
  const gif = createGif(SIDE, SIDE, samples);
  for (let time = 0; time < loop.length; time += GIF_FRAME) {
    gif.add(pixelsAt(time, time ? GIF_FRAME : undefined), GIF_FRAME);
    onProgress(time / loop.length);
    await pause(0);
    signal.throwIfAborted();
  }
  return new Blob([gif.finish()], { type: "image/gif" });
}

/** @param {Card} card @param {Loop} loop @param {string} type @param {Making} making @returns {Promise<Blob>} */
export async function makeVideo(card, loop, type, { signal, onProgress }) {
  const { canvas, context } = createCanvas(MOVING);
  card(context, MOVING, loop.at(0));
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: type, videoBitsPerSecond: BITS_PER_SECOND });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const over = new Promise((resolve, reject) => Object.assign(recorder, { onstop: resolve, onerror: reject }));
  recorder.start();
  try {
    const began = performance.now();
    for (let [time, before] = [0, 0]; time < loop.length; before = time) {
      await pause(VIDEO_FRAME);
      signal.throwIfAborted();
      time = Math.min(loop.length, performance.now() - began);
      card(context, MOVING, loop.at(time), time - before);
      onProgress(time / loop.length);
    }
  } finally {
    recorder.stop();
    for (const track of recorder.stream.getTracks()) track.stop();
  }
  await over;
  return new Blob(parts, { type: type.split(";")[0] });
}

function createCanvas(ratio) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: SIDE * ratio, height: SIDE * ratio });
  return { canvas, context: canvas.getContext("2d", { willReadFrequently: ratio === 1 }) };
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
