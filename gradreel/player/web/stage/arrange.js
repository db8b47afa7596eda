/**
 * From folded pieces to items with links between them: chains of views become one lens, a leaf that only one closed
 * card uses lies inside it, parameters that nothing uses now lie together in a drawer. Then the items get layers, from
 * the leaves up. Where all of it stands, say `standing.js` and `lying.js`. Pure.
 */

import { nodesIn } from "./fold.js";
import { leafAlive } from "./moment.js";
import { sizeItem } from "./sizes.js";

/** @import { Edge, Item, Leaf, Link, Model, Owners, StageNode, Storey } from "./types.js" */
/** @import { Measure } from "./sizes.js" */

/** With more leaves those of one closed card lie inside it. */
const FEW_LEAVES = 4;
/** With more leaves those that nothing uses lie in a drawer. */
const MANY_LEAVES = 7;
/** A leaf has its large plate while there are no more than so many, and the stage is as high. */
const BIG_LEAVES = 3;
const LOW = 560;
const CROWDED = 7;
const DENSE = 14;
const NARROW = 520;

/** @returns {Item} */
const makeItem = (parts) => ({ low: 0, gen: 0, nodes: [], w: 0, h: 0, x: 0, y: 0, row: 0, tag: 0, ...parts });

/** The leaves that are to be seen: used by what has a place, named, or with a `.grad`.
 * @param {Model} model @param {{nodes: StageNode[], key: string}} placed @param {number} step
 * @param {Set<string>} named
 * @returns {Leaf[]}
 */
export function leavesShown({ leaves, state, memo }, { nodes, key }, step, named) {
  const memoKey = `used:${key}`;
  if (!memo.has(memoKey))
    memo.set(memoKey, new Set(nodes.flatMap(({ out }) => out.map(({ to }) => to.leaf && to.box.tensor))));
  const used = memo.get(memoKey);
  return leaves.filter((leaf) => leafAlive(leaf, step)
    && (used.has(leaf.tensor) || named.has(leaf.tensor) || state.at(leaf.tensor, "grad", step) !== null));
}

/** @param {Model} model
 * @param {import("./fold.js").Piece[]} pieces @param {Leaf[]} leaves
 * @param {{lying: boolean, width: number, height: number, measure: Measure, about: StageNode|null, sparse: boolean}}
 *   how  `sparse`: there is so little room that only the leaves of what is about now stand by themselves
 */
export function arrange(model, pieces, leaves, how) {
  const owner = createOwners(model.nodes.length);
  const items = pieces.map((piece) => itemOf(piece, owner));
  joinLenses(items, owner);
  const plates = platesOf(leaves, owner);
  const shelf = putAway(plates, items, owner, how);
  size(items, shelf, plates, how);
  const links = linksOf(model, owner, plates);
  return { items, plates, shelf, owner, links, ...layersOf(items, links) };
}

/** Which item each node is in: asked for every edge of a large graph, so of each node there is the number of its item.
 * @param {number} many  nodes @returns {Owners}
 */
function createOwners(many) {
  const numbers = new Int32Array(many).fill(-1);
  /** @type {Item[]} */
  const items = [];
  return {
    numbers,
    items,
    get: ({ at }) => items[numbers[at]],
    set: (nodes, item) => {
      let number = items.lastIndexOf(item);
      if (number < 0) number = items.push(item) - 1;
      for (const { at } of nodes) numbers[at] = number;
    },
  };
}

/** @param {import("./fold.js").Piece} piece @param {Owners} owner @returns {Item} */
function itemOf({ type, fold, folds }, owner) {
  const nodes = folds ? folds.flatMap(nodesIn) : nodesIn(fold);
  const key = folds ? `r:${folds[0].id}` : type === "card" ? `g:${fold.id}` : nodes[0].id;
  const kind = type === "node" && nodes[0].view ? "lens" : type;
  const gen = Math.max(...(folds ?? [fold]).map((each) => each.gen));
  const item = makeItem({
    key, type: kind, gen, nodes, low: nodes[0].at, ...(folds ? { groups: folds } : { group: fold }),
  });
  owner.set(nodes, item);
  return item;
}

/** A view that only one other view uses goes into its lens. */
function joinLenses(items, owner) {
  for (const item of [...items]) {
    if (item.type !== "lens" || item.nodes.length !== 1) continue;
    const users = item.nodes[0].into.filter(({ from }) => owner.get(from));
    if (users.length !== 1 || item.nodes[0].into.length !== 1) continue;
    const other = owner.get(users[0].from);
    if (other === item || other.type !== "lens" || other.nodes.at(-1).out.length !== 1) continue;
    other.nodes = [...other.nodes, ...item.nodes];
    other.gen = Math.max(other.gen, item.gen);
    owner.set(item.nodes, other);
    items.splice(items.indexOf(item), 1);
  }
}

/** @param {Leaf[]} leaves @param {Owners} owner @returns {Item[]} */
function platesOf(leaves, owner) {
  return leaves.map((leaf) => {
    const users = new Set();
    let last = null;
    for (const { into } of leaf.nodes)
      for (const { from } of into) {
        const user = owner.get(from);
        if (user && user !== last) users.add((last = user));
      }
    return makeItem({ key: leaf.tensor, type: "leaf", leaf, users: [...users], low: -1 });
  });
}

/** What stands on the shelf: all leaves but those inside of cards and in a drawer. @returns {Item[]} */
function putAway(plates, items, owner, { about, sparse }) {
  const many = plates.length > FEW_LEAVES;
  const focus = about && owner.get(about);
  const idle = plates.filter(({ users }) => !users.length);
  const stored = plates.length > MANY_LEAVES && idle.length > 2 ? new Set(idle) : new Set();
  const shelf = [];
  for (const plate of plates) {
    if (stored.has(plate)) continue;
    if (many && plate.users.length === 1 && goesInside(plate, items, owner, about)) continue;
    if (sparse && plates.length > 1 && !plate.users.includes(focus)) stored.add(plate);
    else shelf.push(plate);
  }
  return stored.size ? [...shelf, drawerOf([...stored])] : shelf;
}

function drawerOf(own) {
  const drawer = makeItem({ key: "drawer", type: "drawer", own, users: [], low: 1e9 });
  for (const plate of own) plate.inside = drawer;
  return drawer;
}

const isClosed = ({ type }) => type === "card" || type === "ladder";

/** A leaf of one closed card lies in it; a lens between them goes with it, and one before a node stands at the leaf. */
function goesInside(plate, items, owner, about) {
  let [user] = plate.users;
  if (user.type === "lens") {
    if (user.nodes.includes(about)) return false;
    const above = new Set(user.nodes.flatMap(({ into }) => into.map(({ from }) => owner.get(from))));
    above.delete(user);
    above.delete(undefined);
    const [next] = above;
    if (above.size !== 1 || !(isClosed(next) || next.type === "node") || user.nodes.some(({ tags }) => tags.length))
      return false;
    items.splice(items.indexOf(user), 1);
    owner.set(user.nodes, isClosed(next) ? next : plate);
    if (!isClosed(next)) {
      plate.lens = user;
      plate.users = [next];
      return false;
    }
    user = next;
  }
  if (!isClosed(user)) return false;
  (user.own ??= []).push(plate);
  plate.inside = user;
  return true;
}

function size(items, shelf, plates, { lying, width, height, measure }) {
  const how = { lying, dense: items.length > DENSE, narrow: width < NARROW };
  const crowded = lying && items.length > CROWDED;
  const compact = shelf.length > BIG_LEAVES || height < LOW || crowded || (how.narrow && shelf.length > 1);
  for (const plate of plates) {
    plate.compact = compact;
    if (plate.lens) sizeItem(plate.lens, measure, how);
  }
  for (const item of [...items, ...plates, ...shelf.filter(({ type }) => type === "drawer")])
    sizeItem(item, measure, how);
}

/** The links between items: all edges from one to another.
 * @param {Model} model @param {Owners} owner @param {Item[]} plates @returns {Link[]}
 */
function linksOf(model, owner, plates) {
  const { numbers, items } = owner;
  for (const plate of plates) owner.set(plate.leaf.nodes, plate);
  /** @type {Map<Item, Map<Item, Link>>} */
  const links = new Map();
  const { edges } = model;
  const [froms, tos] = endsOf(model);
  for (let at = 0; at < edges.length; at++) {
    const [one, other] = [numbers[froms[at]], numbers[tos[at]]];
    if (one === other || one < 0 || other < 0) continue;
    const [from, target] = [items[one], items[other]];
    const to = target.inside ?? target;
    // A leaf with a lens of its own takes the edges into the lens; those from the lens to it are not seen.
    if (to === from || from.type === "leaf") continue;
    let own = links.get(from);
    if (!own) links.set(from, (own = new Map()));
    const link = own.get(to);
    if (link) link.edges.push(edges[at]);
    else own.set(to, { key: `${from.key}>${to.key}`, from, to, edges: [edges[at]], via: [] });
  }
  return [...links.values()].flatMap((own) => [...own.values()]);
}

/** Of all edges of a run the places of the nodes at their ends. @param {Model} model */
function endsOf({ memo, edges }) {
  if (!memo.has("ends")) {
    const placesOf = (end) => Int32Array.from(edges, (edge) => edge[end].at);
    memo.set("ends", [placesOf("from"), placesOf("to")]);
  }
  return memo.get("ends");
}

const isLeaf = ({ type }) => type === "leaf" || type === "drawer";

/** Layers from the leaves up; each generation stands on a storey of its own.
 * @param {Item[]} items @param {Link[]} links @returns {{layer: Map<Item, number>, storeys: Storey[]}}
 */
function layersOf(items, links) {
  const [down, up] = [new Map(items.map((item) => [item, []])), new Map(items.map((item) => [item, []]))];
  for (const { from, to } of links)
    if (!isLeaf(to)) {
      down.get(from).push(to);
      up.get(to).push(from);
    }
  const layer = new Map();
  const storeys = [];
  let floor = 0;
  for (const gen of [...new Set(items.map(({ gen }) => gen))].sort((a, b) => a - b)) {
    const own = items.filter((item) => item.gen === gen);
    stack(own, gen, floor, down, layer);
    liftFeeders(own, gen, up, layer);
    const to = Math.max(floor - 1, ...own.map((item) => layer.get(item)));
    storeys.push({ gen, from: floor, to, top: Infinity, bottom: -Infinity });
    floor = to + 1;
  }
  return { layer, storeys };
}

/** Each item above all that it hands gradients to, within its generation. */
function stack(own, gen, floor, down, layer) {
  const busy = new Set();
  const depth = (item) => {
    if (layer.has(item)) return layer.get(item);
    if (busy.has(item)) return floor;
    busy.add(item);
    let at = floor;
    for (const to of down.get(item)) if (to !== item && to.gen === gen) at = Math.max(at, depth(to) + 1);
    layer.set(item, at);
    return at;
  };
  for (const item of [...own].sort((a, b) => a.low - b.low)) depth(item);
}

/** What only leads to leaves stands close to what uses it. */
function liftFeeders(own, gen, up, layer) {
  for (const item of [...own].sort((a, b) => layer.get(b) - layer.get(a))) {
    const users = up.get(item).filter((user) => layer.get(user) > layer.get(item) && user.gen === gen);
    if (!users.length || item.type === "lens") continue;
    layer.set(item, Math.max(layer.get(item), Math.min(...users.map((user) => layer.get(user))) - 1));
  }
}

/** What each item is tied to, place by place along its links. @param {Link[]} links */
export function tiesOf(links) {
  const ties = new Map();
  const tie = (one, other) => {
    if (!ties.has(one)) ties.set(one, []);
    ties.get(one).push(other);
  };
  for (const { from, via, to } of links) {
    const chain = [from, ...via, to];
    for (let i = 0; i + 1 < chain.length; i++) {
      tie(chain[i], chain[i + 1]);
      tie(chain[i + 1], chain[i]);
    }
  }
  return ties;
}
