/**
 * The pen of the canvas: fonts, measuring, rounded boxes, small signs. Each drawing is one call, and none keeps state.
 */

import { MONO } from "./theme.js";

/** @param {number} size @param {boolean} [bold] */
export function font(size, bold) {
  const key = bold ? -size : size;
  if (!fonts.has(key)) fonts.set(key, written(size, bold));
  return fonts.get(key);
}

const fonts = new Map();

function written(size, bold) {
  return `${bold ? "700 " : ""}${size}px ${MONO}`;
}

/** A measure of text in the mono font. Plain letters are all equally wide, so only others are really measured.
 * @param {CanvasRenderingContext2D} context
 * @returns {import("./card.js").Measure}
 */
export function createMeasure(context) {
  const advance = new Map();
  return (text, size, bold = false) => {
    const key = bold ? -size : size;
    if (!advance.has(key)) {
      context.font = font(size, bold);
      advance.set(key, context.measureText("MMMMMMMMMM").width / 10);
    }
    if (/^[ -~…→·]*$/.test(text)) return text.length * advance.get(key);
    context.font = font(size, bold);
    return context.measureText(text).width;
  };
}

/** @param {CanvasRenderingContext2D} context */
export function text(context, string, x, y, size, colour, bold = false) {
  context.font = font(size, bold);
  context.fillStyle = colour;
  context.fillText(string, x, y);
}

/** A rounded box, filled, stroked, dashed, as asked.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x @param {number} y @param {number} width @param {number} height @param {number} radius
 * @param {{fill?: string, stroke?: string, line?: number, dash?: number[]}} [how]
 */
export function box(context, x, y, width, height, radius, { fill, stroke, line = 1, dash } = {}) {
  context.beginPath();
  context.roundRect(x, y, width, height, radius);
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

/** An arrow head that points along an angle, its tip at x, y. */
export function arrow(context, x, y, angle, size, colour) {
  context.save();
  context.translate(x, y);
  context.rotate(angle);
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(-size, -size * 0.55);
  context.lineTo(-size, size * 0.55);
  context.closePath();
  context.fillStyle = colour;
  context.fill();
  context.restore();
}

const SIGNS = {
  ready: "M-5 -5H5M-5 5H5M-4 -5C-4 -1 4 1 4 5M4 -5C4 -1 -4 1 -4 5",
  running: "M-4 -5L5 0L-4 5Z",
  ran: "M-5 0L-1.5 4L5 -4",
  failed: "M-4 -4L4 4M-4 4L4 -4",
  lock: "M-3.5 -0.5H3.5V4.5H-3.5ZM-2 -0.5V-2.5A2 2 0 0 1 2 -2.5V-0.5",
  crack: "M-1 -5L1.5 -1.5L-1.5 1L1 5",
};
const FILLED = new Set(["running"]);
const paths = new Map();

/** A path that remembers its text, for painting into a file; outside a browser it is the text alone. */
function pathOf(shape) {
  return Object.assign(globalThis.Path2D ? new Path2D(shape) : {}, { d: shape });
}

/** A small sign, its middle at x, y: how a card stands, without colour. */
export function sign(context, name, x, y, colour, scale = 1) {
  const shape = SIGNS[name];
  if (!shape) return;
  if (!paths.has(name)) paths.set(name, pathOf(shape));
  context.save();
  context.translate(x, y);
  context.scale(scale, scale);
  if (FILLED.has(name)) {
    context.fillStyle = colour;
    context.fill(paths.get(name));
  } else {
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    context.lineCap = "round";
    context.lineJoin = "round";
    context.stroke(paths.get(name));
  }
  context.restore();
}
