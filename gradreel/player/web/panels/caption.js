/**
 * The sentence of a step with its number, and the line over the graph that says which backward call runs and what is held.
 */

import { write } from "../lib/marks.js";
import { callAt } from "../scene/moment.js";

/** @param {any} parts  of the shell
 * @param {{state: any, scene: any, step: number}} moment
 * @param {import("../scene/lifetime.js").Holding|null} holding
 */
export function showSentence(parts, { state, scene, step }, holding) {
  write(parts.sentence, scene.steps[step].sentence);
  parts.count.textContent = `Step ${step} of ${state.last}. `;
  if (parts.sentence.textContent !== parts.spoken) unfold(parts, false);
  parts.spoken = parts.sentence.textContent;
  const wrong = scene.stretches.some((stretch) => stretch.kind === "error" && stretch.from <= step && step <= stretch.to);
  parts.say.dataset.tone = wrong ? "error" : "";
  const call = callAt(scene, step);
  write(parts.caption, [`backward graph${call ? ` · call ${call.id} of ${scene.calls.at(-1).id}` : ""}`, holding?.words].filter(Boolean).join(" · "));
}

/** So many letters find room wherever there is a player: nothing is measured for them. */
const SHORT = 40;

/** Show all of a sentence, or the lines that there is room for; where that is less, a button offers the rest.
 * @param {any} parts @param {boolean} whole
 */
export function unfold({ say, sentence, whole: button }, whole) {
  say.toggleAttribute("data-whole", whole);
  button.hidden = !whole && (sentence.textContent.length < SHORT || say.scrollHeight <= say.clientHeight + 1);
  button.textContent = whole ? "Less" : "All of it";
  button.setAttribute("aria-expanded", String(whole));
}
