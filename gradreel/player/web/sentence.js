/**
 * The sentence of a step with its number, and the line over the graph that says which backward call runs and what is held.
 */

import { write } from "./marks.js";
import { callAt } from "./moment.js";

/** @param {any} parts  of the shell
 * @param {{state: any, scene: any, step: number}} moment
 * @param {import("./holding.js").Holding|null} holding
 */
export function showSentence(parts, { state, scene, step }, holding) {
  write(parts.sentence, scene.steps[step].sentence);
  parts.count.textContent = `Step ${step} of ${state.last}. `;
  const wrong = scene.stretches.some((stretch) => stretch.kind === "error" && stretch.from <= step && step <= stretch.to);
  parts.say.dataset.tone = wrong ? "error" : "";
  const call = callAt(scene, step);
  write(parts.caption, [`backward graph${call ? ` · call ${call.id} of ${scene.calls.at(-1).id}` : ""}`, holding?.words].filter(Boolean).join(" · "));
}
