/**
 * The code pane of a player that can be typed in. For a program it is the editor itself, marked line by line. For an
 * expression the editor keeps what was typed, and the program that it stands for is shown, and marked, beneath.
 */

import { createCodePane } from "./codepane.js";
import { element } from "../lib/dom.js";
import { createEditor } from "./editor.js";

/**
 * @param {any} codemirror
 * @param {HTMLElement} host
 * @param {{text: string, scene: any, readOnly: boolean, onRun: () => void, onEdit?: () => void, complete?: any}} options
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
  const editor = createEditor(codemirror, typed, { source: text, readOnly, onRun, onChange, complete: readOnly ? undefined : complete });
  const program = createCodePane(shownAs, { source: "" });
  setScene(scene);

  /** @param {any} next the scene whose program the marks speak of from now on */
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
        Array.from({ length: last - first + 1 }, (_, i) => ({ line: first + i, kind: "skipped", note: [`Not run: ${reason}.`] })));
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
