/**
 * The present picture as a file: the stage as it is at this step, with the step's sentence under it, as SVG or on a
 * canvas for PNG. The painter is that of the page; only the place it paints on differs.
 */

import { openingOf } from "../lib/markdown.js";
import { paint } from "./painter.js";
import { createPen, fontOf } from "./pen.js";
import { settle } from "./sprites.js";
import { escapeXml, svgContext } from "./svg.js";

/** @import { Frame, Palette } from "./types.js" */
/** @import { Measure } from "./sizes.js" */

const MARGIN = 20;
const CAPTION = 14;
const LINE = 21;
/** Pixels of a PNG to a side, at the most: browsers make no larger canvas. */
const WIDEST = 8192;

/** @typedef {Frame & {colours: Palette, measure: Measure}} Shown
 * @typedef {{width: number, height: number, draw: (context: any, ratio: number) => void, title: string}} Drawing
 */

/** What is to be drawn: its size, and how. @param {Shown} frame @returns {Drawing} */
export function drawingOf(frame) {
  const { model, moment, measure, colours, width } = frame;
  const sentence = openingOf(model.scene.steps[moment.step].sentence);
  const words = `Step ${moment.step} of ${model.state.last}. ${sentence}`;
  const lines = wrapText(words, width - 2 * MARGIN, (text) => measure(text, CAPTION));
  const height = frame.height + LINE * lines.length + MARGIN;
  return {
    width,
    height,
    title: lines.join(" "),
    draw: (context, ratio) => {
      const sprites = new Map([...frame.sprites].map(([key, sprite]) => [key, { ...sprite }]));
      settle(sprites);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      paint(createPen(context, colours, measure), { ...frame, sprites, chosen: null, hover: null });
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = colours.panel;
      context.fillRect(0, frame.height, width, height - frame.height);
      context.font = fontOf(CAPTION);
      context.textAlign = "left";
      context.fillStyle = colours.soft;
      lines.forEach((line, i) => context.fillText(line, MARGIN, frame.height + LINE * (i + 0.9)));
    },
  };
}

/** @param {string} text @param {number} room @param {(text: string) => number} measure */
export function wrapText(text, room, measure) {
  const lines = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && measure(`${last} ${word}`) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The drawing as the text of an SVG file. @param {Drawing} drawing @param {Shown} frame @returns {string} */
export function svgOf({ width, height, draw, title }, { colours, measure }) {
  const context = svgContext((text, css) => measure(text, parseFloat(/[\d.]+(?=px)/.exec(css)?.[0] ?? "12")));
  draw(context, 1);
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img">
<title>Gradreel</title><desc>${escapeXml(title)}</desc>
<rect width="${w}" height="${h}" fill="${escapeXml(colours.panel)}"/>
${context.inside()}
</svg>
`;
}

/** The drawing as a PNG file, twice as fine as it is large where a canvas can be so large.
 * @param {Drawing} drawing @param {Shown} frame @returns {Promise<Blob>}
 */
export function pngOf({ width, height, draw }, { colours }) {
  const ratio = Math.min(2, WIDEST / Math.max(width, height));
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.ceil(width * ratio), height: Math.ceil(height * ratio) });
  const context = canvas.getContext("2d");
  draw(context, ratio);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
