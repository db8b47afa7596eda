/**
 * Before there is a graph: the lines of the program, large, with the one that is run. So the first steps have something
 * to be seen, and the first node is built where its line was read.
 */

import { box, clamp, within, write } from "./pen.js";

/** @import { Pen } from "./pen.js" */
/** @import { Frame, Model } from "./types.js" */

const MONO = { mono: true, align: "left" };
const [LEAST, MOST] = [13, 22];
const LINE = 1.7;
const MARGIN = 28;

/** Whether no node has been built yet, but one will be. @param {Frame} frame */
export const isBeforeGraph = ({ model, moment }) => moment.step < firstOf(model);

/** @param {Model} model */
function firstOf({ memo, nodes }) {
  if (!memo.has("first")) {
    const steps = nodes.filter(({ leaf, born }) => !leaf && Number.isFinite(born)).map(({ born }) => born);
    memo.set("first", steps.reduce((least, born) => Math.min(least, born), steps.length ? Infinity : -1));
  }
  return memo.get("first");
}

/** The program around its present line, as large as there is room above a height.
 * @param {Pen} pen @param {Frame} frame @param {number} ground
 */
export function drawProgram(pen, { model: { scene }, moment, width }, ground) {
  const lines = scene.source.trimEnd().split("\n");
  const now = (scene.steps[moment.step].line ?? 1) - 1;
  const room = { width: width - 2 * MARGIN, height: ground - 2 * MARGIN };
  const px = sizeOf(pen, lines, room);
  const many = Math.min(lines.length, Math.max(1, Math.floor(room.height / (px * LINE))));
  const first = clamp(now - Math.floor(many / 2), 0, lines.length - many);
  const shown = lines.slice(first, first + many);
  const wide = Math.min(room.width, Math.max(...shown.map((line) => pen.measure(line, px, MONO))));
  const [left, top] = [(width - wide) / 2, (ground - many * px * LINE) / 2];
  shown.forEach((line, i) => {
    const isNow = first + i === now && moment.step > 0;
    const y = top + (i + 0.5) * px * LINE;
    if (isNow) box(pen, { x: width / 2, y, w: wide + 24, h: px * LINE }, 8, { fill: pen.colours["live-bg"] });
    const draw = () => line && write(pen, line, left, y, px, { ...MONO, bold: isNow, room: room.width });
    within(pen, { x: 0, y: 0, alpha: isNow || !moment.step ? 1 : 0.6 }, draw);
  });
}

/** So large that the widest line fits, as far as it can be read. */
function sizeOf({ measure }, lines, { width, height }) {
  const widest = Math.max(...lines.map((line) => measure(line, 1, { ...MONO, bold: true })));
  return clamp(Math.min(width / widest, height / (LINE * lines.length)), LEAST, MOST);
}
