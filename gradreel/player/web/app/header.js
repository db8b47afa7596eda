/**
 * The top row: the name, the ways to other pages, and what can be done with the program. Menus are lists of entries;
 * every entry is a button or a link, reached by arrows as well as by the mouse. While an answer keeps somebody waiting,
 * the button that runs a program is the one that gives the run up.
 */

import { activeIn, element, icon } from "../lib/dom.js";
import { toggleTheme } from "./preferences.js";
import { navigate } from "./router.js";

/** A disc, half of it empty. */
const HALF = "M6 .5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM6 2a4 4 0 0 1 0 8z";

/** @typedef {{title: string, href?: string, act?: () => void, note?: string, current?: boolean}} Entry */
/** @typedef {{group?: string, entries: Entry[]}} Section */

/**
 * @param {HTMLElement} host
 * @param {{here: string, home: string|null, nav: {place: string, title: string, href: string}[], examples?: Section[],
 *   exports?: Entry[], onOpen?: (() => void)|null, copyTitle?: string, onCopyLink?: (() => void)|null, onRun?: (() =>
 *   void)|null, onStop?: (() => void)|null}} options  Where there is no room for `nav` as a row, it is a menu.
 */
export function createHeader(host, options) {
  const run = options.onRun && createRunButton(options.onRun, options.onStop);
  const menus = [];
  const drop = (title, sections, testid) => {
    const made = createMenu(title, sections, testid, () => menus.forEach((other) => other !== made && other.close()));
    menus.push(made);
    return made.element;
  };
  const { examples = [], exports = [] } = options;
  const pages = options.nav.map(({ place, title, href }) => ({ title, href, current: place === options.here }));
  const nav =
    options.home === null
      ? [element("span", { class: "gr-brand", text: "Gradreel" })]
      : [
          element("a", { class: "gr-brand", href: options.home, target: "_self", text: "Gradreel" }),
          element(
            "nav",
            { class: "gr-nav", "aria-label": "Pages" },
            ...pages.map(({ title, href, current }) =>
              element("a", { href, target: "_self", "aria-current": current && "page", text: title }),
            ),
            drop(pages.find((page) => page.current)?.title ?? "Pages", [{ entries: pages }], "pages"),
          ),
        ];
  const copy =
    options.onCopyLink &&
    element(
      "button",
      { class: "gr-button", type: "button", "data-testid": "copy-link", onclick: options.onCopyLink },
      element("span", { class: "gr-long", text: options.copyTitle ?? "Copy link to this step" }),
      element("span", { class: "gr-short", text: "Link" }),
    );
  const open = { title: "Open", note: "a .py or .ipynb file", act: options.onOpen };
  const link = { title: options.copyTitle ?? "Copy link to this step", act: options.onCopyLink };
  const rest = [open, link].filter(({ act }) => act);
  // Where there is no room for a row of buttons, they are one menu.
  const more =
    rest.length > 0 &&
    exports.length > 0 &&
    drop("More", [{ entries: rest }, { group: "Export", entries: exports }, ...examples], "more");
  if (more) more.classList.add("gr-instead");
  host.replaceChildren(
    ...[
      options.here === "lab" && element("h1", { class: "gr-unseen", text: "Lab" }),
      ...nav,
      element(
        "button",
        {
          class: "gr-looks",
          type: "button",
          "aria-label": "light or dark",
          title: "light or dark",
          "data-testid": "looks",
          onclick: toggleTheme,
        },
        icon(HALF),
      ),
      element("span", { class: "gr-space" }),
      examples.length > 0 && drop("Examples", examples, "examples"),
      options.onOpen &&
        element("button", {
          class: "gr-button",
          type: "button",
          "data-testid": "open",
          onclick: options.onOpen,
          text: "Open",
          title: "a .py or .ipynb file; it can be dropped on the page, too",
        }),
      copy,
      exports.length > 0 && drop("Export", [{ entries: exports }], "export"),
      more,
      run?.element,
    ].filter(Boolean),
  );
  const away = (event) => menus.forEach((menu) => !event.composedPath().includes(menu.element) && menu.close());
  document.addEventListener("pointerdown", away);
  return {
    /** @param {boolean} busy */
    busy: (busy) => run?.busy(busy),
    destroy: () => document.removeEventListener("pointerdown", away),
  };
}

/** The top row of a program inside a lesson: its title, and the way to the Lab with the program as it stands.
 * @param {HTMLElement} host
 * @param {{title: string, apart?: boolean, onRun: (() => void)|null, onStop?: (() => void)|null, labLink: () =>
 *   Promise<string>}} options  `apart`: the Lab opens beside this page, which is part of another one.
 */
export function createLessonBar(host, { title, apart = false, onRun, onStop = null, labLink }) {
  const lab = element(
    "a",
    {
      class: "gr-lab-link",
      href: "./",
      target: apart ? "_blank" : "_self",
      rel: apart ? "noopener" : null,
      "data-testid": "lab-link",
    },
    apart ? "Open in the Lab ↗" : "Try it in the Lab",
  );
  const point = async () => (lab.href = await labLink());
  for (const moment of ["pointerenter", "focus"]) lab.addEventListener(moment, point);
  lab.addEventListener("click", async (event) => {
    if (apart || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    navigate(await labLink());
  });
  const run = onRun && createRunButton(onRun, onStop);
  host.replaceChildren(
    element("h2", { class: "gr-title", text: title }),
    element("span", { class: "gr-space" }),
    lab,
    ...(run ? [run.element] : []),
  );
  point();
  return { busy: (busy) => run?.busy(busy), destroy: () => {} };
}

/** A button that opens a list under itself. */
function createMenu(title, sections, testid, onOpen) {
  const list = element("div", { class: "gr-menu", role: "menu", hidden: true });
  const button = element(
    "button",
    {
      class: "gr-button gr-drop",
      type: "button",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "data-testid": testid,
    },
    title,
    " ▾",
  );
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
  /** @returns {HTMLElement[]} */
  const items = () => [...list.querySelectorAll("[role=menuitem]")].map((each) => /** @type {HTMLElement} */ (each));
  const entry = ({ title, href, act, note, current }) => {
    const inner = [element("span", {}, title), note ? element("small", {}, note) : null].filter(Boolean);
    if (href)
      return element("a", { role: "menuitem", href, target: "_self", "aria-current": current && "page" }, ...inner);
    return element("button", { role: "menuitem", type: "button", onclick: () => { close(); act?.(); } }, ...inner);
  };
  for (const { group, entries } of sections) {
    if (group) list.append(element("div", { class: "gr-group" }, group));
    list.append(...entries.map(entry));
  }
  button.addEventListener("click", () => (list.hidden ? open() : close()));
  list.addEventListener("keydown", (event) => {
    const all = items();
    const here = all.findIndex((each) => each === activeIn(list));
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

/** Milliseconds of waiting before there is something to stop. */
export const PATIENCE = 600;

/** @param {() => void} onRun @param {(() => void)|null} [onStop] */
function createRunButton(onRun, onStop = null) {
  const word = element("span", { text: "Run " });
  const act = () => (stops ? onStop : onRun)();
  const button = element("button", { class: "gr-button gr-main", "data-testid": "run", type: "button", onclick: act },
    word, element("span", { class: "gr-key", text: "ctrl ↵" }));
  let stops = false;
  let waiting = 0;
  const become = (next) => {
    stops = next;
    button.style.minWidth = stops ? `${button.offsetWidth}px` : ""; // what stands beside it stays where it is
    word.textContent = stops ? "Stop " : "Run ";
    button.toggleAttribute("data-stops", stops);
  };
  return {
    element: button,
    /** @param {boolean} busy */
    busy(busy) {
      button.toggleAttribute("data-busy", busy);
      clearTimeout(waiting);
      if (!busy) become(false);
      else if (onStop && !stops) waiting = setTimeout(become, PATIENCE, true);
    },
  };
}
