/**
 * What the inspector shows while nobody has chosen anything: what went wrong, else what the step speaks of. Pure.
 */

const LOOK_BACK = 50;

/** @param {{scene: any, state: any, step: number}} moment
 * @returns {string|null} the id of a box; of a step that speaks of none, that of the last one before it that does
 */
export function spokenOf({ scene, state, step }) {
  const wrong = scene.diagnoses.find((item) => step >= (item.steps?.raised ?? Infinity))?.nodes[0];
  if (wrong) return wrong;
  for (let at = step; at > 0 && at > step - LOOK_BACK; at--) {
    const { focus } = scene.steps[at];
    const found = focus.find((id) => state.at(id, "state", step) === "failed") ?? focus[0];
    if (found) return found;
  }
  return null;
}
