/**
 * Where things are on the stage at this very moment, while some are still on their way: slots, the mouths at which
 * gradients wait, values and trays, the lines of edges. In pixels of the stage. Pure.
 */

import { leafPlaces } from "./marks.js";
import { inletDeep, mouthX, routeOf } from "./routes.js";
import { LEAF_PIPS, NAME, PIP, slotPlace } from "./sizes.js";

/** @import { Edge, Frame, Item, Layout, Leaf, StageNode } from "./types.js" */

/** @typedef {{x: number, y: number, size: number}} Place */

/** @typedef {{x: number, y: number, w: number, h: number}} Box   around its middle */

/** Of a node that keeps more, the others stand with the last slot that is drawn. */
const SHOWN_SLOTS = 4;

/** @param {Frame} frame @param {Item|undefined} item */
export const spriteOf = ({ sprites }, item) => (item ? sprites.get(item.key) : undefined);

/** The place of a thing with the name that may be at it. @param {Item} item @param {Layout} layout @returns {Box} */
export function boxOf({ x, y, w, h, tag, lens, inlet, over = 0 }, { scale, lying }) {
  const funnel = inlet?.deep ?? 0;
  const above = over + (lens ? 28 : 0) + (lying ? (tag ? NAME : 0) : funnel);
  const right = lying ? funnel : tag;
  return { x: x + (right / 2) * scale, y: y - (above / 2) * scale, w: (w + right) * scale, h: (h + above) * scale };
}

/** What stands on the stage. @param {Layout} layout */
export const thingsIn = (layout) => layout.items.map((item) => boxOf(item, layout));

/** The area that two boxes share. @param {Box} one @param {Box} other */
export function overlapOf(one, other) {
  const shared = (at, size) =>
    Math.max(0, Math.min(one[size], other[size], (one[size] + other[size]) / 2 - Math.abs(one[at] - other[at])));
  return shared("x", "w") * shared("y", "h");
}

/** Of some places the one that covers least of what stands on the stage.
 * @param {Layout} layout @param {Box[]} places
 */
export const freest = (layout, places) => leastCovering(places, thingsIn(layout));

/** How much worse it is to cover a thing than what only may be there. */
const WORSE = 20;

/** The first place that covers nothing, else the one that covers least.
 * @template {Box} Place @param {Place[]} places @param {Box[]} things @param {Box[]} [maybe]  what may be there
 * @returns {Place}
 */
export function leastCovering(places, things, maybe = []) {
  let [found, least] = [places[0], Infinity];
  for (const place of places) {
    const shared = (boxes) => boxes.reduce((sum, each) => sum + overlapOf(place, each), 0);
    const covered = WORSE * shared(things) + shared(maybe);
    if (covered < least) [found, least] = [place, covered];
    if (!covered) break;
  }
  return found;
}

/** Whether a box lies on any of some others. @param {Box} at @param {Box[]} others */
export const covers = (at, others) => others.some((other) => overlapOf(at, other) > 0);

/** The titles of open folds. @param {Frame} frame @returns {Box[]} */
export const titlesIn = ({ targets }) => targets.filter(({ kind }) => kind === "open")
  .map(({ x, y, w, h }) => ({ x: x + w / 2, y: y + h / 2, w, h }));

/** What stands for a node on the stage. @param {Frame} frame @param {StageNode} node @returns {Item|undefined} */
export function itemOf({ layout }, node) {
  const item = layout.owner.get(node);
  return item?.inside ?? item;
}

/** What stands for a leaf. @param {Frame} frame @param {Leaf} leaf @returns {Item|undefined} */
export const plateOf = (frame, leaf) => itemOf(frame, leaf.nodes[0]);

/** @param {Frame} frame @param {StageNode} node @param {import("../scene/types.js").Slot} slot @returns {Place|null} */
export function slotSpot(frame, node, slot) {
  const item = itemOf(frame, node);
  const sprite = spriteOf(frame, item);
  if (!sprite) return null;
  if (item.type !== "node") return { x: sprite.x, y: sprite.y, size: 26 * sprite.scale };
  const place = Math.min(SHOWN_SLOTS - 1, node.slots.indexOf(slot));
  if (place < 0 || !item.slotWidths[place]) return null;
  const { x, y } = slotPlace(item, place);
  return { x: sprite.x + x * sprite.scale, y: sprite.y + y * sprite.scale, size: item.cell * sprite.scale };
}

/** Where gradients wait for a node to run: before its mouth.
 * @param {Frame} frame @param {Item} item @returns {Place|null}
 */
export function mouthOf(frame, item) {
  const sprite = spriteOf(frame, item);
  return sprite ? mouthAt(frame.layout, item, sprite) : null;
}

/** @param {Layout} layout @param {Item} item @param {import("./routes.js").Spot} spot  where it is @returns {Place} */
export function mouthAt({ lying }, item, { x, y, scale }) {
  if (item.type === "leaf") {
    const size = item.compact ? 30 : 36;
    return { x: x + mouthX(item) * scale, y: y + (size / 2 + 1 - item.h / 2) * scale, size: size * scale };
  }
  const off = (inletDeep(item) ? inletDeep(item) - 4 : 17) + (lying ? 0 : item.over ?? 0);
  return lying && item.type !== "drawer" ? { x: x + (item.w / 2 + off) * scale, y, size: 36 * scale }
    : { x, y: y - (item.h / 2 + off) * scale, size: 36 * scale };
}

/** Where the pips of gradients that a thing expects stand, in the neck of its funnel; null where they are too many.
 * @param {Layout} layout @param {Item} item @param {import("./routes.js").Spot} spot @param {number} many
 * @returns {{x: number, y: number}[]|null}
 */
export function pipPlaces({ lying }, item, { x, y, scale }, many) {
  const leaf = item.type === "leaf";
  const how = leaf ? LEAF_PIPS[item.compact ? "compact" : "big"] : item.inlet;
  if (!how || many > how.rows * how.columns) return null;
  const columns = Math.min(many, how.columns);
  const rows = Math.ceil(many / columns);
  const neck = (lying ? columns : rows) * (PIP.room / 2) + PIP.margin / 2;
  const [middle, level] = leaf ? [mouthX(item), -item.h / 2 + (item.compact ? 33.5 : 40)]
    : lying ? [item.w / 2 + neck, 0] : [0, -item.h / 2 - (item.over ?? 0) - neck];
  return Array.from({ length: many }, (_, i) => ({
    x: x + (middle + ((i % columns) - (columns - 1) / 2) * PIP.room) * scale,
    y: y + (level + (Math.floor(i / columns) - (rows - 1) / 2) * PIP.room) * scale,
  }));
}

/** @param {Frame} frame @param {Leaf} leaf @param {"value"|"tray"} which @returns {Place|null} */
export function leafSpot(frame, leaf, which) {
  const item = plateOf(frame, leaf);
  const sprite = spriteOf(frame, item);
  if (!sprite) return null;
  if (item.type !== "leaf") return { x: sprite.x, y: sprite.y + (item.h / 4) * sprite.scale, size: 22 * sprite.scale };
  const places = leafPlaces(item);
  const { x, y } = places[which];
  return { x: sprite.x + x * sprite.scale, y: sprite.y + y * sprite.scale, size: places.side * sprite.scale };
}

/** Where the gradient that a call starts with stands beside its node. @param {Frame} frame @param {StageNode} node */
export function seedSpot(frame, node) {
  const item = itemOf(frame, node);
  const sprite = spriteOf(frame, item);
  if (!sprite) return null;
  const { x, y, scale } = sprite;
  return frame.layout.lying
    ? { x: Math.min(frame.width - 18, x + (item.w / 2 + 26) * scale), y, size: 30 }
    : { x, y: Math.max(16, y - (item.h / 2 + 24) * scale), size: 30 };
}

/** The sign of a node. @param {Frame} frame @param {Item} item @returns {Place|null} */
export function signOf(frame, item) {
  const sprite = spriteOf(frame, item);
  if (!sprite) return null;
  const y = item.type === "node" ? -item.h / 2 + 17 : 0;
  return { x: sprite.x + (item.sign ?? 0) * sprite.scale, y: sprite.y + y * sprite.scale, size: 24 * sprite.scale };
}

/** The line of an edge, null where it is inside a closed card. @param {Frame} frame @param {Edge} edge */
export function edgeRoute(frame, edge) {
  const found = frame.layout.linkOf.get(edge.id);
  return found ? routeOf(frame.layout, found.link, found.place, (item) => spriteOf(frame, item)) : null;
}

/** Where a tensor is seen now: at its leaf, among the plain tensors, or at the node that made it.
 * @param {Frame & {plain?: Map<string, Place>}} frame @param {string|null} tensor @returns {Place|null}
 */
export function tensorSpot(frame, tensor) {
  if (!tensor) return null;
  const { model, moment, plain } = frame;
  if (plain?.has(tensor)) return plain.get(tensor);
  const leaf = model.leaf.get(tensor);
  if (leaf) return leafSpot(frame, leaf, "value");
  const base = model.scene.tensor.get(tensor)?.base;
  const box = model.state.at(tensor, "box", moment.step);
  if (box === null && base) return tensorSpot(frame, base);
  const node = model.node.get(box);
  return node ? signOf(frame, itemOf(frame, node)) : null;
}
