/**
 * What is shown of graphs that are gone. The turns of a loop and the calls that were released stand as one card each,
 * in the place where they were, until they are opened there. Where nothing of any graph is left, what there was when
 * something was last built stays to be seen, as a shade. Pure.
 */

import { countsAt, isAnyBuilt, isAnyPresent, isPresent } from "../scene/moment.js";
import { valueAt } from "../scene/state.js";
import { measureGroup } from "./card.js";

/** @typedef {{x: number, y: number, width: number, height: number}} Rect */
/**
 * @typedef {{id: string, group: any, cards: any[], boxes: string[], tracks: any[], rect: Rect}} Turn  the card of a
 *   group that is gone
 */
/** @typedef {{turns: Turn[], gone: Set<string>, covered: Set<string>, shades: Set<string>}} Ghosts  ids of groups that
 *   are gone, of cards behind a turn's card, and of cards that are seen as shades
 */

/** @type {Ghosts} */
export const NONE = { turns: [], gone: new Set(), covered: new Set(), shades: new Set() };

/** A card may be this much wider than the frame of its group. */
const WIDER = 16;
const INSIDE = 12;

/**
 * @param {any} frame  {picture, state, step, measure}
 * @param {Set<string>} turned  ids of groups that a person opened, or shut
 * @returns {Ghosts}
 */
export function ghostsAt({ picture, state, step, measure }, turned) {
  const last = new Set(lastGraph(picture, state, step).map((card) => card.id));
  const found = { turns: [], gone: new Set(), covered: new Set(), shades: new Set(last) };
  for (const { group, rect, cards } of [...picture.outlines].sort((a, b) => a.group.depth - b.group.depth)) {
    if (!isGone(cards, step)) continue;
    found.gone.add(group.id);
    if (cards.every((card) => found.covered.has(card.id))) continue;
    const open = turned.has(group.id) !== cards.some((card) => last.has(card.id));
    const behind = open ? found.shades : found.covered;
    for (const card of cards) if (!open || card.box) behind.add(card.id);
    if (!open)
      found.turns.push(turnOf(group, cards, placed(rect, measureGroup(group, measure, "released"), picture.sideways)));
  }
  for (const id of found.covered) found.shades.delete(id);
  return found;
}

const turnOf = (group, cards, rect) => ({
  id: group.id,
  group,
  cards,
  rect,
  boxes: cards.flatMap((card) => card.boxes),
  tracks: cards.flatMap((card) => card.tracks),
});
const alive = (card, step) => (card.box ? isPresent(valueAt(card.track, step)) : isAnyPresent(countsAt(card, step)));
const started = (card, step) => (card.box ? valueAt(card.track, step) !== null : isAnyBuilt(countsAt(card, step)));
const isLeaf = (card) => card.box?.kind === "leaf" || card.group?.kind === "leaves";

/** Whether something was there and nothing of it is left. */
function isGone(cards, step) {
  return cards.some((card) => started(card, step)) && !cards.some((card) => alive(card, step));
}

/** Of the cards of a picture those that are no leaves, in the order in which they were built, and one that was there
 * when last looked for: to look through thousands at every step would take longer than to paint them.
 * @type {WeakMap<any[], {nodes: any[], there: any}>}
 */
const known = new WeakMap();

/** Whether a node was there and none is left. */
function allGone(cards, step) {
  if (!known.has(cards)) known.set(cards, { nodes: cards.filter((card) => !isLeaf(card)), there: null });
  const found = known.get(cards);
  if (!found.nodes.length || !started(found.nodes[0], step)) return false;
  if (!found.there || !alive(found.there, step)) found.there = found.nodes.find((card) => alive(card, step)) ?? null;
  return !found.there;
}

/** Where no node is left: the cards that were there when a node was last built. */
function lastGraph({ cards }, state, step) {
  if (!allGone(cards, step)) return [];
  const { nodes } = known.get(cards);
  const latest = nodes.reduce((most, { tracks }) => Math.max(most, ...tracks.map((track) => builtBy(track, step))), -1);
  return cards.filter((card) => card.box && !alive(card, step) && isPresent(state.at(card.id, "state", latest)));
}

/** The step at which a box was built, if that was before `step`. */
function builtBy(track, step) {
  const at = track?.steps[track.values.indexOf("built")] ?? -1;
  return at <= step ? at : -1;
}

/** A card at the beginning of the frame of its group. @returns {Rect} */
function placed(frame, size, sideways) {
  const [width, height] = [Math.min(size.width, frame.width + WIDER), size.height];
  if (sideways) return { x: frame.x + INSIDE, y: frame.y + (frame.height - height) / 2, width, height };
  return { x: frame.x + (frame.width - width) / 2, y: frame.y + INSIDE, width, height };
}

/** Where what is still there stands that a graph that is gone led to.
 * @param {Turn} turn @param {any} picture @param {number} step @returns {Rect[]} the cards at the other ends
 */
export function leadsTo({ cards }, picture, step) {
  const inside = new Set(cards.map((card) => card.id));
  const ends = new Set(
    picture.links.filter((link) => inside.has(link.from) && !inside.has(link.to)).map((link) => link.to),
  );
  return [...ends]
    .map((id) => picture.card.get(id))
    .filter((card) => !isLeaf(card) && alive(card, step))
    .map((card) => card.rect);
}
