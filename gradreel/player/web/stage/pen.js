/**
 * What the stage is drawn with: a context, the colours in force, and text that is never smaller than can be read. One
 * pen serves the screen and, with a context that writes SVG, a file.
 */

/** @import { Measure } from "./sizes.js" */

const SANS = "Inter,\"DejaVu Sans\",system-ui,sans-serif";
export const MONO = "\"JetBrains Mono\",\"DejaVu Sans Mono\",ui-monospace,monospace";
/** No text is smaller, in CSS pixels. */
export const LEAST_TEXT = 12;
/** Text of any size is drawn with a font of this one, for a browser takes long to make a font of another size. */
const FONT = 16;

const COLOURS = [
  "bg", "panel", "line", "ink", "soft", "live", "live-bg", "run", "run-bg", "leaf", "leaf-bg", "bad", "bad-bg", "gone",
  "gen2", "gen3", "ground", "film", "wire", "less", "zero", "more",
];
const MIXED = ["less", "zero", "more", "bad"];

/** The colours that hold inside an element, those of heat also as numbers.
 * @param {Element} element @returns {import("./types.js").Palette}
 */
export function paletteOf(element) {
  const style = getComputedStyle(element);
  return paletteFrom((name) => style.getPropertyValue(`--${name}`).trim());
}

/** @param {(name: string) => string} read @returns {import("./types.js").Palette} */
export function paletteFrom(read) {
  const palette = Object.fromEntries(COLOURS.map((name) => [name, read(name) || "#888888"]));
  const rgb = Object.fromEntries(MIXED.map((name) => [name, rgbOf(palette[name])]));
  return { ...palette, rgb, key: COLOURS.map((name) => palette[name]).join() };
}

function rgbOf(hex) {
  const full = hex.length === 4 ? hex.replace(/[^#]/g, "$&$&") : hex;
  return [1, 3, 5].map((at) => parseInt(full.slice(at, at + 2), 16) || 0);
}

/** @param {number[]} rgb */
export const luminance = ([r, g, b]) => (0.299 * r + 0.587 * g + 0.114 * b) / 255;

/** @param {number[]} from @param {number[]} to @param {number} share */
export const mix = (from, to, share) => from.map((part, i) => Math.round(part + (to[i] - part) * share));

/** @param {number} px @param {{bold?: boolean, mono?: boolean}} [style] */
export const fontOf = (px, { bold, mono } = {}) => `${bold ? "700 " : ""}${px}px ${mono ? MONO : SANS}`;

/** @param {(text: string, font: string) => number} widthOf @returns {Measure} */
export function createMeasure(widthOf) {
  const known = new Map();
  return (text, px, style = {}) => {
    const font = fontOf(100, style);
    const key = `${font}|${text}`;
    if (known.size > 8000) known.clear();
    if (!known.has(key)) known.set(key, widthOf(text, font) / 100);
    return known.get(key) * px;
  };
}

/**
 * @typedef {object} Pen
 * @property {any} context
 * @property {import("./types.js").Palette} colours
 * @property {Measure} measure
 * @property {number} zoom  CSS pixels of one unit, as things are drawn now
 * @property {number} least  the smallest text of this frame, in CSS pixels
 * @property {number|null} bar  the number of a full bar, where a run decides it
 * @property {{text: string, x: number, y: number, w: number, h: number}[]|null} written  what was written and where
 * @property {{value: any, x: number, y: number}[]|null} tiles  which values were drawn and where
 */

/** @param {any} context @param {import("./types.js").Palette} colours @param {Measure} measure @returns {Pen} */
export const createPen = (context, colours, measure) =>
  ({ context, colours, measure, zoom: 1, least: Infinity, written: null, tiles: null, bar: null });

/** Draw in the units of a thing: from its middle, at its scale and strength.
 * @param {Pen} pen @param {{x: number, y: number, scale?: number, alpha?: number, turn?: number}} at
 * @param {() => void} draw
 */
export function within(pen, { x, y, scale = 1, alpha = 1, turn = 0 }, draw) {
  const { context, zoom } = pen;
  context.save();
  context.globalAlpha *= alpha;
  context.translate(x, y);
  if (turn) context.rotate(turn);
  context.scale(scale, scale);
  pen.zoom = zoom * scale;
  draw();
  pen.zoom = zoom;
  context.restore();
}

/** The size of a text that would be `px`: never too small to be read. @param {Pen} pen @param {number} px */
export const sizeOfText = ({ zoom }, px) => Math.max(px, LEAST_TEXT / zoom);

/** Write a line of text around, or beside, a point. What does not fit is cut with an ellipsis.
 * @param {Pen} pen @param {string} string @param {number} x @param {number} y @param {number} px
 * @param {{bold?: boolean, mono?: boolean, align?: string, colour?: string, halo?: boolean, room?: number}} [how]
 */
export function write(pen, string, x, y, px, { bold, mono, align = "center", colour, halo, room } = {}) {
  const { context, colours, measure } = pen;
  const size = sizeOfText(pen, px);
  const style = { bold, mono };
  const text = room ? cut(string, size, room, measure, style) : string;
  pen.least = Math.min(pen.least, size * pen.zoom);
  if (pen.written) note(pen, text, x, y, size, align, style);
  const scale = size / FONT;
  context.save();
  context.translate(x, y);
  context.scale(scale, scale);
  context.font = fontOf(FONT, style);
  context.textAlign = align;
  context.textBaseline = "middle";
  if (halo) {
    context.lineWidth = 3.5 / scale;
    context.lineJoin = "round";
    context.strokeStyle = colours.panel;
    context.strokeText(text, 0, 0);
  }
  context.fillStyle = colour ?? colours.ink;
  context.fillText(text, 0, 0);
  context.restore();
}

/** As much of a text as there is room for. @returns {string} */
export function cut(text, px, room, measure, style = {}) {
  if (measure(text, px, style) <= room) return text;
  let end = text.length - 1;
  while (end > 1 && measure(`${text.slice(0, end)}…`, px, style) > room) end--;
  return `${text.slice(0, end)}…`;
}

/** For tests: where a text stands, in CSS pixels. */
function note(pen, text, x, y, px, align, style) {
  const w = pen.measure(text, px, style);
  const left = align === "left" ? x : align === "right" ? x - w : x - w / 2;
  pen.written.push({ text, ...onStage(pen, left, y - px * 0.4), w: w * pen.zoom, h: px * 0.8 * pen.zoom });
}

/** Where a point is on the stage, in CSS pixels. @param {Pen} pen @param {number} x @param {number} y */
export function onStage({ context, zoom }, x, y) {
  const matrix = context.getTransform();
  const ratio = Math.hypot(matrix.a, matrix.b) / zoom || 1;
  const at = matrix.transformPoint({ x, y });
  return { x: at.x / ratio, y: at.y / ratio };
}

/** A rounded box around a point, filled, stroked, dashed, as asked.
 * @param {Pen} pen @param {{x: number, y: number, w: number, h: number}} at @param {number} radius
 * @param {{fill?: string, stroke?: string, line?: number, dash?: number[]}} how
 */
export const box = (pen, at, radius, how) => boxes(pen, [at], radius, how);

/** Boxes that look alike, as one path.
 * @param {Pen} pen @param {{x: number, y: number, w: number, h: number}[]} all @param {number} radius
 * @param {{fill?: string, stroke?: string, line?: number, dash?: number[]}} how
 */
export function boxes({ context }, all, radius, { fill, stroke, line = 1.5, dash }) {
  context.beginPath();
  for (const { x, y, w, h } of all)
    context.roundRect(x - w / 2, y - h / 2, w, h, Math.max(0, Math.min(radius, w / 2, h / 2)));
  if (fill) {
    context.fillStyle = fill;
    context.fill();
  }
  if (!stroke) return;
  context.strokeStyle = stroke;
  context.lineWidth = line;
  if (dash) context.setLineDash(dash);
  context.stroke();
  if (dash) context.setLineDash([]);
}

/** A line through points.
 * @param {Pen} pen @param {number[][]} points
 * @param {{stroke: string, line?: number, dash?: number[], fill?: string, close?: boolean}} how
 */
export function line({ context }, points, how) {
  const { stroke, line: width = 1.5, dash, fill, close } = how;
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  if (close) context.closePath();
  if (fill) {
    context.fillStyle = fill;
    context.fill();
  }
  context.strokeStyle = stroke;
  context.lineWidth = width;
  if (dash) context.setLineDash(dash);
  context.stroke();
  if (dash) context.setLineDash([]);
}

/** @param {Pen} pen @param {number} x @param {number} y @param {number} radius
 * @param {{fill?: string, stroke?: string, line?: number}} how
 */
export function circle({ context }, x, y, radius, how) {
  const { fill, stroke, line: width = 1.5 } = how;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  if (fill) {
    context.fillStyle = fill;
    context.fill();
  }
  if (!stroke) return;
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.stroke();
}

/** @param {Pick<Pen, "measure">} pen @param {string} text */
export const pillWide = ({ measure }, text) => measure(text, 12.5, { bold: true }) + 14;

/** A word in a round frame. @param {Pen} pen */
export function pill(pen, text, x, y, colour) {
  const w = pillWide(pen, text);
  box(pen, { x, y, w, h: 22 }, 11, { fill: pen.colours.panel, stroke: colour, line: 1.4 });
  write(pen, text, x, y + 0.5, 12.5, { bold: true, colour });
}

export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
export const lerp = (from, to, share) => from + (to - from) * share;
/** How far `time` has come from `from` to `to`, from 0 to 1. */
export const share = (time, from, to) => clamp((time - from) / (to - from), 0, 1);
/** Slow at both ends. */
export const smooth = (time) => time * time * (3 - 2 * time);
