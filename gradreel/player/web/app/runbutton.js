/**
 * The button that runs a program; while an answer keeps somebody waiting, it is the one that gives the run up.
 */

import { element } from "../lib/dom.js";

/** Milliseconds of waiting before there is something to stop. */
export const PATIENCE = 600;

/** @param {() => void} onRun @param {(() => void)|null} [onStop] */
export function createRunButton(onRun, onStop = null) {
  const word = element("span", { text: "Run " });
  const act = () => (stops ? onStop : onRun)();
  const button = element("button", { class: "gr-button gr-main", "data-testid": "run", type: "button", onclick: act },
    word, element("span", { class: "gr-key", text: "ctrl ↵" }));
  let stops = false;
  let waiting = 0;
  const become = (next) => {
    stops = next;
    button.style.minWidth = stops ? `${button.offsetWidth}px` : ""; // what stands beside it stays where it is
    word.textContent = stops ? "Stop " : "Run ";
    button.toggleAttribute("data-stops", stops);
  };
  return {
    element: button,
    /** @param {boolean} busy */
    busy(busy) {
      button.toggleAttribute("data-busy", busy);
      clearTimeout(waiting);
      if (!busy) become(false);
      else if (onStop && !stops) waiting = setTimeout(become, PATIENCE, true);
    },
  };
}
