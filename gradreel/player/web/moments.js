/** The step of a run that shows something: the first or the last of a kind on a line. */

/** @typedef {{kind: string, line: number, which: "first"|"last"}} Moment */

/** @param {{steps: {kind: string, line: number}[]}} scene
 * @param {Moment} moment
 * @returns {number|null} null where the run has no such step, because the program was changed
 */
export function stepOf(scene, { kind, line, which }) {
  const shows = (step) => step.kind === kind && step.line === line;
  const step = which === "first" ? scene.steps.findIndex(shows) : scene.steps.findLastIndex(shows);
  return step < 0 ? null : step;
}
