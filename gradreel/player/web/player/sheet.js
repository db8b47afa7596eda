/**
 * The sheet of keys, and of how values are written: a dialog that takes the focus when it opens and gives it back where it was,
 * by a key, a button or a tap beside it.
 */

import { element } from "../lib/dom.js";

const KEYS = [
  ["Space", "play from here, pause"],
  ["← →", "a step back, a step on"],
  ["shift ← →", "a line back, a line on"],
  ["ctrl ← →", "the backward call before, after"],
  ["Home End", "to the start, to the end"],
  ["L", "play this stretch again and again"],
  ["B  [  ]", "bookmark; the one before, after"],
  ["/", "find a node by name, line, operator"],
  ["F  T  + −", "fit, turn the graph, larger, smaller"],
  ["Esc", "select nothing; leave the table"],
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
  const row = ([key, does]) => element("div", { class: "row" }, element("span", { text: key }), element("span", { text: does }));
  const head = element("div", { class: "head" }, element("h2", { text: "Keys" }), element("button", { "aria-label": "close", text: "×", onclick: close }));
  const parts = [head, ...KEYS.map(row), element("h2", { text: "Values" }), ...VALUES.map(row)];
  const root = element("dialog", { class: "sheet", "aria-label": "keys", "data-testid": "sheet" }, ...parts);
  root.addEventListener("click", (event) => event.target === root && close());
  return { root, toggle: () => (root.open ? root.close() : root.showModal()), close };
}
