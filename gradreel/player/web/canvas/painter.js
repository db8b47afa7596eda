/**
 * One frame of the graph on the overlay canvas: what is in view, from outlines and wires to cards and names, in as much
 * detail as the zoom can show. The painter keeps nothing from frame to frame; any step can be painted at any time.
 */

import { formatShort } from "../lib/format.js";
import { fit } from "./card.js";
import { fade, opacity, paintBrief, paintCard, paintGone, paintLeafChip } from "./card_painter.js";
import { leadsTo } from "./ghosts.js";
import { paintNames } from "./labels.js";
import { paintFar } from "./overview_painter.js";
import { arrow, box as rounded, text } from "./pen.js";
import { linkAt, paintLink, paintValues } from "./wire.js";

const READ = 0.38;
const SHAPES = 0.14;
/** The size of letters on the screen where there is room for few. */
const LETTERS = 9;
/** How long the arrow of a first gradient is, and where in its frame the title of a group stands. */
const SEED = 24;
const TITLE_AT = { x: 12, y: 6 };

/**
 * @typedef {{scale: number, x: number, y: number, width: number, height: number}} View  x, y: what stands in the middle
 */

/** @param {CanvasRenderingContext2D} context
 * @param {any} frame  {picture, state, scene, names, step, from, progress, changed, view, ratio, colours, measure,
 *   selected, hover, focus}
 * @returns {{key: string, tensor: string, rect: any}[]} where the pills are, for picking
 */
export function paint(context, frame) {
  const { picture, view, ratio } = frame;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  const scale = view.scale * ratio;
  context.setTransform(
    scale,
    0,
    0,
    scale,
    (view.width / 2) * ratio - view.x * scale,
    (view.height / 2) * ratio - view.y * scale,
  );
  const window = inView(view, 60);
  const cards = picture.cards.filter((card) => inside(card.rect, window));
  const links = picture.links.filter((link) => crosses(link.bounds, window) && !hidden(link, frame));
  if (view.scale >= SHAPES) return paintNear(context, frame, cards, links, window);
  paintFar(context, frame, cards, links);
  return [];
}

/** What can be seen of the picture, and a margin around it. */
function inView({ x, y, width, height, scale }, margin = 0) {
  const [across, down] = [width / 2 / scale + margin, height / 2 / scale + margin];
  return { left: x - across, right: x + across, top: y - down, bottom: y + down };
}

/** A fleeting link is there while a gradient takes it. */
function hidden(link, { state, step, holding }) {
  return (
    link.fleeting &&
    linkAt(link, state, step).state !== "lit" &&
    !link.wires.some((wire) => holding?.wires.has(wire.id))
  );
}

function inside(rect, window) {
  return (
    rect.x < window.right &&
    rect.x + rect.width > window.left &&
    rect.y < window.bottom &&
    rect.y + rect.height > window.top
  );
}

function crosses(bounds, window) {
  return (
    bounds.left < window.right && bounds.right > window.left && bounds.top < window.bottom && bounds.bottom > window.top
  );
}

/** The places where a wire leaves and arrives, where no value should stand. */
function ends({ points, sideways }) {
  const [[fromX, fromY], [x, y]] = [points[0], points.at(-1)];
  if (sideways)
    return [
      { x: fromX, y: fromY - 4, width: 20, height: 8 },
      { x: x - 24, y: y - 5, width: 24, height: 10 },
    ];
  return [{ x: fromX - 4, y: fromY, width: 8, height: 20 }, { x: x - 5, y: y - 24, width: 10, height: 24 }];
}

function paintNear(context, frame, cards, links, window) {
  const { picture, state, step, view, colours } = frame;
  const detail = view.scale >= READ;
  const { covered, turns } = frame.ghosts;
  for (const turn of turns) paintTurn(context, turn, frame, detail);
  const titles = picture.outlines.map((outline) => paintOutline(context, outline, frame)).filter(Boolean);
  const lively = [];
  for (const link of links) {
    const now = linkAt(link, state, step);
    const travels = paintWire(context, link, frame, now);
    if (!travels && (now.state === "lit" || now.state === "done") && now.value !== null)
      lively.push({ link, value: frame.scene.values[now.value], lit: now.state === "lit" });
  }
  const chips = picture.chips.filter((chip) => inside(chip.rect, window));
  for (const chip of chips) paintChip(context, chip, frame);
  const taken = titles.map((title) => paintTitle(context, title, frame));
  for (const card of cards) {
    if (covered.has(card.id)) continue;
    if (frame.ghosts.shades.has(card.id)) paintGone(context, card, { colours, measure: frame.measure, detail });
    const shown = opacity(card, state, step);
    if (shown) taken.push(card.rect);
    paintMarks(context, card, frame, shown);
    paintEased(context, card, frame, detail);
    if (detail && shown) paintRootGradient(context, card, frame, taken);
  }
  for (const { rect } of [...chips, ...turns]) taken.push(rect);
  for (const link of links) if (linkAt(link, state, step).state !== null) taken.push(...ends(link.route));
  if (!detail) return [];
  const pills = paintNames(context, frame, taken);
  paintValues(context, lively, taken, { ...frame, window: inView(view) });
  return pills;
}

/** A wire; one that changed at this step is as opaque as it was turning into what it is.
 * @returns {boolean} whether its value is on its way
 */
function paintWire(context, link, frame, now) {
  const { state, from, progress, colours, picture, ghosts } = frame;
  const [ended, shade] = [ghosts.covered, ghosts.shades].map((set) => [link.from, link.to].map((id) => set.has(id)));
  if (ended.includes(true)) return false;
  const moving = progress < 1 && link.wires.some((wire) => frame.changed.has(wire.id));
  const before = moving ? linkAt(link, state, from) : now;
  const alpha = (how) =>
    how.state === null ? 0 : how.state === "gone" ? (shade[0] || folded(link, picture) ? 0.8 : 0) : 1;
  const mix = moving ? alpha(before) * (1 - progress) + alpha(now) * progress : alpha(now);
  if (mix <= 0) return false;
  const shown = now.state === null || now.state === "gone" ? before : now;
  context.globalAlpha = mix;
  const travel = moving && now.state === "lit" && before.state !== "lit" ? progress : null;
  const value = travel !== null && now.value !== null ? frame.scene.values[now.value] : null;
  const holds = Boolean(frame.holding?.wires.size) && link.wires.some((wire) => frame.holding.wires.has(wire.id));
  paintLink(context, link, { state: shown.state, travel, value, dashed: shown.state === "gone", holds }, colours);
  context.globalAlpha = 1;
  return value !== null;
}

function folded(link, picture) {
  return Boolean(picture.card.get(link.from)?.group);
}

/** A card; one that changed at this step is drawn as it was, fading, and as it is, appearing. */
function paintEased(context, card, frame, detail) {
  const { state, step, from, progress } = frame;
  const draw = (how, alpha) => {
    if (alpha <= 0) return;
    context.globalAlpha = alpha;
    if (detail) paintCard(context, card, how);
    else paintBrief(context, card, how, LETTERS / frame.view.scale);
    context.globalAlpha = 1;
  };
  const after = opacity(card, state, step);
  if (progress >= 1 || !card.boxes.some((id) => frame.changed.has(id))) return draw(frame, after);
  const before = opacity(card, state, from);
  draw({ ...frame, step: from }, after ? before : before * (1 - progress));
  return draw(frame, after * progress);
}

function paintMarks(context, card, { selected, focus, hover, holding, colours, state, step }, shown) {
  if (!shown) return;
  const { x, y, width, height } = card.rect;
  const has = (set) => card.boxes.some((id) => set.has(id));
  if (has(focus) && !card.boxes.some((id) => state.at(id, "state", step) === "failed"))
    rounded(context, x - 5, y - 5, width + 10, height + 10, 14, { stroke: fade(colours.live, 0.22), line: 6 });
  if (selected && (card.id === selected || card.boxes.includes(selected)))
    rounded(context, x - 4, y - 4, width + 8, height + 8, 13, { stroke: colours.ink, line: 1.5, dash: [6, 3] });
  if (holding?.gone.size && has(holding.gone)) {
    rounded(context, x - 5, y - 5, width + 10, height + 10, 14, { stroke: colours.bad, line: 1.5, dash: [4, 4] });
    text(context, "would go", x + width - 54, y - 9, 11, colours.bad);
  }
  if (hover === card.id) rounded(context, x - 2, y - 2, width + 4, height + 4, 12, { stroke: colours.soft, line: 1 });
}

/** A graph that is gone, as one card that leads to what is still there. */
function paintTurn(context, turn, frame, detail) {
  const { picture, step, colours } = frame;
  for (const rect of leadsTo(turn, picture, step)) paintLead(context, turn.rect, rect, colours.gone);
  context.globalAlpha = opacity(turn, frame.state, step);
  paintMarks(context, turn, frame, true);
  if (detail) paintCard(context, turn, frame);
  else paintBrief(context, turn, frame, LETTERS / frame.view.scale);
  context.globalAlpha = 1;
}

/** A dashed way from a card down to the side of another. */
function paintLead(context, from, to, colour) {
  const [x, y] = [from.x + from.width / 2, to.y + to.height / 2];
  const fromLeft = x < to.x + to.width / 2;
  const tip = fromLeft ? to.x - 5 : to.x + to.width + 5;
  context.beginPath();
  context.moveTo(x, from.y + from.height + 5);
  context.bezierCurveTo(x, y, x, y, tip, y);
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash([4, 4]);
  context.stroke();
  context.setLineDash([]);
  arrow(context, tip, y, fromLeft ? 0 : Math.PI, 9, colour);
}

/** What a backward call starts with at a card: the index of a value, or null where none starts or what comes is told at
 * a wire.
 */
function seedOf(card, { state, step, scene }) {
  if (!card.box) return null;
  const fed = (scene.into.get(card.id) ?? []).some((wire) =>
    ["lit", "done"].includes(state.at(wire.id, "state", step)),
  );
  return fed ? null : state.at(card.id, "grad_in", step);
}

/** How much of the title of an open group there is room for: it ends before what comes in from above.
 * @param {any} outline
 * @param {any} frame
 */
export function titleRoom({ rect, cards }, frame) {
  if (frame.picture.sideways) return rect.width - 2 * TITLE_AT.x;
  const comes = cards.filter((card) => card.rect.y - rect.y < SEED + TITLE_AT.y && seedOf(card, frame) !== null);
  return Math.max(
    0,
    Math.min(
      rect.width - 2 * TITLE_AT.x,
      ...comes.map((card) => card.rect.x + card.rect.width / 2 - rect.x - 2 * TITLE_AT.x),
    ),
  );
}

/** The frame around an open group. @returns {{text: string, x: number, y: number}|null} its title */
function paintOutline(context, outline, frame) {
  const { group, rect, cards } = outline;
  const { state, step, colours, view, measure, ghosts } = frame;
  if (cards.every((card) => ghosts.covered.has(card.id))) return null;
  const gone = ghosts.gone.has(group.id);
  if (!gone && !cards.some((card) => opacity(card, state, step) > 0)) return null;
  rounded(context, rect.x, rect.y, rect.width, rect.height, 16, { stroke: colours.line, dash: [2, 4], line: 1.25 });
  const words = `▾ ${group.title}${gone ? " · released" : ""}`;
  return view.scale > 0.25
    ? { text: fit(words, titleRoom(outline, frame), 11, measure), x: rect.x + TITLE_AT.x, y: rect.y + TITLE_AT.y }
    : null;
}

/** The title of an open group, before the wires that come in there.
 * @returns {{x: number, y: number, width: number, height: number}} where it stands
 */
function paintTitle(context, title, { colours, measure }) {
  const place = { x: title.x - 3, y: title.y, width: measure(title.text, 11) + 6, height: 15 };
  context.fillStyle = colours.panel;
  context.fillRect(place.x, place.y, place.width, place.height);
  text(context, title.text, title.x, title.y + 11, 11, colours.soft);
  return place;
}

function paintChip(context, chip, frame) {
  const { state, step, selected, picture } = frame;
  const user = picture.card.get(chip.user);
  if (!opacity(picture.card.get(chip.leaf), state, step) || !opacity(user, state, step)) return;
  paintLeafChip(context, chip, { ...frame, lit: selected === chip.leaf || frame.hover === chip.leaf });
}

/** The gradient that a backward call starts with, above the card it starts at. */
function paintRootGradient(context, card, frame, taken) {
  const value = seedOf(card, frame);
  if (value === null) return;
  const { picture, scene, colours, measure } = frame;
  const { x, y, width, height } = card.rect;
  const [tip, angle] = picture.sideways ? [[x, y + height / 2], 0] : [[x + width / 2, y], Math.PI / 2];
  context.beginPath();
  context.moveTo(tip[0] - SEED * Math.cos(angle), tip[1] - SEED * Math.sin(angle));
  context.lineTo(tip[0] - 4 * Math.cos(angle), tip[1] - 4 * Math.sin(angle));
  context.strokeStyle = colours.run;
  context.lineWidth = 2;
  context.stroke();
  arrow(context, ...tip, angle, 10, colours.run);
  const label = formatShort(scene.values[value], 20);
  const place = {
    x: picture.sideways ? x - 6 - measure(label, 11) : tip[0] + 9,
    y: tip[1] - (picture.sideways ? 26 : 20),
    width: measure(label, 11),
    height: 13,
  };
  text(context, label, place.x, place.y + 11, 11, colours.soft);
  taken.push(place);
}
