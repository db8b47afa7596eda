/**
 * What stands with the graph: the sentence of a step with its number, the line over the graph that says which backward
 * call runs and what is held, and what is said in the place of a graph that is not there.
 */

import { element } from "../lib/dom.js";
import { writeMarked } from "../lib/markdown.js";
import { callAt, isPresent } from "../scene/moment.js";

/** @import { Moment } from "../scene/types.js" */

/**
 * @typedef {object} View  the places of the page that are filled here
 * @property {HTMLElement} say  the line of the sentence, with its number and the button for all of it
 * @property {HTMLElement} count
 * @property {HTMLElement} sentence  what is told at first
 * @property {HTMLElement} rest  what more there is to tell, for who asks
 * @property {HTMLButtonElement} whole
 * @property {HTMLElement} caption  the line over the graph
 * @property {string} [spoken]  the sentence that was shown last
 */

/** @param {View} parts
 * @param {Moment} moment
 * @param {import("../scene/lifetime.js").Holding|null} holding
 */
export function showSentence(parts, { state, scene, step }, holding) {
  const [first, rest = ""] = scene.steps[step].sentence.split("\n");
  writeMarked(parts.sentence, first);
  writeMarked(parts.rest, rest && ` ${rest}`);
  parts.count.textContent = `Step ${step} of ${state.last}. `;
  if (parts.sentence.textContent !== parts.spoken) unfold(parts, false);
  parts.spoken = parts.sentence.textContent;
  const wrong = scene.stretches.some(
    (stretch) => stretch.kind === "error" && stretch.from <= step && step <= stretch.to,
  );
  parts.say.dataset.tone = wrong ? "error" : "";
  const call = callAt(scene, step);
  writeMarked(
    parts.caption,
    [`backward graph${call ? ` · call ${call.id} of ${scene.calls.at(-1).id}` : ""}`, holding?.words]
      .filter(Boolean)
      .join(" · "),
  );
}

/** So many letters find room wherever there is a player: nothing is measured for them. */
const SHORT = 40;

/** Show all of a sentence, or what is told at first and the lines that there is room for; a button offers the rest.
 * @param {Pick<View, "say"|"sentence"|"rest"|"whole">} parts @param {boolean} whole
 */
export function unfold({ say, sentence, rest, whole: button }, whole) {
  say.toggleAttribute("data-whole", whole);
  rest.hidden = !whole;
  button.hidden =
    !whole && !rest.textContent && (sentence.textContent.length < SHORT || say.scrollHeight <= say.clientHeight + 1);
  button.textContent = whole ? "Less" : "All of it";
  button.setAttribute("aria-expanded", String(whole));
}

/** Why there never is a graph, by the way in which a run ended. */
const NO_GRAPH = {
  refused: "The program did not run.",
  raised: "It ended with an error before there was a backward graph.",
  stopped: "It was stopped before there was a backward graph.",
  finished:
    "This program builds no backward graph: one begins where something is computed from a tensor with " +
    "requires_grad=True.",
};

/** What is said in the place of the graph while there is none; where one was, over what is still to be seen of it.
 * @param {HTMLElement} root
 * @param {Moment} moment
 * @param {(step: number) => void} onSeek
 */
export function showBare(root, { state, scene, step }, onSeek) {
  const there = scene.boxes.some((box) => isPresent(state.at(box.id, "state", step)));
  root.hidden = there;
  if (there) return;
  const gone = Math.max(-1, ...scene.boxes.map((box) => state.when(box.id, "state", ["released"]) ?? -1));
  if (scene.unrun)
    root.replaceChildren(
      scene.source.trim() ? "Nothing has run yet." : "Nothing to show yet: type or paste a program, then press Run.",
    );
  else if (!scene.boxes.length) root.replaceChildren(NO_GRAPH[scene.outcome.kind]);
  else if (gone < 0 || step < gone) root.replaceChildren("No backward graph yet.");
  else
    root.replaceChildren(
      "Nothing is left of this graph: no name holds it. ",
      element("button", { text: `the moment before it went: step ${gone - 1}`, onclick: () => onSeek(gone - 1) }),
    );
  root.toggleAttribute("data-aside", scene.boxes.length > 0);
}
