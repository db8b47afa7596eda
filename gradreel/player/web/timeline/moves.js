/**
 * Moving through time: to a step at once, or to the next step, line or backward call with what changes eased in; and time that
 * plays by itself.
 */

import { createClock } from "./clock.js";
import { beside } from "./ranges.js";
import { clamped } from "../scene/run.js";

/** @param {import("../scene/run.js").Run} run
 * @param {{show: (how: {ease: boolean, from: number}) => void, onStep?: (step: number) => void, onPlay: (playing: boolean) => void,
 *           range: () => {from: number, to: number}|null}} wiring  `range`: what plays again and again
 */
export function createMoves(run, { show, onStep, onPlay, range }) {
  const clock = createClock({ steps: () => run.state.last, step: () => run.step, onStep: (next) => go(next, true), range, onChange: onPlay });

  function go(next, ease) {
    const from = run.step;
    run.step = clamped(run, next);
    if (run.step === from) return;
    show({ ease: ease && run.step === from + 1, from });
    onStep?.(run.step);
  }

  const by = (ease) => (next) => {
    clock.pause();
    go(next, ease);
  };
  const jump = by(true);
  return {
    clock,
    /** To a step, whose picture is there at once. @type {(step: number) => void} */
    seek: by(false),
    /** To a step; what changes is eased in if it is the next one. @type {(step: number) => void} */
    jump,
    /** To the nearest of some steps, forward or back. @param {number[]} steps @param {1|-1} direction */
    near: (steps, direction) => jump(beside(steps, run.step, direction, run.state.last)),
  };
}
