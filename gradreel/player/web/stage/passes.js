/**
 * The passes of a run, forward and backward by turns: which one a step is in stands in a corner, and is bright as it
 * begins.
 */

import { box, write } from "./pen.js";
import { covers, overlapOf, seedSpot, thingsIn, titlesIn } from "./places.js";
import { restsOf, waysOf } from "./rests.js";
import { BOLD } from "./sizes.js";
import { pointsOf, slopesOf } from "./slopes.js";

/** @import { Pen } from "./pen.js" */
/** @import { Box } from "./places.js" */
/** @import { Frame, Layout, Model } from "./types.js" */

/** The size of the words, the room between them, how high their pill is, how far from the rim of the stage. */
const [PX, GAP, HIGH, OFF] = [12.5, 7, 24, 8];
const SIGN = { forward: "→", backward: "←" };

/** @typedef {{way: "forward"|"backward", nr: number, from: number}} Pass */

/** The pass that a step is in, or that was the last: forward from the first node on that is built between two calls.
 * @param {Model} model @param {number} step @returns {Pass|undefined}
 */
export function passAt(model, step) {
  const { memo } = model;
  if (!memo.has("passes")) memo.set("passes", passesOf(model));
  return memo.get("passes").findLast(({ from }) => from <= step);
}

/** @returns {Pass[]} */
function passesOf({ scene, births, changeSteps }) {
  const passes = [];
  const built = changeSteps.filter((step) => births.get(step)?.some(({ leaf }) => !leaf));
  const nrOf = (way) => passes.filter((pass) => pass.way === way).length + 1;
  const add = (way, from) => passes.push({ way, nr: nrOf(way), from });
  let after = -1;
  for (const { from, to } of [...scene.calls, { from: Infinity, to: Infinity }]) {
    const first = built.find((step) => step > after && step < from);
    if (first !== undefined) add("forward", first);
    if (from < Infinity) add("backward", from);
    after = Math.max(after, to ?? Infinity);
  }
  return passes;
}

/** Draw in which pass the moment is, where that covers nothing. @param {Pen} pen @param {Frame} frame */
export function drawPass(pen, frame) {
  const { model, moment, progress, layout } = frame;
  const pass = passAt(model, moment.step);
  if (!pass || model.scene.expression || layout.storeys.length > 1) return;
  const { way, nr, from } = pass;
  const words = [SIGN[way], way, String(nr)];
  const wides = words.map((word) => pen.measure(word, PX, BOLD));
  const w = wides.reduce((sum, wide) => sum + wide + GAP, GAP);
  const at = freeCorner(pen, frame, w);
  if (!at) return;
  frame.counts.push(at);
  const { run, leaf, soft, panel } = pen.colours;
  const begins = moment.step === from && progress < 1;
  const colour = way === "backward" ? run : leaf;
  const bright = begins ? Math.sin(Math.PI * progress) : 0;
  box(pen, at, HIGH / 2, { fill: panel, stroke: colour, line: 1.2 + 2.4 * bright });
  let x = at.x - w / 2 + GAP;
  words.forEach((word, i) => {
    write(pen, word, x, at.y + 0.5, PX, { ...BOLD, align: "left", colour: i === 1 ? soft : colour });
    x += wides[i] + GAP;
  });
}

/** @type {WeakMap<Layout, Box[]>} */
const known = new WeakMap();

/** The first corner of the graph with nothing in it, nor a title.
 * @param {Pen} pen @param {Frame} frame @param {number} w
 */
function freeCorner(pen, frame, w) {
  const { layout, seeds } = frame;
  if (!known.has(layout)) known.set(layout, freeCorners(pen, layout));
  const taken = seeds.map(({ node }) => seedSpot(frame, node)).filter(Boolean)
    .map(({ x, y, size }) => ({ x, y, w: size, h: size }));
  const found = known.get(layout).find((at) => !covers(at, [...taken, ...titlesIn(frame)]));
  return found && { ...found, x: found.x + (found.x < layout.width / 2 ? w - found.w : found.w - w) / 2, w };
}

/** Room for any pass in corners where no thing is, no gradient, slope or line.
 * @param {Pen} pen @param {Layout} layout @returns {Box[]}
 */
function freeCorners(pen, layout) {
  const { ground, width } = layout;
  const w = pen.measure("← backward 000", PX, BOLD) + 4 * GAP;
  const [left, right] = [OFF + w / 2, width - OFF - w / 2];
  const [top, bottom] = [OFF + HIGH / 2, ground - OFF - HIGH / 2];
  const full = [...thingsIn(layout), ...restsOf(layout).tiles, ...slopesOf(layout, pen)];
  const points = waysOf(layout).flatMap(({ route }) => pointsOf(route));
  const isIn = (at, { x, y }) => Math.abs(at.x - x) < at.w / 2 + 2 && Math.abs(at.y - y) < at.h / 2 + 2;
  return [[left, top], [right, top], [left, bottom], [right, bottom]]
    .map(([x, y]) => ({ x, y, w, h: HIGH }))
    .filter((at) => !full.some((other) => overlapOf(other, at)) && !points.some((each) => isIn(at, each)));
}
