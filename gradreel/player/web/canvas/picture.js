/**
 * The picture of a scene with some groups folded: its cards, links, chips and outlines with their places. It is made
 * once and again only when something is folded; what changes from step to step is painted on top of it.
 */

import { layout } from "../layout/layout.js";
import { fleeting } from "../layout/routing.js";
import { linksOf, unitsOf } from "../scene/grouping.js";
import { nameOf } from "../scene/histories.js";
import { leafChipText, measureCard, measureGroup, pillText, pillWidth, SMALL } from "./card.js";

const TIE = 16;
const ABOVE = 26;
const BELOW = 34;
/** Room at the left for the gradient that a graph drawn from left to right begins with. */
const BEFORE = 40;
const OUTLINED = new Set(["iteration", "frame", "call"]);

/** @param {any} scene  as moment.indexed gives it
 * @param {ReturnType<typeof import("../scene/state.js").createState>} state
 * @param {ReturnType<typeof import("../scene/grouping.js").groupTree>} tree
 * @param {Set<string>} folded
 * @param {import("./card.js").Measure} measure
 * @param {{sideways?: boolean}} [how]
 */
export function compose(scene, state, tree, folded, measure, { sideways = false } = {}) {
  const { units, unitOf } = unitsOf(tree, folded);
  const pills = widestPills(scene, state, unitOf, measure);
  const cards = units.map((unit) => {
    const box = unit.group ? null : scene.box.get(unit.id);
    const size = box ? measureCard(box, measure) : measureGroup(unit.group, measure);
    return { ...unit, box, slots: size.chips, size, rect: null, ...tracksOf(unit, state) };
  });
  const links = linksOf(scene.wires, unitOf);
  const { places, chips, routes, bounds } = layout(
    cards.map(({ id, box, group, size }) => ({
      id,
      width: size.width,
      height: size.height,
      right: pills.has(id) ? pills.get(id) + TIE : 0,
      below: pills.has(id) ? BELOW : 0,
      leaf: isLeaf({ box, group }),
      folded: !box,
      chipWidth: isLeaf({ box, group })
        ? Math.round(Math.max(44, measure(leafChipText({ box, group }), SMALL) + 30))
        : 0,
    })),
    links,
    { sideways },
  );
  for (const card of cards) card.rect = places.get(card.id);
  const frames = outlines(tree, folded, cards);
  const fed = new Set(links.map((link) => link.to));
  const card = new Map(cards.map((item) => [item.id, item]));
  const [leaves, others] = [cards.filter(isLeaf), cards.filter((item) => !isLeaf(item))].map((list) =>
    list.map((item) => item.rect),
  );
  const drawn = links.map((link) => {
    const route =
      routes.get(link.id) ?? fleeting(card.get(link.from).rect, card.get(link.to).rect, { leaves, others }, sideways);
    const tracks = link.wires.map((wire) => state.track(wire.id, "state"));
    return { ...link, route, fleeting: !routes.has(link.id), bounds: boundsOf(route.points), tracks };
  });
  return {
    cards,
    card,
    links: drawn,
    chips: chips.map((chip) => ({ ...chip, box: scene.box.get(chip.leaf) ?? null, group: card.get(chip.leaf).group })),
    sideways,
    roots: cards.filter((item) => !fed.has(item.id) && item.box?.kind !== "leaf"),
    outlines: frames,
    unitOf,
    bounds: widened(sideways ? { ...bounds, x: bounds.x - BEFORE, width: bounds.width + BEFORE } : bounds, frames),
  };
}

/** The track of a box's own state, and those of all boxes behind a card. */
function tracksOf({ id, boxes }, state) {
  return { track: state.track(id, "state"), tracks: boxes.map((box) => state.track(box, "state")) };
}

const isLeaf = ({ box, group }) => box?.kind === "leaf" || group?.kind === "leaves";

function boundsOf(points) {
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** The same picture of a scene with other values: everything stays where it is. */
export function rebind(picture, scene, state) {
  const cards = picture.cards.map((card) => ({
    ...card,
    box: card.box && scene.box.get(card.id),
    counted: undefined,
    ...tracksOf(card, state),
  }));
  return {
    ...picture,
    cards,
    card: new Map(cards.map((card) => [card.id, card])),
    roots: picture.roots.map((root) => cards.find((card) => card.id === root.id)),
    links: picture.links.map((link) => ({
      ...link,
      seen: undefined,
      tracks: link.wires.map((wire) => state.track(wire.id, "state")),
    })),
    chips: picture.chips.map((chip) => ({ ...chip, box: scene.box.get(chip.leaf) ?? null })),
    outlines: picture.outlines.map((frame) => ({
      ...frame,
      cards: cards.filter((card) => frame.cards.some((old) => old.id === card.id)),
    })),
  };
}

/** For each unit, the width of the widest name that is ever tied to it. */
function widestPills(scene, state, unitOf, measure) {
  const widest = new Map();
  for (const [name, tensors] of tensorsByName(state)) {
    for (const tensor of tensors) {
      for (const id of new Set(state.track(tensor, "box")?.values)) {
        const box = scene.box.get(id);
        if (!box || (box.kind === "leaf" && box.variable === name)) continue;
        const unit = unitOf.get(id);
        const versions = state.track(tensor, "version")?.values.filter(Number) ?? [];
        const width = pillWidth(pillText(name, scene.tensor.get(tensor), Math.max(0, ...versions)), measure);
        widest.set(unit, Math.max(widest.get(unit) ?? 0, width));
      }
    }
  }
  return widest;
}

/** The tensors that each name ever stands for: the same names stand for the same in call after call.
 * @returns {Map<string, Set<string>>}
 */
function tensorsByName(state) {
  const found = new Map();
  const keys = state.keys("name:");
  state.each("name:", "tensor", (place, _, values, from, to) => {
    const { name } = nameOf(keys[place]);
    let tensors = found.get(name);
    if (!tensors) found.set(name, (tensors = new Set()));
    for (let at = from; at < to; at++) if (values[at] !== null) tensors.add(values[at]);
  });
  return found;
}

/** A frame around each open group whose cards stand together, with no other card and no part of another frame between
 * them.
 */
function outlines(tree, folded, cards) {
  if (cards.length > 600) return [];
  const found = [];
  const inner = new Map();
  const groups = [...tree.groups.values()].filter(
    (group) => OUTLINED.has(group.kind) && !folded.has(group.id) && group.boxes.length > 1,
  );
  for (const group of groups.sort((a, b) => b.depth - a.depth)) {
    const members = new Set(group.boxes);
    const inside = cards.filter((card) => members.has(card.boxes[0]));
    const within = found.filter((other) => other.cards.every((card) => members.has(card.boxes[0])));
    if (inside.length === cards.length || within.some((other) => other.cards.length === inside.length)) continue;
    const level = Math.max(0, ...within.map((other) => inner.get(other.group.id) + 1));
    const frame = around(inside.map((card) => card.rect), 12 + 7 * level, 14 + 20 * level);
    if (cards.some((card) => !inside.includes(card) && overlap(card.rect, frame))) continue;
    if (found.some((other) => !within.includes(other) && overlap(other.rect, frame))) continue;
    inner.set(group.id, level);
    found.push({ group, rect: frame, cards: inside });
  }
  return found;
}

/** The bounds with the frames in them, and the gradients that come in at the top. */
function widened(bounds, frames) {
  const rects = [{ ...bounds, y: -ABOVE, height: bounds.height + ABOVE }, ...frames.map((frame) => frame.rect)];
  const x = Math.min(...rects.map((rect) => rect.x));
  const y = Math.min(...rects.map((rect) => rect.y));
  const right = Math.max(...rects.map((rect) => rect.x + rect.width));
  const bottom = Math.max(...rects.map((rect) => rect.y + rect.height));
  return { x, y, width: right - x, height: bottom - y };
}

export function around(rects, margin, above) {
  const x = Math.min(...rects.map((rect) => rect.x)) - margin;
  const y = Math.min(...rects.map((rect) => rect.y)) - margin - above;
  const right = Math.max(...rects.map((rect) => rect.x + rect.width)) + margin;
  const bottom = Math.max(...rects.map((rect) => rect.y + rect.height)) + margin;
  return { x, y, width: right - x, height: bottom - y };
}

/** @returns {boolean} whether two rectangles share more than an edge */
export function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Whether two scenes have the same boxes on the same lines, slots and wires, whatever their values. */
export function sameShape(scene, next) {
  const slots = (box) => [...box.slots, ...(box.numbers ?? [])].map((slot) => slot.name).sort();
  const sign = ({ boxes, wires }) =>
    JSON.stringify([
      boxes.map((box) => [box.id, box.name, box.line, slots(box)]),
      wires.map((wire) => [wire.from, wire.to]),
    ]);
  return scene.steps.length === next.steps.length && sign(scene) === sign(next);
}
