/**
 * How the boxes behind a card stand at a step, counted by state. A frame asks for it again and again; it is counted once.
 */

import { present } from "./moment.js";
import { valueAt } from "./state.js";

/** @typedef {Map<string|null, number>} Counts   how many boxes are in each state; null is: not built yet */

/** @param {{tracks: any[], counted?: {step: number, counts: Counts}}} card @param {number} step @returns {Counts} */
export function countsAt(card, step) {
  if (card.counted?.step !== step) card.counted = { step, counts: counted(card.tracks.map((track) => (track ? valueAt(track, step) : null))) };
  return card.counted.counts;
}

/** @param {(string|null)[]} states @returns {Counts} */
export function counted(states) {
  const counts = new Map();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

/** Whether any of the boxes has been built. @param {Counts} counts */
export const begun = (counts) => counts.size > 1 || !counts.has(null);

/** Whether any of them is there to be seen. @param {Counts} counts */
export const living = (counts) => [...counts.keys()].some(present);
