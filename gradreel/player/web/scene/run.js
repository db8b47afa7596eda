/**
 * The run that is played: its scene with the look-ups that every part needs, the step, and what of it is folded, opened and
 * chosen. Data alone: nothing here touches the page.
 */

import { foldedAtFirst, groupTree, READABLE } from "./folding.js";
import { sumTrack } from "../panels/inspector.js";
import { indexed, namesAt } from "./moment.js";
import { aboutAt, spokenOf } from "./selection.js";
import { createState } from "./state.js";

/** @typedef {ReturnType<typeof createRun> & Record<string, any>} Run */

/** @param {{values?: boolean}} options  whether values stand after the lines that made them */
export function createRun({ values = true }) {
  return { step: 0, chosen: null, sideways: false, turned: new Set(), folded: new Set(), values, loads: 0 };
}

/** Another scene of the same program. @param {Run} run @param {any} next  a scene as it came */
export function load(run, next) {
  const state = createState(next);
  const scene = indexed(next, state);
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

/** The scene of another program, at a step: nothing is chosen, and as much folded as has to be. @param {Run} run */
export function begin(run, next, at) {
  load(run, next);
  run.tree = groupTree(run.scene);
  run.step = clamped(run, at ?? run.state.last);
  run.folded = foldedAtFirst(run.tree, READABLE, aboutAt(run));
  run.chosen = null;
  run.turned = new Set();
}

/** The step of the run that is nearest to a number. @param {Run} run */
export function clamped(run, step) {
  return Math.max(0, Math.min(run.state.last, Math.round(Number(step)) || 0));
}

/** The moment that all parts show; `about` is what is to be in view, `selected` what was chosen, else what the step speaks of. @param {Run} run */
export function momentOf(run) {
  const { state, scene, tree, folded, step, turned } = run;
  return { state, scene, tree, folded, step, turned, names: namesAt(state, run.names, step), about: aboutAt(run), selected: run.chosen ?? spokenOf(run) };
}
