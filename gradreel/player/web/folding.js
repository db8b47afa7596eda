/**
 * Which boxes are shown one by one and which stand behind one card: the tree of groups, what is folded on opening, and the
 * units and links that remain. Pure.
 */

export const READABLE = 60;
const MANY = 24;

/** @typedef {{id: string, title: string, kind: string, line: number|null, parent: string|null, children: string[],
 *             own: string[], boxes: string[], first: number, depth: number}} Group */
/** @typedef {{id: string, boxes: string[], group: Group|null, first: number}} Unit */

/** The tree of groups. A leaf belongs to the innermost group that holds all its users; long rows of iterations are bundled.
 * @param {any} scene
 * @returns {{groups: Map<string, Group>, tops: string[], groupOf: Map<string, string|null>, boxes: any[]}}
 */
export function groupTree(scene) {
  const groups = new Map();
  for (const group of scene.groups ?? [])
    groups.set(group.id, { ...group, children: [], own: [], boxes: [], first: Infinity, depth: 0 });
  const groupOf = new Map(scene.boxes.map((box) => [box.id, groups.has(box.group) ? box.group : null]));
  hoistLeaves(scene, groups, groupOf);
  if (!groups.size && scene.boxes.length > READABLE) groupByLine(scene, groups, groupOf);
  bundle(groups);
  scene.boxes.forEach((box, i) => {
    let id = groupOf.get(box.id);
    if (id !== null) groups.get(id).own.push(box.id);
    for (; id !== null; id = groups.get(id).parent) {
      const group = groups.get(id);
      group.boxes.push(box.id);
      group.first = Math.min(group.first, i);
    }
  });
  for (const [id, group] of groups) if (!group.boxes.length) groups.delete(id);
  const tops = [];
  for (const group of [...groups.values()].sort((a, b) => a.first - b.first))
    (group.parent === null ? tops : groups.get(group.parent).children).push(group.id);
  for (const group of groups.values()) group.depth = path(groups, group.id).length - 1;
  return { groups, tops, groupOf, boxes: scene.boxes };
}

/** A group and all it stands in, outermost first. */
function path(groups, id) {
  const found = [];
  for (; id !== null && id !== undefined; id = groups.get(id).parent) found.unshift(id);
  return found;
}

function hoistLeaves(scene, groups, groupOf) {
  const leaves = new Set(scene.boxes.filter((box) => box.kind === "leaf").map((box) => box.id));
  const common = new Map();
  for (const wire of scene.wires) {
    if (!leaves.has(wire.to)) continue;
    const here = path(groups, groupOf.get(wire.from) ?? null);
    const before = common.get(wire.to) ?? here;
    common.set(wire.to, before.filter((id, i) => here[i] === id));
  }
  for (const [leaf, shared] of common) groupOf.set(leaf, shared.at(-1) ?? null);
}

function groupByLine(scene, groups, groupOf) {
  let group = null;
  for (const box of scene.boxes) {
    if (box.kind === "leaf") continue;
    if (!group || group.line !== box.line) {
      group = { id: `line:${groups.size}`, kind: "line", title: `line ${box.line}`, line: box.line, parent: null };
      groups.set(group.id, { ...group, children: [], own: [], boxes: [], first: Infinity, depth: 0 });
    }
    groupOf.set(box.id, group.id);
  }
}

/** Many siblings of one kind and line become few: bundles of neighbours, each a group of its own. */
function bundle(groups) {
  const families = new Map();
  for (const group of groups.values()) {
    const key = `${group.parent}/${group.kind}/${group.line}`;
    if (!families.has(key)) families.set(key, []);
    families.get(key).push(group);
  }
  for (const family of families.values()) {
    if (family.length <= MANY) continue;
    const size = Math.ceil(Math.sqrt(family.length));
    for (let from = 0; from < family.length; from += size) {
      const members = family.slice(from, from + size);
      const [first, last] = [members[0], members.at(-1)];
      const id = `bundle:${first.id}`;
      const title = first === last ? first.title : `${first.title} … ${last.title.replace(/^.*= */, "")}`;
      groups.set(id, { ...first, id, title, children: [], own: [], boxes: [] });
      for (const member of members) member.parent = id;
    }
  }
}

/** The groups to fold on opening: none where all boxes can be read, else all but those whose unfolding keeps the picture readable;
 * the outermost are unfolded first, and among equals the latest.
 * @param {ReturnType<typeof groupTree>} tree
 * @param {number} [limit]
 * @returns {Set<string>}
 */
export function foldedAtFirst({ groups, tops, boxes, groupOf }, limit = READABLE) {
  if (boxes.length <= limit) return new Set();
  const folded = new Set(groups.keys());
  let shown = tops.length + boxes.filter((box) => groupOf.get(box.id) === null).length;
  const candidates = [...groups.values()].sort((a, b) => a.depth - b.depth || b.first - a.first);
  for (const group of candidates) {
    if (path(groups, group.parent).some((id) => folded.has(id))) continue;
    const more = group.children.length + group.own.length - 1;
    if (shown + more > limit) continue;
    folded.delete(group.id);
    shown += more;
  }
  return folded;
}

/** What is drawn while the given groups are folded, in the order in which it was built.
 * @param {ReturnType<typeof groupTree>} tree
 * @param {Set<string>} folded
 * @returns {{units: Unit[], unitOf: Map<string, string>}}
 */
export function unitsOf({ groups, groupOf, boxes }, folded) {
  const units = new Map();
  const unitOf = new Map();
  boxes.forEach((box, i) => {
    const outer = path(groups, groupOf.get(box.id)).find((id) => folded.has(id));
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
