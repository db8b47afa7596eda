/**
 * What is told of a line of code, beside it: for whoever points at the line, or goes to it with the keys. A row that has such a
 * note carries its line as `data-told`.
 */

import { element } from "../lib/dom.js";
import { write } from "../lib/marks.js";

/** Pixels between a row and its note, and those that a note needs to stand beside the code: with fewer it stands under the row. */
const GAP = 8;
const WIDE = 320;

/** @param {HTMLElement} host  the pane of the code, inside the player */
export function createNote(host) {
  const note = element("div", { class: "note", role: "status", "data-testid": "note", hidden: true });
  const root = host.closest(".gradreel") ?? host;
  root.append(note);
  /** @type {Map<number, string[]>} */
  let notes = new Map();
  let shown = null;

  const rowOf = (node) => (node instanceof Element ? node : node?.parentElement)?.closest("[data-told]") ?? null;
  const hide = () => {
    note.hidden = true;
    shown = null;
  };
  /** Tell of the row that something is in, or of none. @param {Node|null} node */
  const show = (node) => {
    const row = rowOf(node);
    const line = Number(row?.dataset.told);
    const told = notes.get(line);
    if (!told) return hide();
    if (shown?.line === line) return;
    shown = { line, told };
    note.replaceChildren(...told.map((sentence) => {
      const paragraph = element("p");
      write(paragraph, sentence);
      return paragraph;
    }));
    note.hidden = false;
    place(row.getBoundingClientRect());
  };
  const place = (row) => {
    const [around, pane] = [root.getBoundingClientRect(), host.getBoundingClientRect()];
    const beside = around.right - pane.right >= WIDE;
    const [left, top] = beside ? [pane.right + GAP, row.top] : [pane.left + GAP, row.bottom + GAP / 2];
    const highest = around.bottom - note.offsetHeight - GAP;
    Object.assign(note.style, { left: `${left - around.left}px`, top: `${Math.max(0, Math.min(top, highest) - around.top)}px` });
  };
  // Rows may move under a mouse that does not: that points at nothing.
  host.addEventListener("mousemove", (event) => (event.movementX || event.movementY) && show(event.target));
  host.addEventListener("mouseleave", hide);
  host.addEventListener("focusin", (event) => show(event.target));
  host.addEventListener("focusout", hide);
  host.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  root.addEventListener("scroll", hide, { capture: true });

  return {
    show,
    /** What is told from now on. @param {{line: number, note?: string[]}[]} marks */
    set(marks) {
      notes = new Map();
      for (const { line, note = [] } of marks) if (note.length) notes.set(line, [...new Set([...(notes.get(line) ?? []), ...note])]);
      if (shown && JSON.stringify(notes.get(shown.line)) !== JSON.stringify(shown.told)) hide();
    },
    destroy: () => {
      root.removeEventListener("scroll", hide, { capture: true });
      note.remove();
    },
  };
}
