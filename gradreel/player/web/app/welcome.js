/**
 * The first minute: the example that the page opens with plays by itself beside three hints, each of which can be put
 * away for good, and goes by itself once what it tells of has come; and where there is no program, there are ways to
 * one: an example, or an error message that somebody met.
 */

import { element } from "../lib/dom.js";
import { codeOf, kindOf } from "../lib/search.js";
import { navigate } from "./router.js";
import { keep, readKept } from "./storage.js";

const KEY = "gradreel.hints";
const LONGEST = 4000;
const FEW = 4;
const HINTS = [
  [
    "code",
    ".pane.left [data-testid=editor]",
    "Your program goes here: type or paste it over this one, then press Run (ctrl ↵).",
  ],
  ["story", ".pane.left .bound", "What went wrong is told beside the picture in the end, with edits that help."],
  ["time", ".pane.left .bound", "Below is time: pause and play, step with ← and →, or drag along the strip."],
];

/** @import { Player } from "../player/player.js" */

/**
 * @param {HTMLElement} root
 * @param {{player: Player, home: string, examples: {group: string, programs: {title: string, source: string}[]}[],
 *   store: () => Storage, onProgram: (text: string) => void}} options
 */
export function createWelcome(root, { player, home, examples, store, onProgram }) {
  const away = readHints(store);
  const hints = new Map();
  const empty = emptyPanel({ home, examples, onProgram });
  root.querySelector("[data-testid=editor]").after(empty);

  function putAway(id) {
    if (!hints.get(id)?.isConnected) return;
    hints.get(id).remove();
    away.add(id);
    keep(store, KEY, [...away]);
  }

  function hint(id, text) {
    const close = element("button", { type: "button", "aria-label": "put this hint away", text: "×", onclick: () => {
      const others = [...root.querySelectorAll("[data-testid=hint] button")].filter((other) => other !== close);
      putAway(id);
      const next = /** @type {HTMLElement|null} */ (others[0] ?? root.querySelector("[data-testid=play]"));
      next?.focus({ preventScroll: true });
    } });
    const shown = element(
      "div",
      { class: `gr-hint gr-hint-${id}`, role: "note", "data-testid": "hint" },
      element("span", { text }),
      close,
    );
    return shown;
  }

  const hide = () => hints.forEach((each) => each.remove());
  return {
    /** The example of the house is shown: it plays, and the hints stand beside it. */
    open() {
      const plays = !matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (plays) player.seek(0);
      for (const [id, place, text] of HINTS) {
        if (away.has(id)) continue;
        const at = root.querySelector(place);
        hints.set(id, hint(id, text));
        if (id === "code") at.after(hints.get(id));
        else at.prepend(hints.get(id));
      }
      if (plays) player.play();
    },
    /** A step is shown: who went there by hand knows of time, and at the end there is what is told.
     * @param {number} step
     */
    onStep(step) {
      if (!player.playing()) putAway("time");
      if (step === player.state().steps) putAway("story");
    },
    /** Who got so far as to run or to delete a program needs no hints. */
    hide,
    /** Something was typed, or all of it deleted. @param {string} text */
    onEdit(text) {
      empty.hidden = Boolean(text.trim());
      if (!empty.hidden) hide();
    },
    destroy: hide,
  };
}

/** Where the gallery says what an error message means. @param {string} text @param {string} home @returns {string} */
export function meaningOf(text, home) {
  return new URL(`Gallery#find=${encodeURIComponent(text.trim().slice(-LONGEST))}`, new URL(home, location.href)).href;
}

/** What stands under an editor with nothing in it. */
function emptyPanel({ home, examples, onProgram }) {
  const programs = examples.flatMap((group) => group.programs);
  const few = [...programs.slice(0, 1), ...programs.filter((each) => each.source.includes("\n")).slice(3, 3 + FEW)];
  const box = element("textarea", {
    class: "gr-find",
    rows: 3,
    placeholder: "RuntimeError: …",
    "aria-label": "an error message",
    "data-testid": "error-box",
    spellcheck: "false",
  });
  const look = () => {
    const text = box.value.trim();
    if (!text) return;
    const code = kindOf(text) === "error" ? null : codeOf(text) ?? text;
    if (code) return onProgram(code);
    navigate(meaningOf(text, home));
  };
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    look();
  });
  box.addEventListener("paste", () => setTimeout(look));
  return element(
    "section",
    { class: "gr-empty", hidden: true, "data-testid": "empty", "aria-label": "ways to begin" },
    element("p", { text: "No program yet. Type one above, or take an example:" }),
    element(
      "div",
      { class: "gr-chips" },
      ...few.map(({ title, source }) =>
        element("button", { type: "button", class: "gr-chip", text: title, onclick: () => onProgram(source) }),
      ),
    ),
    element("p", { text: "Met an error? Paste the message, or a whole traceback:" }),
    box,
    element("button", {
      type: "button",
      class: "gr-button",
      "data-testid": "look-up",
      onclick: look,
      text: "What does it mean?",
    }),
  );
}

/** The hints that were put away. @returns {Set<string>} */
function readHints(store) {
  const away = readKept(store, KEY);
  return new Set(Array.isArray(away) ? away : []);
}
