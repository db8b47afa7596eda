/**
 * The code pane of a player. One that can be typed in is the editor itself, marked line by line; for an expression the
 * editor keeps what was typed, and the program that it stands for is shown, and marked, beneath. Where no editor is
 * wanted or none is at hand, the program is a plain list of lines, which answers to the same calls.
 */

import { element } from "../lib/dom.js";
import { createNote } from "./annotations.js";
import { createEditor } from "./editor.js";

/** @import { Scene } from "../scene/types.js" */

/**
 * @param {any} codemirror
 * @param {HTMLElement} host
 * @param {{text: string, scene: Scene, readOnly: boolean, onRun: () => void, onEdit?: () => void, complete?: any}}
 *   options
 */
export function createCode(codemirror, host, { text, scene, readOnly, onRun, onEdit = () => {}, complete }) {
  const typed = element("div", { class: "gr-editor", "data-testid": "editor" });
  const heading = element("h2", { text: "As a program" });
  const shownAs = element("div", { "data-testid": "shown-as" });
  host.append(typed, heading, shownAs);
  let shown = scene;
  let marks = [];
  /** @type {import("./editor.js").Mark[]} */
  let skipped = [];
  const onChange = () => {
    mark();
    onEdit();
  };
  const editor = createEditor(codemirror, typed, {
    source: text,
    readOnly,
    onRun,
    onChange,
    complete: readOnly ? undefined : complete,
  });
  const program = createCodePane(shownAs, { source: "" });
  setScene(scene);

  /** @param {Scene} next the scene whose program the marks speak of from now on */
  function setScene(next) {
    shown = next;
    heading.hidden = shownAs.hidden = !shown.expression;
    if (shown.expression) program.setSource(shown.source);
  }

  /** A program that was edited since it was run gets no marks: its lines are others now. */
  function mark() {
    if (shown.expression) program.setMarks(marks);
    else editor.setMarks(editor.getSource().trimEnd() === shown.source.trimEnd() ? [...skipped, ...marks] : []);
  }

  return {
    text: editor.getSource,
    setText: editor.setSource,
    setScene,
    /** Lines of which nothing is run, with the reason. @param {[number, number, string][]|null|undefined} stretches */
    setSkipped: (stretches) => {
      skipped = (stretches ?? []).flatMap(([first, last, reason]) =>
        Array.from({ length: last - first + 1 }, (_, i) => ({
          line: first + i,
          kind: "skipped",
          note: [`Not run: ${reason}.`],
        })),
      );
      mark();
    },
    /** What the player sees of it: a pane that holds the program that was run. */
    pane: {
      getSource: () => shown.source,
      setSource: editor.setSource,
      setMarks: (list) => {
        marks = list;
        mark();
      },
      setHints: () => {},
      destroy: () => {
        editor.destroy();
        program.destroy();
      },
    },
  };
}

/** What a row does not change needs no layout. @param {HTMLElement} row @param {string} kinds @param {string} note */
function updateRow(row, kinds, note) {
  if (row.className !== kinds) row.className = kinds;
  if (row.lastChild.textContent !== note) row.lastChild.textContent = note;
}

/** A row that something is told of can be gone to. @param {HTMLElement} row @param {boolean} noted */
function setNoted(row, noted) {
  if (noted === "told" in row.dataset) return;
  row.toggleAttribute("tabindex", noted);
  if (noted) Object.assign(row, { tabIndex: 0 }).dataset.told = row.dataset.line;
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
    rows = next
      .replace(/\n$/, "")
      .split("\n")
      .map((line, i) =>
        element(
          "div",
          { "data-line": i + 1 },
          element("i", { text: String(i + 1) }),
          element("span", { text: line }),
          element("em"),
        ),
      );
    list.replaceChildren(...rows);
  };
  setSource(source);

  /** Bring a line into view where the list or its pane scrolls by itself; where neither does, the page stays where the
   * person has it.
   */
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
      const noted = new Set(marks.filter((mark) => mark.note).map((mark) => mark.line));
      rows.forEach((row, i) => {
        updateRow(row, [...kinds[i]].join(" "), [...notes[i]].join(" · "));
        setNoted(row, noted.has(i + 1));
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
