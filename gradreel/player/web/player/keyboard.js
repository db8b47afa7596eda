/**
 * The keyboard: one table from keys to what the player does, and the sheet that lists them. What is handled goes no
 * further, and neither do the letters that a page around the player may take for its own shortcuts.
 */

import { element } from "../lib/dom.js";

const LETTERS = {
  l: "loop", b: "bookmark", "[": "prevMark", "]": "nextMark", d: "details", f: "present", s: "share", "-": "less",
};
const OUTSIDE = new Set(["r", "c", "R", "C"]);

/** @param {HTMLElement} root
 * @param {Record<string, () => void>} actions  toggle, next, prev, first, last, nextLine, prevLine, nextCall, prevCall,
 *   loop, bookmark, prevMark, nextMark, details, more, less, help, find, present, share
 * @param {boolean} [alone]  whether no other player is on the page: then keys are for it, too, while nothing has the
 *   focus
 * @returns {() => void} a function that takes the keys away again
 */
export function bindKeys(root, actions, alone = false) {
  const handle = (event) => {
    const target = event.composedPath()[0] ?? event.target;
    const writing = isText(target);
    if (writing || OUTSIDE.has(event.key)) event.stopPropagation();
    if (writing || event.altKey || event.metaKey) return;
    const name = actionOf(event, target);
    const action = actions[name];
    if (!action || (isInDialog(target) && !["help", "escape"].includes(name))) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  const page = root.ownerDocument;
  const handleUnfocused = (event) => event.target === page.body && handle(event);
  root.addEventListener("keydown", handle);
  if (alone) page.addEventListener("keydown", handleUnfocused);
  return () => {
    root.removeEventListener("keydown", handle);
    page.removeEventListener("keydown", handleUnfocused);
  };
}

/** What a key asks for. @returns {string|null} */
export function actionOf({ key, shiftKey, ctrlKey }, target) {
  if (key === " ") return isPressable(target) || ctrlKey ? null : "toggle";
  if (key === "?") return "help";
  if (key === "/") return "find";
  if (key === "+" && !ctrlKey) return "more";
  if (key === "Escape") return "escape";
  const directions = { ArrowRight: "next", ArrowLeft: "prev" };
  // What is held in the hand in a lecture hall sends these.
  if (target?.closest?.("[data-present]")) Object.assign(directions, { PageDown: "next", PageUp: "prev" });
  if (key in directions) return directions[key] + (ctrlKey ? "Call" : shiftKey ? "Line" : "");
  if (ctrlKey || shiftKey || isList(target)) return null;
  if (key in LETTERS) return LETTERS[key];
  return { Home: "first", End: "last" }[key] ?? null;
}

function isText(target) {
  if (!target?.closest) return false;
  return Boolean(target.closest("textarea, [contenteditable='true'], input:not([type=range]):not([type=checkbox])"));
}

function isInDialog(target) {
  return Boolean(target?.closest?.("dialog"));
}

function isPressable(target) {
  return Boolean(target?.closest?.("button, a, select, summary"));
}

function isList(target) {
  return Boolean(target?.closest?.("select"));
}

const KEYS = [
  ["Space", "play from here, pause"],
  ["← →", "a step back, a step on"],
  ["shift ← →", "a line back, a line on"],
  ["ctrl ← →", "the backward call before, after"],
  ["Home End", "to the start, to the end"],
  ["L", "play this stretch again and again"],
  ["B  [  ]", "bookmark; the one before, after"],
  ["/", "find a node by name, line, operator"],
  ["D", "details: what happened, what is selected"],
  ["+ −", "more, less of what is folded"],
  ["shift click", "with a leaf selected: paths to it begin at this node"],
  ["F", "present: code and stage alone, large"],
  ["S", "share this moment"],
  ["Esc", "select nothing; leave the table, or presenting"],
  ["Esc Tab", "from the editor to what follows it"],
  ["double click", "on the strip of time: play from there"],
  ["?", "this sheet"],
];

const VALUES = [
  ["[3, 1, … ×8]", "eight numbers, the first of them"],
  ["[8,2] -0.1…0.3", "8 by 2, from least to greatest"],
  ["v2", "version 2: written over twice, in place"],
];

/** @returns {{root: HTMLDialogElement, toggle: () => void, close: () => boolean}}  `close` says whether it was open */
export function createSheet() {
  const close = () => {
    const was = root.open;
    root.close();
    return was;
  };
  const row = ([key, does]) =>
    element("div", { class: "row" }, element("span", { text: key }), element("span", { text: does }));
  const head = element(
    "div",
    { class: "head" },
    element("h2", { text: "Keys" }),
    element("button", { "aria-label": "close", text: "×", onclick: close }),
  );
  const parts = [head, ...KEYS.map(row), element("h2", { text: "Values" }), ...VALUES.map(row)];
  const root = element("dialog", { class: "sheet", "aria-label": "keys", "data-testid": "sheet" }, ...parts);
  root.addEventListener("click", (event) => event.target === root && close());
  return { root, toggle: () => (root.open ? root.close() : root.showModal()), close };
}
