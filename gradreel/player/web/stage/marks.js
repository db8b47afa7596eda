/**
 * The things on the stage: nodes with what they keep, lenses of views, cards and ladders of what is folded, leaves with
 * their value, their `.grad` and the funnel of AccumulateGrad, drawers. Each is drawn in its own units.
 */

import { isAlive, countsOf, hasRun, leafName, slotAt, slotValue, tensorAt } from "./moment.js";
import { fullTowerOf, gradAt } from "./model.js";
import { box, boxes, line, sizeOfText, write } from "./pen.js";
import { inletOf, mouthX } from "./routes.js";
import {
  BOLD, BOLD_MONO, CELL, cellsOf, FUNNEL, LABEL, ladderLine, ladderTitle, lastParts, miniPlaces, nodeCount, PIP, RESULT,
  SIGN, slotLabel, slotPlace, TITLE,
} from "./sizes.js";
import { css, heat, numberIn, tile } from "./tiles.js";
import { drawSign } from "./signs.js";
import { gridOf, mostOf, SHORT, tileNumber } from "./values.js";

/** @import { Pen } from "./pen.js" */
/** @import { Frame, GradEntry, Item } from "./types.js" */

/** @param {Pen} pen @param {Frame} frame @param {Item} item */
export function drawItem(pen, frame, item) {
  DRAW[item.type](pen, frame, item);
}

const DRAW = { node: drawNode, lens: drawLens, card: drawCard, ladder: drawLadder, leaf: drawLeaf, drawer: drawDrawer };

export const genColour = ({ colours }, gen) => [colours.soft, colours.gen2, colours.gen3][Math.min(2, gen)];

/** The plate of a thing with its shadow.
 * @param {Pen} pen @param {{w: number, h: number}} size @param {{fill: string, stroke: string, line?: number}} look
 */
function plate(pen, { w, h }, look, radius = 10, y = 0) {
  const { context } = pen;
  const alpha = context.globalAlpha;
  context.globalAlpha = alpha * 0.1;
  box(pen, { x: 0, y: y + 3, w: w + 2, h: h + 2 }, radius + 1, { fill: "#000000" });
  context.globalAlpha = alpha;
  box(pen, { x: 0, y, w, h }, radius, look);
}

/** The rim of what is chosen, pointed at, or would go with what is chosen. */
function rim(pen, frame, item) {
  const { colours } = pen;
  const ids = idsOf(item);
  const isChosen = ids.includes(frame.chosen);
  const goes = frame.holding?.gone && item.nodes.some(({ id }) => frame.holding.gone.has(id));
  if (!isChosen && !goes && !ids.includes(frame.hover)) return;
  const at = { x: 0, y: 0, w: item.w + 10, h: item.h + 10 };
  if (isChosen) box(pen, at, 14, { stroke: colours.ink, line: 2.4 });
  else if (goes) box(pen, at, 14, { stroke: colours.bad, line: 2, dash: [6, 4] });
  else box(pen, at, 14, { stroke: colours.soft, line: 1.4 });
}

/** What a click on an item selects: its node, its tensor, its group. @param {Item} item @returns {string[]} */
export function idsOf({ type, nodes, leaf, group, groups, key }) {
  if (type === "node" || type === "lens") return nodes.map(({ id }) => id);
  if (type === "leaf") return [leaf.tensor, ...leaf.nodes.map(({ id }) => id)];
  if (type === "card") return [group.id];
  return groups ? groups.map(({ id }) => id) : [key];
}

function drawNode(pen, frame, item) {
  const { colours, measure } = pen;
  const { model, moment } = frame;
  const [node] = item.nodes;
  const runs = moment.running === node && frame.progress < 1;
  const failed = moment.failed === node;
  const ran = hasRun(model, node, moment.step);
  const idle = node.gen ? genColour(pen, node.gen) : colours.gone;
  rim(pen, frame, item);
  plate(pen, item, {
    fill: failed ? colours["bad-bg"] : runs ? colours["run-bg"] : colours.panel,
    stroke: failed ? colours.bad : ran ? colours.run : idle,
    line: runs || failed ? 3 : 1.8,
  });
  const tone = failed ? colours.bad : ran ? colours.run : node.gen ? genColour(pen, node.gen) : colours.ink;
  const title = measure(node.short, sizeOfText(pen, TITLE), BOLD);
  const number = `#${node.box.nr}`;
  const wide = measure(number, sizeOfText(pen, LABEL));
  const fits = 38 + title + wide <= item.w - 6;
  const left = -Math.min(item.w - 10, 32 + title + (fits ? 6 + wide : 0)) / 2;
  const y = -item.h / 2 + 17;
  drawSign(pen, node.short, left + SIGN, y, 12, tone);
  write(pen, node.short, left + 32, y, TITLE, { bold: true, align: "left", room: item.w - 42 });
  if (fits) write(pen, number, left + 38 + title, y, LABEL, { align: "left", colour: colours.soft });
  item.slotWidths.forEach((wide, place) => drawSlot(pen, frame, item, node, place, wide, failed));
  drawTag(pen, frame, item, node);
}

function drawSlot(pen, frame, item, node, place, wide, failed) {
  const { colours } = pen;
  const { model, moment, hidden } = frame;
  const slot = node.slots[place];
  const { x, y } = slotPlace(item, place);
  const state = slotAt(model, node, slot, moment.step);
  const missing = failed && moment.acts.some((act) => act.type === "fail" && act.slot === slot);
  const isGone = state === "freed";
  const side = item.cell;
  box(pen, { x, y, w: side, h: side }, 7, {
    fill: isGone ? colours.panel : colours["live-bg"],
    stroke: missing ? colours.bad : isGone ? colours.soft : colours.live,
    line: missing ? 3 : 1.4,
    dash: isGone ? [4, 4] : undefined,
  });
  if (state && !isGone && !hidden.has(`slot:${node.id}:${slot.name}`)) {
    const value = model.scene.values[slotValue(model, node, slot, moment.step)];
    const most = mostOf(model.scene.values[slot.value]) || mostOf(value);
    const [w, h] = tile(pen, value, { x, y }, side - 6, { kind: "save", most, room: side - 4 });
    if (state === "stale") crack(pen, x, y, w, h);
    const locked = state === "retained" && !hidden.has(`lock:${node.id}:${slot.name}`);
    if (locked) lock(pen, x + side / 2 - 3, y - side / 2 + 3);
  }
  const colour = isGone ? colours.soft : colours.ink;
  write(pen, slotLabel(slot), x, y + side / 2 + 12, LABEL, { mono: true, colour, room: wide + 6 });
}

/** A zigzag through what was changed behind autograd's back. @param {Pen} pen */
export function crack(pen, x, y, w, h) {
  const { colours } = pen;
  const at = (part, down) => [x + w * 0.28 + w * part, y + h * down];
  const zigzag = [at(-0.1, -0.58), at(0.08, -0.22), at(-0.1, 0.06), at(0.1, 0.26), at(-0.02, 0.58)];
  line(pen, zigzag, { stroke: colours.panel, line: 4.4 });
  line(pen, zigzag, { stroke: colours.bad, line: 2.4 });
  box(pen, { x, y, w, h }, 4, { stroke: colours.bad, line: 2, dash: [5, 3] });
}

/** The padlock of what is retained. @param {Pen} pen */
export function lock(pen, x, y, size = 1) {
  const { context, colours } = pen;
  context.save();
  context.translate(x, y);
  context.scale(size, size);
  context.beginPath();
  context.arc(0, -3.5, 4.2, Math.PI, 2 * Math.PI);
  context.strokeStyle = colours.live;
  context.lineWidth = 2.2;
  context.stroke();
  box(pen, { x: 0, y: 2.2, w: 13, h: 10.5 }, 2.5, { fill: colours.live });
  context.fillStyle = colours.panel;
  context.fillRect(-1, 0.5, 2, 4);
  context.restore();
}

/** The names that hold a node, on a string: names are of the other world. */
function drawTag(pen, frame, item, node) {
  const names = frame.moment.tags.get(node.id);
  const found = names?.at(-1);
  if (!found) return drawResult(pen, frame, item, node);
  const { colours, measure } = pen;
  const value = frame.model.scene.values[tensorAt(frame.model, found.tensor, frame.moment.step)];
  const grid = gridOf(value);
  const number = grid && "scalar" in grid ? tileNumber(grid.scalar, SHORT) : null;
  const name = lastParts(found.name);
  const px = sizeOfText(pen, LABEL);
  const own = measure(name, px, BOLD_MONO);
  const w = own + (number === null ? 44 : 24 + measure(number, px, BOLD));
  const [x, y] = frame.layout.lying ? [-item.w / 2 + 16, -item.h / 2 - 21] : [item.w / 2 + 14, -item.h / 2 + 16];
  const string = frame.layout.lying ? [[x + 14, y + 14], [x + 14, y + 21]] : [[x - 14, y], [x, y]];
  const held = frame.holding?.names.has(found.key);
  line(pen, string, { stroke: colours.soft, line: 1.3, dash: [2, 3] });
  line(pen, [[x, y], [x + 8, y - 13], [x + w, y - 13], [x + w, y + 13], [x + 8, y + 13]], {
    stroke: held ? colours.bad : colours.leaf, line: held ? 2.6 : 1.5, fill: colours.ground, close: true,
  });
  write(pen, name, x + 11, y + 0.5, LABEL, { bold: true, mono: true, align: "left" });
  if (number !== null)
    write(pen, number, x + w - 7, y + 0.5, LABEL, { bold: true, align: "right", colour: colours.soft });
  else if (value) tile(pen, value, { x: x + w - 15, y }, 22, { numbers: false, radius: 3 });
}

/** What a node came to on the way forward, where no name tells it. */
function drawResult(pen, { layout }, item, { result }) {
  if (!result) return;
  const { colours } = pen;
  const grid = gridOf(result);
  const number = grid && "scalar" in grid;
  const w = RESULT[number ? "number" : "tile"];
  const { lying } = layout;
  const [x, y] = lying ? [-item.w / 2 + 16 + w / 2, -item.h / 2 - 19] : [item.w / 2 + 10 + w / 2, -item.h / 2 + 16];
  const string = lying ? [[x, y + 12], [x, y + 19]] : [[x - w / 2 - 10, y], [x - w / 2, y]];
  line(pen, string, { stroke: colours.soft, line: 1.3, dash: [2, 3] });
  if (!number) return void tile(pen, result, { x, y }, w - 4, { numbers: false, radius: 3 });
  box(pen, { x, y, w, h: 24 }, 6, { fill: colours.ground, stroke: colours.line, line: 1.4 });
  write(pen, `= ${tileNumber(grid.scalar, SHORT)}`, x, y + 0.5, LABEL, { bold: true, room: w - 6 });
}

function drawLens(pen, frame, item) {
  const { colours, measure } = pen;
  const { model, moment } = frame;
  const ran = item.nodes.some((node) => hasRun(model, node, moment.step));
  const runs = item.nodes.includes(moment.running) && frame.progress < 1;
  rim(pen, frame, item);
  box(pen, { x: 0, y: 0, w: item.w, h: item.h }, 12, {
    fill: runs ? colours["run-bg"] : colours.panel, stroke: ran ? colours.run : colours.gone, line: runs ? 2.6 : 1.4,
  });
  write(pen, item.text, 0, 0.5, LABEL, { mono: true, colour: ran ? colours.ink : colours.soft });
  const name = item.nodes.flatMap(({ id }) => moment.tags.get(id) ?? []).at(-1)?.name;
  if (!name) return;
  const w = measure(lastParts(name), LABEL, BOLD_MONO) + 12;
  const y = -item.h / 2 - 10;
  box(pen, { x: 0, y, w, h: 20 }, 6, { fill: colours.ground, stroke: colours.leaf });
  write(pen, lastParts(name), 0, y + 0.5, LABEL, { bold: true, mono: true });
}

function drawCard(pen, frame, item) {
  const { colours } = pen;
  const counts = countsOf(frame.model, item.nodes, frame.moment);
  rim(pen, frame, item);
  for (const by of [6, 3])
    box(pen, { x: by, y: by, w: item.w, h: item.h }, 10, { fill: colours.panel, stroke: colours.gone, line: 1 });
  plate(pen, item, foldedLook(pen, frame, counts));
  const [x, y] = [-item.w / 2 + 12, -item.h / 2];
  const how = { align: "left", room: item.w - 22 };
  write(pen, item.group.title || "nodes", x, y + 17, TITLE, { ...how, bold: true });
  const { born, all } = counts;
  const words = `${item.group.sub ? `${item.group.sub} · ` : ""}${born < all ? `${born} of ` : ""}${nodeCount(all)}`;
  write(pen, words, x, y + 36, LABEL, { ...how, colour: colours.soft });
  bar(pen, x, y + 50, item.w - 24, counts);
  drawMinis(pen, frame, item, y + 62);
}

function foldedLook({ colours }, frame, { runs, ran, born, failed }) {
  const now = runs && frame.progress < 1;
  return {
    fill: now ? colours["run-bg"] : colours.panel,
    stroke: failed ? colours.bad : now || (ran && ran === born) ? colours.run : colours.gone,
    line: now ? 3 : 1.8,
  };
}

/** What many nodes keep, and how many have run, as one bar. */
function bar(pen, x, y, w, { all, born, ran, held, freed }) {
  const { colours } = pen;
  const part = (from, wide, fill) => box(pen, { x: x + from + wide / 2, y: y + 3.5, w: wide, h: 7 }, 3.5, { fill });
  part(0, w, colours.line);
  const slots = Math.max(1, held + freed);
  if (held) part(0, w * (held / slots) * (born / all), colours.live);
  if (ran) part(w * (1 - ran / all), (w * ran) / all, colours.run);
}

/** The parameters of a card: value and `.grad` side by side, small. */
function drawMinis(pen, frame, item, top) {
  const own = item.own ?? [];
  miniPlaces(item, own.length, top).forEach(({ x, y }, i) => drawMini(pen, frame, own[i].leaf, x, y));
}

function drawMini(pen, frame, leaf, x, y) {
  const { model, moment } = frame;
  const { values } = model.scene;
  const value = values[tensorAt(model, leaf.tensor, moment.step)];
  if (value) tile(pen, value, { x: x + 8, y: y + 13 }, 19, { numbers: false, radius: 3 });
  box(pen, { x: x + 26, y: y + 13, w: 16, h: 24 }, 1, { stroke: pen.colours.leaf });
  const grad = gradAt(leaf, moment.step);
  if (!grad) return;
  const look = { kind: /** @type {const} */ ("grad"), numbers: false, radius: 3, most: leaf.most };
  tile(pen, values[grad.value], { x: x + 26, y: y + 13 }, 18, look);
}

function drawLadder(pen, frame, item) {
  const { colours } = pen;
  const { model, moment } = frame;
  rim(pen, frame, item);
  plate(pen, item, foldedLook(pen, frame, countsOf(model, item.nodes, moment)));
  const [x, y] = [-item.w / 2 + 12, -item.h / 2];
  const how = { align: "left", room: item.w - 22 };
  write(pen, ladderTitle(item.groups), x, y + 17, TITLE, { ...how, bold: true });
  write(pen, ladderLine(item), x, y + 35, LABEL, { ...how, colour: colours.soft });
  const cells = cellsOf(item);
  const placed = cells.map((nodes, i) => ({
    x: x + (i % CELL.row) * CELL.w + 5, y: y + 50 + Math.floor(i / CELL.row) * CELL.h, w: 9.5, h: 10,
    ...countsOf(model, nodes, moment),
  }));
  drawCells(pen, placed);
  drawMinis(pen, frame, item, y + 48 + Math.ceil(cells.length / CELL.row) * CELL.h);
}

/** Turns of a loop: blue keeps, amber has run, hollow has let go. Those that look alike are painted at once.
 * @param {Pen} pen
 * @param {(import("./places.js").Box & {born: number, ran: number, held: number, failed: boolean})[]} cells
 */
function drawCells(pen, cells) {
  const { colours } = pen;
  const looks = new Map();
  for (const cell of cells) {
    const { born, ran, held, failed } = cell;
    const fill = ran ? colours["run-bg"] : held ? colours.live : colours.panel;
    const stroke = failed ? colours.bad : ran ? colours.run : !born ? colours.line : held ? colours.live : colours.gone;
    const key = fill + stroke;
    if (!looks.has(key)) looks.set(key, { look: { fill, stroke, line: 1.3 }, alike: [] });
    looks.get(key).alike.push(cell);
  }
  for (const { look, alike } of looks.values()) boxes(pen, alike, 2, look);
  const both = cells.filter(({ ran, held }) => ran && held).map(({ x, y }) => ({ x, y, w: 4, h: 4 }));
  if (both.length) boxes(pen, both, 1, { fill: colours.live });
}

/** Where the value and the tray of a leaf are, from the middle of its plate. @param {Item} item */
export function leafPlaces(item) {
  const { tile: side, compact } = item;
  const y = -item.h / 2 + FUNNEL[compact ? "compact" : "big"] + 9 + side / 2;
  return { value: { x: -(side / 2 + (compact ? 6 : 9)), y }, tray: { x: mouthX(item), y }, side };
}

function drawLeaf(pen, frame, item) {
  const { colours } = pen;
  const { model, moment, hidden } = frame;
  const { leaf, compact, tile: side } = item;
  const hot = hidden.has(`hot:${leaf.tensor}`);
  const { value: at, tray } = leafPlaces(item);
  rim(pen, frame, item);
  drawFunnel(pen, item);
  const rimTop = FUNNEL[compact ? "compact" : "big"];
  const look = { fill: colours.panel, stroke: colours.leaf, line: hot ? 3.6 : 2 };
  plate(pen, { w: item.w, h: item.h - rimTop }, look, 11, rimTop / 2);
  const value = model.scene.values[tensorAt(model, leaf.tensor, moment.step)];
  if (value && !hidden.has(`value:${leaf.tensor}`)) {
    const [wide] = tile(pen, value, at, side - 4, { room: side });
    if (model.scene.expression) drawGrips(pen, at, wide);
  }
  const name = lastParts(leafName(leaf, moment));
  const below = at.y + side / 2 + 15;
  if (compact) write(pen, name, 0, below, LABEL, { bold: true, mono: true, room: item.w - 8 });
  else {
    write(pen, name, at.x, below, 15, { bold: true, mono: true, room: item.w / 2 + 6 });
    write(pen, ".grad", tray.x, below, LABEL, { mono: true, colour: colours.soft });
  }
  drawTray(pen, tray.x, tray.y, side);
  const grad = gradAt(leaf, moment.step);
  if (grad && !hidden.has(`tray:${leaf.tensor}`)) fillTray(pen, model, leaf, grad, tray, side);
  if (item.lens) drawLensAbove(pen, frame, item);
}

/** That a value can be dragged: a point at either side of it. */
function drawGrips(pen, { x, y }, wide) {
  const { leaf } = pen.colours;
  for (const way of [-1, 1]) {
    const [near, far] = [x + way * (wide / 2 + 2.5), x + way * (wide / 2 + 7)];
    line(pen, [[near, y - 5], [far, y], [near, y + 5]], { stroke: leaf, line: 0.5, fill: leaf, close: true });
  }
}

/** AccumulateGrad, half in each world. */
function drawFunnel(pen, item) {
  const { colours } = pen;
  const x = mouthX(item);
  const [wide, neck, high] = item.compact ? [24, 12, FUNNEL.compact] : [38, 17, FUNNEL.big];
  const top = -item.h / 2 + 2;
  const [shoulder, foot] = [top + high - 10, top + high + 2];
  line(pen, [[x - wide, top], [x + wide, top], [x + neck, shoulder], [x + neck, foot], [x - neck, foot],
    [x - neck, shoulder]], { stroke: colours.run, line: 2, fill: colours["run-bg"], close: true });
}

/** Where gradients are added before a node, a funnel like that of a leaf, from its middle.
 * @param {Pen} pen @param {Frame} frame @param {Item} item
 */
export function drawInlet(pen, { layout }, item) {
  const { lying } = layout;
  const { neck, deep, rows, columns } = item.inlet;
  const wide = inletOf(layout, item) / 2 + 9;
  const half = ((lying ? rows : columns) * PIP.room + PIP.margin) / 2;
  const edge = lying ? -item.w / 2 : -item.h / 2 - (item.over ?? 0);
  const side = [[wide, edge - deep], [half, edge - neck], [half, edge]];
  const points = [...side, ...side.map(([x, y]) => [-x, y]).reverse()];
  const { run: stroke, "run-bg": fill } = pen.colours;
  line(pen, lying ? points.map(([x, y]) => [-y, x]) : points, { stroke, line: 1.6, fill, close: true });
}

function drawLensAbove(pen, frame, item) {
  const { colours } = pen;
  const { lens } = item;
  const ran = lens.nodes.some((node) => hasRun(frame.model, node, frame.moment.step));
  const at = { x: mouthX(item), y: -item.h / 2 - 15, w: lens.w, h: 21 };
  box(pen, at, 10, { fill: colours.panel, stroke: ran ? colours.run : colours.gone, line: 1.4 });
  write(pen, lens.text, at.x, at.y + 0.5, LABEL, { mono: true, colour: colours.soft });
}

function drawTray(pen, x, y, side) {
  const half = side / 2;
  const points = [[x - half, y - half + 2], [x - half, y + half], [x + half, y + half], [x + half, y - half + 2]];
  line(pen, points, { stroke: pen.colours.leaf, line: 2.6 });
}

/** How high the block of a term stands in a tower. */
export const blockHigh = (model, number, side) =>
  Math.max(4, (Math.abs(number) / (fullTowerOf(model) || 1)) * (side - 10));

/** What a tray holds: of a scalar a tower, a block for each call; of a matrix a tile on as many plates.
 * @param {Pen} pen @param {import("./types.js").Model} model @param {import("./types.js").Leaf} leaf
 * @param {GradEntry} entry @param {{x: number, y: number}} at @param {number} side
 */
function fillTray(pen, model, leaf, entry, { x, y }, side) {
  const { values } = model.scene;
  const value = values[entry.value];
  const grid = gridOf(value);
  if (grid && "scalar" in grid && !Number.isFinite(Number(grid.scalar))) {
    write(pen, tileNumber(grid.scalar), x, y, Math.max(15, side * 0.32), { bold: true, colour: pen.colours.bad });
    return;
  }
  if (grid && "scalar" in grid) {
    const top = drawTower(pen, model, entry, { x, y }, side);
    drawTotal(pen, value, top, { x, y }, side);
    return;
  }
  const off = entry.count > 1 ? 3 : 0;
  tile(pen, value, { x: x - off, y: y - off }, side - 10, { kind: "grad", most: leaf.most, plates: entry.count - 1 });
}

/** What a tower comes to, in its middle.
 * @param {Pen} pen @param {import("../lib/format.js").Value} value @param {number} top  where it ends
 */
export function drawTotal(pen, { data }, top, { x, y }, side) {
  const middle = y + side / 2 - Math.max(13, Math.min(side - 14, (y + side / 2 - top) / 2 + 2));
  const text = numberIn(pen, data, side - 8);
  const px = Math.min(22, Math.max(15, side * 0.32), (side - 8) / pen.measure(text, 1, BOLD));
  write(pen, text, x, middle, px, { bold: true, halo: true });
}

/** The blocks of a tower. @returns {number} where it ends */
export function drawTower(pen, model, entry, { x, y }, side) {
  const numbers = entry.terms.map((term) => Number(model.scene.values[term]?.data));
  const alike = numbers.every((number) => Math.sign(number) === Math.sign(numbers[0]));
  const all = alike && entry.count === numbers.length ? numbers : [Number(model.scene.values[entry.value].data)];
  let top = y + side / 2 - 3;
  all.forEach((number, i) => {
    const high = blockHigh(model, number, side);
    const fill = css(heat(pen, Math.sign(number) * (0.45 + 0.13 * (i % 3)), 1));
    box(pen, { x, y: top - high / 2, w: side - 10, h: high - 1 }, 1, { fill, stroke: pen.colours.run, line: 1.3 });
    top -= high;
  });
  return top;
}

function drawDrawer(pen, frame, item) {
  const { colours } = pen;
  rim(pen, frame, item);
  plate(pen, item, { fill: colours.panel, stroke: colours.leaf, line: 1.8 });
  write(pen, drawerTitle(item), 0, -item.h / 2 + 14, LABEL, { bold: true, mono: true, room: item.w - 8 });
  drawMinis(pen, frame, item, -item.h / 2 + 28);
}

/** What the leaves in a drawer are called together. @param {Item} item */
function drawerTitle({ own }) {
  const [first] = own[0].leaf.name.split(".");
  const common = own.every(({ leaf }) => leaf.name.split(".")[0] === first) && own[0].leaf.name.includes(".");
  return common ? `${first}.* · ${own.length}` : `${own.length} tensors`;
}

/** Whether a thing is there to be seen. @param {Item} item @param {number} step */
export function isPresent({ type, nodes, leaf, own }, step) {
  if (type === "leaf") return leaf.born <= step && step < leaf.died;
  if (type === "drawer") return own.length > 0;
  return nodes.some((node) => isAlive(node, step));
}
