/** The step of a run that shows something: the first or the last of a kind on a line, or what a node does. */

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

/** The step at which a node of that name first ran. @param {any} scene @param {string|null} node @returns {number|null} */
export function ranAt({ steps, boxes }, node) {
  const named = new Set(boxes.filter(({ name }) => name === node).map(({ id }) => id));
  const step = steps.findIndex(({ kind, focus }) => kind === "node_ran" && focus.some((id) => named.has(id)));
  return step < 0 ? null : step;
}
