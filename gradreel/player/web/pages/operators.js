/**
 * The operators of the engine: formula, what is kept and when, whether a second backward works; made from its table.
 */

import { element } from "../lib/dom.js";
import { renderInline } from "../lib/markdown.js";
import { searchOperators } from "../lib/search.js";
import { ranAt } from "../scene/scene.js";
import { createBrowse } from "./browse.js";

const AGAIN = {
  always: ["✓", "It saves no tensor, so a second backward through it works, whether the graph is retained or not."],
  never: [
    "✗",
    "The first backward frees what it saved. A second one raises, unless the first says `retain_graph=True`.",
  ],
  depends: [
    "~",
    "It saves a tensor only for some of its inputs. Where it saved one, a second backward raises unless the graph is " +
      "retained.",
  ],
  none: ["–", "It has no derivative: its result never requires a gradient, and no node is built."],
};
/**
 * @typedef {object} Operator
 * @property {string} key @property {string} group @property {string} source
 * @property {string} name
 * @property {string|null} node  the class of its backward node
 * @property {string} family
 * @property {string} forward @property {string[]} outputs
 * @property {{input: string, formula: string, words: string}[]} ways  how gradients go to its inputs
 * @property {{name: string, tensor: boolean, when: string[]}[]} kept  what its node saves, and for which inputs
 * @property {boolean} view
 * @property {keyof typeof AGAIN} again  whether a second backward works
 * @property {string} [why]
 */

/** @type {Record<string, (operator: Operator) => boolean>} */
const FILTERS = {
  "survives a second backward": ({ again }) => again === "always",
  "saves a tensor": ({ kept }) => kept.some(({ tensor }) => tensor),
  "saves its result": ({ kept, outputs }) => kept.some(({ name }) => outputs.includes(name)),
  "is a view": ({ view }) => view,
  "no derivative": ({ node }) => !node,
};

/** @type {(root: HTMLElement, start: import("./page.js").Start) => import("./page.js").PageView} */
export function createOperators(root, start) {
  /** @type {Operator[]} */
  const items = start.page.operators.map((operator) => ({ ...operator, key: operator.name, group: operator.family }));
  return createBrowse(root, start, {
    items,
    one: "operator",
    title: start.head.title,
    intro: start.head.intro,
    label: "Search operators",
    placeholder: "mul, log, MulBackward0",
    lines: 1,
    filters: FILTERS,
    search: (text) => searchOperators(items, text),
    nothing: "No operator has that name, node or formula.",
    row: ({ name, node, again }) => [
      element("span", { class: "gr-mono", text: name }),
      element("small", {}, `${AGAIN[again][0]} ${node ?? "no backward node"}`),
    ],
    at:
      ({ node }) =>
      (scene) =>
        ranAt(scene, node),
    detail: operatorDetail,
  });
}

/** @param {Operator} operator */
function operatorDetail({ name, node, family, forward, ways, kept, view, again, why }) {
  const [sign, verdict] = AGAIN[again];
  const part = (title, ...children) => [element("h2", { class: "gr-label", text: title }), ...children];
  return [
    element("p", { class: "gr-chapter", text: family }),
    element("h1", { class: "gr-mono", text: name }),
    element(
      "p",
      {},
      node ? element("code", { text: node }) : "no backward node",
      view ? " · its result is a view: it shows the memory of its input" : "",
    ),
    ...(forward
      ? part("Forward", element("p", {}, element("code", { class: "gr-formula", text: `result = ${forward}` })))
      : []),
    ...(ways.length
      ? part(
          "Gradients",
          element(
            "dl",
            { class: "gr-ways" },
            ...ways.flatMap(({ input, formula, words }) => [
              element("dt", {}, "to ", element("code", { text: input })),
              element(
                "dd",
                {},
                element("code", { class: "gr-formula", text: formula }),
                element("p", {}, ...renderInline(words)),
              ),
            ]),
          ),
        )
      : []),
    ...(kept.length
      ? part(
          "What the node saves",
          savedTable(kept),
          ...(why ? [element("p", { class: "gr-quiet" }, `Why: ${why}.`)] : []),
        )
      : node
        ? part("What the node saves", element("p", { text: "Nothing." }))
        : []),
    ...part(
      "A second backward",
      element(
        "p",
        { class: "gr-again", "data-again": again, "data-testid": "again" },
        element("b", { text: `${sign} ` }),
        ...renderInline(verdict),
      ),
    ),
  ];
}

function savedTable(kept) {
  const when = (names) =>
    names.length
      ? [
          `when ${names.length > 1 ? "one of " : ""}`,
          ...names.flatMap((name, i) => [i ? ", " : "", element("code", { text: name })]),
          " wants a gradient",
        ]
      : ["always"];
  return element(
    "table",
    {},
    element(
      "tbody",
      {},
      ...kept.map(({ name, tensor, when: names }) =>
        element(
          "tr",
          {},
          element("th", {}, element("code", { text: `_saved_${name}` })),
          element("td", { text: tensor ? "tensor" : "value" }),
          element("td", {}, ...when(names)),
        ),
      ),
    ),
  );
}

