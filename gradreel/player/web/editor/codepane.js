/**
 * The program as a plain list of lines: where no editor is wanted or none is at hand. It answers to the same calls as the editor.
 */

import { element } from "../lib/dom.js";
import { createNote } from "./note.js";

/** What a row does not change needs no layout. @param {any} row @param {string} kinds @param {string} note */
function become(row, kinds, note) {
  if (row.className !== kinds) row.className = kinds;
  if (row.lastChild.textContent !== note) row.lastChild.textContent = note;
}

/** A row that something is told of can be gone to. @param {any} row @param {boolean} told */
function tell(row, told) {
  if (told === "told" in row.dataset) return;
  row.toggleAttribute("tabindex", told);
  if (told) Object.assign(row, { tabIndex: 0 }).dataset.told = row.dataset.line;
  else delete row.dataset.told;
}

/** @param {HTMLElement} root
 * @param {{source: string}} options
 */
export function createCodePane(root, { source }) {
  const list = element("div", { class: "code", role: "group", "aria-label": "program", tabindex: 0 });
  root.append(list);
  const note = createNote(root);
  let text = "";
  let rows = [];
  let last = null;

  const setSource = (next) => {
    text = next;
    rows = next.replace(/\n$/, "").split("\n").map((line, i) => element(
      "div", { "data-line": i + 1 }, element("i", { text: String(i + 1) }), element("span", { text: line }), element("em"),
    ));
    list.replaceChildren(...rows);
  };
  setSource(source);

  /** Bring a line into view where the list or its pane scrolls by itself; where neither does, the page stays where the person has it. */
  const show = (row) => {
    const pane = [list, list.closest?.(".pane")].find((each) => each && each.scrollHeight > each.clientHeight + 1);
    if (!pane) return;
    const [room, at] = [pane.getBoundingClientRect(), row.getBoundingClientRect()];
    pane.scrollTop += Math.min(0, at.top - room.top) || Math.max(0, at.bottom - room.bottom);
  };

  return {
    getSource: () => text,
    setSource,
    /** @param {import("./editor.js").Mark[]} marks */
    setMarks: (marks) => {
      const [kinds, notes] = [rows.map(() => new Set()), rows.map(() => new Set())];
      for (const { line, kind, text, below } of marks) {
        if (kind) kinds[line - 1]?.add(kind);
        for (const word of [text, below].filter(Boolean)) notes[line - 1]?.add(word);
      }
      note.set(marks);
      const told = new Set(marks.filter((mark) => mark.note).map((mark) => mark.line));
      rows.forEach((row, i) => {
        become(row, [...kinds[i]].join(" "), [...notes[i]].join(" · "));
        tell(row, told.has(i + 1));
      });
      const now = rows[(marks.find((mark) => mark.kind === "now")?.line ?? 0) - 1];
      if (now && now !== last) show(now);
      last = now;
    },
    setHints: (hints) => {
      for (const { line, text: note } of hints ?? []) {
        const row = rows[line - 1];
        if (row) row.lastChild.textContent = [row.lastChild.textContent, note].filter(Boolean).join(" · ");
      }
    },
    destroy: () => {
      note.destroy();
      list.remove();
    },
  };
}
