/**
 * The top row: the name, the ways to other pages, and what can be done with the program. Menus are lists of entries; every
 * entry is a button or a link, reached by arrows as well as by the mouse.
 */

import { element } from "./dom.js";

/** @typedef {{title: string, href?: string, act?: () => void, note?: string}} Entry */
/** @typedef {{group?: string, entries: Entry[]}} Section */

/**
 * @param {HTMLElement} host
 * @param {{here: string, home: string, lessons: Entry[], examples: Section[], exports: Entry[],
 *          onCopyLink: () => void, onRun: (() => void)|null}} options
 */
export function createHeader(host, options) {
  const run = options.onRun && element("button", { class: "gr-button gr-main", "data-testid": "run", type: "button", onclick: options.onRun },
    "Run ", element("span", { class: "gr-key" }, "ctrl ↵"));
  const menus = [];
  const drop = (title, sections, testid) => {
    const made = createMenu(title, sections, testid, () => menus.forEach((other) => other !== made && other.close()));
    menus.push(made);
    return made.element;
  };
  const current = (place) => (options.here === place ? { "aria-current": "page" } : {});
  host.replaceChildren(
    element("a", { class: "gr-brand", href: options.home, target: "_self" }, "Gradreel"),
    element("nav", { class: "gr-nav", "aria-label": "Pages" },
      element("a", { href: options.home, target: "_self", ...current("lab") }, "Lab"),
      options.lessons.length > 0 && drop("Lessons", [{ entries: options.lessons }], "lessons")),
    element("span", { class: "gr-space" }),
    options.examples.length > 0 && drop("Examples", options.examples, "examples"),
    element("button", { class: "gr-button gr-copy", type: "button", "data-testid": "copy-link", onclick: options.onCopyLink },
      element("span", { class: "gr-long" }, "Copy link to this step"), element("span", { class: "gr-short" }, "Link")),
    options.exports.length > 0 && drop("Export", [{ entries: options.exports }], "export"),
    ...(run ? [run] : []),
  );
  const away = (event) => menus.forEach((menu) => !event.composedPath().includes(menu.element) && menu.close());
  document.addEventListener("pointerdown", away);
  return {
    /** @param {boolean} busy */
    busy(busy) {
      if (run) run.toggleAttribute("data-busy", busy);
    },
    destroy: () => document.removeEventListener("pointerdown", away),
  };
}

/** A button that opens a list under itself. */
function createMenu(title, sections, testid, onOpen) {
  const list = element("div", { class: "gr-menu", role: "menu", hidden: true });
  const button = element("button", {
    class: "gr-button gr-drop", type: "button", "aria-haspopup": "menu", "aria-expanded": "false", "data-testid": testid,
  }, title, " ▾");
  const close = () => {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  const open = () => {
    onOpen();
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    items()[0]?.focus();
  };
  const items = () => [...list.querySelectorAll("[role=menuitem]")];
  const entry = ({ title, href, act, note }) => {
    const inner = [element("span", {}, title), note ? element("small", {}, note) : null].filter(Boolean);
    if (href) return element("a", { role: "menuitem", href, target: "_self" }, ...inner);
    return element("button", { role: "menuitem", type: "button", onclick: () => { close(); act?.(); } }, ...inner);
  };
  for (const { group, entries } of sections) {
    if (group) list.append(element("div", { class: "gr-group" }, group));
    list.append(...entries.map(entry));
  }
  button.addEventListener("click", () => (list.hidden ? open() : close()));
  list.addEventListener("keydown", (event) => {
    const all = items();
    const here = all.indexOf(event.target.getRootNode().activeElement);
    const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") {
      close();
      button.focus();
    } else if (next !== undefined) {
      event.preventDefault();
      all.at(next % all.length)?.focus();
    } else return;
    event.stopPropagation();
  });
  return { element: element("div", { class: "gr-holder" }, button, list), close };
}
