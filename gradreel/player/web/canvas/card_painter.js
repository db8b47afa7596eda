/**
 * Cards on the canvas: a node with its slot chips, a leaf with its bucket, a folded group, the chip of a shared leaf, a
 * name's pill.
 */

import { shortenName } from "../lib/format.js";
import { boxAt, countsAt, isAnyBuilt, isAnyPresent, isPresent, leafName, sumAt } from "../scene/moment.js";
import {
  CHIP_HEIGHT, fit, generation, groupStanding, groupTitle, leafChipText, leafLines, SIGN, SIGNED, slotText, SMALL,
  standing, sumLine, TITLE, where,
} from "./card.js";
import { box as rounded, sign, text } from "./pen.js";

const PAD = 14;
/** How opaque is what is gone. */
const GHOST = 0.65;

/** How opaque a card is at a step: boxes that are gone leave nothing, folded groups a shade.
 * @returns {number}
 */
export function opacity(card, state, step) {
  if (card.box) return isPresent(state.at(card.id, "state", step)) ? 1 : 0;
  const counts = countsAt(card, step);
  if (!isAnyBuilt(counts)) return 0;
  return isAnyPresent(counts) ? 1 : GHOST;
}

/** @param {CanvasRenderingContext2D} context
 * @param {any} card
 * @param {any} brush  {state, scene, colours, measure, step, bold}
 */
export function paintCard(context, card, brush) {
  if (!card.box) return paintGroup(context, card, brush);
  const now = boxAt(brush.state, card.box, brush.step);
  if (!isPresent(now.state)) return undefined;
  return card.box.kind === "leaf" ? paintLeaf(context, card, now, brush) : paintNode(context, card, now, brush);
}

/** The line in which gradients add up. */
function paintSum(context, box, rect, y, { colours, measure, scene, state, step }) {
  const sum = box.adds && sumAt(state, box, step);
  if (!sum) return;
  const room = rect.width - 2 * PAD;
  const line = sumLine(sum, (index) => scene.values[index], Math.floor(room / measure("0", 12, true)));
  text(context, fit(line, room, 12, measure, true), rect.x + PAD, rect.y + y, 12, colours.ink, true);
}

function paintNode(context, card, now, brush) {
  const { colours, measure } = brush;
  const { box, rect } = card;
  const { x, y, width, height } = rect;
  const look = lookOf(now, box, colours);
  const failed = now.state === "failed";
  if (failed) rounded(context, x - 6, y - 4, width + 12, height + 8, 14, { stroke: fade(colours.bad, 0.3), line: 9 });
  rounded(context, x, y, width, height, 10, look);
  const empty = now.slots.length > 0 && now.slots.every((slot) => slot.state === "freed") && failed;
  const title = `${box.name}${empty ? "   empty" : ""}`;
  const order = generation(box);
  const tag = order ? measure(order, SMALL) + 8 : 0;
  text(
    context,
    fit(title, width - 2 * PAD - 16 - tag, TITLE, measure, failed),
    x + PAD,
    y + 20,
    TITLE,
    colours.ink,
    failed,
  );
  if (order) text(context, order, x + width - PAD - 12 - tag, y + 20, SMALL, generationColour(box, colours));
  const signName = now.state === "empty" ? "ran" : now.state;
  sign(context, signName, x + width - PAD - 3, y + 16, failed ? colours.bad : look.sign, 0.85);
  const line = [where(box), standing(box, now)].filter(Boolean).join(" · ");
  text(context, fit(line, width - 2 * PAD, SMALL, measure), x + PAD, y + 37, SMALL, colours.soft);
  paintSum(context, box, rect, 54, brush);
  now.slots.forEach((slot, i) => paintSlot(context, slot, card.slots[i], { rect, colours, measure, failed }));
}

function lookOf(now, box, colours) {
  const edge = box.generation > 0 ? generationColour(box, colours) : null;
  switch (now.state) {
    case "failed":
      return { fill: colours["bad-bg"], stroke: colours.bad, line: 2.5 };
    case "running":
      return { fill: colours["run-bg"], stroke: colours.run, line: 2, sign: colours.run };
    case "ready":
      return { fill: colours.panel, stroke: colours.run, line: 1.5, sign: colours.run };
    case "ran":
    case "empty":
      return { fill: colours.panel, stroke: edge ?? colours.gone, line: 1, sign: colours.soft };
    default:
      return { fill: colours.panel, stroke: edge ?? colours.live, line: 1.25 };
  }
}

function paintSlot(context, { slot, state, found }, place, { rect, colours, measure, failed }) {
  if (state === null || !place) return;
  const x = rect.x + place.x;
  const y = rect.y + place.y;
  const looks = {
    held: { fill: colours["live-bg"], stroke: colours.live },
    retained: { fill: colours["live-bg"], stroke: colours.live, line: 1.5 },
    freed: { stroke: failed ? colours.bad : colours.gone, dash: [3, 2] },
    stale: { fill: colours["bad-bg"], stroke: colours.bad, line: 1.5 },
  };
  const label = slotText(slot, state, found);
  const signed = SIGNED.has(state) ? SIGN : 0;
  const room = place.width - 14 - signed;
  const width = Math.min(place.width, measure(label, SMALL) + 14 + signed);
  rounded(context, x, y, width, CHIP_HEIGHT, 4, looks[state]);
  if (signed)
    sign(
      context,
      state === "stale" ? "crack" : "lock",
      x + 9,
      y + 8.5,
      state === "stale" ? colours.bad : colours.live,
      0.85,
    );
  const ink = state === "freed" ? colours.soft : colours.ink;
  text(context, fit(label, room, SMALL, measure), x + 7 + signed, y + 12.5, SMALL, ink);
}

/** Generations made by create_graph, told apart by turns; the card says in words which it is. */
function generationColour(box, colours) {
  return box.generation % 2 ? colours.gen2 : colours.gen3;
}

function paintLeaf(context, card, now, brush) {
  const { colours, measure, scene } = brush;
  const { box, rect } = card;
  const { x, y, width, height } = rect;
  const busy = now.state === "running" || now.state === "ready";
  rounded(context, x, y, width, height, 10, {
    fill: colours["leaf-bg"],
    stroke: busy ? colours.run : colours.leaf,
    line: 2,
  });
  const room = width - 2 * PAD;
  text(
    context,
    fit(`AccumulateGrad  ${now.variable ?? ""}`, room - 12, TITLE, measure),
    x + PAD,
    y + 20,
    TITLE,
    colours.ink,
  );
  sign(context, now.state, x + width - PAD, y + 16, busy ? colours.run : colours.leaf, 0.85);
  const [grad, came] = leafLines(box, now, (index) => scene.values[index]);
  text(context, fit(grad, room, 12, measure), x + PAD, y + 40, 12, colours.ink);
  paintSum(context, box, rect, 58, brush);
  text(context, fit(came, room, SMALL, measure), x + PAD, y + height - 13, SMALL, colours.soft);
}

function paintGroup(context, card, { colours, measure, step }) {
  const { x, y, width, height } = card.rect;
  const counts = countsAt(card, step);
  if (!isAnyBuilt(counts)) return;
  const gone = !isAnyPresent(counts);
  const failed = counts.has("failed");
  const stroke = failed ? colours.bad : gone ? colours.gone : colours.soft;
  const style = { fill: colours.panel, stroke, dash: gone ? [5, 4] : undefined, line: failed ? 2 : 1 };
  rounded(context, x + 5, y + 5, width, height, 12, style);
  rounded(context, x, y, width, height, 12, style);
  const room = width - 2 * PAD;
  text(
    context,
    fit(`▸ ${groupTitle(card.group)}`, room, TITLE, measure),
    x + PAD,
    y + 24,
    TITLE,
    gone ? colours.soft : colours.ink,
  );
  text(context, fit(groupStanding(counts), room, SMALL, measure), x + PAD, y + 43, SMALL, colours.soft);
}

/** What remains of a card in an open group that is gone: its place, and what stood there. */
export function paintGone(context, { box, group, rect }, { colours, measure, detail }) {
  rounded(context, rect.x, rect.y, rect.width, rect.height, 10, { stroke: colours.gone, dash: [3, 5], line: 1 });
  if (!detail) return;
  const room = rect.width - 2 * PAD;
  context.globalAlpha = GHOST;
  text(
    context,
    fit(box ? [box.name, box.variable].filter(Boolean).join("  ") : `▸ ${groupTitle(group)}`, room, TITLE, measure),
    rect.x + PAD,
    rect.y + 20,
    TITLE,
    colours.soft,
  );
  if (box)
    text(
      context,
      fit(box.kind === "leaf" ? "released" : where(box), room, SMALL, measure),
      rect.x + PAD,
      rect.y + 37,
      SMALL,
      colours.soft,
    );
  context.globalAlpha = 1;
}

/** A card from farther away: its shape and colour, and what it is in few large letters.
 * @param {number} size  of the letters, in the picture
 */
export function paintBrief(context, card, { state, step, colours, measure }, size) {
  const { x, y, width, height } = card.rect;
  const now = card.box ? state.at(card.id, "state", step) : null;
  const leaf = card.box?.kind === "leaf";
  const look = leaf
    ? { fill: colours["leaf-bg"], stroke: colours.leaf }
    : card.box
      ? lookOf({ state: now }, card.box, colours)
      : { fill: colours.panel, stroke: colours.soft };
  rounded(context, x, y, width, height, 10, { ...look, line: 2 * (look.line ?? 1) });
  const label = leaf
    ? (leafName(state, card.box, step) ?? "leaf")
    : card.box
      ? shortenName(card.box.name)
      : `▸ ${card.group.title}`;
  const letters = Math.min(size, height * 0.62);
  text(
    context,
    fit(label, width - PAD, letters, measure),
    x + PAD / 2 + 2,
    y + height / 2 + letters * 0.36,
    letters,
    isPresent(now) || !card.box ? colours.ink : colours.soft,
  );
}

/** The small copy of a shared leaf beside a card that uses it. */
export function paintLeafChip(context, chip, { colours, measure, lit }) {
  const { x, y, width, height } = chip.rect;
  rounded(context, x, y, width, height, 6, { fill: colours["leaf-bg"], stroke: colours.leaf, line: lit ? 2.5 : 1 });
  const label = fit(leafChipText(chip), width - 24, SMALL, measure);
  text(context, "↓", x + 7, y + 15, SMALL, colours.leaf);
  text(context, label, x + 19, y + 15, SMALL, colours.ink);
}

/** A name, tied by a dotted line to the card whose tensor it stands for. */
export function paintPill(context, label, place, { colours, measure, selected, fading }) {
  context.beginPath();
  context.moveTo(place.fromX, place.fromY);
  context.lineTo(place.tieX, place.tieY);
  context.strokeStyle = colours.ink;
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  context.stroke();
  context.setLineDash([]);
  rounded(context, place.x, place.y, place.width, place.height, place.height / 2, {
    fill: colours.bg,
    stroke: fading ? colours.bad : colours.ink,
    line: selected ? 2 : 1,
    dash: fading ? [3, 2] : undefined,
  });
  text(context, fit(label, place.width - 18, 11.5, measure), place.x + 10, place.y + 15, 11.5, colours.ink);
}

/** A colour with some of it gone; the palette is six or three hex digits. @param {string} hex @param {number} alpha */
export function fade(hex, alpha) {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((d) => d + d).join("") : hex.slice(1);
  const [r, g, b] = [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
}
