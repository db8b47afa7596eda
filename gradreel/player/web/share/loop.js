/**
 * The stretch of a run that is shared as a loop: about six seconds of playing with the present step in it, and a rest
 * at the end before it begins again. Pure.
 */

/** @import { Instant } from "../stage/reel.js" */

/** Milliseconds of a loop, and of the rest at its end. */
const LONG = 6000;
const REST = 900;

/** @typedef {{from: number, to: number, length: number, at: (time: number) => Instant}} Loop  `length`: milliseconds */

/** @param {number[]} durations  the milliseconds of each step @param {number} step @returns {Loop} */
export function loopAround(durations, step) {
  let [from, to, sum] = [step, step, durations[step]];
  const room = LONG - REST;
  const half = (room - sum) / 2;
  const fits = (next) => next in durations && sum + durations[next] <= room;
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
