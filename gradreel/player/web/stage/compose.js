/**
 * The layout of a moment: folded as little as lets all be read, standing or lying. A pure function of the step and of
 * the size of the stage: scrubbing gives the same picture from both sides. Layouts are kept, for most steps change
 * nothing that has a place.
 */

import { arrange, leavesShown } from "./arrange.js";
import { ALONE, foldTree, isFramed, phaseAt, placedAt, standIn, treeOf } from "./fold.js";
import { lie } from "./lying.js";
import { isAlive } from "./moment.js";
import { MIN_SCALE } from "./sizes.js";
import { stand } from "./standing.js";
import { sidesOf, sizeFor } from "./tiles.js";

/** @import { BoundName } from "../scene/types.js" */
/** @import { Item, Layout, Model, StageNode } from "./types.js" */
/** @import { Measure } from "./sizes.js" */

/** Budgets of what is open, tried until all can be read; then what lies beside the anchor is one card each. */
const BUDGETS = [40, 26, 18, 14, 11, 9, 7, 5, 3].map((budget) => ({ budget, tight: 0, sparse: false }));
const TIGHT = [
  { budget: 5, tight: 2, sparse: false },
  { budget: 5, tight: 3, sparse: false },
  { budget: 3, tight: 4, sparse: false },
  { budget: 1, tight: 6, sparse: false },
  { budget: 3, tight: 4, sparse: true },
  { budget: 1, tight: ALONE - 1, sparse: false },
  ...[0, 1, 2, 3].flatMap((far) => [false, true].map((sparse) => ({ budget: 1, tight: ALONE + far, sparse }))),
  { budget: 1, tight: ALONE + 4, sparse: true },
];
/** Of a call, the moments at which both ways to lie are compared. */
const MOMENTS = [0.1, 0.4, 0.75];
const CALLS = 2;
const KNOWN = 400;

/**
 * @typedef {{width: number, height: number}} Room  what there is for the graph
 * @typedef {{model: Model, measure: Measure, room: Room, pins: Map<string, boolean>, detail: number, lying:
 *   boolean|null, known: Map<string, Layout>}} Composer  `lying`: null while it is not decided
 */

/** @param {Model} model @param {Measure} measure @returns {Composer} */
export function createComposer(model, measure) {
  const room = { width: 0, height: 0 };
  return { model, measure, room, pins: new Map(), detail: 0, lying: null, known: new Map() };
}

/** Another size of the stage, other pins or more detail: all is laid out anew.
 * @param {Composer} composer @param {Partial<Composer>} change
 */
export function recompose(composer, change) {
  Object.assign(composer, change);
  composer.known.clear();
  if (change.room) composer.lying = null;
}

/** @param {Composer} composer @param {number} step @param {BoundName[]} names @returns {Layout} */
export function layoutAt(composer, step, names) {
  const { model } = composer;
  composer.lying ??= liesDown(composer);
  const placed = placedAt(model, step);
  const named = new Set(names.map(({ tensor }) => tensor));
  const leaves = leavesShown(model, placed, step, named);
  const shown = leaves.map(({ tensor }) => tensor).join();
  const anchor = anchorAt(composer, step, placed, leaves, shown);
  return composeAround(composer, anchor, placed, leaves, shown);
}

/** What the fold is built around: what stands for the group of the acting node, if the acting node is seen then. */
function anchorAt(composer, step, placed, leaves, shown) {
  const { model } = composer;
  const acting = actingAt(model, step, placed);
  if (!acting) return null;
  const stands = standIn(treeOf(model, placed), acting);
  if (stands === acting) return acting;
  const owner = composeAround(composer, stands, placed, leaves, shown).owner.get(acting);
  return owner && owner.type !== "card" && owner.type !== "ladder" ? stands : acting;
}

/** The node that a step is about, or that was the last to be built. @returns {StageNode|null} */
export function actingAt(model, step, { nodes }) {
  const focus = model.focus[step];
  if (focus && nodes.includes(focus) && (isAlive(focus, step) || phaseAt(model, step).large)) return focus;
  return nodes.findLast((node) => isAlive(node, step)) ?? nodes.at(-1) ?? null;
}

function composeAround(composer, anchor, placed, leaves, shown) {
  const { room, lying } = composer;
  const key = [anchor?.id, placed.key, shown, lying].join("|");
  const known = composer.known.get(key);
  if (known) return known;
  const root = treeOf(composer.model, placed);
  const tried = new Map();
  const fold = (how) => {
    const { pieces, open } = foldTree(root, anchor, how, composer.pins);
    const sign = `${how.sparse}:${pieces.map(signOf).join("|")}`;
    if (!tried.has(sign)) {
      const about = { lying, measure: composer.measure, about: anchor, sparse: how.sparse };
      const made = arrange(composer.model, pieces, leaves, { ...room, ...about });
      const framed = open.some((each) => isFramed(each, placed.episode));
      tried.set(sign, { ...made, open, ...(lying ? lie : stand)({ ...made, framed }, room) });
    }
    return tried.get(sign);
  };
  const made = mostThatFits(budgetsOf(composer), fold);
  const layout = finish(made, { key, room, episode: placed.episode, tileOn: tilesOn(composer) });
  if (composer.known.size > KNOWN) composer.known.clear();
  composer.known.set(key, layout);
  return layout;
}

/** Of ever smaller budgets the first whose picture can be read, found by halves; if none, the one that is largest. */
function mostThatFits(budgets, fold) {
  let [low, high] = [0, budgets.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fold(budgets[middle]).wanted >= MIN_SCALE) high = middle;
    else low = middle + 1;
  }
  const found = fold(budgets[low]);
  if (found.wanted >= MIN_SCALE) return found;
  const last = fold(budgets.at(-1));
  return last.wanted > found.wanted ? last : found;
}

/** With less detail asked for, the larger budgets are left out. */
function budgetsOf({ detail }) {
  return [...BUDGETS.slice(Math.max(0, Math.min(BUDGETS.length - 1, -detail))), ...TIGHT];
}

const signOf = ({ type, fold, folds }) => (folds ? `${folds[0].id}~${folds.length}` : `${type}${fold.id}`);

/** How large the tiles of what goes over an edge become, drawn at a size, for their numbers at most at another.
 * @param {Composer} composer @returns {Layout["tileOn"]}
 */
function tilesOn({ model: { scene, state }, measure }) {
  const pen = { measure, zoom: 1 };
  return (size, most = size) => ({ id }) => {
    const places = new Set(state.track(id, "value")?.values ?? []);
    const sides = [...places].filter((place) => place !== null).map((place) => {
      const value = scene.values[place];
      return sidesOf(pen, value, sizeFor(pen, value, size, most));
    });
    return [0, 1].map((side) => Math.max(size * 0.7, ...sides.map((each) => each[side])));
  };
}

/** @returns {Layout} */
function finish(made, { key, room, episode, tileOn }) {
  const { items, plates, shelf, links } = made;
  return {
    ...made,
    key,
    ...room,
    episode,
    tileOn,
    items: [...items, ...plates.filter(({ inside }) => !inside), ...shelf.filter(({ type }) => type === "drawer")],
    ...indexLinks(links),
  };
}

/** The links by edge, and in and out of each item from left to right. */
function indexLinks(links) {
  const linkOf = new Map();
  const outs = new Map();
  const ins = new Map();
  const put = (map, item, link) => (map.has(item) ? map.get(item).push(link) : map.set(item, [link]));
  for (const link of links) {
    link.edges.forEach(({ id }, place) => linkOf.set(id, { link, place }));
    put(outs, link.from, link);
    put(ins, link.to, link);
  }
  const next = ({ via, to }) => via[0] ?? to;
  const last = ({ via, from }) => via.at(-1) ?? from;
  for (const list of outs.values()) list.sort((a, b) => next(a).x - next(b).x || next(a).y - next(b).y);
  for (const list of ins.values()) list.sort((a, b) => last(a).x - last(b).x || last(a).y - last(b).y);
  return { linkOf, outs, ins };
}

/** Whether graphs of a run read better lying: decided once for a size, at moments of its first calls.
 * @param {Composer} composer
 */
function liesDown(composer) {
  const { model } = composer;
  let [lying, standing] = [0, 0];
  for (const { from, to } of model.scene.calls.slice(0, CALLS))
    for (const share of MOMENTS) {
      const step = Math.min(Math.round(from + ((to ?? from) - from) * share), model.state.last);
      if (placedAt(model, step).nodes.some(({ gen }) => gen > 0)) lying += 9;
      lying += readability(composer, step, true);
      standing += readability(composer, step, false) + 0.15;
    }
  return lying > standing;
}

function readability(composer, step, lying) {
  const { room } = composer;
  const placed = placedAt(composer.model, step);
  const leaves = leavesShown(composer.model, placed, step, new Set());
  const acting = actingAt(composer.model, step, placed);
  const layout = composeAround({ ...composer, lying, known: new Map() }, acting, placed, leaves, "");
  const all = Math.max(1, placed.nodes.length);
  const single = layout.items.filter(({ type }) => type === "node" || type === "lens");
  const shown = single.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const size = Math.min(1.15, layout.wanted) - (layout.wanted < MIN_SCALE ? 6 * (MIN_SCALE - layout.wanted) : 0);
  return 1.2 * covered(layout, room) + size + 1.2 * Math.min(1, shown / Math.min(all, 24));
}

/** The share of the stage that a layout spans.
 * @param {{items: {x: number, y: number, w: number, h: number}[], scale: number}} layout @param {Room} room
 */
export function covered({ items, scale }, { width, height }) {
  if (!items.length) return 0;
  const span = (at, size) => {
    const ends = [-1, 1].map((way) => items.map((item) => item[at] + way * (item[size] / 2) * scale));
    return Math.max(...ends[1]) - Math.min(...ends[0]);
  };
  return Math.min(1, (span("x", "w") * span("y", "h")) / (width * height));
}

