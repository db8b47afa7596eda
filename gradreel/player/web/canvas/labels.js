/**
 * Names on the canvas: a pill for each, tied to the card whose tensor it stands for; views and versions in words, and a
 * dotted line between names whose tensors lie in the same memory.
 */

import { inSameMemory } from "../scene/lifetime.js";
import { pillText, pillWidth } from "./card.js";
import { opacity, paintPill } from "./card_painter.js";
import { font, text } from "./pen.js";

const PILL = 22;
const MOST = 3;

/** @returns {{key: string, tensor: string, rect: any}[]} where the pills are, for picking */
export function paintNames(context, frame, taken) {
  const places = placed(frame);
  context.font = font(11.5);
  for (const { name, label, rect, tie } of places) {
    const selected = frame.selected === name.tensor || frame.holding?.names.has(name.key);
    const fading = frame.holding?.gone.size > 0 && frame.holding.names.has(name.key);
    paintPill(context, label, { ...rect, ...tie }, { ...frame, selected, fading });
    taken.push(rect);
  }
  paintMemory(context, frame, places);
  return places.map(({ name, rect }) => ({ key: name.key, tensor: name.tensor, rect }));
}

function placed({ names, picture, scene, state, step, measure }) {
  const beside = new Map();
  for (const [id, tied] of names) {
    const box = scene.box.get(id);
    const card = picture.card.get(picture.unitOf.get(id));
    if (!box || !card || !opacity(card, state, step)) continue;
    if (!beside.has(card)) beside.set(card, []);
    for (const name of tied) if (box.kind !== "leaf" || name.name !== box.variable) beside.get(card).push(name);
  }
  const places = [];
  for (const [card, list] of beside) {
    const shown = list.slice(0, MOST).map((name) => {
      const label = pillText(name.name, scene.tensor.get(name.tensor), state.at(name.tensor, "version", step) ?? 0);
      return { name, label, width: pillWidth(label, measure) };
    });
    places.push(...(picture.sideways ? under : aside)(card.rect, shown));
  }
  return places;
}

/** Beside the card, one below the other. */
function aside(card, shown) {
  const top = card.y + card.height / 2 - (shown.length / 2) * (PILL + 4) + 2;
  return shown.map((item, row) => {
    const rect = { x: card.x + card.width + 16, y: top + row * (PILL + 4), width: item.width, height: PILL };
    const tieY = Math.max(card.y + 10, Math.min(card.y + card.height - 10, rect.y + PILL / 2));
    return { ...item, rect, tie: { fromX: rect.x, fromY: rect.y + PILL / 2, tieX: card.x + card.width, tieY } };
  });
}

/** Below the card, in a row. */
function under(card, shown) {
  let x = card.x + 8;
  return shown.map((item) => {
    const rect = { x, y: card.y + card.height + 10, width: item.width, height: PILL };
    x += item.width + 6;
    return { ...item, rect, tie: { fromX: rect.x + 14, fromY: rect.y, tieX: rect.x + 14, tieY: card.y + card.height } };
  });
}

/** What shares memory with the selected tensor, or with the one under the pointer. */
function paintMemory(context, frame, places) {
  const chosen = places.find(({ name }) => name.tensor === frame.selected || name.tensor === frame.hover);
  if (!chosen) return;
  const { colours } = frame;
  const all = [...frame.names.values()].flat();
  const others = new Set(inSameMemory(chosen.name.tensor, { scene: frame.scene, names: all }).map(({ key }) => key));
  const middle = ({ x, y, width, height }) => [x + width, y + height / 2];
  for (const { name, rect } of places) {
    if (!others.has(name.key)) continue;
    const [[x0, y0], [x1, y1]] = [middle(chosen.rect), middle(rect)];
    const out = Math.max(x0, x1) + 46;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(out, y0, out, y1, x1, y1);
    context.strokeStyle = colours.live;
    context.lineWidth = 1.5;
    context.setLineDash([2, 3]);
    context.stroke();
    context.setLineDash([]);
    text(context, "same memory", out - 4, (y0 + y1) / 2 + 4, 11, colours.soft);
  }
}
