/**
 * Moving through time: to a step at once, or to the next step, line or backward call with what happens in it; and a
 * clock that plays step after step, each as long as it is worth, at a speed, until the last one is over.
 */

import { clampStep } from "../scene/run.js";
import { beside } from "./bookmarks.js";

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

/** Milliseconds that a picture stands at the least: shorter steps are shown together. */
const PICTURE = 16;
/** Before the first step that is played. */
const START = 60;

/**
 * @param {{steps: () => number, step: () => number, timeOf: (step: number) => number, onStep: (step: number) => void,
 *   onChange: (playing: boolean) => void, range?: () => {from: number, to: number}|null, after?: (run: () => void, ms:
 *   number) => any, cancel?: (handle: any) => void}} wiring  `timeOf`: milliseconds of a step at speed 1; `range` is
 *   what plays again and again
 */
export function createClock({
  steps,
  step,
  timeOf,
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
    else onStep(nextPicture(again?.to ?? steps()));
    return playing ? wait() : undefined;
  };
  /** The next step to show: those that are too short for a picture of their own go by. */
  const nextPicture = (end) => {
    let next = step() + 1;
    for (let time = timeOf(next); next < end && time / speed < PICTURE; time += timeOf(next)) next++;
    return next;
  };
  const wait = () => {
    handle = after(tick, Math.max(PICTURE, timeOf(step()) / speed));
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
    handle = after(tick, START);
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
 * @param {{show: (how: {time: number, from: number}) => void, onStep?: (step: number) => void, onPlay: (playing:
 *   boolean) => void, range: () => {from: number, to: number}|null}} wiring  `range`: what plays again and again
 */
export function createPlayback(run, { show, onStep, onPlay, range }) {
  const clock = createClock({
    steps: () => run.state.last,
    step: () => run.step,
    timeOf: (step) => run.durations[step] ?? 0,
    onStep: (next) => go(next, true),
    range,
    onChange: onPlay,
  });

  function go(next, ease) {
    const from = run.step;
    run.step = clampStep(run, next);
    if (run.step === from) return;
    const plays = ease && run.step > from && (clock.playing() || run.step === from + 1);
    show({ time: plays ? Math.max(1, run.durations[run.step] / clock.speed()) : 0, from });
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
