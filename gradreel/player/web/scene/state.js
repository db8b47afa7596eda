/**
 * The state of everything at any step. Instead of folding changes forward and back, each property of each thing keeps
 * the list of steps at which it changed; its value at a step is one binary search away, so a seek costs nothing,
 * wherever it goes.
 */

/** @import { Scene } from "./types.js" */

/** @typedef {{steps: number[], values: any[], before: any}} Track   values[i] holds from steps[i] on */

/** The value of a track at a step.
 * @param {Track|undefined} track
 * @param {number} step
 * @returns {any} null where nothing is known yet
 */
export function valueAt(track, step) {
  if (track === undefined) return null;
  const index = indexAt(track.steps, step);
  return index < 0 ? track.before : track.values[index];
}

/** The index of the last entry of a rising list that is not beyond `step`, or -1.
 * @param {number[]} steps
 * @param {number} step
 * @returns {number}
 */
export function indexAt(steps, step) {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** All histories of a scene: those that it brings, or those that its steps tell.
 * @param {Scene} scene
 */
export function createState(scene) {
  /** @type {import("./histories.js").Histories} */
  const histories = scene.histories ?? historiesOf(scene.steps);
  const { track, tracks, has, keys, each } = histories;

  return {
    last: scene.steps.length - 1,
    track,
    /** @returns {any} */
    at: (key, property, step) => valueAt(track(key, property), step),
    has,
    /** Whether anything of a thing changes with a step. @returns {boolean} */
    changes: (key, step) => [...tracks(key).values()].some(({ steps }) => steps[indexAt(steps, step)] === step),
    /** The keys that begin with `prefix`, in the order in which they first appear. @returns {string[]} */
    keys,
    /** The tracks of one property of all things whose keys begin with `prefix`, without making each of them. */
    each,
    /** All properties of a thing at a step. @returns {Map<string, any>} */
    properties: (key, step) => new Map([...tracks(key)].map(([name, each]) => [name, valueAt(each, step)])),
    /** The first step at which a property took one of the given values, searching from `from`.
     * @returns {number|null}
     */
    when: (key, property, values, from = 0) => {
      const found = track(key, property);
      const index = found ? found.steps.findIndex((step, i) => step >= from && values.includes(found.values[i])) : -1;
      return index < 0 ? null : found.steps[index];
    },
  };
}

/** The histories that steps tell by what each changes. @returns {import("./histories.js").Histories} */
function historiesOf(steps) {
  const things = new Map();
  steps.forEach((step, number) => record(things, number, step.changes));
  const keys = (prefix) => [...things.keys()].filter((key) => key.startsWith(prefix));
  return {
    track: (key, property) => things.get(key)?.get(property),
    tracks: (key) => things.get(key) ?? new Map(),
    has: (key) => things.has(key),
    keys,
    each: (prefix, property, visit) =>
      keys(prefix).forEach((key, place) => {
        const track = things.get(key).get(property);
        if (track) visit(place, track.steps, track.values, 0, track.steps.length);
      }),
  };
}

function record(things, number, changes) {
  for (const key of Object.keys(changes ?? {})) {
    let tracks = things.get(key);
    if (!tracks) things.set(key, (tracks = new Map()));
    const change = changes[key];
    for (const property of Object.keys(change)) {
      const [before, after] = change[property];
      const track = tracks.get(property);
      if (track) {
        track.steps.push(number);
        track.values.push(after);
      } else tracks.set(property, { steps: [number], values: [after], before: before ?? null });
    }
  }
}
