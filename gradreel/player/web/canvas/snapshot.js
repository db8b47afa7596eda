/**
 * The present picture as a file: the whole graph as it stands at this step, with the step's sentence under it, as SVG
 * or on a canvas for PNG. The painter is that of the stage; only the place it paints on differs.
 */

import { stripMarks } from "../lib/markdown.js";
import { opacity } from "./card_painter.js";
import { paint } from "./painter.js";
import { font } from "./pen.js";
import { around } from "./picture.js";
import { escapeXml, svgContext } from "./svg.js";

const MARGIN = 28;
const CAPTION = 13;
const LINE = 20;
/** Pixels of a PNG to a side, at the most: browsers make no larger canvas. */
const WIDEST = 8192;

/** @typedef {{width: number, height: number, draw: (context: any, ratio: number) => void, title: string}} Drawing */

/** What is to be drawn: its size in the picture's own units, and how.
 * @param {any} frame  as the stage paints it: {picture, state, scene, step, names, colours, measure, ...}
 * @returns {Drawing}
 */
export function drawingOf(frame) {
  const still = { ...frame, progress: 1, hover: null, ratio: 1 };
  const rects = seen(still);
  const bounds = rects.length ? around(rects, MARGIN, 6) : { x: 0, y: 0, width: 320, height: 40 };
  const measure = (text) => frame.measure(text, CAPTION);
  const width = Math.max(bounds.width, 480);
  const lines = wrapText(
    `Step ${frame.step} of ${frame.state.last}. ${stripMarks(frame.scene.steps[frame.step].sentence)}`,
    width - 2 * MARGIN,
    measure,
  );
  const height = bounds.height + LINE * lines.length + MARGIN;
  const left = bounds.x - (width - bounds.width) / 2;
  return {
    width,
    height,
    title: lines.join(" "),
    draw: (context, ratio) => {
      const view = { scale: 1, x: left + width / 2, y: bounds.y + height / 2, width, height };
      paint(context, { ...still, view, ratio });
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.font = font(CAPTION);
      context.fillStyle = frame.colours.soft;
      lines.forEach((line, i) => context.fillText(line, MARGIN, bounds.height + LINE * (i + 0.6)));
    },
  };
}

/** The places of all that is there at this step: cards, chips, pills and gradients that come in. */
function seen(frame) {
  const { picture, state, step } = frame;
  const { turns, covered, shades } = frame.ghosts;
  const there = picture.cards.filter(
    (card) => shades.has(card.id) || (opacity(card, state, step) > 0 && !covered.has(card.id)),
  );
  const cards = [...there, ...turns];
  const chips = picture.chips.filter((chip) => cards.some((card) => card.id === chip.user));
  const far = { scale: 1, x: 0, y: 0, width: 1e9, height: 1e9 };
  const pills = paint(svgContext((text) => frame.measure(text, CAPTION)), { ...frame, view: far });
  const above = cards.map(({ rect }) => ({ ...rect, y: rect.y - 26, height: rect.height + 26 }));
  const valued = picture.links.length ? cards.map(({ rect }) => ({ ...rect, width: rect.width + 40 })) : [];
  return [...above, ...valued, ...chips.map((chip) => chip.rect), ...pills.map((pill) => pill.rect)];
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

/** The drawing as the text of an SVG file. @param {Drawing} drawing @param {any} frame @returns {string} */
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
 * @param {Drawing} drawing @param {any} frame @returns {Promise<Blob>}
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
