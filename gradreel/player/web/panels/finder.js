/**
 * The field that finds nodes, over the graph: type, choose with the arrows, Enter goes there.
 */

import { element } from "../lib/dom.js";

let count = 0;

/** @param {HTMLElement} root
 * @param {{find: (query: string) => import("./finding.js").Found[], onGo: (id: string) => void, onClose: (before: Element|null) => void}} wiring  `onClose` gets what had the focus before
 */
export function createFinder(root, { find, onGo, onClose }) {
  const id = `gr-found-${count++}`;
  const input = element("input", {
    type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": id, "aria-label": "find a node by name, line, operator or number",
    placeholder: "name, line 8, operator, #3", "data-testid": "find", autocomplete: "off", spellcheck: "false",
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
    if (input.value.trim() && !found.length) list.replaceChildren(element("p", { class: "quiet", text: "(nothing answers to that)" }));
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
    if (found.length) input.setAttribute("aria-activedescendant", `${id}-${chosen}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const close = () => {
    if (dialog.hidden) return;
    const held = dialog.contains(root.getRootNode().activeElement);
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
    if (!dialog.contains(event.relatedTarget)) setTimeout(close, 150);
  });

  return {
    open: () => {
      before = root.getRootNode().activeElement;
      dialog.hidden = false;
      input.value = "";
      found = [];
      show();
      input.focus();
    },
    close,
  };
}
