/**
 * The chain rule along paths: all ways from a root down to a leaf in the graph of a moment, what is multiplied on each,
 * and what all of them add up to. Pure.
 */

import { titleOf } from "../lib/format.js";
import { isPresent } from "./moment.js";

/** @import { Moment, Wire } from "./types.js" */

/**
 * @typedef {{wires: Wire[], product: number|null}} Path  `product` of all factors, where each is a number
 * @typedef {{root: string|null, shown: string|null}} Wish  the root that a person has chosen, and the path that is to
 *   be seen
 * @typedef {{count: number, total: number|null, paths: Path[]}} Paths  how many there are, what they add up to, and the
 *   first of them
 */

/** So many paths are told one by one. */
export const MOST_PATHS = 12;

/** The boxes at which gradients of a leaf gather now, by what is selected: a tensor, or one of these boxes.
 * @param {Moment} moment @param {string|null} id
 * @returns {string[]} none where it is no leaf
 */
export function leafBoxes({ scene, state, step }, id) {
  const tensor = scene.box.get(id)?.kind === "leaf" ? scene.box.get(id).tensor : scene.tensor.get(id)?.id;
  return scene.leaves.filter((box) => (box.tensor !== null && box.tensor === tensor) || box.id === id)
    .filter((box) => isPresent(state.at(box.id, "state", step))).map((box) => box.id);
}

/** Where paths may begin: nodes with a name, and those that backward was called on.
 * @param {Moment} moment @param {string[]} leaves  the boxes of the leaf
 * @returns {{id: string, title: string}[]} the one that backward was last called on comes first
 */
export function rootsFor(moment, leaves) {
  const { scene, state, step, names } = moment;
  const called = scene.calls.filter(({ from }) => from <= step).map(({ from }) => scene.steps[from].focus[0]).reverse();
  const named = names.map(({ tensor, name }) => ({ id: tensor && state.at(tensor, "box", step), title: name }));
  const titles = new Map(named.filter(({ id }) => id).map(({ id, title }) => [id, title]));
  const counts = countsTo(moment, leaves);
  return [...new Set([...called, ...named.map(({ id }) => id).reverse()])]
    .filter((id) => counts(id) > 0 && !leaves.includes(id))
    .map((id) => ({ id, title: titles.get(id) ?? titleOf(scene.box.get(id)) }));
}

/** @param {Moment} moment @param {string} root @param {string[]} leaves @returns {Paths} */
export function pathsBetween(moment, root, leaves) {
  const counts = countsTo(moment, leaves);
  const ends = new Set(leaves);
  const paths = [];
  const walk = (id, wires) => {
    if (paths.length >= MOST_PATHS) return;
    if (ends.has(id)) return void paths.push({ wires, product: productOf(wires) });
    for (const wire of moment.scene.outOf.get(id) ?? []) if (counts(wire.to) > 0) walk(wire.to, [...wires, wire]);
  };
  // A walk goes as deep as the graph, which may be deeper than a stack: then no path can be read either.
  if (counts(root) > 0 && depthOf(moment, root) <= DEEPEST) walk(root, []);
  return { count: counts(root), total: totalOf(moment, root, ends, counts), paths };
}

const DEEPEST = 400;

/** @param {Wire[]} wires */
const productOf = (wires) =>
  wires.every(({ factor }) => typeof factor === "number") ? wires.reduce((all, { factor }) => all * factor, 1) : null;

/** How many paths lead from a node to the leaf: asked once for all. @returns {(id: string) => number} */
function countsTo(moment, leaves) {
  const ends = new Set(leaves);
  const found = foldGraph(moment, (id, below) => (ends.has(id) ? 1 : sum(below.map(([, count]) => count))));
  return (id) => found(id) ?? 0;
}

/** What all paths add up to: no path need be walked for it. */
function totalOf(moment, root, ends, counts) {
  const found = foldGraph(moment, (id, below) => {
    if (ends.has(id)) return 1;
    const ways = below.filter(([wire]) => counts(wire.to) > 0);
    const known = ways.every(([wire, total]) => typeof wire.factor === "number" && total !== null);
    return known ? sum(ways.map(([wire, total]) => wire.factor * total)) : null;
  });
  return counts(root) > 0 ? found(root) : null;
}

function depthOf(moment, root) {
  return foldGraph(moment, (id, below) => 1 + Math.max(0, ...below.map(([, depth]) => depth)))(root);
}

const sum = (all) => all.reduce((total, each) => total + each, 0);

/** What `f` makes of a node and of what it has made of those below it, from the leaves up, without recursion.
 * @template T
 * @param {Moment} moment
 * @param {(id: string, below: [Wire, T][]) => T} f
 * @returns {(root: string) => T}
 */
function foldGraph({ scene, state, step }, f) {
  const known = new Map();
  const isThere = ({ to }) => isPresent(state.at(to, "state", step));
  return (root) => {
    const waiting = [root];
    while (waiting.length) {
      const id = waiting.at(-1);
      if (known.has(id)) {
        waiting.pop();
        continue;
      }
      const wires = (scene.outOf.get(id) ?? []).filter(isThere);
      const missing = wires.filter(({ to }) => !known.has(to));
      if (missing.length) waiting.push(...missing.map(({ to }) => to));
      else known.set(id, f(id, wires.map((wire) => [wire, known.get(wire.to)])));
    }
    return known.get(root);
  };
}
