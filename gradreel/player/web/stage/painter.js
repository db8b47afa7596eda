/**
 * A frame of the stage, from the ground up: the tensors' ground, storeys, frames of open folds, lines, things,
 * gradients that wait, and what happens now. All that it draws it is told; the same code paints the screen and a file.
 */

import { THERE, dimmed, drawActs, drawBehind, mostAt, prepare } from "./acts.js";
import { fullBarOf } from "./model.js";
import { isFramed } from "./fold.js";
import { drawInlet, drawItem, idsOf } from "./marks.js";
import {
  arrivedAt, expectedAt, hasArrived, isAlive, linkAt, plainTensors, seedsAt, sentAt, waitingAt,
} from "./moment.js";
import { drawPass, passAt } from "./passes.js";
import { box, circle, clamp, line, pill, pillWide, within, write } from "./pen.js";
import {
  boxOf, covers, edgeRoute, itemOf, leastCovering, mouthOf, pipPlaces, seedSpot, spriteOf, titlesIn,
} from "./places.js";
import { drawProgram, isBeforeGraph } from "./program.js";
import { ARRIVED, BEAD, restsOf, travelling, waitsAt } from "./rests.js";
import { along, inletDeep, isBundle, routeOf, trace } from "./routes.js";
import { LABEL, lastParts, NAME, PIP } from "./sizes.js";
import { drawSlopes } from "./slopes.js";
import { drawStoreys } from "./storeys.js";
import { sidesOf, sizeFor, tile } from "./tiles.js";

/** @import { Pen } from "./pen.js" */
/** @import { Frame, Item, Link, StageNode } from "./types.js" */

const HEAD = 9;
/** So far to the side the panel of a sum comes. */
const PANEL = 74;
const CLOSED = new Set(["card", "ladder", "drawer"]);
const PLAIN = 5;
/** The shares of a step at which a gradient has come. */
const COMES = { arrive: THERE, meet: 0.3 };
/** Of a bundle, where the count may stand. */
const SPOTS = [0.3, 0.2, 0.42, 0.54, 0.66, 0.78, 0.14, 0.36, 0.25, 0.48, 0.6, 0.72, 0.84];

/** Paint a frame; it is told what can be pressed.
 * @param {Pen} pen @param {Frame} frame
 */
export function paint(pen, frame) {
  const { colours, context } = pen;
  pen.least = Infinity;
  pen.bar = fullBarOf(frame.model);
  frame.targets = [];
  frame.counts = [];
  frame.seeds = seedsAt(frame.model, frame.moment.step);
  Object.assign(frame, prepare(frame));
  frame.chips = chipsIn(pen, frame);
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, frame.width, frame.height);
  drawGround(pen, frame);
  drawStoreys(pen, frame);
  if (isBeforeGraph(frame)) drawProgram(pen, frame, topOf(frame));
  else drawPlan(pen, frame);
  const titles = drawFrames(pen, frame);
  const pills = [];
  drawInlets(pen, frame);
  for (const link of frame.layout.links) drawLink(pen, frame, link, pills);
  for (const title of titles) drawTitle(pen, frame, title);
  if (!isBeforeGraph(frame)) within(pen, { x: 0, y: 0, alpha: frame.lit ? 0.36 : 1 }, () => drawPass(pen, frame));
  drawBehind(pen, frame);
  drawThings(pen, frame);
  for (const { text, spots, colour } of pills) drawCount(pen, frame, text, colour, spots);
  if (!frame.lit) drawSlopes(pen, frame);
  within(pen, { x: 0, y: 0, alpha: frame.lit ? 0.36 : 1 }, () => drawWaiting(pen, frame));
  drawArrivals(pen, frame);
  drawActs(pen, frame);
}

function drawThings(pen, frame) {
  const sprites = [...frame.sprites.values()].sort((a, b) => Number(b.gone) - Number(a.gone));
  for (const { item, x, y, scale, size, alpha, gone } of sprites) {
    const strength = Math.max(0, Math.min(1, alpha)) * dimmed(frame, item.key);
    within(pen, { x, y, scale: scale * size, alpha: strength }, () => drawItem(pen, frame, item));
    if (gone) continue;
    const [w, h] = [item.w * scale, item.h * scale];
    const at = { x: x - w / 2, y: y - h / 2, w, h };
    frame.targets.push({ id: targetOf(frame, item), kind: item.type, label: item.key, ...at });
  }
}

/** What a click on a thing selects; of a leaf its AccumulateGrad while it lives. */
function targetOf({ moment }, item) {
  if (item.type !== "leaf") return item.type === "ladder" || item.type === "drawer" ? item.key : idsOf(item)[0];
  return item.leaf.nodes.find((node) => isAlive(node, moment.step))?.id ?? item.leaf.tensor;
}

// ---- the ground

function drawGround(pen, frame) {
  const { colours, context } = pen;
  const { width, height, layout } = frame;
  const top = groundNow(frame);
  context.fillStyle = colours.ground;
  context.fillRect(0, top, width, height - top);
  within(pen, { x: 0, y: 0, alpha: 0.55 }, () => line(pen, [[0, top], [width, top]], { stroke: colours.leaf }));
  const shelf = layout.items.filter((item) => isShelved(item) && frame.sprites.has(item.key));
  const ends = shelf.map((item) => [spriteOf(frame, item).x, (item.w / 2) * layout.scale]);
  const left = Math.min(width, ...ends.map(([x, half]) => x - half));
  const right = Math.max(0, ...ends.map(([x, half]) => x + half));
  const atLeft = left >= width - right;
  const room = shelf.length ? (atLeft ? left : width - right) : width;
  const how = { align: atLeft ? "left" : "right" };
  const x = atLeft ? 12 : width - 12;
  const words = pen.measure("your tensors ▾", 12.5, { bold: true }) + 20;
  if (room > words) {
    write(pen, "your tensors ▾", x, top + 14, 12.5, { ...how, bold: true, colour: colours.leaf });
    frame.counts.push({ x: atLeft ? words / 2 : width - words / 2, y: top + 14, w: words, h: 18 });
  }
  frame.plain = new Map();
  const to = atLeft && shelf.length ? left - 8 : width;
  drawPlain(pen, frame, { from: atLeft ? 14 : right + 14, to, top });
}

const isShelved = ({ type }) => type === "leaf" || type === "drawer";

/** The ground follows the leaves on their way. */
function groundNow({ layout, sprites }) {
  const first = layout.items.find((item) => isShelved(item) && sprites.has(item.key));
  const sprite = first && sprites.get(first.key);
  return sprite ? layout.ground + sprite.y - first.y : layout.ground;
}

/** Where the first thing, or the ground, begins. */
const topOf = (frame) =>
  Math.min(groundNow(frame), ...[...frame.sprites.values()].map(({ item, y, scale }) => y - (item.h / 2) * scale));

/** Tensors that no gradient is wanted for stand beside the leaves. */
function drawPlain(pen, frame, { from, to, top }) {
  let x = from;
  const y = Math.min(frame.height - 20, top + 46);
  for (const { tensor, name, value } of plainTensors(frame.model, frame.moment, PLAIN)) {
    const label = lastParts(name);
    const found = frame.model.scene.values[value];
    const [wide] = sidesOf(pen, found, 30);
    const w = pen.measure(label, LABEL, { bold: true, mono: true }) + wide + 14;
    if (x + w > to) break;
    tile(pen, found, { x: x + wide / 2 + 1, y }, 30);
    write(pen, label, x + wide + 6, y, LABEL, { bold: true, mono: true, align: "left" });
    frame.plain.set(tensor, { x: x + wide / 2 + 1, y, size: 30 });
    frame.targets.push({ id: tensor, kind: "tensor", label: name, x, y: y - 16, w, h: 32 });
    x += w + 12;
  }
}

/** Where things will stand that are not built yet, faint: the stage of a turn that begins is not empty. */
function drawPlan(pen, { layout, moment, sprites }) {
  for (const item of layout.items) {
    if (sprites.has(item.key) || isShelved(item) || !item.nodes.every(({ born }) => born > moment.step)) continue;
    const at = { x: item.x, y: item.y, w: item.w * layout.scale, h: item.h * layout.scale };
    box(pen, at, 10 * layout.scale, { stroke: pen.colours.line, line: 1.2 });
  }
}

// ---- frames of open folds

/** Draw the frames of open folds, the outer ones first.
 * @returns {{titles: string[], ids: string[], left: number, right: number, y: number}[]}
 */
function drawFrames(pen, frame) {
  const { layout } = frame;
  const rows = layout.lying && layout.lines.length > 1 && layout.storeys.length < 2 ? [...layout.lines.keys()] : [null];
  const found = layout.open.filter((fold) => isFramed(fold, layout.episode))
    .flatMap((fold) => rows.map((row) => frameOf(frame, fold, row)).filter(Boolean))
    .sort((a, b) => a.fold.depth - b.fold.depth);
  const kept = [];
  for (const each of found) {
    const same = kept.find((other) => near(other, each));
    if (same) {
      same.ids.push(each.fold.id);
      if (!same.titles.includes(each.fold.title)) same.titles.push(each.fold.title);
    } else kept.push({ ...each, titles: [each.fold.title], ids: [each.fold.id] });
  }
  kept.forEach(({ left, top, right, bottom }, i) => {
    const at = { x: (left + right) / 2, y: (top + bottom) / 2, w: right - left, h: bottom - top };
    const fill = i % 2 ? pen.colours.panel : pen.colours["live-bg"];
    within(pen, { x: 0, y: 0, alpha: 0.4 }, () => box(pen, at, 14, { fill }));
    box(pen, at, 14, { stroke: pen.colours.line });
  });
  return kept.map(({ titles, ids, left, right, top }) => ({ titles, ids, left, right, y: Math.max(11, top - 1) }));
}

const near = (a, b) => ["left", "top", "right"].every((side) => Math.abs(a[side] - b[side]) < 24);

function frameOf(frame, fold, row) {
  const { layout } = frame;
  const inside = layout.items.filter((item) => {
    const sprite = frame.sprites.get(item.key);
    if (!sprite || sprite.gone || isShelved(item) || (row !== null && item.row !== row)) return false;
    return item.nodes.some((node) => node.at >= fold.low && node.at <= fold.high && node.path.includes(fold.id));
  });
  if (inside.length < (row === null ? 2 : 1)) return null;
  const ends = inside.map((item) => {
    const { x, y, scale } = frame.sprites.get(item.key);
    const name = layout.lying && item.tag ? NAME * scale : 0;
    const [w, h] = [(item.w / 2) * scale, (item.h / 2) * scale];
    return [x - w, y - h - name, x + w, y + h];
  });
  const most = (at, of) => of(...ends.map((each) => each[at]));
  const clampX = (x) => Math.max(3, Math.min(frame.width - 3, x));
  return {
    fold,
    left: clampX(most(0, Math.min) - 14),
    top: Math.max(3, most(1, Math.min) - 22),
    right: clampX(most(2, Math.max) + 14),
    bottom: most(3, Math.max) + 11,
  };
}

/** The title of a frame, on its upper rim: where it begins, or as near to that as it covers nothing. Where it would,
 * there is none.
 */
function drawTitle(pen, frame, { titles, ids, ...rim }) {
  const named = titles.filter((title) => title !== "forward()" && !titles.some((each) => each.startsWith(`${title}.`)));
  const text = (named.length ? named : titles).slice(-2).join(" › ");
  const size = { w: pen.measure(text, 13, { bold: true }) + 16, h: 20 };
  const [first, last] = [rim.left + 8 + size.w / 2, rim.right - 8 - size.w / 2];
  const spots = [];
  for (let x = first; !spots.length || x <= last; x += 12)
    spots.push({ ...size, x: clamp(x, size.w / 2 + 4, frame.width - size.w / 2 - 4), y: rim.y });
  const lower = { ...spots[0], y: rim.y + 22 };
  const taken = takenIn(frame);
  const at = leastCovering([...spots, lower], taken, restsOf(frame.layout).tiles);
  if (covers(at, taken)) return;
  const { x, y } = at;
  const left = x - size.w / 2;
  box(pen, { ...size, x, y }, 10, { fill: pen.colours.panel, stroke: pen.colours.line, line: 1.2 });
  write(pen, text, left + 8, y + 0.5, 13, { align: "left", bold: true, colour: pen.colours.soft });
  frame.targets.push({ id: ids.at(-1), kind: "open", label: text, x: left, y: y - 10, ...size });
}

/** What titles and counts are not to cover: things with their names, as they are now, titles, counts, seeds, gradients
 * that wait.
 * @param {Frame} frame @returns {import("./places.js").Box[]}
 */
function takenIn(frame) {
  const { sprites, layout, counts, seeds } = frame;
  const things = [...sprites.values()].filter(({ gone }) => !gone);
  const boxes = things.map(({ item, x, y, scale }) => boxOf({ ...item, x, y }, { ...layout, scale }));
  const starts = seeds.map(({ node }) => seedSpot(frame, node)).filter(Boolean);
  const seeded = starts.map(({ x, y, size }) => ({ x, y, w: size, h: size }));
  return [...boxes, ...titlesIn(frame), ...counts, ...seeded, ...frame.chips.filter(({ waits }) => waits)];
}

// ---- lines

/** Nodes at which gradients are added have funnels. */
function drawInlets(pen, frame) {
  for (const { item, x, y, scale, alpha, gone } of frame.sprites.values())
    if (!gone && inletDeep(item))
      within(pen, { x, y, scale, alpha: alpha * dimmed(frame, item.key) }, () => drawInlet(pen, frame, item));
}

/** How much is seen of other lines while a path is shown. */
const FAINT = 0.3;

/** Draw a link; the count of a bundle is added to those that stand above all.
 * @param {Pen} pen @param {Frame} frame @param {Link} link @param {any[]} pills
 */
function drawLink(pen, frame, link, pills) {
  const [from, to] = [spriteOf(frame, link.from), spriteOf(frame, link.to)];
  if (!from || !to || from.gone || to.gone) return;
  const counts = linkAt(frame.model, link, frame.moment);
  if (!counts.alive) return;
  const alpha = Math.min(from.alpha, to.alpha) * (frame.lit ? 0.25 : 1);
  if (isBundle(link)) {
    const on = !frame.path.size || link.edges.some(({ id }) => frame.path.has(id));
    drawBundle(pen, frame, link, counts, on ? alpha : alpha * FAINT, pills);
    return;
  }
  link.edges.forEach((edge, place) => {
    if (!isAlive(edge.from, frame.moment.step)) return;
    const route = routeOf(frame.layout, link, place, (item) => spriteOf(frame, item));
    const sent = sentAt(frame.model, edge, frame.moment.step) !== null && !frame.hidden.has(`line:${edge.id}`);
    const isLit = frame.model.state.at(edge.id, "state", frame.moment.step) === "lit";
    const on = frame.path.has(edge.id);
    within(pen, { x: 0, y: 0, alpha: on || !frame.path.size ? alpha : alpha * FAINT }, () => {
      if (on) drawLine(pen, route, { stroke: pen.colours.ink, line: 7 });
      drawLine(pen, route, { stroke: pen.colours.wire, line: 1.8 });
      if (sent) drawLine(pen, route, { stroke: pen.colours.run, line: isLit ? 3.6 : 2.6 });
      if (frame.holding?.wires.has(edge.id)) drawLine(pen, route, { stroke: pen.colours.live, line: 4 });
      drawHead(pen, route, sent ? pen.colours.run : pen.colours.wire);
    });
  });
}

function drawLine({ context }, route, { stroke, line: width }) {
  trace(context, route);
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.stroke();
}

function drawHead(pen, route, colour) {
  const [end, before] = [along(route, 1), along(route, 0.96)];
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const wing = (turn) => [end.x - HEAD * Math.cos(angle + turn), end.y - HEAD * Math.sin(angle + turn)];
  line(pen, [[end.x, end.y], wing(-0.42), wing(0.42)], { stroke: colour, line: 0.5, fill: colour, close: true });
}

function drawBundle(pen, frame, link, { done, lit }, alpha, pills) {
  const route = routeOf(frame.layout, link, 0, (item) => spriteOf(frame, item));
  const all = link.edges.length;
  const wide = Math.min(12, 2 + Math.sqrt(all));
  const colour = done ? pen.colours.run : pen.colours.soft;
  within(pen, { x: 0, y: 0, alpha }, () => {
    drawLine(pen, route, { stroke: pen.colours.wire, line: wide });
    if (done) drawLine(pen, route, { stroke: pen.colours.run, line: Math.max(lit ? 3 : 2, (wide * done) / all) });
    drawHead(pen, route, done ? pen.colours.run : pen.colours.wire);
  });
  pills.push({ text: done ? `${done} of ${all}` : `× ${all}`, spots: SPOTS.map((part) => along(route, part)), colour });
}

/** A count stands on the first of some spots, or near it, where it covers nothing; where there is none, it is not told.
 * @param {Pen} pen @param {Frame} frame @param {string} text @param {{x: number, y: number}[]} spots
 */
function drawCount(pen, frame, text, colour, spots) {
  const size = { w: pillWide(pen, text), h: 24 };
  const beside = size.w / 2 + 10;
  const offs = [[0, 0], [-beside, 0], [beside, 0], [0, -size.h], [0, size.h], [-2 * beside, 0], [2 * beside, 0]];
  const places = offs.flatMap(([dx, dy]) => spots.map(({ x, y }) => ({ ...size, x: x + dx, y: y + dy })))
    .map((at) => ({ ...at, x: clamp(at.x, size.w / 2 + 3, frame.width - size.w / 2 - 3) }));
  const taken = takenIn(frame);
  const at = leastCovering(places, taken, restsOf(frame.layout).tiles);
  if (covers(at, taken)) return;
  pill(pen, text, at.x, at.y, colour);
  frame.counts.push(at);
}

// ---- gradients that wait

function drawWaiting(pen, frame) {
  drawSeeds(pen, frame);
  drawChips(pen, frame);
  for (const [item, node] of openNodes(frame)) drawInbox(pen, frame, item, node);
}

/** The nodes that are seen by themselves, those of leaves too, each with what stands for it.
 * @param {Frame} frame @returns {[Item, StageNode][]}
 */
function openNodes({ layout, moment, sprites }) {
  const open = layout.items.filter((item) => !CLOSED.has(item.type) && sprites.get(item.key)?.gone === false);
  return open.flatMap((item) => (item.type === "leaf" ? item.leaf.nodes : item.nodes)
    .filter((node) => isAlive(node, moment.step)).map((node) => [item, node]));
}

/** The gradient that the call started with stands beside its node. */
function drawSeeds(pen, frame) {
  for (const { node, value } of frame.seeds) {
    const item = itemOf(frame, node);
    const [sprite, at] = [spriteOf(frame, item), seedSpot(frame, node)];
    if (!sprite || item.type !== "node" || frame.hidden.has(`inbox:${node.id}`)) continue;
    const { x, y, scale } = sprite;
    const end = frame.layout.lying ? [x + (item.w / 2) * scale, y] : [x, y - (item.h / 2) * scale];
    line(pen, [[at.x, at.y], end], { stroke: pen.colours.run, line: 2.6 });
    tile(pen, frame.model.scene.values[value], at, 32, { kind: "grad" });
  }
}

/** What went over edges, or waits on them for its turn.
 * @param {Pen} pen @param {Frame} frame @returns {Frame["chips"]}
 */
function chipsIn(pen, frame) {
  const { model, moment, layout } = frame;
  const { rests, beads } = restsOf(layout);
  const most = travelling(layout);
  const ways = layout.links.filter((link) => !isBundle(link)).flatMap(({ edges }) => edges);
  return ways.flatMap((edge) => {
    const place = sentAt(model, edge, moment.step);
    if (place === null || frame.hidden.has(`sent:${edge.id}`) || !isAlive(edge.from, moment.step)) return [];
    const waits = !hasArrived(model, edge, moment.step);
    const part = waits ? waitsAt(layout, edge) : frame.lit ? undefined : rests.get(edge.id);
    const route = part !== undefined && edgeRoute(frame, edge);
    if (!route) return [];
    const value = model.scene.values[place];
    const isBead = waits && beads.has(edge.id);
    const size = isBead ? BEAD : waits ? most : sizeFor(pen, value, ARRIVED, most);
    const [w, h] = isBead ? [BEAD, BEAD] : sidesOf(pen, value, size);
    return [{ ...along(route, part), w, h, edge, value, size, waits, numbers: !isBead }];
  });
}

/** Where words stand nothing rests. */
function drawChips(pen, frame) {
  const words = [...titlesIn(frame), ...frame.counts];
  for (const { edge, value, size, waits, numbers, ...at } of frame.chips) {
    if (!waits && covers(at, words)) continue;
    tile(pen, value, at, size, { kind: "grad", most: mostAt(frame, edge.to), numbers });
  }
}

function drawInbox(pen, frame, item, node) {
  const { model, moment } = frame;
  const at = mouthOf(frame, item);
  const waiting = frame.hidden.has(`inbox:${node.id}`) ? null : waitingAt(model, node, moment.step);
  if (waiting === null) return;
  tile(pen, model.scene.values[waiting], at, at.size, { kind: "grad", most: mostAt(frame, node) });
}

/** How many gradients that a step brings to a node are still on their way. @param {Frame} frame */
const comingTo = ({ moment, progress }, node) =>
  moment.acts.filter((act) => act.node === node && progress < (COMES[act.type] ?? 0)).length;

/** The pips of all funnels; in an error, too, they are as they are. */
function drawArrivals(pen, frame) {
  const { model, moment: { step } } = frame;
  if (passAt(model, step)?.way !== "backward") return;
  for (const [item, node] of openNodes(frame)) {
    const expected = expectedAt(model, node, step);
    if (expected > 1) drawPips(pen, frame, item, node, expected);
  }
}

/** How many gradients have come of all, until a graph is built anew: a pip for each in the neck of the funnel, or where
 * they are many, a count.
 */
function drawPips(pen, frame, item, node, expected) {
  const { colours } = pen;
  const sprite = spriteOf(frame, item);
  const { scale, y } = sprite;
  const arrived = arrivedAt(frame.model, node, frame.moment.step) - comingTo(frame, node);
  const places = pipPlaces(frame.layout, item, sprite, expected);
  if (!places) {
    const text = `${arrived} of ${expected}`;
    const mouth = mouthOf(frame, item);
    const top = y - (item.h / 2) * scale - 14;
    const beside = Math.max((item.w / 2) * scale, PANEL) + pillWide(pen, text) / 2 + 4;
    const level = item.type === "leaf" ? mouth.y : top;
    drawCount(pen, frame, text, colours.run, [
      { x: mouth.x + beside, y: level }, { x: mouth.x - beside, y: level }, { x: mouth.x, y: top },
    ]);
    return;
  }
  for (const [i, place] of places.entries())
    circle(pen, place.x, place.y, PIP.radius * scale, {
      fill: i < arrived ? colours.run : colours.panel, stroke: colours.run,
    });
}
