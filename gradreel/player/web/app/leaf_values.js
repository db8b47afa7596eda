/**
 * The values of an expression's leaves while somebody moves them. What can be computed in the page is on the stage at
 * once, and the server is asked when they rest; else one run is on its way at a time, with the newest values next. The
 * stage shows either what belongs to the values or what it says it shows: no number is of other values than the rest.
 */

import { createTape } from "../scene/recompute.js";

/** @import { Scene } from "../scene/types.js" */

/** Milliseconds after the last change until values count as at rest. */
const REST = 300;

/** @typedef {Record<string, any>} Values */

/**
 * @param {{show: (scene: Scene, values: Values) => void, ask: (values: Values) => void, onRest: (values: Values) =>
 *   void}} how  `show` puts a scene on the stage, `ask` has the server run it
 */
export function createLeafValues({ show, ask, onRest }) {
  /** What the server made last, and the tape of it. @type {Scene|null} */
  let made = null;
  let tape = null;
  /** @type {Values|null} */
  let wanted = null;
  let timer = 0;

  const rest = () => {
    if (tape && !isOf(made, wanted)) ask(wanted);
    onRest(wanted);
  };
  /** Whether somebody has changed the values that a scene is of. @param {Scene} scene */
  const isAhead = (scene) => wanted !== null && scene.expression !== null
    && made?.expression?.text === scene.expression.text && !isOf(scene, wanted);
  return {
    /** A scene that the server made. @param {Scene} scene */
    take(scene) {
      made = scene;
      tape = scene.expression ? createTape(scene) : null;
    },
    /** @param {Values} values */
    change(values) {
      wanted = values;
      clearTimeout(timer);
      timer = setTimeout(rest, REST);
      if (!tape || !hasShapes(made, values)) return ask(values);
      show(isOf(made, values) ? made : tape.at(values), values);
    },
    /** A run begins; where no change asked for it, what was changed is forgotten, and the stage shows the last run.
     * @param {Values|null} values
     */
    begin(values) {
      if (values === wanted) return;
      const isComputed = tape !== null && wanted !== null && !isOf(made, wanted);
      wanted = null;
      clearTimeout(timer);
      if (isComputed) show(made, values);
    },
    isAhead,
    /** Whether a scene of the server is for values that have been changed since, and the stage knows better.
     * @param {Scene} scene
     */
    isLate: (scene) => tape !== null && isAhead(scene),
    stop: () => clearTimeout(timer),
  };
}

const isOf = ({ expression }, values) =>
  expression.leaves.every(({ name, value }) => JSON.stringify(value) === JSON.stringify(values[name]));

/** Whether the values have the shapes that a scene was made with. */
const hasShapes = ({ expression }, values) =>
  expression.leaves.every(({ name, value }) => sizes(value) === sizes(values[name]));

const sizes = (value) => (Array.isArray(value) ? `${value.length}:${sizes(value[0])}` : "");
