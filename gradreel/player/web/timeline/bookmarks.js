/**
 * The steps that a person has marked and the stretch that plays again and again, kept here and shown by timeline and
 * controls; and stretches of time as such: the one a step lies in, bookmarks and the steps beside them.
 */

import { indexAt } from "../scene/state.js";

/**
 * @param {{setBookmarks: (marks: number[]) => void, setLoop: (range: {from: number, to: number}|null) => void}}
 *   timeline
 * @param {{showMarks: (how: {looping: boolean, marked: boolean}) => void}} controls
 */
export function createBookmarks(timeline, controls) {
  let marks = [];
  let range = null;
  let now = 0;
  const show = () => controls.showMarks({ looping: range !== null, marked: marks.includes(now) });
  const setMarks = (next) => {
    marks = next;
    timeline.setBookmarks(marks);
    show();
  };
  const setRange = (next) => {
    range = next;
    timeline.setLoop(range);
    show();
  };

  return {
    all: () => marks,
    range: () => range,
    toggle: (step) => setMarks(toggleMark(marks, step)),
    toggleLoop: (stretches, step, last) => setRange(range ? null : loopAround(stretches, marks, step, last)),
    clear: () => {
      setMarks([]);
      setRange(null);
    },
    /** The step is another now. @param {number} step */
    show: (step) => {
      now = step;
      show();
    },
  };
}

/** @typedef {{from: number, to: number, kind: string, label?: string}} Stretch */

/** The stretch that a step lies in.
 * @param {Stretch[]} stretches  in order
 * @param {number} step
 * @returns {Stretch|null}
 */
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

/** Bookmarks with a step added, or taken away if it was there.
 * @param {number[]} marks
 * @param {number} step
 * @returns {number[]}
 */
export function toggleMark(marks, step) {
  return marks.includes(step) ? marks.filter((mark) => mark !== step) : [...marks, step].sort((a, b) => a - b);
}

/** What is to play again and again: from one bookmark to the next where a step lies between two, else the step's
 * stretch.
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
