/**
 * One frame of the graph on the overlay canvas: what is in view, from outlines and wires to cards and names, in as much detail
 * as the zoom can show. The painter keeps nothing from frame to frame; any step can be painted at any time.
 */

import { present } from "./moment.js";
import { fade, opacity, paintCard, paintLeafChip, paintPill } from "./paintcard.js";
import { linkAt, paintLink, paintValues } from "./paintwire.js";
import { arrow, box as rounded, font, text } from "./pen.js";
import { fit, pillWidth } from "./cards.js";
import { valueAt } from "./state.js";
import { short } from "./format.js";

const READ = 0.38;
const SHAPES = 0.14;
const PILL = 22;

/** @typedef {{scale: number, x: number, y: number, width: number, height: number}} View   x, y: what stands in the middle */

/** @param {CanvasRenderingContext2D} context
 * @param {any} frame  {picture, state, scene, names, step, from, progress, changed, view, ratio, colours, measure, selected, hover, focus}
 * @returns {{key: string, tensor: string, rect: any}[]} where the pills are, for picking
 */
export function paint(context, frame) {
  const { picture, view, ratio } = frame;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  const scale = view.scale * ratio;
  context.setTransform(scale, 0, 0, scale, (view.width / 2) * ratio - view.x * scale, (view.height / 2) * ratio - view.y * scale);
  const window = {
    left: view.x - view.width / 2 / view.scale - 60,
    right: view.x + view.width / 2 / view.scale + 60,
    top: view.y - view.height / 2 / view.scale - 60,
    bottom: view.y + view.height / 2 / view.scale + 60,
  };
  const cards = picture.cards.filter((card) => inside(card.rect, window));
  const links = picture.links.filter((link) => crosses(link.route.points, window));
  if (view.scale < SHAPES) return paintFar(context, frame, cards, links);
  return paintNear(context, frame, cards, links);
}

function inside(rect, window) {
  return rect.x < window.right && rect.x + rect.width > window.left && rect.y < window.bottom && rect.y + rect.height > window.top;
}

function crosses(points, window) {
  const [x0, y0] = points[0];
  const [x1, y1] = points.at(-1);
  if (Math.min(y0, y1) > window.bottom || Math.max(y0, y1) < window.top) return false;
  let [left, right] = [Math.min(x0, x1), Math.max(x0, x1)];
  for (let i = 1; i < points.length - 1; i++) {
    left = Math.min(left, points[i][0]);
    right = Math.max(right, points[i][0]);
  }
  return left < window.right && right > window.left;
}

/** From far away: plain shapes, gathered by colour. */
function paintFar(context, frame, cards, links) {
  const { state, step, colours, view } = frame;
  const line = 1 / view.scale;
  const lines = new Map();
  for (const link of links) {
    let lively = null;
    for (const track of link.tracks) {
      const now = valueAt(track, step);
      if (now === "lit" || now === "done") lively = colours.run;
      else if (now === "idle") lively ??= colours.line;
    }
    if (!lively) continue;
    if (!lines.has(lively)) lines.set(lively, new Path2D());
    const path = lines.get(lively);
    const points = link.route.points;
    path.moveTo(points[0][0], points[0][1]);
    for (let i = 1; i < points.length; i += 1) path.lineTo(points[i][0], points[i][1]);
  }
  context.lineWidth = line;
  for (const [colour, path] of lines) {
    context.strokeStyle = colour;
    context.stroke(path);
  }
  const fills = new Map();
  for (const card of cards) {
    const colour = farColour(card, state, step, colours);
    if (!colour) continue;
    if (!fills.has(colour)) fills.set(colour, []);
    fills.get(colour).push(card.rect);
  }
  for (const [colour, rects] of fills) {
    context.fillStyle = colour;
    for (const rect of rects) context.fillRect(rect.x, rect.y, rect.width, rect.height);
  }
  context.fillStyle = colours.leaf;
  for (const chip of frame.picture.chips) {
    if (present(state.at(chip.leaf, "state", step))) context.fillRect(chip.rect.x, chip.rect.y, chip.rect.width, chip.rect.height);
  }
  return [];
}

/** The places where a wire leaves and arrives, where no value should stand. */
function ends(points) {
  const [[fromX, fromY], [x, y]] = [points[0], points.at(-1)];
  return [{ x: fromX - 4, y: fromY, width: 8, height: 20 }, { x: x - 5, y: y - 24, width: 10, height: 24 }];
}

function farColour(card, state, step, colours) {
  const now = card.track ? valueAt(card.track, step) : null;
  if (!card.box) return opacity(card, state, step) ? colours.soft : null;
  if (!present(now)) return null;
  if (now === "failed") return colours.bad;
  if (card.box.kind === "leaf") return colours.leaf;
  return { running: colours.run, ready: colours.run, ran: colours.gone, empty: colours.gone }[now] ?? colours.live;
}

function paintNear(context, frame, cards, links) {
  const { picture, state, step, view, colours } = frame;
  const detail = view.scale >= READ;
  for (const outline of picture.outlines) paintOutline(context, outline, frame);
  const lively = [];
  for (const link of links) {
    const now = linkAt(link, state, step);
    paintWire(context, link, frame, now);
    if ((now.state === "lit" || now.state === "done") && now.value !== null)
      lively.push({ link, value: frame.scene.values[now.value], lit: now.state === "lit" });
  }
  for (const chip of picture.chips) paintChip(context, chip, frame);
  const taken = [];
  for (const card of cards) {
    const shown = opacity(card, state, step);
    if (shown) taken.push(card.rect);
    if (detail) paintMarks(context, card, frame, shown);
    paintEased(context, card, frame);
    if (detail && shown) paintRootGradient(context, card, frame, taken);
  }
  for (const chip of picture.chips) taken.push(chip.rect);
  for (const link of links) if (linkAt(link, state, step).state !== null) taken.push(...ends(link.route.points));
  if (!detail) return [];
  const pills = paintPills(context, frame, taken);
  paintValues(context, lively, taken, frame);
  return pills;
}

/** A wire; one that changed at this step is as opaque as it was turning into what it is. */
function paintWire(context, link, frame, now) {
  const { state, from, progress, colours, picture } = frame;
  const moving = progress < 1 && link.wires.some((wire) => frame.changed.has(wire.id));
  const before = moving ? linkAt(link, state, from) : now;
  const alpha = (how) => (how.state === null ? 0 : how.state === "gone" ? (folded(link, picture) ? 0.8 : 0) : 1);
  const mix = moving ? alpha(before) * (1 - progress) + alpha(now) * progress : alpha(now);
  if (mix <= 0) return;
  const shown = now.state === null || now.state === "gone" ? before : now;
  context.globalAlpha = mix;
  const travel = moving && now.state === "lit" && before.state !== "lit" ? progress : null;
  paintLink(context, link, { state: shown.state, travel, dashed: shown.state === "gone" }, colours);
  context.globalAlpha = 1;
}

function folded(link, picture) {
  return Boolean(picture.card.get(link.from)?.group);
}

/** A card; one that changed at this step is drawn as it was, fading, and as it is, appearing. */
function paintEased(context, card, frame) {
  const { state, step, from, progress } = frame;
  const moving = progress < 1 && card.boxes.some((id) => frame.changed.has(id));
  if (!moving) {
    context.globalAlpha = opacity(card, state, step);
    if (context.globalAlpha > 0) paintCard(context, card, frame);
    context.globalAlpha = 1;
    return;
  }
  const before = opacity(card, state, from);
  const after = opacity(card, state, step);
  context.globalAlpha = after ? before : before * (1 - progress);
  if (context.globalAlpha > 0) paintCard(context, card, { ...frame, step: from });
  context.globalAlpha = after * progress;
  if (context.globalAlpha > 0) paintCard(context, card, frame);
  context.globalAlpha = 1;
}

function paintMarks(context, card, { selected, focus, hover, colours, state, step }, shown) {
  if (!shown) return;
  const { x, y, width, height } = card.rect;
  const has = (set) => card.boxes.some((id) => set.has(id));
  if (has(focus) && !card.boxes.some((id) => state.at(id, "state", step) === "failed")) rounded(context, x - 5, y - 5, width + 10, height + 10, 14, { stroke: fade(colours.live, 0.22), line: 6 });
  if (selected && (card.id === selected || card.boxes.includes(selected)))
    rounded(context, x - 4, y - 4, width + 8, height + 8, 13, { stroke: colours.ink, line: 1.5, dash: [6, 3] });
  if (hover === card.id) rounded(context, x - 2, y - 2, width + 4, height + 4, 12, { stroke: colours.soft, line: 1 });
}

function paintOutline(context, { group, rect, cards }, { state, step, colours, view, measure }) {
  if (!cards.some((card) => opacity(card, state, step) > 0)) return;
  rounded(context, rect.x, rect.y, rect.width, rect.height, 16, { stroke: colours.line, dash: [2, 4], line: 1.25 });
  if (view.scale > 0.25) text(context, fit(`▾ ${group.title}`, rect.width - 24, 11, measure), rect.x + 12, rect.y + 17, 11, colours.soft);
}

function paintChip(context, chip, frame) {
  const { state, step, selected, picture } = frame;
  const user = picture.card.get(chip.user);
  if (!present(state.at(chip.leaf, "state", step)) || !opacity(user, state, step)) return;
  paintLeafChip(context, chip, { ...frame, lit: selected === chip.leaf || frame.hover === chip.leaf });
}

/** The gradient that a backward call starts with, above the card it starts at. */
function paintRootGradient(context, card, { state, step, scene, colours, measure }, taken) {
  if (!card.box) return;
  const value = state.at(card.id, "grad_in", step);
  if (value === null) return;
  const fed = (scene.into.get(card.id) ?? []).some((wire) => ["lit", "done"].includes(state.at(wire.id, "state", step)));
  if (fed) return;
  const x = card.rect.x + card.rect.width / 2;
  const y = card.rect.y;
  context.beginPath();
  context.moveTo(x, y - 24);
  context.lineTo(x, y - 4);
  context.strokeStyle = colours.run;
  context.lineWidth = 2;
  context.stroke();
  arrow(context, x, y, Math.PI / 2, 10, colours.run);
  const label = short(scene.values[value], 20);
  text(context, label, x + 9, y - 9, 11, colours.soft);
  taken.push({ x: x + 9, y: y - 20, width: measure(label, 11), height: 13 });
}

function paintPills(context, frame, taken) {
  const { names, picture, scene, measure } = frame;
  const places = [];
  const count = new Map();
  for (const [id, tied] of names) {
    const box = scene.box.get(id);
    const card = picture.card.get(picture.unitOf.get(id));
    if (!box || !card || !opacity(card, frame.state, frame.step)) continue;
    for (const name of tied) {
      if (box.kind === "leaf" && name.name === box.variable) continue;
      const row = count.get(card.id) ?? 0;
      count.set(card.id, row + 1);
      if (row > 2) continue;
      places.push({ ...name, card, row, width: pillWidth(name.name, measure) });
    }
  }
  context.font = font(11.5);
  for (const place of places) {
    const { rect } = place.card;
    const rows = Math.min(3, count.get(place.card.id));
    place.rect = { x: rect.x + rect.width + 16, y: rect.y + rect.height / 2 + (place.row - rows / 2) * (PILL + 4) + 2, width: place.width, height: PILL };
    const tie = { tieX: rect.x + rect.width, tieY: Math.max(rect.y + 10, Math.min(rect.y + rect.height - 10, place.rect.y + PILL / 2)) };
    paintPill(context, place.name, { ...place.rect, ...tie }, { ...frame, selected: frame.selected === place.tensor });
    taken.push(place.rect);
  }
  return places.map(({ key, tensor, rect }) => ({ key, tensor, rect }));
}
