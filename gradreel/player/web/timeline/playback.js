/**
 * Moving through time: to a step at once, or to the next step, line or backward call with what changes eased in; and a
 * clock that plays a step at a time, at a speed, until the end.
 */

import { clampStep } from "../scene/run.js";
import { beside } from "./bookmarks.js";

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

const SLOWEST = 450;
const QUICKEST = 60;
const WHOLE_RUN = 120_000;

/** Milliseconds a step takes at speed 1: short runs are told slowly, long ones are not told for ever.
 * @param {number} steps
 * @returns {number}
 */
export function pace(steps) {
  return Math.max(QUICKEST, Math.min(SLOWEST, WHOLE_RUN / Math.max(1, steps)));
}

/**
 * @param {{steps: () => number, step: () => number, onStep: (step: number) => void, onChange: (playing: boolean) =>
 *   void, range?: () => {from: number, to: number}|null, after?: (run: () => void, ms: number) => any, cancel?:
 *   (handle: any) => void}} wiring  `range` is what plays again and again
 */
export function createClock({
  steps,
  step,
  onStep,
  onChange,
  range = () => null,
  after = setTimeout.bind(null),
  cancel = clearTimeout.bind(null),
}) {
  let handle = null;
  let playing = false;
  let speed = 1;

  const tick = () => {
    const again = range();
    if (again && step() >= again.to) onStep(again.from);
    else if (step() >= steps()) return pause();
    else onStep(step() + 1);
    if (!playing) return undefined;
    if (!again && step() >= steps()) return pause();
    return wait();
  };
  const wait = () => {
    handle = after(tick, pace(steps()) / speed);
  };
  const pause = () => {
    cancel(handle);
    if (!playing) return;
    playing = false;
    onChange(false);
  };
  const play = () => {
    if (playing || steps() === 0) return;
    playing = true;
    if (step() >= steps() && !range()) onStep(0);
    onChange(true);
    wait();
  };

  return {
    play,
    pause,
    toggle: () => (playing ? pause() : play()),
    playing: () => playing,
    speed: () => speed,
    setSpeed: (value) => {
      speed = Math.max(SPEEDS[0], Math.min(SPEEDS.at(-1), value));
      if (!playing) return;
      cancel(handle);
      wait();
    },
  };
}

/** @param {import("../scene/run.js").Run} run
 * @param {{show: (how: {ease: boolean, from: number}) => void, onStep?: (step: number) => void, onPlay: (playing:
 *   boolean) => void, range: () => {from: number, to: number}|null}} wiring  `range`: what plays again and again
 */
export function createPlayback(run, { show, onStep, onPlay, range }) {
  const clock = createClock({
    steps: () => run.state.last,
    step: () => run.step,
    onStep: (next) => go(next, true),
    range,
    onChange: onPlay,
  });

  function go(next, ease) {
    const from = run.step;
    run.step = clampStep(run, next);
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
