/**
 * What a frame of the stage shows, in numbers: for tests and for measuring what the stage promises.
 */

import { actingAt, covered } from "./compose.js";
import { placedAt } from "./fold.js";
import { isAlive } from "./moment.js";
import { boxOf, edgeRoute, itemOf, slotSpot } from "./places.js";
import { FUNNEL } from "./sizes.js";

/** @import { Frame } from "./types.js" */

const SINGLE = new Set(["node", "lens", "leaf"]);

/** @param {Frame} frame @param {Pick<import("./pen.js").Pen, "least"|"written"|"tiles">} pen  as it drew the frame */
export function lookAt(frame, { least, written, tiles }) {
  const { layout, sprites, width, height } = frame;
  const items = [...sprites.values()].filter(({ gone }) => !gone).map(({ item }) => item);
  return {
    width,
    height,
    least,
    scale: layout.scale,
    span: covered({ items: items.map((item) => boxOf(item, layout)), scale: 1 }, { width, height }),
    acting: actingIn(frame),
    wires: wiresIn(frame),
    acts: actsIn(frame),
    texts: written ?? [],
    tiles: (tiles ?? []).map(({ value, x, y }) => ({ value: frame.model.scene.values.indexOf(value), x, y })),
    targets: frame.targets.map((target) => ({ ...target, funnel: funnelOf(layout, target) })),
  };
}

/** How high the funnel of a leaf is, which has no rim of a card. */
function funnelOf({ items, scale }, { kind, label }) {
  const compact = kind === "leaf" && items.find(({ key }) => key === label)?.compact;
  return kind === "leaf" ? FUNNEL[compact ? "compact" : "big"] * scale : 0;
}

/** The acting node, and whether it is seen by itself. */
function actingIn({ model, moment, layout, sprites }) {
  const node = actingAt(model, moment.step, placedAt(model, moment.step));
  if (!node || !isAlive(node, moment.step)) return null;
  const item = layout.owner.get(node);
  return { id: node.id, seen: Boolean(item && SINGLE.has(item.type) && sprites.has(item.key)) };
}

/** How many edges into leaves there are, and how many are drawn, or lie in the card of their leaf. */
function wiresIn(frame) {
  const { model, moment, layout } = frame;
  let [all, reach] = [0, 0];
  for (const node of placedAt(model, moment.step).nodes) {
    if (!isAlive(node, moment.step)) continue;
    for (const edge of node.out) {
      if (!edge.to.leaf || !layout.owner.get(edge.to)) continue;
      all++;
      if (itemOf(frame, node) === itemOf(frame, edge.to) || edgeRoute(frame, edge)) reach++;
    }
  }
  return { all, reach };
}

/** The sums and freeings of the step, and whether each has a place to be seen at. */
function actsIn(frame) {
  return frame.moment.acts
    .filter(({ type }) => type === "meet" || type === "free" || type === "store")
    .map(({ type, node, slot, leaf }) => ({
      type,
      seen: Boolean(type === "free" ? slotSpot(frame, node, slot) : itemOf(frame, node ?? leaf.nodes.at(-1))),
    }));
}
