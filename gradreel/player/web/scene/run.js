/**
 * The run that is played: its scene with the look-ups that every part needs, the step, and what of it is selected. Data
 * alone: nothing here touches the page.
 */

import { indexScene, namesAt, sumTrack } from "./moment.js";
import { createState } from "./state.js";

/** @import { IndexedScene, Moment, Scene, State } from "./types.js" */

/**
 * @typedef {object} Run
 * @property {number} step
 * @property {string|null} chosen  what a person has selected: a box, a tensor or a group
 * @property {number|null} seen  while what is ahead is withheld: the last step that has been shown
 * @property {boolean} values  whether values stand after the lines that made them
 * @property {number} loads  how many scenes there were
 * @property {State} state
 * @property {IndexedScene} scene
 * @property {ReturnType<typeof sumTrack>} sums
 * @property {string[]} names  the keys of all names
 * @property {number[]} lines  the steps at which another line runs
 * @property {number[]} calls  the steps at which backward calls begin
 * @property {import("./paths.js").Wish} paths  what a person wants to see of paths
 * @property {boolean|null} details  whether a person has opened what is beside the stage, or closed it
 * @property {number[]} durations  for each step the milliseconds that it plays, at speed 1
 */

/** @param {{values?: boolean}} options  whether values stand after the lines that made them
 * @returns {Run}  it has a scene once one is loaded
 */
export function createRun({ values = true }) {
  const still = { step: 0, chosen: null, details: null, seen: null, paths: { root: null, shown: null } };
  return /** @type {Run} */ ({ ...still, values, loads: 0, durations: [] });
}

/** Another scene of the same program. @param {Run} run @param {Scene} next  a scene as it came */
export function loadScene(run, next) {
  const state = createState(next);
  const scene = indexScene(next, state);
  Object.assign(run, {
    state,
    scene,
    sums: sumTrack(state),
    names: state.keys("name:"),
    lines: state.track("program", "line")?.steps ?? [],
    calls: scene.calls.map((call) => call.from),
    loads: run.loads + 1,
  });
}

/** The scene of another program, at a step: nothing is chosen.
 * @param {Run} run @param {Scene} next @param {number|null} [at]
 */
export function beginScene(run, next, at) {
  loadScene(run, next);
  run.step = clampStep(run, at ?? run.state.last);
  run.chosen = null;
  run.details = null;
  run.paths = { root: null, shown: null };
  if (run.seen !== null) run.seen = run.step;
}

/** The step of the run that is nearest to a number. @param {Run} run */
export function clampStep(run, step) {
  return Math.max(0, Math.min(run.state.last, Math.round(Number(step)) || 0));
}

/** The moment that all parts show; `about` is what is to be in view, `selected` what was chosen, else what the step
 * speaks of.
 * @param {Run} run
 */
export function momentOf(run) {
  const { state, scene, step } = run;
  return {
    state,
    scene,
    step,
    names: namesAt(state, run.names, step),
    about: aboutAt(run),
    selected: run.chosen ?? spokenOf(run),
  };
}

/** How many steps before one may say what it is about. */
const LOOK_BACK = 50;

const raisedAt = (diagnosis) => diagnosis.steps?.raised ?? Infinity;

/** The node that the latest error up to a step is about. @returns {string|null} the id of a box */
function wrongAt({ scene, step }) {
  return scene.diagnoses.findLast((item) => step >= raisedAt(item))?.nodes[0] ?? null;
}

/** The boxes that are to be in view at a step: those that it tells of; where an error is raised, and where a step tells
 * of none, the one that the error is about.
 * @param {Pick<Moment, "scene"|"step">} moment
 * @returns {string[]}
 */
export function aboutAt({ scene, step }) {
  const { focus } = scene.steps[step];
  const wrong = wrongAt({ scene, step });
  const raises = scene.diagnoses.some((item) => raisedAt(item) === step);
  return wrong && (raises || !focus.length) ? [wrong] : focus;
}

/** @param {Pick<Moment, "scene"|"state"|"step">} moment
 * @returns {string|null} the id of a box; of a step that speaks of none, that of the last one before it that does
 */
export function spokenOf({ scene, state, step }) {
  const wrong = wrongAt({ scene, step });
  if (wrong) return wrong;
  for (let at = step; at > 0 && at > step - LOOK_BACK; at--) {
    const { focus } = scene.steps[at];
    const found = focus.find((id) => state.at(id, "state", step) === "failed") ?? focus[0];
    if (found) return found;
  }
  return null;
}

/** Whether two scenes have the same boxes on the same lines, slots and wires, whatever their values. */
export function sameShape(scene, next) {
  const slots = (box) => [...box.slots, ...(box.numbers ?? [])].map((slot) => slot.name).sort();
  const sign = ({ boxes, wires }) =>
    JSON.stringify([
      boxes.map((box) => [box.id, box.name, box.line, slots(box)]),
      wires.map((wire) => [wire.from, wire.to]),
    ]);
  return scene.steps.length === next.steps.length && sign(scene) === sign(next);
}
