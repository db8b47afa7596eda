/**
 * Time that plays: a step at a time, at a speed, until the end. It knows neither the page nor the scene.
 */

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

/** @param {{steps: () => number, step: () => number, onStep: (step: number) => void, onChange: (playing: boolean) => void,
 *           range?: () => {from: number, to: number}|null,  what plays again and again
 *           after?: (run: () => void, ms: number) => any, cancel?: (handle: any) => void}} wiring
 */
export function createClock({ steps, step, onStep, onChange, range = () => null, after = setTimeout.bind(null), cancel = clearTimeout.bind(null) }) {
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
