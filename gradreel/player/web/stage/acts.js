/**
 * What happens, as motion: `time` runs from 0 to 1 over the step. A tensor is kept, a node runs, gradients travel, meet
 * and are one, are stored, what is freed drops out. What an act draws itself the things do not draw meanwhile.
 */

import { blockHigh, drawTotal, drawTower, lock } from "./marks.js";
import { gradAt } from "./model.js";
import { hasArrived } from "./moment.js";
import { box, circle, clamp, lerp, line, share, smooth, within, write } from "./pen.js";
import {
  boxOf, edgeRoute, itemOf, leafSpot, leastCovering, mouthOf, plateOf, seedSpot, signOf, slotSpot, spriteOf,
  tensorSpot, thingsIn, titlesIn,
} from "./places.js";
import { restsOf, travelling, waitsAt } from "./rests.js";
import { along } from "./routes.js";
import { NAME } from "./sizes.js";
import { css, heat, sidesOf, tile } from "./tiles.js";
import { gridOf, mostOf, tileNumber, tileSize } from "./values.js";
import { formatBytes } from "../lib/format.js";

/** @import { Pen } from "./pen.js" */
/** @import { Act, Frame, Item, StageNode } from "./types.js" */

const DROP = 120;
const DUST = 9;
const DIMMED = 0.36;
const MEETING = 50;
/** At this share of their step gradients that meet are one. */
const ONE = 0.72;
/** So many points go from a slot to the sign. */
const POINTS = 3;
/** When what a node hands on leaves it. */
const LEAVES = 0.46;
/** When a gradient is in the node that runs. */
const SUNK = 0.36;
/** When the first gradient of a sum is there. */
export const THERE = 0.94;
/** When a block has come to rest. */
const LANDED = 0.66;
/** How far beside a node a hand is, and how large, as there is room. */
const HANDS = [[36, 46], [28, 46], [24, 36], [20, 28]];
/** So high may an arm bend. */
const HIGHEST = 4;

/** What the acts of a frame draw themselves, and what they dim.
 * @param {Frame} frame @returns {{hidden: Set<string>, lit: Set<string>|null}}
 */
export function prepare(frame) {
  const hidden = new Set();
  let lit = null;
  for (const act of frame.moment.acts) {
    if (frame.progress < 1) HIDES[act.type]?.(act, hidden, frame.progress);
    if (act.type !== "fail") continue;
    lit = new Set([itemOf(frame, act.node)?.key]);
    for (const { id } of act.node.into) hidden.add(`sent:${id}`);
    hidden.add(`inbox:${act.node.id}`);
  }
  return { hidden, lit };
}

const HIDES = {
  meet: ({ node }, hidden) => hidden.add(`inbox:${node.id}`),
  arrive: ({ node }, hidden, time) => time < THERE && hidden.add(`inbox:${node.id}`),
  sends: ({ edges }, hidden, time) => edges.forEach(({ edge }) => {
    hidden.add(`sent:${edge.id}`);
    if (time < LEAVES) hidden.add(`line:${edge.id}`);
  }),
  store: ({ leaf }, hidden, time) => {
    hidden.add(`hot:${leaf.tensor}`);
    hidden.add(`inbox:${leaf.nodes.at(-1).id}`);
    if (time < 0.97) hidden.add(`tray:${leaf.tensor}`);
  },
  keep: ({ node, slot }, hidden, time) => time < 0.85 && hidden.add(`slot:${node.id}:${slot.name}`),
  seed: ({ node }, hidden, time) => time < 0.8 && hidden.add(`inbox:${node.id}`),
  lock: ({ node, slot }, hidden) => hidden.add(`lock:${node.id}:${slot.name}`),
  optimize: ({ leaf }, hidden, time) => time < 0.65 && hidden.add(`value:${leaf.tensor}`),
};

/** Draw the acts of a frame. @param {Pen} pen @param {Frame} frame */
export function drawActs(pen, frame) {
  const { progress, moment } = frame;
  frame.panels = [];
  for (const act of moment.acts) if (progress < 1 || act.type === "fail") ACTS[act.type]?.(pen, frame, act, progress);
}

export const dimmed = (frame, key) => (frame.lit && !frame.lit.has(key) ? DIMMED : 1);

const valueOf = ({ model }, place) => (place === null || place === undefined ? null : model.scene.values[place]);

/** The scale of the gradients at a node: at a leaf that of the whole run.
 * @param {Pick<Frame, "model">} frame @param {StageNode} node
 */
export function mostAt({ model }, node) {
  if (node.leaf) return model.leaf.get(node.box.tensor)?.most;
  const key = `most:${node.id}`;
  if (!model.memo.has(key)) {
    const places = node.into.flatMap(({ id }) => model.state.track(id, "value")?.values ?? []);
    for (const sum of node.box.adds ?? []) places.push(...(model.state.track(sum, "total")?.values ?? []));
    model.memo.set(key, Math.max(0, ...places.map((place) => mostOf(valueOf({ model }, place)))));
  }
  return model.memo.get(key);
}

const grad = (frame, node) => ({ kind: /** @type {const} */ ("grad"), most: mostAt(frame, node) });

const ACTS = {
  keep: drawKeep,
  seed: drawSeed,
  run: drawRun,
  read: drawRead,
  sends: drawSends,
  arrive: drawArrive,
  meet: drawMeet,
  store: drawStore,
  clear: drawClear,
  capture: drawCapture,
  free: drawFree,
  lock: drawLock,
  crack: drawCrack,
  optimize: drawOptimize,
  fail: drawFail,
};

/** The tensor flies into the slot. @param {Pen} pen @param {Frame} frame @param {Act} act @param {number} time */
function drawKeep(pen, frame, { node, slot, value, tensor }, time) {
  const to = slotSpot(frame, node, slot);
  if (!to || time < 0.25 || time > 0.88) return;
  const from = tensorSpot(frame, tensor) ?? { x: to.x, y: to.y - 60, size: to.size };
  const part = smooth(share(time, 0.25, 0.85));
  const at = { x: lerp(from.x, to.x, part), y: lerp(from.y, to.y, part) - Math.sin(part * Math.PI) * 30 };
  tile(pen, valueOf(frame, value), at, lerp(from.size, to.size - 6, part), { kind: "save" });
}

/** The gradient that a call starts with falls in. */
function drawSeed(pen, frame, { node }, time) {
  const seed = frame.seeds?.find((each) => each.node === node);
  const to = seed && seedSpot(frame, node);
  if (!to) return;
  const part = smooth(share(time, 0, 0.7));
  const from = frame.layout.lying ? { x: frame.width + 30, y: to.y } : { x: to.x, y: -24 };
  ring(pen, to, share(time, 0.65, 1), pen.colours.run);
  const at = { x: lerp(from.x, to.x, part), y: lerp(from.y, to.y, part) };
  tile(pen, valueOf(frame, seed.value), at, 32, { kind: "grad" });
}

/** What comes goes into the node that runs, behind it, so that nothing covers what the node is called.
 * @param {Pen} pen @param {Frame} frame
 */
export function drawBehind(pen, frame) {
  for (const { type, node, value } of frame.moment.acts) {
    const item = type === "run" ? itemOf(frame, node) : undefined;
    const from = item && mouthOf(frame, item);
    if (!from || value === null || frame.progress >= SUNK) continue;
    const { x, y, scale } = spriteOf(frame, item);
    const part = smooth(share(frame.progress, 0.04, SUNK));
    const at = frame.layout.lying ? { x: lerp(from.x, x, part), y: from.y } : { x: from.x, y: lerp(from.y, y, part) };
    tile(pen, valueOf(frame, value), at, lerp(from.size, Math.min(from.size, item.h * scale), part), grad(frame, node));
  }
}

/** The sign rings when all has come to it. */
function drawRun(pen, frame, { node }, time) {
  const item = itemOf(frame, node);
  const sign = item && signOf(frame, item);
  if (sign) ring(pen, sign, share(time, SUNK, 0.62), pen.colours.run);
}

/** What is kept glows, and goes as points to the sign of the node, between its title and its slots. */
function drawRead(pen, frame, { node, slot }, time) {
  const item = itemOf(frame, node);
  const [from, to] = [slotSpot(frame, node, slot), item && signOf(frame, item)];
  if (!from || !to || item.type !== "node" || time < 0.1 || time > 0.62) return;
  const { scale } = spriteOf(frame, item);
  const strength = Math.sin(Math.PI * share(time, 0.1, 0.62));
  const side = from.size + 3 + 3 * strength;
  within(pen, { x: 0, y: 0, alpha: strength }, () =>
    box(pen, { x: from.x, y: from.y, w: side, h: side }, 9, { stroke: pen.colours.live, line: 4 }));
  const top = from.y - from.size / 2 - 2 * scale;
  const [up, across] = [from.size * 0.3, Math.abs(to.x - from.x)];
  for (let i = 0; i < POINTS; i++) {
    const part = share(time, 0.16 + 0.05 * i, 0.4 + 0.05 * i);
    if (!part || part === 1) continue;
    const far = smooth(part) * (up + across);
    const x = from.x + Math.sign(to.x - from.x) * Math.max(0, far - up);
    circle(pen, x, top + Math.max(0, up - far), 3 * scale, { fill: pen.colours.live });
  }
}

/** What a node hands on leaves along its lines; what has to be added next waits before the mouth. */
function drawSends(pen, frame, { edges }, time) {
  edges.forEach(({ edge, value }, i) => {
    const route = edgeRoute(frame, edge);
    const start = LEAVES + Math.min(0.2, i * 0.05);
    if (!route || time < start) return;
    const end = endOf(frame, edge);
    const at = along(route, lerp(0.02, end, smooth(share(time, start, start + 0.5))));
    tile(pen, valueOf(frame, value), at, travelling(frame.layout), grad(frame, edge.to));
  });
}

/** How far along its line what goes over an edge comes in this step. */
const endOf = ({ layout, model, moment }, edge) =>
  (hasArrived(model, edge, moment.step) ? 0.98 : waitsAt(layout, edge));

/** The first of some gradients, if it has waited on its line, goes to where the others will meet it. */
function drawArrive(pen, frame, { node, after, edge }, time) {
  const item = itemOf(frame, node);
  const [mouth, route] = [item && mouthOf(frame, item), edge && edgeRoute(frame, edge)];
  const sent = frame.moment.acts.some((each) => each.type === "sends" && each.edges.some((way) => way.edge === edge));
  if (!mouth || !route || sent || time >= THERE) return;
  const from = along(route, waitsAt(frame.layout, edge));
  const part = smooth(share(time, 0.1, 0.8));
  const at = { x: lerp(from.x, mouth.x, part), y: lerp(from.y, mouth.y, part) };
  tile(pen, valueOf(frame, after), at, lerp(travelling(frame.layout), mouth.size, part), grad(frame, node));
}

/** What was there and what comes stand side by side, where the graph lies one above the other, are held, and fade into
 * what they make: at the mouth of the funnel.
 */
function drawMeet(pen, frame, { node, before, came, after, edge }, time) {
  const item = itemOf(frame, node);
  const mouth = item && mouthOf(frame, item);
  if (!mouth || before === null) return;
  const big = Math.max(44, MEETING * Math.min(1.3, spriteOf(frame, item).scale));
  const values = [before, came, after].map((place) => valueOf(frame, place));
  const sides = values.map((value) => sidesOf(pen, value, big));
  const [wide, high] = [0, 1].map((side) => Math.max(...sides.map((each) => each[side])));
  const upright = frame.layout.lying && item.type !== "leaf";
  const gap = upright ? high * 0.5 + 12 : wide * 0.5 + 15;
  const size = upright ? { w: wide + 24, h: 2 * gap + high + 14 } : { w: 2 * gap + wide + 24, h: big * 1.3 };
  const middle = panelSpot(frame, item, mouth, size);
  const route = edge && edgeRoute(frame, edge);
  const from = route ? along(route, waitsAt(frame.layout, edge)) : { x: middle.x + 60, y: middle.y - 40 };
  const free = frame.moment.acts.some(({ type }) => type === "free") ? 0.3 : 0;
  const now = share(time, free, 1);
  const look = grad(frame, node);
  if (now < ONE) drawTerms(pen, { mouth, middle, from, size, gap, upright, big, look }, values, now);
  else drawOne(pen, { mouth, middle, big, look }, values[2], share(now, ONE, 1));
}

/** The gradients that meet, in a panel that opens for them.
 * @param {Pen} pen @param {any} where @param {any[]} values @param {number} now
 */
function drawTerms(pen, { mouth, middle, from, size, gap, upright, big, look }, [before, came, sum], now) {
  const { x, y } = middle;
  const open = smooth(share(now, 0, 0.25));
  const lean = 0.3 * gap * smooth(share(now, 0.48, ONE));
  const parts = 1 - share(now, 0.52, 0.6);
  const off = (far) => (upright ? { x, y: y + far } : { x: x + far, y });
  panel(pen, { x, y, w: size.w * open, h: size.h * open }, mouth);
  within(pen, { x: 0, y: 0, alpha: parts }, () => {
    tile(pen, before, between(mouth, off(lean - gap), open), lerp(mouth.size, big, open), look);
    if (came) tile(pen, came, between(from, off(gap - lean), open), lerp(34, big, open), look);
  });
  within(pen, { x, y, alpha: share(now, 0.2, 0.3) * parts }, () =>
    write(pen, "+", 0, 0, upright ? 20 : 24, { bold: true, colour: pen.colours.run, halo: true }));
  within(pen, { x: 0, y: 0, alpha: share(now, 0.56, 0.64) }, () => tile(pen, sum, middle, big, look));
}

/** What they make goes to wait in the mouth. */
function drawOne(pen, { mouth, middle, big, look }, sum, time) {
  const goes = smooth(share(time, 0.5, 1));
  ring(pen, middle, time, pen.colours.run);
  const pop = 1 + 0.22 * Math.sin(Math.PI * Math.min(1, time * 2));
  tile(pen, sum, between(middle, mouth, goes), lerp(big, mouth.size, goes) * pop, look);
}

const between = (from, to, part) => ({ x: lerp(from.x, to.x, part), y: lerp(from.y, to.y, part) });

/** Where the panel of a sum is: at the mouth of the funnel, and there where it covers least. Sums of one step have
 * panels beside one another.
 * @param {Frame} frame @param {Item} item @param {{x: number, y: number, size: number}} mouth
 * @param {{w: number, h: number}} size
 */
export function panelSpot(frame, item, mouth, { w, h }) {
  const { layout, panels, width, height } = frame;
  const leaf = item.type === "leaf";
  const beyond = mouth.x + w / 2 - mouth.size / 2;
  const level = mouth.y - (leaf ? 8 : h / 2 - mouth.size / 2);
  const spots = layout.lying && !leaf ? [0, -1, 1].flatMap((way) =>
    [beyond, beyond + 10].map((x) => [x, mouth.y + way * (h / 2 - mouth.size / 2)]))
    : [[mouth.x, level], [mouth.x, level - h - 6], ...[-1, 1].map((way) => [mouth.x + way * (w / 2 + 6), level])];
  const inside = spots.map(([x, y]) => ({
    x: clamp(x, w / 2 + 4, width - w / 2 - 4), y: clamp(y, h / 2 + 3, height - h / 2 - 3), w, h,
  }));
  const others = layout.items.filter((each) => each !== item).map((each) => boxOf(each, layout));
  const found = leastCovering(inside, [...others, ...panels, ...titlesIn(frame)]);
  panels.push(found);
  return found;
}

/** A panel, with a point to what it tells of where that is beside it.
 * @param {Pen} pen @param {import("./places.js").Box} at @param {{x: number, y: number}} mouth
 */
function panel(pen, at, mouth) {
  const { panel: fill, run: stroke } = pen.colours;
  if (Math.abs(mouth.x - at.x) > at.w / 2 || Math.abs(mouth.y - at.y) > at.h / 2)
    line(pen, [[at.x, at.y], [mouth.x, mouth.y]], { stroke, line: 3 });
  within(pen, { x: 0, y: 0, alpha: 0.92 }, () => box(pen, at, 12, { fill, stroke }));
}

/** Through the funnel into the tray: on top of what is there, or into an empty one. */
function drawStore(pen, frame, { leaf, entry }, time) {
  const item = plateOf(frame, leaf);
  const [mouth, tray] = [item && mouthOf(frame, item), leafSpot(frame, leaf, "tray")];
  if (!mouth || !tray) return;
  const came = valueOf(frame, entry.came);
  const size = tray.size - 8;
  const look = { kind: /** @type {const} */ ("grad"), most: leaf.most };
  const sum = valueOf(frame, entry.value);
  const isTower = item.type === "leaf" && [came, sum].every((each) => Number.isFinite(scalarOf(each)));
  if (isTower) return dropBlock(pen, frame, { leaf, entry, mouth, tray, look }, time);
  if (entry.before !== null) return addPlate(pen, frame, { entry, mouth, tray, size, look }, time);
  const part = share(time, 0.1, 0.6);
  const bounce = time > 0.6 ? -5 * Math.sin(share(time, 0.6, 0.85) * Math.PI) : 0;
  const at = { x: lerp(mouth.x, tray.x, smooth(part)), y: lerp(mouth.y, tray.y, part * part) + bounce };
  if (time < 0.97) tile(pen, came, at, lerp(mouth.size, size, part), look);
  ring(pen, tray, share(time, 0.6, 1), pen.colours.leaf);
}

/** The number of a value that is one. */
function scalarOf(value) {
  const grid = gridOf(value);
  return grid && "scalar" in grid ? grid.scalar : null;
}

/** What comes falls as it is through the funnel, is a block, and falls on the tower; only where it has come to rest is
 * the tower higher, and its number another.
 */
function dropBlock(pen, frame, { leaf, entry, mouth, tray, look }, time) {
  const { model } = frame;
  const came = valueOf(frame, entry.came);
  const { scale } = spriteOf(frame, plateOf(frame, leaf));
  const side = tray.size / scale;
  const falling = time < LANDED;
  const old = { ...entry, value: entry.before, terms: entry.terms.slice(0, -1), count: entry.count - 1 };
  const shown = falling ? old : entry;
  const floor = { x: 0, y: 0 };
  if (time < 0.97)
    within(pen, { x: tray.x, y: tray.y, scale }, () => {
      const top = shown.value === null ? side / 2 - 3 : drawTower(pen, model, shown, floor, side);
      if (shown.value !== null) drawTotal(pen, valueOf(frame, shown.value), top, floor, side);
      if (!falling) return;
      const [start, above] = [(mouth.y - tray.y) / scale, -side / 2 - 8];
      const high = blockHigh(model, Number(came.data), side);
      const falls = share(time, 0.35, LANDED);
      const y = falls ? lerp(above, top - high / 2, falls * falls)
        : lerp(start, above, smooth(share(time, 0.05, 0.35)));
      const solid = share(time, 0.3, 0.45);
      const sign = entry.before === null || came.data < 0 ? "" : "+";
      const words = falls < 0.8 ? `${sign}${tileNumber(came.data)}` : "";
      const at = { x: 0, y, w: side - 10, h: lerp(26, high, falls) };
      within(pen, { x: 0, y: 0, alpha: 1 - solid }, () => tile(pen, came, at, mouth.size / scale, look));
      within(pen, { x: 0, y: 0, alpha: solid }, () => drawBlock(pen, came.data, at, words));
    });
  ring(pen, tray, share(time, LANDED - 0.02, 1), pen.colours.leaf);
}

/** A block on its way. */
function drawBlock(pen, number, at, words) {
  box(pen, at, 3, { fill: css(heat(pen, Math.sign(number) * 0.6, 1)), stroke: pen.colours.run, line: 1.6 });
  if (words) write(pen, words, at.x, at.y, 16, { bold: true, halo: true });
}

/** What comes and what is in the tray fade into their sum; one plate more lies below. */
function addPlate(pen, frame, { entry, mouth, tray, size, look }, time) {
  const gap = tileSize(valueOf(frame, entry.value), size)[0] + 24;
  const open = smooth(share(time, 0.05, 0.3));
  const parts = 1 - share(time, 0.58, 0.66);
  const lean = 0.3 * gap * smooth(share(time, 0.56, 0.8));
  const sum = valueOf(frame, entry.value);
  ring(pen, tray, share(time, 0.78, 1), pen.colours.leaf);
  if (time < 0.97) {
    const pop = size * (1 + 0.2 * Math.sin(Math.PI * share(time, 0.8, 1)));
    within(pen, { x: 0, y: 0, alpha: share(time, 0.62, 0.7) }, () =>
      tile(pen, sum, tray, pop, { ...look, plates: entry.count - 1 }));
  }
  if (!parts) return;
  const left = Math.min(tray.x, frame.width - gap - size / 2 - 4);
  const there = { x: lerp(tray.x, left, open), y: tray.y };
  const comes = { x: lerp(mouth.x, left + gap, open) - lean, y: lerp(mouth.y, tray.y, open) };
  within(pen, { x: 0, y: 0, alpha: parts }, () => {
    tile(pen, valueOf(frame, entry.before), there, size, { ...look, plates: entry.count - 2 });
    tile(pen, valueOf(frame, entry.came), comes, lerp(mouth.size, size, open), look);
    if (time > 0.25)
      write(pen, "+", left + gap / 2, tray.y, 22, { bold: true, colour: pen.colours.run, halo: true });
  });
}

/** `zero_grad`: what was in the tray slides out. */
function drawClear(pen, frame, { leaf, before }, time) {
  const tray = leafSpot(frame, leaf, "tray");
  if (!tray || before === null) return;
  const part = smooth(share(time, 0, 0.8));
  within(pen, { x: tray.x + 70 * part, y: tray.y, alpha: 1 - part }, () =>
    tile(pen, valueOf(frame, before), { x: 0, y: 0 }, tray.size - 10, { kind: "grad", most: leaf.most }));
}

/** `autograd.grad` takes it: it goes aside, and is stored nowhere. */
function drawCapture(pen, frame, { node, value }, time) {
  const item = itemOf(frame, node);
  const from = item && mouthOf(frame, item);
  if (!from || value === null) return;
  const part = smooth(share(time, 0, 0.9));
  const at = { x: lerp(from.x, Math.min(frame.width - 30, from.x + 110), part), y: from.y + 20 * part };
  tile(pen, valueOf(frame, value), at, Math.max(44, from.size), grad(frame, node));
}

/** What is freed tilts, drops out of its node and is dust; the hole says how much it was. */
function drawFree(pen, frame, { node, slot, value }, time) {
  const from = slotSpot(frame, node, slot);
  if (!from) return;
  const now = share(time, 0.12, 0.85);
  const way = node.slots.indexOf(slot) % 2 ? -1 : 1;
  const [y, turn] = [from.y + DROP * now * now, way * 0.5 * now];
  if (now < 1)
    within(pen, { x: from.x + way * 14 * now, y, turn, alpha: 1 - share(now, 0.75, 1) }, () =>
      tile(pen, valueOf(frame, value), { x: 0, y: 0 }, (from.size - 6) * (1 - 0.45 * now), { kind: "save" }));
  if (now > 0.3) dust(pen, from.x, from.y + DROP * 0.5, share(now, 0.3, 1), node.at);
  if (time > 0.2 && slot.nbytes)
    within(pen, { x: from.x, y: from.y, alpha: 1 - share(time, 0.85, 1) }, () =>
      write(pen, `−${formatBytes(slot.nbytes)}`, 0, 0, 12.5, { bold: true, colour: pen.colours.live, halo: true }));
}

function dust({ context, colours }, x, y, part, seed) {
  if (part >= 1) return;
  const alpha = context.globalAlpha;
  context.fillStyle = colours.live;
  for (let i = 0; i < DUST; i++) {
    const [angle, far] = [i * 2.39 + seed, part * 46 * (0.5 + ((i * 37) % 10) / 10)];
    context.globalAlpha = alpha * (1 - part) * 0.9;
    context.fillRect(x + Math.cos(angle) * far, y + Math.sin(angle) * far - part * 30, 4, 4);
  }
  context.globalAlpha = alpha;
}

/** A lock snaps down. */
function drawLock(pen, frame, { node, slot }, time) {
  const at = slotSpot(frame, node, slot);
  if (!at || itemOf(frame, node).type !== "node") return;
  const back = share(time, 0.1, 0.55);
  const snap = 1 + 2.2 * (back - 1) ** 3 + 1.2 * (back - 1) ** 2;
  const { scale } = spriteOf(frame, itemOf(frame, node));
  const [x, y] = [at.x + at.size / 2 - 3 * scale, at.y - at.size / 2 + 3 * scale];
  ring(pen, { x, y }, share(time, 0.5, 0.95), pen.colours.live);
  lock(pen, x, y - 26 * (1 - snap), scale);
}

/** What is changed behind autograd's back glows. */
function drawCrack(pen, frame, { node, slot }, time) {
  const at = slotSpot(frame, node, slot);
  if (!at) return;
  const side = at.size + 8 + 6 * Math.sin(time * Math.PI);
  within(pen, { x: at.x, y: at.y, alpha: 1 - time }, () =>
    box(pen, { x: 0, y: 0, w: side, h: side }, 9, { stroke: pen.colours.bad, line: 5 }));
}

/** The gradient flies from the tray onto the value, and the value is another. */
function drawOptimize(pen, frame, { leaf, tensor }, time) {
  const [from, to] = [leafSpot(frame, leaf, "tray"), leafSpot(frame, leaf, "value")];
  if (!from || !to) return;
  const { state } = frame.model;
  const { step } = frame.moment;
  if (time < 0.65 && plateOf(frame, leaf).type === "leaf")
    tile(pen, valueOf(frame, state.at(tensor, "value", step - 1)), to, to.size - 4);
  const entry = gradAt(leaf, step) ?? gradAt(leaf, step - 1);
  const part = smooth(share(time, 0.1, 0.65));
  if (entry && time < 0.7) {
    const at = { x: lerp(from.x, to.x, part), y: lerp(from.y, to.y, part) - 24 * Math.sin(part * Math.PI) };
    const size = lerp(from.size - 10, to.size * 0.6, part);
    tile(pen, valueOf(frame, entry.value), at, size, { kind: "grad", most: leaf.most });
  }
  ring(pen, to, share(time, 0.65, 1), pen.colours.leaf);
}

/** An arm with three fingers reaches from the gradient into what is not there. */
function drawFail(pen, frame, { node, slot, value }, time) {
  const item = itemOf(frame, node);
  const [sprite, at] = [spriteOf(frame, item), slot && slotSpot(frame, node, slot)];
  if (!sprite || !at || item.type !== "node") return;
  const { colours } = pen;
  const { scale } = sprite;
  const { lying } = frame.layout;
  const hand = handSpot(frame, item, sprite);
  const reach = smooth(share(time, 0.15, 0.4));
  const tip = { x: lerp(hand.x, at.x, reach), y: lerp(hand.y, at.y, reach) };
  drawArm(pen, hand, tip, scale, share(time, 0.38, 0.5), lying);
  tile(pen, valueOf(frame, value), hand, hand.w, grad(frame, node));
  const pulse = time < 1 ? 0.5 + 0.5 * Math.sin(time * 22) : 1;
  const hole = { x: at.x, y: at.y, w: at.size + 6, h: at.size + 6 };
  box(pen, hole, 9, { stroke: colours.bad, line: 3 + 1.5 * pulse, dash: [6, 5] });
  if (time < 0.5) return;
  drawCross(pen, at.x + at.size / 2 + 2, at.y + at.size / 2, scale);
  drawVerdict(pen, frame, node, slot, item, hand);
}

/** Where the gradient is that reaches into a slot: where it would come from, and there where it covers least. */
function handSpot({ layout, width }, item, { x, y, scale }) {
  const right = HANDS.map(([far, side]) => [x + (item.w / 2 + far) * scale, y - 4 * scale, side * scale]);
  const above = [-10, item.w / 2, -item.w / 2].map((off) =>
    [x + off * scale, y - (item.h / 2 + 34) * scale, HANDS[0][1] * scale]);
  const spots = (layout.lying ? [...right, ...above.slice(1)] : [...above, ...right]).map(([at, level, side]) =>
    ({ x: clamp(at, side / 2 + 3, width - side / 2 - 3), y: Math.max(side / 2 + 3, level), w: side, h: side }));
  return leastCovering(spots, layout.items.filter((each) => each !== item).map((each) => boxOf(each, layout)));
}

function drawArm(pen, hand, tip, scale, open, lying) {
  const { context, colours } = pen;
  const bend = lying ? [hand.x - 30 * scale, hand.y - 24 * scale, tip.x + 26 * scale, tip.y - 36 * scale]
    : [hand.x - 50 * scale, hand.y + 10, tip.x - 40 * scale, tip.y - 24 * scale];
  context.beginPath();
  context.moveTo(hand.x, hand.y);
  const [x0, y0, x1, y1] = bend;
  context.bezierCurveTo(x0, Math.max(HIGHEST, y0), x1, Math.max(HIGHEST, y1), tip.x, tip.y - 12 * scale);
  context.strokeStyle = colours.run;
  context.lineWidth = 7 * scale;
  context.lineCap = "round";
  context.stroke();
  for (const finger of [-1, 0, 1]) {
    const wide = finger * (5 + 6 * open) * scale;
    const ends = [[tip.x, tip.y - 12 * scale], [tip.x + wide, tip.y + 3 * scale]];
    line(pen, ends, { stroke: colours.run, line: 3.6 * scale });
  }
  context.lineCap = "butt";
}

function drawCross(pen, x, y, scale) {
  const arm = 4 * scale;
  circle(pen, x, y, 11 * scale, { fill: pen.colours.bad });
  for (const way of [-1, 1])
    line(pen, [[x - arm, y - way * arm], [x + arm, y + way * arm]], { stroke: "#ffffff", line: 2.6 * scale });
}

/** What is missing, and what freed it: below the node, aside or above it where that covers less. */
function drawVerdict(pen, frame, node, slot, item, hand) {
  const { layout, width, height } = frame;
  const words = verdict(frame, node, slot);
  const { x, y, scale } = spriteOf(frame, item);
  const size = { w: pen.measure(words, 14, { bold: true }) + 24, h: 28 };
  const aside = Math.max(0, size.w / 2 - (item.w / 2) * scale);
  const below = Math.min(height - 18, y + (item.h / 2 + 22) * scale);
  const above = Math.max(18, y - (item.h / 2 + 22 + (layout.lying && item.tag ? NAME : 0)) * scale);
  const levels = [below, above, ...[1, 2, 3].map((far) => Math.min(height - 18, below + far * size.h))];
  const spots = levels.flatMap((level) => [x, x - aside, x + aside].map((middle) =>
    ({ x: clamp(middle, size.w / 2 + 6, width - size.w / 2 - 6), y: level, ...size })));
  const at = leastCovering(spots, [hand, ...thingsIn(layout)], restsOf(layout).tiles);
  const way = at.y < y ? 1 : -1;
  const near = y - way * (item.h / 2 + 4) * scale;
  const tail = { stroke: pen.colours.bad, line: 2.4 };
  if (Math.abs(near - at.y) > size.h) line(pen, [[x, at.y], [x, near]], tail);
  else line(pen, [[x - 8, at.y + way * 12], [x, at.y + way * 22], [x + 8, at.y + way * 12]], {
    ...tail, fill: pen.colours.bad, close: true,
  });
  box(pen, at, 8, { fill: pen.colours.bad });
  write(pen, words, at.x, at.y + 0.5, 14, { bold: true, colour: pen.colours.panel });
}

/** @param {Frame} frame */
export function verdict({ model, moment }, node, slot) {
  const { scene, state } = model;
  const label = slot.label === "temporary" ? "what it saved" : slot.label;
  if (state.at(node.id, `slot:${slot.name}`, moment.step) !== "freed") return `${label} was changed since it was saved`;
  const track = state.track(node.id, `slot:${slot.name}`);
  const step = track.steps.findLast((each, i) => each <= moment.step && track.values[i] === "freed");
  const call = scene.calls.findIndex(({ from, to }) => from <= step && step <= (to ?? Infinity));
  return call < 0 ? `${label} is gone: freed before`
    : `${label} is gone: freed by backward ${call + 1}, line ${scene.calls[call].line}`;
}

function ring(pen, { x, y }, time, colour) {
  if (time <= 0 || time >= 1) return;
  within(pen, { x, y, alpha: (1 - time) * 0.8 }, () =>
    circle(pen, 0, 0, 14 + time * 40, { stroke: colour, line: 4 * (1 - time) + 1 }));
}
