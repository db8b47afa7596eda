/**
 * Which boxes are shown one by one and which stand behind one card: what is folded on opening, and the units and links that
 * remain. Pure.
 */

import { paths, READABLE } from "./grouping.js";

export { groupTree, READABLE } from "./grouping.js";

/** @typedef {import("./grouping.js").Group} Group @typedef {import("./grouping.js").Tree} Tree */
/** @typedef {{id: string, boxes: string[], group: Group|null, first: number}} Unit */

/** The groups to fold on opening: none where all boxes can be read, else all but those whose unfolding keeps the picture readable;
 * what leads to `near` is unfolded first, then leaves, then the outermost, and among equals the latest.
 * @param {Tree} tree
 * @param {number} [limit]
 * @param {Iterable<string>} [near]  boxes that should be seen
 * @returns {Set<string>}
 */
export function foldedAtFirst({ groups, tops, boxes, groupOf }, limit = READABLE, near = []) {
  if (boxes.length <= limit) return new Set();
  const path = paths(groups);
  const folded = new Set(groups.keys());
  let shown = tops.length + boxes.filter((box) => groupOf.get(box.id) === null).length;
  const wanted = new Set([...near].flatMap((id) => path(groupOf.get(id) ?? null)));
  const rank = (group) => (wanted.has(group.id) ? 0 : group.kind === "leaves" ? 1 : 2);
  const candidates = [...groups.values()].sort((a, b) => rank(a) - rank(b) || a.depth - b.depth || b.first - a.first);
  for (const group of candidates) {
    if (group.parent !== null && (folded.has(group.parent) || path(group.parent).some((id) => folded.has(id)))) continue;
    const more = group.children.length + group.own.length - 1;
    if (shown + more > limit) continue;
    folded.delete(group.id);
    shown += more;
  }
  return folded;
}

/** The folded groups that a box stands behind: what has to be opened to see it. @param {Tree} tree @param {Set<string>} folded */
export function foldsAbove({ groups, groupOf }, folded, box) {
  return paths(groups)(groupOf.get(box) ?? null).filter((id) => folded.has(id));
}

/** What is drawn while the given groups are folded, in the order in which it was built.
 * @param {Tree} tree
 * @param {Set<string>} folded
 * @returns {{units: Unit[], unitOf: Map<string, string>}}
 */
export function unitsOf({ groups, groupOf, boxes }, folded) {
  const path = paths(groups);
  const outermost = new Map();
  const fold = (group) => {
    if (!outermost.has(group)) outermost.set(group, path(group).find((id) => folded.has(id)) ?? null);
    return outermost.get(group);
  };
  const units = new Map();
  const unitOf = new Map();
  boxes.forEach((box, i) => {
    const outer = fold(groupOf.get(box.id) ?? null);
    const id = outer ?? box.id;
    if (!units.has(id)) units.set(id, { id, boxes: [], group: outer ? groups.get(outer) : null, first: i });
    units.get(id).boxes.push(box.id);
    unitOf.set(box.id, id);
  });
  return { units: [...units.values()], unitOf };
}

/** The wires between units: those inside a unit go, those between the same two units become one unless both are boxes.
 * @param {any[]} wires
 * @param {Map<string, string>} unitOf
 * @returns {{id: string, from: string, to: string, wires: any[]}[]}
 */
export function linksOf(wires, unitOf) {
  const links = new Map();
  for (const wire of wires) {
    const from = unitOf.get(wire.from);
    const to = unitOf.get(wire.to);
    if (from === to || from === undefined || to === undefined) continue;
    const whole = from === wire.from && to === wire.to;
    const id = whole ? wire.id : `${from}>${to}`;
    if (!links.has(id)) links.set(id, { id, from, to, wires: [] });
    links.get(id).wires.push(wire);
  }
  return [...links.values()];
}
