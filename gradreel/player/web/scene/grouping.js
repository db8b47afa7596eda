/**
 * The tree of groups that boxes are folded by: iterations, calls, lines, backward calls as the scene tells them, leaves
 * where all their users are, and bundles where there are too many of anything to read. Then which boxes are shown one
 * by one and which stand behind one card: what is folded on opening, and the units and links that remain. Pure.
 */

/** @import { Box, Scene, Wire } from "./types.js" */




export const READABLE = 60;
const MANY = 24;

/** @typedef {{id: string, title: string, kind: string, line: number|null, parent: string|null, children: string[], own:
 *   string[], boxes: string[], first: number, depth: number}} Group
 */
/** @typedef {{groups: Map<string, Group>, tops: string[], groupOf: Map<string, string|null>, boxes: Box[]}} Tree */

/** The tree of groups. A leaf belongs to the innermost group that holds all its users.
 * @param {Pick<Scene, "groups"|"boxes"|"wires">} scene
 * @returns {Tree}
 */
export function groupTree(scene) {
  const groups = new Map();
  for (const group of scene.groups ?? []) groups.set(group.id, createGroup(group));
  const groupOf = new Map(scene.boxes.map((box) => [box.id, groups.has(box.group) ? box.group : null]));
  hoistLeaves(scene, groups, groupOf);
  const place = new Map(scene.boxes.map((box, i) => [box.id, i]));
  for (const [id, group] of groupOf) if (group !== null) groups.get(group).own.push(id);
  measureUp(groups, place);
  mergeOnlyChildren(groups, groupOf);
  bundleIterations(groups);
  bundleCrowds(scene, groups, groupOf, place);
  bundleLeaves(scene, groups, groupOf, place);
  return assignBoxes(scene, groups, groupOf, place);
}

function createGroup(group) {
  return { ...group, children: [], own: [], boxes: [], first: Infinity, depth: 0 };
}

/** All that a group stands in, itself included, outermost first; each asked for once.
 * @param {Map<string, Group>} groups
 */
export function createPaths(groups) {
  const known = new Map([[null, []]]);
  const path = (id) => {
    let found = known.get(id ?? null);
    if (!found) known.set(id, (found = [...path(groups.get(id).parent), id]));
    return found;
  };
  return path;
}

function hoistLeaves(scene, groups, groupOf) {
  const path = createPaths(groups);
  const leaves = new Set(scene.boxes.filter((box) => box.kind === "leaf").map((box) => box.id));
  const common = new Map();
  for (const wire of scene.wires) {
    if (!leaves.has(wire.to)) continue;
    const here = path(groupOf.get(wire.from) ?? null);
    const before = common.get(wire.to) ?? here;
    if (before.length) common.set(wire.to, before === here ? here : before.filter((id, i) => here[i] === id));
  }
  for (const [leaf, shared] of common) groupOf.set(leaf, shared.at(-1) ?? null);
}

/** Where each group first builds something; those that never do go. */
function measureUp(groups, place) {
  for (const group of groups.values()) {
    if (!group.own.length) continue;
    const first = group.own.reduce((least, id) => Math.min(least, place.get(id)), Infinity);
    for (let at = group; at && first < at.first; at = groups.get(at.parent)) at.first = first;
  }
  for (const [id, group] of groups) if (group.first === Infinity) groups.delete(id);
}

/** A group that holds one group and nothing else says no more than that one: they become one, under the outer title. */
function mergeOnlyChildren(groups, groupOf) {
  const children = childrenOf(groups);
  for (const group of [...groups.values()]) {
    if (!groups.has(group.id)) continue;
    for (
      let inner = children.get(group.id) ?? [];
      inner.length === 1 && !group.own.length;
      inner = children.get(group.id) ?? []
    ) {
      const [only] = inner;
      groups.delete(only.id);
      group.own = only.own;
      for (const id of only.own) groupOf.set(id, group.id);
      const below = children.get(only.id) ?? [];
      for (const child of below) child.parent = group.id;
      children.set(group.id, below);
    }
  }
}

/** @returns {Map<string|null, Group[]>} */
function childrenOf(groups) {
  const children = new Map();
  for (const group of [...groups.values()].sort((a, b) => a.first - b.first)) {
    if (!children.has(group.parent)) children.set(group.parent, []);
    children.get(group.parent).push(group);
  }
  return children;
}

/** Many siblings of one kind and line become few: bundles of neighbours, each a group of its own, and bundles of those.
 */
function bundleIterations(groups) {
  const families = new Map();
  for (const group of groups.values()) {
    const key = `${group.parent}/${group.kind}/${group.line}`;
    if (!families.has(key)) families.set(key, []);
    families.get(key).push(group);
  }
  for (let family of families.values()) {
    for (const size = fan(family.length); family.length > MANY; ) {
      family = inRows(family, size).map((members) => {
        const [start, end] = [members[0], members.at(-1)];
        const title = start === end ? start.title : fromTo(start.title, end.title);
        const bundle = { ...createGroup(start), id: `bundle:${start.id}`, title, first: start.first };
        groups.set(bundle.id, bundle);
        for (const member of members) member.parent = bundle.id;
        return bundle;
      });
    }
  }
}

/** What is called from one title to another, without the words that they share: `t = 0 … 9`.
 * @param {string} start
 * @param {string} end
 */
export function fromTo(start, end) {
  const [first, last] = [start.replace(/ … .*$/, ""), end.replace(/^.* … /, "")];
  const [one, other] = [first, last].map((title) => title.split(" "));
  const differs = one.findIndex((word, i) => word !== other[i]);
  return differs < 0 ? first : `${first} … ${other.slice(differs).join(" ")}`;
}

/** How many to bundle at a time so that few levels of few are left. */
function fan(count) {
  const levels = Math.ceil(Math.log(count) / Math.log(MANY));
  return Math.max(2, Math.ceil(count ** (1 / Math.max(2, levels))));
}

function inRows(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/** Whatever else is too much in one place is bundled in the order in which it was built, by lines where these differ.
 */
function bundleCrowds(scene, groups, groupOf, place) {
  const box = (id) => scene.boxes[place.get(id)];
  const items = new Map();
  const put = (parent, item) => {
    if (!items.has(parent)) items.set(parent, []);
    items.get(parent).push(item);
  };
  for (const group of groups.values()) put(group.parent, { group, first: group.first, line: group.line });
  for (const [id, parent] of groupOf)
    if (box(id).kind !== "leaf") put(parent, { box: id, first: place.get(id), line: box(id).line });
  for (const [parent, list] of items) {
    if (list.length <= READABLE || scene.boxes.length <= READABLE) continue;
    list.sort((a, b) => a.first - b.first);
    let level = byLine(list);
    if (level.length === list.length || level.length === 1) level = inRows(list, fan(list.length));
    while (level.length > MANY) level = inRows(level, fan(level.length)).map((rows) => rows.flat());
    for (const members of level) if (members.length > 1) bundle(members, parent, groups, groupOf);
  }
}

/** Neighbours of one line together. */
function byLine(list) {
  const rows = [];
  for (const item of list) {
    if (rows.at(-1)?.[0].line === item.line) rows.at(-1).push(item);
    else rows.push([item]);
  }
  return rows;
}

function bundle(members, parent, groups, groupOf) {
  const lines = members.map((item) => item.line).filter((line) => line !== null);
  const [least, most] = [Math.min(...lines), Math.max(...lines)];
  const title = least === most ? `line ${least}` : `lines ${least}–${most}`;
  const made = {
    ...createGroup({ kind: "line", line: least, parent, title, id: `crowd:${members[0].first}:${parent}` }),
    first: members[0].first,
  };
  groups.set(made.id, made);
  for (const item of members) {
    if (item.group) item.group.parent = made.id;
    else groupOf.set(item.box, made.id);
  }
}

/** More leaves than can be looked at, in one place, stand behind one card. */
function bundleLeaves(scene, groups, groupOf, place) {
  const leaves = new Map();
  for (const box of scene.boxes) {
    if (box.kind !== "leaf") continue;
    const parent = groupOf.get(box.id);
    if (!leaves.has(parent)) leaves.set(parent, []);
    leaves.get(parent).push(box);
  }
  for (const [parent, list] of leaves) {
    if (list.length <= MANY || scene.boxes.length <= READABLE) continue;
    const [first, last] = [list[0], list.at(-1)];
    const title = `leaves ${first.variable ?? ""} … ${last.variable ?? ""}`;
    const made = {
      ...createGroup({ kind: "leaves", line: null, parent, title, id: `leaves:${parent}` }),
      first: place.get(first.id),
    };
    groups.set(made.id, made);
    for (const box of list) groupOf.set(box.id, made.id);
  }
}

function assignBoxes(scene, groups, groupOf, place) {
  const path = createPaths(groups);
  for (const group of groups.values()) Object.assign(group, { own: [], boxes: [], children: [], first: Infinity });
  for (const box of scene.boxes) {
    const id = groupOf.get(box.id);
    if (id === null) continue;
    groups.get(id).own.push(box.id);
    for (const outer of path(id)) {
      const group = groups.get(outer);
      group.boxes.push(box.id);
      group.first = Math.min(group.first, place.get(box.id));
    }
  }
  for (const [id, group] of groups) if (!group.boxes.length) groups.delete(id);
  const children = childrenOf(groups);
  for (const group of groups.values()) {
    group.children = (children.get(group.id) ?? []).map((child) => child.id);
    group.depth = path(group.id).length - 1;
  }
  return { groups, tops: (children.get(null) ?? []).map((group) => group.id), groupOf, boxes: scene.boxes };
}

/** @typedef {{id: string, boxes: string[], group: Group|null, first: number}} Unit */

/** The groups to fold on opening: none where all boxes can be read, else all but those whose unfolding keeps the
 * picture readable; what leads to `near` is unfolded first, then leaves, then the outermost, and among equals the
 * latest.
 * @param {Tree} tree
 * @param {number} [limit]
 * @param {Iterable<string>} [near]  boxes that should be seen
 * @returns {Set<string>}
 */
export function initialFolds({ groups, tops, boxes, groupOf }, limit = READABLE, near = []) {
  if (boxes.length <= limit) return new Set();
  const path = createPaths(groups);
  const folded = new Set(groups.keys());
  let shown = tops.length + boxes.filter((box) => groupOf.get(box.id) === null).length;
  const wanted = new Set([...near].flatMap((id) => path(groupOf.get(id) ?? null)));
  const rank = (group) => (wanted.has(group.id) ? 0 : group.kind === "leaves" ? 1 : 2);
  const candidates = [...groups.values()].sort((a, b) => rank(a) - rank(b) || a.depth - b.depth || b.first - a.first);
  for (const group of candidates) {
    if (group.parent !== null && (folded.has(group.parent) || path(group.parent).some((id) => folded.has(id))))
      continue;
    const more = group.children.length + group.own.length - 1;
    if (shown + more > limit) continue;
    folded.delete(group.id);
    shown += more;
  }
  return folded;
}

/** The folded groups that a box stands behind: what has to be opened to see it.
 * @param {Tree} tree
 * @param {Set<string>} folded
 */
export function foldsAbove({ groups, groupOf }, folded, box) {
  return createPaths(groups)(groupOf.get(box) ?? null).filter((id) => folded.has(id));
}

/** What is drawn while the given groups are folded, in the order in which it was built.
 * @param {Tree} tree
 * @param {Set<string>} folded
 * @returns {{units: Unit[], unitOf: Map<string, string>}}
 */
export function unitsOf({ groups, groupOf, boxes }, folded) {
  const path = createPaths(groups);
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
 * @param {Wire[]} wires
 * @param {Map<string, string>} unitOf
 * @returns {{id: string, from: string, to: string, wires: Wire[]}[]}
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
