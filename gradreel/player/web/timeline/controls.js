/**
 * The buttons of time: first, back, play, on, last, and the speed.
 */

import { element, icon } from "../lib/dom.js";
import { SPEEDS } from "./playback.js";

const ICONS = {
  first: "M1 1h2v10H1zM11 1v10L4 6z",
  prev: "M10 1v10L2 6z",
  play: "M1 1v10l9-5z",
  pause: "M2 1h3v10H2zM7 1h3v10H7z",
  next: "M2 1v10l8-5z",
  last: "M1 1v10l7-5zM9 1h2v10H9z",
  loop: "M3 3h5V1l3 3-3 3V5H4v2H2V4zM9 9H4v2L1 8l3-3v2h4V5h2v3z",
  bookmark: "M3 1h6v10L6 8.5 3 11z",
};
const WORDS = {
  first: "to the start (Home)",
  prev: "one step back (←)",
  next: "one step on (→)",
  last: "to the end (End)",
  loop: "play this stretch, or what lies between two bookmarks, again and again (L)",
  bookmark: "bookmark this step, or take the mark away (B)",
};

/** @param {HTMLElement} root
 * @param {{first: () => void, prev: () => void, toggle: () => void, next: () => void, last: () => void, loop?: () =>
 *   void, bookmark?: () => void, setSpeed: (speed: number) => void}} actions
 */
export function createControls(root, actions) {
  const button = (name) =>
    element(
      "button",
      { "data-testid": name, title: WORDS[name], "aria-label": WORDS[name], onclick: actions[name] },
      icon(ICONS[name]),
    );
  const play = element("button", {
    class: "main",
    "data-testid": "play",
    title: "play or pause (Space)",
    onclick: actions.toggle,
  });
  const [loop, bookmark] = [button("loop"), button("bookmark")];
  for (const each of [loop, bookmark]) each.classList.add("quiet-button");
  const speed = element("select", {
    "data-testid": "speed",
    "aria-label": "speed",
    onchange: () => actions.setSpeed(Number(speed.value)),
  });
  for (const value of SPEEDS) speed.append(element("option", { value, text: `${value}×`, selected: value === 1 }));
  // A press by mouse leaves the keyboard to the player: Space then plays, and does not press the same button once more.
  const release = ({ detail, target }) =>
    detail > 0 &&
    target.closest("button") &&
    /** @type {HTMLElement} */ (root.closest(".gradreel"))?.focus({ preventScroll: true });
  root.addEventListener("click", release);
  root.append(button("first"), button("prev"), play, button("next"), button("last"), speed, loop, bookmark);

  const show = (playing) => {
    play.replaceChildren(icon(playing ? ICONS.pause : ICONS.play), playing ? " Pause" : " Play");
    play.setAttribute("aria-pressed", String(playing));
  };
  show(false);
  /** @param {{looping: boolean, marked: boolean}} how */
  const showMarks = ({ looping, marked }) => {
    loop.setAttribute("aria-pressed", String(looping));
    bookmark.setAttribute("aria-pressed", String(marked));
  };
  /** Whether there is any time to move through: of a program that was not run there is none.
   * @param {boolean} playable
   */
  const enable = (playable) => {
    for (const each of root.querySelectorAll("button, select"))
      /** @type {HTMLButtonElement|HTMLSelectElement} */ (each).disabled = !playable;
  };
  return { show, showMarks, enable };
}
