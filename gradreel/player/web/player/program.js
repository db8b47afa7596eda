/**
 * The place of the program. Where the panes stand one below the other it shows a few lines around the one that runs, so that the
 * picture is in sight beside them; it opens for who types in it or asks for all of it, and closes when a run is to be seen.
 */

import { element } from "../lib/dom.js";

/** @param {HTMLElement} editor  where the program goes */
export function createProgram(editor) {
  const more = element("button", { class: "more", type: "button", "data-testid": "all-lines", onclick: () => open(!root.hasAttribute("data-open")) });
  const root = element("div", { class: "program" }, element("h2", { text: "Program" }), more, element("div", {}, editor));
  const open = (on) => {
    root.toggleAttribute("data-open", on);
    more.textContent = on ? "Few lines" : "All lines";
    more.setAttribute("aria-expanded", String(on));
  };
  open(false);
  // After the press is over: what moves under a finger would be selected.
  for (const kind of ["click", "input"]) editor.addEventListener(kind, ({ target }) => target.closest(".cm-content[contenteditable=true]") && open(true));
  return { root, close: () => open(false) };
}
