/**
 * How each of many things stands at a step, told by a small number: a code that changes now and then. A cursor goes
 * over all changes in the order of steps, so from one step to another only what lies between is applied.
 */

/** @import { Track } from "../scene/state.js" */

/** @typedef {{at: (step: number) => Uint8Array}} Cursor   `at`: the code of each thing, to be read at once */

/** @param {(Track|undefined)[]} tracks  of each thing how it changes @param {(value: any) => number} codeOf
 * @returns {Cursor}
 */
export function createCursor(tracks, codeOf) {
  const codes = new Uint8Array(tracks.length);
  const { steps, things, before, after } = changesOf(tracks, codes, codeOf);
  let next = 0;
  return {
    at: (step) => {
      for (; next < steps.length && steps[next] <= step; next++) codes[things[next]] = after[next];
      for (; next > 0 && steps[next - 1] > step; next--) codes[things[next - 1]] = before[next - 1];
      return codes;
    },
  };
}

/** All changes of codes in the order of their steps; `codes` gets what holds before all of them. */
function changesOf(tracks, codes, codeOf) {
  const found = [];
  tracks.forEach((track, thing) => {
    let last = (codes[thing] = track ? codeOf(track.before) : codeOf(null));
    track?.steps.forEach((step, place) => {
      const code = codeOf(track.values[place]);
      if (code !== last) found.push([step, thing, last, code]);
      last = code;
    });
  });
  found.sort((a, b) => a[0] - b[0]);
  const [steps, things, before, after] = [0, 1, 2, 3].map((part) => Int32Array.from(found, (change) => change[part]));
  return { steps, things, before, after };
}
