/**
 * The bare page of a player: its panes, headings and empty places, without anything in them yet.
 */

import { element } from "../lib/dom.js";
import { unfold } from "../panels/caption.js";
import { createDivider } from "./divider.js";
import { createSheet } from "./keyboard.js";

const TOOLS = [
  ["find", "Find", "find a node (/)"],
  ["details", "Details", "what happened, and what is selected (D)"],
  ["explore", "Explore", "all nodes of this moment as a network to move about in"],
  ["table", "Table", "the nodes as a table"],
  ["present", "Present", "code and stage alone, large, on the whole screen (F)"],
  ["share", "Share", "this moment as a picture or a loop (S)"],
  ["less", "−", "less detail: more is folded (−)"],
  ["more", "+", "more detail, as far as all can be read (+)"],
  ["help", "?", "keys (?)"],
];

/**
 * @typedef {Record<"details"|"find"|"explore"|"table"|"present"|"share"|"less"|"more"|"help", HTMLButtonElement>} Tools
 * @typedef {Record<"editor"|"names"|"leaves"|"printed"|"graph"|"film"|"stage"|"bare"|"exploreRoot"|"tableRoot"|"story"|
 *   "chosenHead"|"chosen"|"pathsHead"|"paths"|"sumHead"|"sum"|"controls"|"time", HTMLElement>} Panes
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
    place("caption", "div", { class: "caption" }),
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
  for (const view of [made.table, made.explore]) view.setAttribute("aria-pressed", "false");
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
    place("film", "div", {
      class: "film",
      role: "group",
      "aria-label": "iterations",
      "data-testid": "film",
      hidden: true,
    }),
    place("stage", "div", {
      class: "host",
      "data-testid": "stage",
      tabindex: 0,
      role: "img",
      "aria-label": "the backward graph; the Table button gives it as text",
    }),
    place("bare", "div", { class: "bare", hidden: true }),
    place("exploreRoot", "div", {
      class: "explore",
      role: "img",
      "aria-label": "the graph of this moment as a network; the Table button gives it as text",
      "data-testid": "explore",
      hidden: true,
    }),
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
      place("pathsHead", "h2"),
      place("paths", "div", { "data-testid": "paths" }),
      place("sumHead", "h2"),
      place("sum", "div", { "data-testid": "sum" }),
    ),
  );
  place("say", "p", { class: "say", tabindex: 0, "aria-live": "polite", "data-testid": "sentence" });
  made.say.append(place("count", "span", { class: "count" }), place("sentence", "span"), place("rest", "span"));
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
  const frame = element("div", { class: "frame" }, left, graph, right, foot);
  frame.append(createDivider(frame, right));
  root.replaceChildren(
    frame,
    sheet.root,
  );
  return {
    ...made,
    sheet,
    program,
    views: { table: made.tableRoot, explore: made.exploreRoot },
    viewTools: { table: made.table, explore: made.explore },
    /** Open what is beside the stage, or close it. @param {boolean} on */
    openDetails: (on) => {
      graph.parentElement.toggleAttribute("data-details", on);
      made.details.setAttribute("aria-pressed", String(on));
    },
    onTool: (next) => (actions = next),
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
function createProgram(editor) {
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
