/**
 * The bare page of a player: its panes, headings and empty places, without anything in them yet.
 */

import { element } from "../lib/dom.js";
import { unfold } from "../panels/caption.js";
import { createSheet } from "./keyboard.js";

const TOOLS = [
  ["groups", "Unfold", "all groups"],
  ["find", "Find", "find a node (/)"],
  ["turn", "Turn", "from top to bottom, or from left to right (T)"],
  ["table", "Table", "the nodes as a table"],
  ["follow", "Follow", "the camera follows what runs"],
  ["fit", "Fit", "what is there in view (F)"],
  ["out", "−", "smaller"],
  ["in", "+", "larger"],
  ["help", "?", "keys (?)"],
];

/**
 * @typedef {Record<"groups"|"find"|"turn"|"table"|"follow"|"fit"|"out"|"in"|"help", HTMLButtonElement>} Tools
 * @typedef {Record<"editor"|"names"|"leaves"|"printed"|"graph"|"stage"|"corner"|"bare"|"tableRoot"|"story"|
 *   "chosenHead"|"chosen"|"sumHead"|"sum"|"controls"|"time", HTMLElement>} Panes
 * @typedef {Tools & Panes & import("../panels/caption.js").View} Places
 */

/** @param {HTMLElement} root */
export function buildView(root) {
  root.classList.add("gradreel");
  root.dataset.testid = "player";
  if (!root.hasAttribute("tabindex")) root.tabIndex = -1;
  const made = /** @type {Places} */ ({});
  const place = (name, tag, properties, ...children) => (made[name] = element(tag, properties, ...children));
  let actions = {};
  const tools = element(
    "div",
    { class: "tools" },
    ...TOOLS.map(([name, text, title]) =>
      place(name, "button", {
        title,
        "aria-label": /\w/.test(text) ? `${text}: ${title}` : title,
        text,
        "data-testid": `tool-${name}`,
        onclick: () => actions[name](),
      }),
    ),
  );
  made.follow.setAttribute("aria-pressed", "true");
  made.table.setAttribute("aria-pressed", "false");
  const program = createProgram(place("editor", "div"));
  const left = element(
    "section",
    { class: "pane left", tabindex: 0, "aria-label": "program" },
    program.root,
    element(
      "div",
      { class: "bound" },
      element("h2", { text: "Names now" }),
      place("names", "div", { class: "names", "data-testid": "names" }),
      element("h2", { text: "Leaves" }),
      place("leaves", "div", { "data-testid": "leaves" }),
    ),
    element(
      "div",
      { class: "output" },
      element("h2", { text: "Printed" }),
      place("printed", "div", { "data-testid": "printed" }),
    ),
  );
  const graph = place(
    "graph",
    "section",
    { class: "graph", "aria-label": "graph" },
    place("stage", "div", {
      class: "host",
      tabindex: 0,
      role: "img",
      "aria-label": "the backward graph; the Table button gives it as text",
    }),
    place("caption", "div", { class: "caption" }),
    place("corner", "div", { class: "corner" }),
    place("bare", "div", { class: "bare", hidden: true }),
    place("tableRoot", "div", {
      class: "table",
      tabindex: 0,
      role: "region",
      "aria-label": "the nodes as a table",
      "data-testid": "table",
      hidden: true,
    }),
    tools,
  );
  const part = (name, label, ...children) =>
    element("div", { class: `part ${name}`, tabindex: 0, role: "group", "aria-label": label }, ...children);
  const right = element(
    "aside",
    { class: "pane right", "aria-label": "explanation" },
    part(
      "told",
      "what happened",
      element("h2", { text: "What happened" }),
      place("story", "div", { "data-testid": "story" }),
    ),
    part(
      "shown",
      "what is selected",
      place("chosenHead", "h2"),
      place("chosen", "div", { "data-testid": "inspector" }),
      place("sumHead", "h2"),
      place("sum", "div", { "data-testid": "sum" }),
    ),
  );
  place("say", "p", { class: "say", tabindex: 0, "aria-live": "polite", "data-testid": "sentence" });
  made.say.append(place("count", "span", { class: "count" }), place("sentence", "span"));
  const foot = element(
    "footer",
    { class: "foot" },
    made.say,
    place("whole", "button", { class: "whole", "data-testid": "whole", hidden: true }),
    place("controls", "div", { class: "controls" }),
    place("time", "div", { class: "time" }),
  );
  made.whole.addEventListener("click", () => unfold(made, !made.say.hasAttribute("data-whole")));
  const sheet = createSheet();
  root.replaceChildren(
    element("div", { class: "frame" }, left, graph, right, foot),
    sheet.root,
  );
  return {
    ...made,
    sheet,
    program,
    table: made.tableRoot,
    tableTool: made.table,
    onTool: (next) => (actions = next),
    nameGroups: (text) => {
      made.groups.textContent = text;
      made.groups.setAttribute("aria-label", `${text}: all groups`);
    },
    setTheme: (name) => {
      if (name) root.dataset.theme = name;
      else delete root.dataset.theme;
    },
  };
}

/** The place of the program. Where the panes stand one below the other it shows a few lines around the one that runs,
 * so that the picture is in sight beside them; it opens for who types in it or asks for all of it, and closes when a
 * run is to be seen.
 * @param {HTMLElement} editor  where the program goes
 */
export function createProgram(editor) {
  const more = element("button", {
    class: "more",
    type: "button",
    "data-testid": "all-lines",
    onclick: () => open(!root.hasAttribute("data-open")),
  });
  const root = element(
    "div",
    { class: "program" },
    element("h2", { text: "Program" }),
    more,
    element("div", {}, editor),
  );
  const open = (on) => {
    root.toggleAttribute("data-open", on);
    more.textContent = on ? "Few lines" : "All lines";
    more.setAttribute("aria-expanded", String(on));
  };
  open(false);
  // After the press is over: what moves under a finger would be selected.
  for (const kind of ["click", "input"])
    editor.addEventListener(
      kind,
      ({ target }) => /** @type {Element} */ (target).closest(".cm-content[contenteditable=true]") && open(true),
    );
  return { root, close: () => open(false) };
}
