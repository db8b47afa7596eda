/**
 * The stage out of sight, in a room of its own: any moment of the run at any share of its step, painted wherever it is
 * wanted. Moments painted one after the other follow each other as they do on the page.
 */

import { namesAt } from "../scene/moment.js";
import { createComposer, layoutAt } from "./compose.js";
import { stageMoment } from "./moment.js";
import { paint } from "./painter.js";
import { createPen } from "./pen.js";
import { aim, ease, settle } from "./sprites.js";

/** @import { Instant } from "./pace.js" */
/** @import { Frame, Palette } from "./types.js" */

/** @typedef {{model: import("./types.js").Model, measure: import("./sizes.js").Measure, colours: Palette, pins?:
 *   Map<string, boolean>, detail?: number}} Setup  what is shown, and how a person has it
 */

/** @param {Setup} setup @param {import("./compose.js").Room} room */
export function createOffscreenStage({ model, measure, colours, pins = new Map(), detail = 0 }, room) {
  const composer = { ...createComposer(model, measure), room, pins, detail };
  const keys = model.state.keys("name:");
  const sprites = new Map();
  /** @type {Frame|null} */
  let frame = null;

  function turnTo(step) {
    const names = namesAt(model.state, keys, step);
    const layout = layoutAt(composer, step, names);
    aim(sprites, layout, step, () => null);
    frame = /** @type {Frame} */ ({
      ...room, model, layout, sprites, moment: stageMoment(model, step, names), progress: 0, hidden: new Set(),
      chosen: null, hover: null, holding: null, path: new Set(), lit: null, targets: [],
    });
  }

  /** @param {any} context  whose origin is the corner of the room @param {Instant} instant
   * @param {number} [elapsed]  milliseconds since what was painted before; without, everything is in its place
   */
  return (context, { step, progress }, elapsed = Infinity) => {
    if (frame?.moment.step !== step) turnTo(step);
    if (elapsed === Infinity) settle(sprites);
    else ease(sprites, elapsed);
    frame.progress = progress;
    paint(createPen(context, colours, measure), frame);
  };
}
