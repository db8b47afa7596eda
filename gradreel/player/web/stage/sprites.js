/**
 * Things on their way to their places: each nears its target, so an interrupted move never jumps. What is new comes out
 * of the card that held it, what goes sinks into the card that holds it now, or flies into its frame of the film. None
 * slides over another: what would fades in at its place, and what fades in waits until its place is free.
 */

import { isPresent } from "./marks.js";

/** @import { Item, Layout, Sprite } from "./types.js" */

/** Milliseconds in which two thirds of the way are gone. */
const MOVE = 120;
const FADE = 90;
const RISE = 30;
const SINK = 26;
/** What comes is so large at first. */
const SMALL = 0.7;

/** Aim all sprites at a layout.
 * @param {Map<string, Sprite>} sprites  changed in place
 * @param {Layout} layout @param {number} step
 * @param {(episode: any) => {x: number, y: number}|null} filmSpot  where the frame of an episode is
 */
export function aim(sprites, layout, step, filmSpot) {
  const seen = new Set();
  const before = [...sprites.values()].filter(({ gone }) => !gone);
  for (const item of layout.items) {
    if (!isPresent(item, step)) continue;
    seen.add(item.key);
    const to = { x: item.x, y: item.y, scale: layout.scale, alpha: 1, size: 1 };
    const known = sprites.get(item.key);
    if (known) Object.assign(known, { item, to, gone: false });
    else sprites.set(item.key, { item, to, gone: false, ...birth(before, item, to) });
  }
  for (const sprite of crossing(before.filter(({ item: { key } }) => seen.has(key))))
    Object.assign(sprite, sprite.to, { alpha: 0, size: SMALL });
  for (const [key, sprite] of sprites)
    if (!seen.has(key) && !sprite.gone)
      Object.assign(sprite, { gone: true, to: grave(sprites, layout, sprite, seen, filmSpot) });
}

/** Where a thing comes from: the card that held it, else from a little above, leaves from below. */
function birth(before, item, { x, y, scale }) {
  const [first] = item.nodes;
  const held = ({ item: { nodes } }) => nodes.length > item.nodes.length && nodes.includes(first);
  const card = first && before.find(held);
  if (card) return { x: card.x, y: card.y, scale, alpha: 0, size: 0.5 };
  return { x, y: y + (item.nodes.length ? -RISE : RISE), scale, alpha: 0, size: SMALL };
}

/** Those that would slide over others: of two that do, the one with the longer way. @param {Sprite[]} sprites */
function crossing(sprites) {
  const wayOf = ({ x, y, to }) => Math.abs(to.x - x) + Math.abs(to.y - y);
  const found = new Set();
  for (const one of sprites.filter((each) => wayOf(each) > 1))
    for (const other of sprites)
      if (other !== one && wayOf(other) <= wayOf(one) && !found.has(other) && meet(one, other)) found.add(one);
  return found;
}

/** Whether two lie on one another now, or will on their way, and do not where they go.
 * @param {Sprite} one @param {Sprite} other
 */
function meet(one, other) {
  let [from, to] = [0, 1];
  let rests = true;
  for (const [at, size] of SIDES) {
    const [far, near] = [one[at] - other[at], one.to[at] - other.to[at]];
    const [now, then] = [one, one.to].map((each, i) =>
      (one.item[size] * each.scale + other.item[size] * [other, other.to][i].scale) / 2);
    for (const way of [-1, 1]) {
      // At a share of the way they are so far beyond each other on this side.
      const [begin, end] = [way * far - now, way * near - then];
      if (begin >= 0 && end >= 0) return false;
      if (begin >= 0) from = Math.max(from, begin / (begin - end));
      if (end >= 0) [to, rests] = [Math.min(to, begin / (begin - end)), false];
    }
  }
  return from < to && !rests;
}

/** @type {["x"|"y", "w"|"h"][]} */
const SIDES = [["x", "w"], ["y", "h"]];

function grave(sprites, layout, { item, x, y, scale }, seen, filmSpot) {
  const [first] = item.nodes;
  const into = first && layout.owner.get(first);
  const card = into && seen.has(into.key) && sprites.get(into.key);
  const gone = { x, y: y + SINK, scale, alpha: 0, size: 0.55 };
  if (card) return { ...gone, x: card.to.x, y: card.to.y };
  const film = first?.episode && first.episode !== layout.episode ? filmSpot(first.episode) : null;
  return film ? { ...gone, ...film, size: 0.12 } : gone;
}

/** Let all go on for some milliseconds.
 * @param {Map<string, Sprite>} sprites @param {number} milliseconds @returns {boolean} whether anything moves
 */
export function ease(sprites, milliseconds) {
  const move = 1 - Math.exp(-milliseconds / MOVE);
  const fade = 1 - Math.exp(-milliseconds / FADE);
  let moves = false;
  for (const sprite of sprites.values()) {
    const { to } = sprite;
    const away = Math.abs(to.x - sprite.x) + Math.abs(to.y - sprite.y);
    moves ||= away > 0.3 || Math.abs(to.alpha - sprite.alpha) > 0.01 || Math.abs(to.scale - sprite.scale) > 0.002;
    for (const part of ["x", "y", "scale", "size"]) sprite[part] += (to[part] - sprite[part]) * move;
  }
  const shown = [...sprites.values()].filter(({ gone, alpha }) => !gone && alpha > 0);
  for (const [key, sprite] of sprites) {
    if (!sprite.gone && sprite.alpha === 0) {
      if (shown.some((other) => meet(sprite, other))) continue;
      shown.push(sprite);
    }
    sprite.alpha += (sprite.to.alpha - sprite.alpha) * (sprite.gone ? move : fade);
    if (sprite.gone && sprite.alpha < 0.02) sprites.delete(key);
  }
  return moves;
}

/** Let all be where they go. @param {Map<string, Sprite>} sprites */
export function settle(sprites) {
  for (const [key, sprite] of sprites) {
    if (sprite.gone) sprites.delete(key);
    else Object.assign(sprite, sprite.to);
  }
}
