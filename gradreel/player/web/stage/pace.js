/**
 * How long each step is on the stage: a line flies by, a sum is dwelt on, what is seen again and again goes faster, and
 * no run takes longer than a person watches. Pure.
 */

/** @import { Model } from "./types.js" */

/** Milliseconds by kind of step. */
const PACE = {
  start: 300,
  line: 160,
  name_bound: 420,
  node_made: 850,
  backward_started: 900,
  node_ran: 1250,
  slot_freed: 1000,
  slot_retained: 800,
  grad_added: 1700,
  grad_stored: 1500,
  optimizer_stepped: 1300,
  written: 500,
  printed: 450,
  backward_finished: 450,
  grad_captured: 1200,
  grad_assigned: 700,
  backward_failed: 3600,
  backward_refused: 2400,
  raised: 2400,
  node_released: 700,
};
const OTHER = 500;
/** After how many of a kind they hasten, by how much, and how much at the most. */
const FAMILIAR = 2;
const HASTE = 0.45;
const HASTIEST = 14;
const SHORTEST = 40;
const WHOLE_RUN = 90_000;
/** Errors are never hurried. */
const ERRORS = new Set(["backward_failed", "backward_refused", "raised", "stopped"]);

/** Whether the run ended with a step of a kind. @param {string} kind */
export const isError = (kind) => ERRORS.has(kind);

/** Standing still, acts are where they say most. */
const STILL = { grad_added: 0.5, grad_stored: 0.55, slot_freed: 0.45 };

/** How far a step of a kind has come where nothing moves. @param {string} kind */
export const stillAt = (kind) => STILL[kind] ?? 1;

/** Where a picture of a step shows what happens in it; of others, at its end. */
const POSED = { ...STILL, slot_retained: 0.7, node_ran: 0.75, backward_started: 0.6 };

/** How far a step of a kind has come where a picture of it says most. @param {string} kind */
export const posedAt = (kind) => POSED[kind] ?? 1;

/** The milliseconds of each step at speed 1. @param {Model} model @returns {number[]} */
export function durationsOf({ scene, node }) {
  const seen = new Map();
  const times = scene.steps.map(({ kind, line, focus }) => {
    const key = `${kind}:${line}:${node.get(focus[0])?.short ?? ""}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    const time = PACE[kind] ?? OTHER;
    if (isError(kind)) return time;
    return Math.max(SHORTEST, time / Math.min(HASTIEST, 1 + HASTE * Math.max(0, count - FAMILIAR)));
  });
  return withinRun(times, scene.steps);
}

function withinRun(times, steps) {
  const kept = steps.reduce((sum, { kind }, i) => sum + (isError(kind) ? times[i] : 0), 0);
  const rest = times.reduce((sum, time) => sum + time, 0) - kept;
  const factor = Math.min(1, (WHOLE_RUN - kept) / Math.max(1, rest));
  return factor === 1 ? times : times.map((time, i) => (isError(steps[i].kind) ? time : time * factor));
}

/** Steps on an axis of time of playing, from 0 to 1: a step is over where it says.
 * @param {number[]} durations
 */
export function timeScale(durations) {
  const ends = [];
  let sum = 0;
  for (const [step, time] of durations.entries()) ends.push((sum += step ? time : 0));
  return {
    /** @param {number} step @returns {number} */
    at: (step) => (sum ? ends[step] / sum : 0),
    /** The step that is played at a share of the time. @param {number} share @returns {number} */
    stepAt: (share) => {
      let [low, high] = [0, ends.length - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (ends[middle] >= share * sum - 1e-9) high = middle;
        else low = middle + 1;
      }
      return Math.max(0, low);
    },
  };
}

/** Milliseconds of a loop, and of the rest at its end. */
const LOOP = 6000;
const REST = 900;

/** @typedef {{step: number, progress: number}} Instant  a step, and how far it has come, from 0 to 1
 * @typedef {{from: number, to: number, length: number, at: (time: number) => Instant}} Loop  `length`: milliseconds
 */

/** The stretch of a run that is shared as a loop: about six seconds of playing with a step in it, and a rest at the end
 * before it begins again.
 * @param {number[]} durations  the milliseconds of each step @param {number} step
 * @param {number} [last]  the last step that may be shown
 * @returns {Loop}
 */
export function loopAround(durations, step, last = durations.length - 1) {
  let [from, to, sum] = [step, step, durations[step]];
  const room = LOOP - REST;
  const half = (room - sum) / 2;
  const fits = (next) => next >= 0 && next <= last && sum + durations[next] <= room;
  const goBack = (most) => {
    for (let before = 0; fits(from - 1) && before + durations[from - 1] <= most;) {
      before += durations[from - 1];
      sum += durations[--from];
    }
  };
  goBack(half);
  while (fits(to + 1)) sum += durations[++to];
  goBack(Infinity);
  return { from, to, length: sum + REST, at: (time) => instantAt(durations, from, to, time) };
}

/** @returns {Instant} */
function instantAt(durations, from, to, time) {
  let [step, left] = [from, time];
  while (step < to && left >= durations[step]) left -= durations[step++];
  return { step, progress: Math.min(1, left / durations[step]) };
}
