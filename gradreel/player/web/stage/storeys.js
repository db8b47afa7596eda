/**
 * Generations of create_graph: each stands on a storey of its own, a tinted band with a floor and a name.
 */

import { genColour } from "./marks.js";
import { isAlive } from "./moment.js";
import { box, line, within, write } from "./pen.js";
import { covers, freest } from "./places.js";

/** @import { Pen } from "./pen.js" */
/** @import { Box } from "./places.js" */
/** @import { Frame, Layout, Storey } from "./types.js" */

const NAMES = ["graph of the value", "gradient’s own graph", "graph of that gradient", "and of that"];
const PX = 12.5;
const STYLE = { bold: true };

/** @param {Pen} pen @param {Frame} frame */
export function drawStoreys(pen, { layout, model, moment, width, chips }) {
  for (const { storey, words, ...name } of storeyNames(pen, layout)) {
    const { gen, top, bottom } = storey;
    if (!model.nodes.some((node) => node.gen === gen && !node.leaf && isAlive(node, moment.step))) continue;
    const colour = genColour(pen, gen);
    const at = { x: width / 2, y: (top + bottom) / 2 - 1, w: width - 20, h: bottom - top + 30 };
    within(pen, { x: 0, y: 0, alpha: 0.08 + 0.02 * gen }, () => box(pen, at, 12, { fill: colour }));
    line(pen, [[10, bottom + 14], [width - 10, bottom + 14]], { stroke: colour, line: 1.4 });
    if (!covers(name, chips)) write(pen, words, name.x, name.y, PX, { ...STYLE, colour });
  }
}

/** What the storeys are called, and where their names stand: at the right or at the left, where they cover least.
 * @param {Pick<Pen, "measure">} pen @param {Layout} layout @returns {(Box & {words: string, storey: Storey})[]}
 */
export function storeyNames({ measure }, layout) {
  if (layout.storeys.length < 2) return [];
  return layout.storeys.map((storey) => {
    const words = NAMES[Math.min(NAMES.length - 1, storey.gen)];
    const w = measure(words, PX, STYLE);
    const ends = [layout.width - 22 - w / 2, 22 + w / 2];
    return { ...freest(layout, ends.map((x) => ({ x, y: storey.top - 5, w, h: 14 }))), words, storey };
  });
}
