/**
 * Stretches of time: the one a step lies in, bookmarks and the steps beside them, and what plays again and again. Pure.
 */

import { indexAt } from "../scene/state.js";

/** @typedef {{from: number, to: number, kind: string, label?: string}} Stretch */

/** The stretch that a step lies in. @param {Stretch[]} stretches  in order @param {number} step @returns {Stretch|null} */
export function stretchAt(stretches, step) {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stretches[middle].from <= step) low = middle + 1;
    else high = middle;
  }
  return stretches[low - 1] ?? null;
}

/** The nearest of the given steps after or before one; the end or the start where there is none.
 * @param {number[]} steps  rising @param {number} step @param {1|-1} direction @param {number} last
 */
export function beside(steps, step, direction, last) {
  const index = indexAt(steps, direction > 0 ? step : step - 1);
  return direction > 0 ? steps[index + 1] ?? last : steps[index] ?? 0;
}

/** Bookmarks with a step added, or taken away if it was there. @param {number[]} marks @param {number} step @returns {number[]} */
export function toggled(marks, step) {
  return marks.includes(step) ? marks.filter((mark) => mark !== step) : [...marks, step].sort((a, b) => a - b);
}

/** What is to play again and again: from one bookmark to the next where a step lies between two, else the step's stretch.
 * @param {Stretch[]} stretches @param {number[]} marks @param {number} step @param {number} last
 * @returns {{from: number, to: number}}
 */
export function loopAround(stretches, marks, step, last) {
  const index = indexAt(marks, step);
  const [before, after] = [marks[index], marks[index + 1]];
  if (before !== undefined && after !== undefined) return { from: before, to: after };
  if (before === step && marks[index - 1] !== undefined) return { from: marks[index - 1], to: step };
  const stretch = stretchAt(stretches, step);
  return stretch ? { from: stretch.from, to: stretch.to } : { from: 0, to: last };
}

const WORDS = { forward: "forward", optimizer: "optimizer", error: "error", skipped: "turns left out" };

/** A stretch in a word or two. @param {Stretch} stretch */
export function stretchWord({ kind, label }) {
  return kind === "backward" ? `backward ${(label ?? "").replace(/^call /, "")}`.trim() : WORDS[kind] ?? kind;
}
