/**
 * What is shown closed: the tree of iterations, calls and lines that nodes are in, opened around the acting node as far
 * as a budget allows. A function of the nodes that have a place, the anchor, and what a person has pinned. Pure.
 */

import { indexAt } from "../scene/state.js";
import { episodeAt, lastOf } from "./model.js";

/** @import { Episode, Fold, Model, StageNode } from "./types.js" */

/** Loose nodes side by side, more than CROWD of them, become blocks of BLOCK. */
const CROWD = 5;
const BLOCK = 6;
/** So many closed folds of a kind, one after the other, become a ladder. */
const LADDER = 3;
/** A graph of more nodes is folded as it will stand when backward begins; a smaller episode keeps all its places. */
export const LARGE = 30;
/** Of a group of so few nodes one stands for all: the fold stays while the acting node goes about in it. */
const COMPANY = 12;
const NEIGHBOURS = 24;
/** The sizes to which a large graph grows in one picture each. */
const FIRST_SIZE = 8;
const GROWTH = 1.7;

/** From where to where the graph is laid out as it will stand at the end: a backward call walks it, or it grows to the
 * next of a few sizes. So a large graph does not move with every node, and has no more room than it soon fills.
 * @param {Model} model @param {number} step
 */
export function phaseAt(model, step) {
  const { from, to, walks } = stretchAt(model, step);
  const since = Math.max(from, lastOf(model.deathSteps, step));
  const whole = `count:${since}:${to}`;
  if (!model.memo.has(whole)) model.memo.set(whole, countOf(model, since, to));
  const large = model.memo.get(whole) > LARGE;
  return { from: since, to: large && !walks ? growsTo(model, step, to) : to, large };
}

/** From the end of the last call to the beginning of the next, or the call itself. */
function stretchAt({ scene }, step) {
  let from = 0;
  for (const call of scene.calls) {
    const end = call.to ?? scene.steps.length;
    if (call.from <= step && step <= end)
      return { from: call.from, to: call.create_graph ? end : call.from, walks: !call.create_graph };
    if (call.from > step) return { from, to: call.from, walks: false };
    from = Math.max(from, end + 1);
  }
  return { from, to: scene.steps.length, walks: false };
}

const countOf = ({ nodes }, from, to) =>
  nodes.reduce((sum, { leaf, born, died }) => sum + (!leaf && born <= to && died > from ? 1 : 0), 0);

/** The step at which a graph that grows has the next of some sizes, each so much larger than the one before. */
function growsTo(model, step, end) {
  const { births } = model;
  const key = "births";
  if (!model.memo.has(key)) {
    const steps = [...births].flatMap(([at, nodes]) => nodes.filter(({ leaf }) => !leaf).map(() => at));
    model.memo.set(key, steps.sort((a, b) => a - b));
  }
  const steps = model.memo.get(key);
  const born = indexAt(steps, step) + 1;
  const now = countOf(model, step, step);
  let size = FIRST_SIZE;
  while (size < now) size = Math.ceil(size * GROWTH);
  return Math.min(end, steps[born + size - now - 1] ?? end);
}

/** The nodes that have a place at a step: those that live and are of now; of a small episode all that it will have, of
 * a large graph all that will be there when backward begins; and what these reach.
 * @param {Model} model @param {number} step @returns {{episode: Episode|null, nodes: StageNode[], key: string}}
 */
export function placedAt(model, step) {
  const episode = episodeAt(model, step);
  const phase = phaseAt(model, step);
  const since = phase.large ? `p${phase.from}-${phase.to}` : `c${lastOf(model.changeSteps, step)}`;
  const key = `placed:${since}:${episode?.key ?? ""}`;
  if (!model.memo.has(key)) model.memo.set(key, { episode, key, nodes: collect(model, step, episode, phase) });
  return model.memo.get(key);
}

function collect(model, step, episode, phase) {
  const found = new Set();
  const ofNow = (node) => node.episode === null || node.episode === episode;
  const lives = (node) => node.born <= (phase.large ? phase.to : step) && node.died > step;
  for (const node of model.nodes) if (!node.leaf && ofNow(node) && lives(node)) found.add(node);
  if (episode && episode.nodes.length <= LARGE) for (const node of episode.nodes) if (!node.leaf) found.add(node);
  const waiting = [...found];
  while (waiting.length)
    for (const { to } of waiting.pop().out)
      if (!to.leaf && !found.has(to) && lives(to)) {
        found.add(to);
        waiting.push(to);
      }
  return [...found].sort((a, b) => a.at - b.at);
}

/** @param {{id: string, kind: string} & Partial<Fold>} parts @returns {Fold} */
const makeFold = (parts) => ({
  title: "", sub: "", line: null, kids: null, node: null, parent: null, depth: 0, count: 0, gen: 0, low: 0, high: 0,
  ...parts,
});

/** The tree of folds over some nodes.
 * @param {Model} model @param {{nodes: StageNode[], key: string}} placed @returns {Fold}
 */
export function treeOf(model, { nodes, key }) {
  const memo = `tree:${key}`;
  if (!model.memo.has(memo)) model.memo.set(memo, makeTree(model, nodes));
  return model.memo.get(memo);
}

function makeTree(model, nodes) {
  const groups = new Map(model.scene.groups.map((group) => [group.id, group]));
  const root = makeFold({ id: "root", kind: "root", kids: [] });
  const known = new Map();
  for (const node of nodes) {
    let at = root;
    for (const id of node.path) {
      if (!known.has(id)) {
        const { title, kind, line } = groups.get(id);
        const made = makeFold({ id, title, kind, line, kids: [], parent: at });
        known.set(id, made);
        at.kids.push(made);
      }
      at = known.get(id);
    }
    at.kids.push(makeFold({ id: node.id, kind: "node", node, parent: at }));
  }
  tidy(root);
  measure(root, 0);
  nameModules(root, "");
  return root;
}

/** Single children go up, and crowds of loose nodes become blocks. @param {Fold} fold */
function tidy(fold) {
  for (const kid of fold.kids) if (kid.kids) tidy(kid);
  while (fold.kind !== "root" && fold.kids.length === 1 && fold.kids[0].kids) {
    const [only] = fold.kids;
    if (only.kind !== "line" && fold.kind === "line") fold.title = only.title;
    fold.kids = only.kids;
  }
  if (fold.kids.filter(({ kids }) => !kids).length > CROWD) fold.kids = inBlocks(fold);
  for (const kid of fold.kids) kid.parent = fold;
}

function inBlocks(fold) {
  const kids = [];
  let block = null;
  for (const kid of fold.kids) {
    if (kid.kids) {
      block = null;
      kids.push(kid);
      continue;
    }
    if (!block || block.kids.length >= BLOCK) {
      block = makeFold({ id: `${fold.id}/${kid.node.id}`, kind: "block", kids: [] });
      kids.push(block);
    }
    block.kids.push(kid);
    kid.parent = block;
  }
  for (const each of kids)
    if (each.kind === "block") each.title = `#${each.kids[0].node.box.nr} – #${each.kids.at(-1).node.box.nr}`;
  return kids.map((each) => (each.kind === "block" && each.kids.length === 1 ? each.kids[0] : each));
}

function measure(fold, depth) {
  fold.depth = depth;
  if (!fold.kids) {
    fold.low = fold.high = fold.node.at;
    fold.count = 1;
    fold.gen = fold.node.gen;
    return;
  }
  for (const kid of fold.kids) measure(kid, depth + 1);
  fold.low = Math.min(...fold.kids.map(({ low }) => low));
  fold.high = Math.max(...fold.kids.map(({ high }) => high));
  fold.count = fold.kids.reduce((sum, { count }) => sum + count, 0);
  fold.gen = fold.kids.reduce((most, { gen }) => Math.max(most, gen), 0);
}

/** A fold of what a module built goes by the path of it (`blocks.1.attn`): better than the third `forward()`. */
function nameModules(fold, above) {
  if (!fold.kids) return;
  const path = fold.kind === "root" ? "" : moduleOf(fold);
  if (path && path !== above && (path.includes(".") || fold.kind === "frame")) {
    fold.sub = fold.kind === "line" ? fold.title : "";
    fold.title = path.slice(path.indexOf(".") + 1);
  }
  for (const kid of fold.kids) nameModules(kid, path || above);
}

/** What all nodes of a fold that a module built have in common of its path. */
function moduleOf(fold) {
  const paths = nodesIn(fold).flatMap(({ box }) => (box.module ? [box.module.split(".")] : []));
  if (!paths.length) return "";
  const shared = (one, other) => one.slice(0, one.findIndex((part, i) => part !== other[i]) >>> 0);
  return paths.reduce(shared).join(".");
}

const memberLists = new WeakMap();

/** The nodes of a fold, in order. @param {Fold} fold @returns {StageNode[]} */
export function nodesIn(fold) {
  if (!memberLists.has(fold)) memberLists.set(fold, fold.kids ? fold.kids.flatMap(nodesIn) : [fold.node]);
  return memberLists.get(fold);
}

/** The fold of a node in a tree. @param {Fold} fold @param {StageNode} node @returns {Fold|null} */
export function find(fold, node) {
  if (!fold.kids) return fold.node === node ? fold : null;
  if (node.at < fold.low || node.at > fold.high) return null;
  for (const kid of fold.kids) {
    const found = find(kid, node);
    if (found) return found;
  }
  return null;
}

/** The node that stands for the small group of another, so that the fold stays as it is while a call goes about in it.
 * @param {Fold} root @param {StageNode} node
 */
export function standIn(root, node) {
  let group = find(root, node);
  if (!group) return node;
  const start = group;
  while (group.parent && group.parent !== root && isCompany(group.parent)) group = group.parent;
  if (group === start) return node;
  const nodes = nodesIn(group);
  return nodes[nodes.length >> 1];
}

const isCompany = ({ low, high, count }) => high - low < NEIGHBOURS && count <= COMPANY;

/** @typedef {{type: "node"|"card"|"ladder", fold?: Fold, folds?: Fold[]}} Piece */

/** What is shown of a tree: nodes, cards of closed folds, ladders of many.
 * @param {Fold} root
 * @param {StageNode|null} anchor  what it is opened around
 * @param {{budget: number, tight: number}} room  `tight`: so many levels before and after the anchor are one card each
 * @param {Map<string, boolean>} pins  folds that a person has opened or shut
 * @returns {{pieces: Piece[], open: Fold[]}}
 */
export function foldTree(root, anchor, { budget, tight }, pins) {
  const target = anchor && find(root, anchor);
  const way = new Set();
  for (let fold = target; fold; fold = fold.parent) way.add(fold);
  const open = new Set([root, ...[...way].filter(({ kids, id }) => kids && pins.get(id) !== false)]);
  for (const [id, isOpen] of pins) if (isOpen) openTo(root, id, open);
  const list = () => piecesOf(root, { open, way, target, tight });
  const at = anchor?.at ?? root.low;
  let pieces = list();
  const tried = new Set();
  while (tried.size < 40) {
    const next = nearest(pieces, at, (fold) => tried.has(fold) || pins.get(fold.id) === false);
    if (!next) break;
    tried.add(next);
    open.add(next);
    const more = list();
    if (costOf(more) <= budget) pieces = more;
    else {
      open.delete(next);
      if (costOf(pieces) > budget * 0.8 || tried.size > 14) break;
    }
  }
  return { pieces, open: [...open] };
}

/** Whether an open fold has a frame around what is in it. @param {Fold} fold @param {Episode|null} episode */
export function isFramed({ id, kind, parent, line }, episode) {
  if (id === "root" || kind === "line" || kind === "block" || kind === "call") return false;
  return !(episode && parent?.id === "root" && kind === "iteration" && episode.line === line);
}

/** Open a fold and all that it is in. */
function openTo(fold, id, open) {
  if (!fold.kids) return false;
  if (fold.id !== id && !fold.kids.some((kid) => openTo(kid, id, open))) return false;
  open.add(fold);
  return true;
}

function nearest(pieces, at, isOut) {
  let best = null;
  let least = Infinity;
  for (const { type, fold, folds } of pieces) {
    if (type === "node") continue;
    for (const each of folds ?? [fold]) {
      if (isOut(each) || !each.kids) continue;
      const away = at < each.low ? each.low - at : at > each.high ? at - each.high : 0;
      if (away + each.count * 0.3 < least) [best, least] = [each, away + each.count * 0.3];
    }
  }
  return best;
}

const COST = { card: 1.1, ladder: 1.3 };
const costOf = (pieces) =>
  pieces.reduce((sum, { type, fold }) => sum + (type === "node" ? (fold.node.view ? 0.4 : 1) : COST[type]), 0);

/** @returns {Piece[]} */
function piecesOf(root, { open, way, target, tight }) {
  const found = [];
  const walk = (fold) => {
    const at = target ? fold.kids.findIndex((kid) => way.has(kid)) : -1;
    if (at >= 0 && fold.depth < tight) return walkTight(fold, at);
    let run = [];
    const flush = () => {
      found.push(...closed(run));
      run = [];
    };
    for (const kid of fold.kids) {
      const isClosed = kid.kids && !open.has(kid);
      if (!isClosed || (run.length && run[0].kind !== kid.kind)) flush();
      if (isClosed) run.push(kid);
      else if (kid.kids) walk(kid);
      else found.push({ type: "node", fold: kid });
    }
    flush();
  };
  /** What lies before and after the way to the anchor is one card each. */
  const walkTight = (fold, at) => {
    const kid = fold.kids[at];
    found.push(...bundle(fold.kids.slice(0, at)));
    if (kid.kids && open.has(kid)) walk(kid);
    else found.push({ type: kid.kids ? "card" : "node", fold: kid });
    found.push(...bundle(fold.kids.slice(at + 1)));
  };
  if (!root.kids.length) return [];
  if (tight < ALONE) walk(root);
  else found.push(...alone(target ?? root, NEARBY[tight - ALONE]));
  return found;
}

/** With so tight a room what lies before, and after, is one card whatever its level, but for what is near the anchor.
 */
export const ALONE = 100;
/** How many neighbours stay by themselves on each side, level by level from the anchor's own up. */
const NEARBY = [[3, 2, 1], [3, 1], [1, 1], [1], []];

/** @param {Fold} target @param {number[]} nearby @returns {Piece[]} */
function alone(target, nearby) {
  const [before, after, first, last] = [[], [], [], []];
  let level = 0;
  for (let fold = target; fold.parent; fold = fold.parent) {
    const { kids } = fold.parent;
    const own = kids.indexOf(fold);
    const near = nearby[level++] ?? 0;
    const open = before.length || after.length ? 0 : near;
    before.unshift(...kids.slice(0, Math.max(0, own - open)));
    first.unshift(...kids.slice(Math.max(0, own - open), own));
    last.push(...kids.slice(own + 1, own + 1 + open));
    after.push(...kids.slice(own + 1 + open));
  }
  const single = [...first, target, ...last].flatMap((fold) => bundle([fold]));
  return [...bundle(before), ...single, ...bundle(after)];
}

/** @param {Fold[]} run @returns {Piece[]} */
const closed = (run) =>
  run.length >= LADDER ? [{ type: "ladder", folds: run }] : run.map((fold) => ({ type: "card", fold }));

/** @param {Fold[]} kids @returns {Piece[]} */
function bundle(kids) {
  if (!kids.length) return [];
  if (kids.length === 1) return [{ type: kids[0].kids ? "card" : "node", fold: kids[0] }];
  return [{ type: "ladder", folds: kids }];
}
