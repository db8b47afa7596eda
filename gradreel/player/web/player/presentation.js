/**
 * Presenting: code and stage alone, large, on the whole screen; where a browser gives no full screen, as in a frame of
 * another page, on all of the window.
 */

import { element } from "../lib/dom.js";
import { clamp } from "../stage/pen.js";

/** Pixels of a screen's sides for which the stage is as large as on a page. */
const [WIDE, HIGH] = [1100, 640];
const LARGEST = 3;

/** @param {HTMLElement} root  of the player */
export function createPresentation(root) {
  const page = root.ownerDocument;
  const isOn = () => root.hasAttribute("data-present");
  const isFull = () => /** @type {Document|ShadowRoot} */ (root.getRootNode()).fullscreenElement === root;
  const exit = element("button", {
    class: "leave", type: "button", text: "×", "aria-label": "leave presenting (Esc)", "data-testid": "leave-present",
    onclick: leave,
  });

  /** Code and stage, or all of the page again; the keys are for the player. */
  function set(on) {
    root.toggleAttribute("data-present", on);
    if (on) root.append(exit);
    else exit.remove();
    root.focus({ preventScroll: true });
  }

  /** @returns {boolean} whether there was anything to leave */
  function leave() {
    if (!isOn()) return false;
    set(false);
    if (isFull()) page.exitFullscreen();
    return true;
  }

  const onChange = () => {
    if (isOn() && !isFull()) set(false);
    else if (!isOn() && isFull()) page.exitFullscreen(); // it was left before the whole screen was there
  };
  root.addEventListener("fullscreenchange", onChange);
  return {
    toggle: () => {
      if (leave()) return;
      set(true);
      root.requestFullscreen?.().catch(() => {}); // all of the window will do
    },
    leave,
    /** How much larger things on the stage are than on a page. */
    zoom: () => (isOn() ? clamp(Math.min(root.clientWidth / WIDE, root.clientHeight / HIGH), 1, LARGEST) : 1),
    destroy: () => {
      leave();
      root.removeEventListener("fullscreenchange", onChange);
    },
  };
}
