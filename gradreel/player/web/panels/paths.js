/**
 * The paths from a root to the leaf that is selected: what is multiplied along each, in numbers where all are numbers,
 * else in letters, and what they add up to. A path that is pressed is shown on the stage.
 */

import { element, hasChanged, reconcile } from "../lib/dom.js";
import { formatNumber, shortenName, titleOf } from "../lib/format.js";
import { leafName } from "../scene/moment.js";
import { leafBoxes, MOST_PATHS, pathsBetween, rootsFor } from "../scene/paths.js";

/** @import { Moment, Wire } from "../scene/types.js" */
/** @import { Path, Paths, Wish } from "../scene/paths.js" */

/** So many nodes of a path are told by name. */
const LONG = 8;
const MOST_ROOTS = 20;
/** In larger graphs no paths are looked for: it would hold up every step. */
const LARGEST = 3000;

/**
 * @typedef {{leaf: string, leaves: string[], root: string, roots: {id: string, title: string}[], found: Paths}} Chains
 */

/** The paths to what is selected, if that is a leaf.
 * @param {Moment} moment @param {Wish} wish @returns {Chains|null}
 */
export function chainsAt(moment, { root }) {
  const leaves = leafBoxes(moment, moment.selected);
  if (!leaves.length || moment.scene.boxes.length > LARGEST) return null;
  const roots = rootsFor(moment, leaves);
  if (root && !roots.some(({ id }) => id === root) && moment.scene.box.has(root))
    roots.push({ id: root, title: titleOf(moment.scene.box.get(root)) });
  const chosen = roots.find(({ id }) => id === root) ?? roots[0];
  if (!chosen) return null;
  const box = moment.scene.box.get(leaves[0]);
  const leaf = leafName(moment.state, box, moment.step) ?? "the leaf";
  return { leaf, leaves, root: chosen.id, roots, found: pathsBetween(moment, chosen.id, leaves) };
}

/** What a path goes by: its wires. @param {Path} path */
export const pathKey = ({ wires }) => wires.map(({ id }) => id).join(" ");

/**
 * @param {HTMLElement} head @param {HTMLElement} root @param {Moment} moment @param {Chains|null} chains
 * @param {{wish: Wish, folded: (id: string) => string|null, onRoot: (id: string) => void, onPath: (key: string|null) =>
 *   void, onUnfold: (ids: string[]) => void}} does  `folded`: the title of the fold that hides a node
 */
export function showPaths(head, root, moment, chains, { wish, folded, onRoot, onPath, onUnfold }) {
  const large = moment.scene.boxes.length > LARGEST && leafBoxes(moment, moment.selected).length > 0;
  head.hidden = root.hidden = !chains && !large;
  if (large) {
    head.textContent = "Paths";
    const many = moment.scene.boxes.length.toLocaleString("en");
    const text = `Paths are told in graphs of up to ${LARGEST.toLocaleString("en")} nodes. This one has ${many}.`;
    if (hasChanged(root, text)) reconcile(root, element("p", { class: "quiet", text }));
  }
  if (!chains) return;
  const { leaf, roots, found, root: from } = chains;
  const title = roots.find(({ id }) => id === from).title;
  head.textContent = `From ${title} to ${leaf}: ${countWords(found.count)}`;
  const hidden = hiddenOn(moment, chains, folded);
  if (!hasChanged(root, [head.textContent, from, roots, wish.shown, hidden, found])) return;
  const rows = found.paths.map((path) => pathRow(moment, path, wish.shown, onPath));
  reconcile(
    root,
    element(
      "div",
      { class: "card paths" },
      rootChoice(roots, from, onRoot),
      limitOf(found),
      ...rows,
      totalOf(chains),
      hidden.titles.length
        ? element(
            "p",
            { class: "quiet" },
            `Folded on the stage: ${hidden.titles.join(", ")}. `,
            element("button", { text: "unfold", "data-testid": "unfold-paths", onclick: () => onUnfold(hidden.ids) }),
          )
        : "",
    ),
  );
}

function countWords(count) {
  if (!count) return "no path";
  if (count === 1) return "one path";
  const text = count < 1e15 ? count.toLocaleString("en") : `about ${count.toExponential(0).replace("e+", "e")}`;
  return `${text} paths`;
}

/** Where paths begin, to choose from. */
function rootChoice(roots, from, onRoot) {
  const shown = roots.slice(0, MOST_ROOTS);
  if (!shown.some(({ id }) => id === from)) shown.push(roots.find(({ id }) => id === from));
  const select = element(
    "select",
    { "aria-label": "where the paths begin", "data-testid": "path-root", onchange: () => onRoot(select.value) },
    ...shown.map(({ id, title }) => element("option", { value: id, text: title, selected: id === from ? "" : null })),
  );
  select.value = from;
  return element("label", { class: "row" }, element("span", { text: "from" }), select);
}

/** @param {Paths} found */
function limitOf({ count, paths }) {
  if (count <= paths.length) return "";
  const text = paths.length
    ? `The first ${MOST_PATHS} of ${countWords(count)}; the sum counts them all.`
    : "They are too long to be told one by one; the sum counts them all.";
  return element("p", { class: "quiet", "data-testid": "path-limit", text });
}

/** One path: what it multiplies, node by node, and what that makes. */
function pathRow(moment, path, shown, onPath) {
  const key = pathKey(path);
  const on = key === shown;
  const { wires, product } = path;
  const { box } = moment.scene;
  const told = wires.length > LONG ? [...wires.slice(0, LONG / 2), null, ...wires.slice(-LONG / 2)] : wires;
  const links = told.map((wire) => (wire ? `${titleOf(box.get(wire.from))} ${wire.slope ?? slopeName(moment, wire)}`
    : `… ${wires.length - LONG} more …`));
  return element(
    "button",
    {
      class: "path", "aria-pressed": String(on), "data-testid": "path", title: "show this path on the stage",
      onclick: () => onPath(on ? null : key),
    },
    element("span", { text: links.join("  →  ") }),
    element("b", { text: `= ${product === null ? lettersOf(moment, wires) : productWords(wires, product)}` }),
  );
}

/** `1 × 0.96 × 3 = 2.88`, short where it is long. */
function productWords(wires, product) {
  const factors = wires.map(({ factor }) => (factor < 0 ? `(${formatNumber(factor, 3)})` : formatNumber(factor, 3)));
  const text = factors.length > 1 && factors.length <= LONG ? `${factors.join(" × ")} = ` : "";
  return text + formatNumber(product);
}

/** The chain of slopes in letters, `grad × h · Wᵀ`; what stands before a gradient stands before all of it, and what
 * passes it on as it is says nothing.
 */
function lettersOf(moment, wires) {
  const links = wires.map((wire) => wire.slope ?? `· ${slopeName(moment, wire)}`).filter((text) => text !== "× 1");
  const shown = links.length > LONG ? [...links.slice(0, LONG / 2), "· …", ...links.slice(-LONG / 2)] : links;
  const join = (chain, link) => (link.endsWith("·") ? `${link} ${chain === "grad" ? chain : `(${chain})`}`
    : `${chain} ${link}`);
  return shown.reduce(join, "grad");
}

/** What has no short slope goes by its operator: `∂Softmax`. @param {Moment} moment @param {Wire} wire */
const slopeName = (moment, wire) => `∂${shortenName(moment.scene.box.get(wire.from).name)}`;

/** What all paths add up to. @param {Chains} chains */
function totalOf({ leaf, found }) {
  const { count, total, paths } = found;
  if (!count) return element("p", { class: "quiet", text: "No gradient gets from there to here." });
  if (total === null)
    return count > 1
      ? element("p", { class: "total", "data-testid": "path-total", text: `Their sum is the gradient of ${leaf}.` })
      : "";
  const told = paths.length === count && count > 1 && count <= LONG && paths.every(({ product }) => product !== null);
  const terms = paths.map(({ product }, i) =>
    i && product < 0 ? `− ${formatNumber(-product)}` : `${i ? "+ " : ""}${formatNumber(product ?? NaN)}`);
  const text = `${told ? `${terms.join(" ")} = ` : "in all "}${formatNumber(total)}`;
  return element("p", { class: "total", "data-testid": "path-total", text });
}

/** What the stage hides of the paths. */
function hiddenOn(moment, { found }, folded) {
  const ids = [...new Set(found.paths.flatMap(({ wires }) => wires.map(({ from }) => from)))];
  const hidden = ids.filter((id) => folded(id) !== null);
  return { ids: hidden, titles: [...new Set(hidden.map(folded))] };
}
