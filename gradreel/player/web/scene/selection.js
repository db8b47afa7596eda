/**
 * What a step is about, and what the inspector shows while nobody has chosen anything: what went wrong comes first. Pure.
 */

const LOOK_BACK = 50;

const raisedAt = (diagnosis) => diagnosis.steps?.raised ?? Infinity;

/** The node that the latest error up to a step is about. @returns {string|null} the id of a box */
function wrongAt({ scene, step }) {
  return scene.diagnoses.findLast((item) => step >= raisedAt(item))?.nodes[0] ?? null;
}

/** The boxes that are to be in view at a step: those that it tells of; where an error is raised, and where a step tells of none,
 * the one that the error is about.
 * @param {{scene: any, step: number}} moment
 * @returns {string[]}
 */
export function aboutAt({ scene, step }) {
  const { focus } = scene.steps[step];
  const wrong = wrongAt({ scene, step });
  const raises = scene.diagnoses.some((item) => raisedAt(item) === step);
  return wrong && (raises || !focus.length) ? [wrong] : focus;
}

/** @param {{scene: any, state: any, step: number}} moment
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
