/**
 * Finding nodes by what a person remembers of them, a name, a line, an operator, a number: the search, and the field
 * for it over the graph, where arrows choose and Enter goes there.
 */

import { activeIn, element } from "../lib/dom.js";
import { titleOf } from "../lib/format.js";
import { isPresent } from "../scene/moment.js";

/** @import { Moment } from "../scene/types.js" */

let count = 0;

/** @param {HTMLElement} root
 * @param {{find: (query: string) => import("./finder.js").Found[], onGo: (id: string) => void, onClose: (before:
 *   Element|null) => void}} wiring  `onClose` gets what had the focus before
 */
export function createFinder(root, { find, onGo, onClose }) {
  const id = `gr-found-${count++}`;
  const input = element("input", {
    type: "text",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": id,
    "aria-label": "find a node by name, line, operator or number",
    placeholder: "name, line 8, operator, #3",
    "data-testid": "find",
    autocomplete: "off",
    spellcheck: "false",
  });
  const list = element("div", { role: "listbox", id, "aria-label": "nodes found" });
  const dialog = element("div", { class: "finder", hidden: true }, input, list);
  root.append(dialog);
  let found = [];
  let chosen = 0;
  let before = null;

  const show = () => {
    list.replaceChildren(...found.map((item, i) => element(
      "div", { role: "option", id: `${id}-${i}`, "aria-selected": String(i === chosen), onclick: () => go(item) },
      element("span", { text: item.text }), element("span", { text: item.note }))));
    if (input.value.trim() && !found.length)
      list.replaceChildren(element("p", { class: "quiet", text: "(nothing answers to that)" }));
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
    if (found.length) input.setAttribute("aria-activedescendant", `${id}-${chosen}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const close = () => {
    if (dialog.hidden) return;
    const held = dialog.contains(activeIn(root));
    dialog.hidden = true;
    if (held) onClose(before);
  };
  const go = (item) => {
    close();
    onGo(item.id);
  };
  const keys = {
    ArrowDown: () => (chosen = Math.min(found.length - 1, chosen + 1)),
    ArrowUp: () => (chosen = Math.max(0, chosen - 1)),
    Enter: () => found[chosen] && go(found[chosen]),
    Escape: close,
  };
  input.addEventListener("input", () => {
    found = find(input.value);
    chosen = 0;
    show();
  });
  input.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
    if (!dialog.hidden) show();
  });
  input.addEventListener("blur", (event) => {
    if (!dialog.contains(/** @type {Node|null} */ (event.relatedTarget))) setTimeout(close, 150);
  });

  return {
    open: () => {
      before = activeIn(root);
      dialog.hidden = false;
      input.value = "";
      found = [];
      show();
      input.focus();
    },
    close,
  };
}

const MOST = 30;

/** @typedef {{id: string, text: string, note: string}} Found */

/** The boxes that answer to a query, those that are there now first, in the order in which they were built.
 * @param {string} query  `y`, `line 8`, `8`, `#3`, `mul`
 * @param {Moment} moment
 * @returns {Found[]}
 */
export function find(query, { state, scene, step, names }) {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  const named = new Map();
  for (const name of names) {
    const id = name.tensor === null ? null : state.at(name.tensor, "box", step);
    if (id !== null) named.set(id, [...(named.get(id) ?? []), name.name]);
  }
  const line = /^(?:line\s*)?(\d+)$/.exec(wanted)?.[1];
  const nr = /^#(\d+)$/.exec(wanted)?.[1];
  const ranked = [];
  for (const box of scene.boxes) {
    const tied = [...new Set([...(named.get(box.id) ?? []), ...(box.variable ? [box.variable] : [])])];
    const rank = rankOf(box, tied, { wanted, line, nr });
    if (rank === null) continue;
    const there = isPresent(state.at(box.id, "state", step));
    ranked.push({ rank: rank + (there ? 0 : 10), box, tied, there });
  }
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ box, tied, there }) => ({
      id: box.id,
      text: box.kind === "leaf" ? `AccumulateGrad ${box.variable ?? ""}`.trim() : `${box.name} #${box.nr}`,
      note: [
        box.line === null ? "" : `line ${box.line}`,
        box.kind === "node" ? tied.join(", ") : "",
        there ? "" : "not there now",
      ]
        .filter(Boolean)
        .join(" · "),
    }));
}

/** How well a box answers, less is better; null where it does not. */
function rankOf(box, tied, { wanted, line, nr }) {
  if (nr !== undefined) return String(box.nr) === nr ? 0 : null;
  if (line !== undefined) return box.kind === "node" && String(box.line) === line ? 0 : null;
  const names = tied.map((name) => name.toLowerCase());
  if (names.includes(wanted)) return 0;
  if (names.some((name) => name.startsWith(wanted))) return 1;
  const words = [box.name, box.op, titleOf(box)].map((word) => (word ?? "").toLowerCase());
  if (words.some((word) => word.startsWith(wanted))) return 2;
  return words.some((word) => word.includes(wanted)) || names.some((name) => name.includes(wanted)) ? 3 : null;
}
