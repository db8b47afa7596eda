/**
 * How large each thing on the stage is, at scale 1: what it says decides it, so no label is cut by its own card. Pure.
 */

import { nodesIn } from "./fold.js";

/** @import { Fold, Item, StageNode } from "./types.js" */

/** @typedef {(text: string, px: number, style?: {bold?: boolean, mono?: boolean}) => number} Measure */

/** Sizes of text at scale 1; the stage is drawn at MIN_SCALE or larger, which makes of 14 px more than 12. */
export const TITLE = 14;
export const LABEL = 14.1;
export const MIN_SCALE = 0.86;
export const BOLD = { bold: true };
export const MONO = { mono: true };
export const BOLD_MONO = { bold: true, mono: true };

export const HEAD = 32;
/** The middle of the sign of a node, from where its title begins. */
export const SIGN = 13;
const SLOTS = 4;
const SLOT_GAP = 8;
/** The small tile of a leaf inside a card: its value, its `.grad`, and how many stand in a row. */
const MINI = { w: 40, h: 34, row: 4, most: 8 };
/** The cells of a ladder. */
export const CELL = { w: 12, h: 13, row: 16, most: 80 };
export const FUNNEL = { big: 52, compact: 44 };
/** The pips in the neck of a funnel, one for each gradient while they are no more: how much room one has. */
export const PIP = { most: 6, room: 11, margin: 4, radius: 4.2 };
/** How much deeper than its neck the funnel before a node is. */
const INLET_MOUTH = 22;
/** In a funnel that lies pips stand above each other: of a node without slots there is room for fewer. */
const PIP_ROWS = { flat: 2, high: 4 };
/** How pips may stand in the neck of the funnel of a leaf. */
export const LEAF_PIPS = { big: { rows: 2, columns: 3 }, compact: { rows: 2, columns: 2 } };
/** Where the graph lies a name stands so high above its node. */
export const NAME = 36;
/** The name of a view stands on its lens. */
const LENS_NAME = 20;
const DRAWER = { w: 40, h: 29, rows: 3 };

/** A name with no more than its last two parts. @param {string} name */
export const lastParts = (name) => name.split(".").slice(-2).join(".");

const TRANSPOSE = /\.(t\(\)|m?T)$/;

/** What stands below a slot. @param {{label: string, name: string}} slot */
export function slotLabel({ label, name }) {
  const told = (label === "temporary" ? "input" : label || name).replace(TRANSPOSE, "ᵀ");
  const text = /^[\w.]+ᵀ?$/.test(told) ? lastParts(told) : told;
  return text.length > 12 ? `${text.slice(0, 11)}…` : text;
}

/** Give an item its size. @param {Item} item @param {Measure} measure @param {{lying: boolean, dense: boolean}} how */
export function sizeItem(item, measure, how) {
  SIZES[item.type](item, measure, how);
}

/** @type {Record<string, (item: Item, measure: Measure, how: any) => void>} */
const SIZES = {
  node: sizeNode,
  lens: sizeLens,
  card: sizeCard,
  ladder: sizeLadder,
  leaf: sizeLeaf,
  drawer: sizeDrawer,
};

function sizeNode(item, measure, { dense, lying }) {
  const [node] = item.nodes;
  const slots = node.slots.slice(0, SLOTS);
  const title = measure(node.short, TITLE, BOLD) + measure(`#${node.box.nr}`, LABEL);
  item.cell = slots.length > 3 ? 34 : dense ? 38 : 44;
  const wanted = (slot) => Math.max(item.cell, Math.min(84, measure(slotLabel(slot), LABEL, MONO) + 4));
  item.slotWidths = slots.map(wanted);
  const wide = item.slotWidths.reduce((sum, width) => sum + width + SLOT_GAP, SLOT_GAP);
  item.w = Math.max(74, title + 62, wide);
  item.sign = SIGN - (38 + title) / 2;
  item.h = HEAD + (slots.length ? item.cell + 26 : 0);
  item.tag = tagRoom(node, measure);
  item.inlet = node.box.adds?.length ? sizeInlet(node, lying && PIP_ROWS[slots.length ? "high" : "flat"]) : null;
}

/** How the pips stand in the funnel of a node that adds gradients up, and how deep it is with them.
 * @param {StageNode} node @param {number|false} most  pips above each other, where the funnel lies
 */
function sizeInlet({ into }, most) {
  const pips = into.length > PIP.most ? 1 : into.length;
  const rows = most ? Math.min(pips, most) : 1;
  const columns = Math.ceil(pips / rows);
  const neck = (most ? columns : 1) * PIP.room + PIP.margin;
  return { rows, columns, neck, deep: neck + INLET_MOUTH };
}

/** A result that has no name takes so much room: that of any number, so that nothing moves when it changes. */
export const RESULT = { number: 70, tile: 34 };

function tagRoom(node, measure) {
  const own = node.result ? RESULT[node.result.shape.length ? "tile" : "number"] + 14 : 0;
  return Math.max(own, ...node.tags.map((name) => measure(lastParts(name), LABEL, BOLD_MONO) + 58));
}

/** Where the middle of a slot of a node lies, from the node's own. @param {Item} item @param {number} place */
export function slotPlace(item, place) {
  const widths = item.slotWidths;
  let x = -widths.reduce((sum, width) => sum + width + SLOT_GAP, -SLOT_GAP) / 2;
  for (let i = 0; i < place; i++) x += widths[i] + SLOT_GAP;
  return { x: x + widths[place] / 2, y: -item.h / 2 + HEAD + 2 + item.cell / 2 };
}

function sizeLens(item, measure, { lying }) {
  item.text = lensText(item.nodes);
  item.w = measure(item.text, LABEL, MONO) + 18;
  item.h = 24;
  item.tag = 0;
  item.over = item.nodes.some(({ tags }) => tags.length) ? LENS_NAME : 0;
  const adds = item.nodes.find(({ box }) => box.adds?.length);
  item.inlet = adds ? sizeInlet(adds, lying && PIP_ROWS.flat) : null;
}

function sizeCard(item, measure) {
  const { title, sub } = item.group;
  const own = item.own?.length ?? 0;
  const rows = Math.min(MINI.most / MINI.row, Math.ceil(own / MINI.row));
  const words = Math.max(measure(title, TITLE, BOLD), measure(cardLine(item, sub), LABEL)) + 26;
  item.w = Math.min(230, Math.max(130, words, Math.min(MINI.row, own) * MINI.w + 24));
  item.h = 62 + rows * MINI.h;
  item.tag = 0;
}

const cardLine = (item, sub) => `${sub ? `${sub} · ` : ""}${nodeCount(item.nodes.length)}`;

/** @param {number} many */
export const nodeCount = (many) => `${many} ${many === 1 ? "node" : "nodes"}`;

function sizeLadder(item, measure) {
  const cells = Math.ceil(item.groups.length / foldsInCell(item));
  const columns = Math.min(CELL.row, cells);
  const words = Math.max(measure(ladderTitle(item.groups), TITLE, BOLD), measure(ladderLine(item), LABEL)) + 26;
  const own = item.own?.length ?? 0;
  const rows = Math.min(MINI.most / MINI.row, Math.ceil(own / MINI.row));
  item.w = Math.min(240, Math.max(130, words, columns * CELL.w + 24, Math.min(MINI.row, own) * MINI.w + 24));
  item.h = 50 + Math.ceil(cells / CELL.row) * CELL.h + rows * MINI.h;
  item.tag = 0;
}

/** How many folds one cell of a ladder stands for. @param {Item} item */
const foldsInCell = ({ groups }) => Math.ceil(groups.length / CELL.most);

/** @type {WeakMap<Item, StageNode[][]>} */
const cells = new WeakMap();

/** The nodes behind each cell of a ladder. @param {Item} item @returns {StageNode[][]} */
export function cellsOf(item) {
  if (!cells.has(item)) {
    const { groups } = item;
    const each = foldsInCell(item);
    const many = Math.ceil(groups.length / each);
    const folds = Array.from({ length: many }, (_, i) => groups.slice(i * each, (i + 1) * each));
    cells.set(item, folds.map((some) => some.flatMap(nodesIn)));
  }
  return cells.get(item);
}

/** What a ladder is called: `t = 0 … 37`. @param {Fold[]} groups */
export function ladderTitle(groups) {
  const [first, last] = [titleOf(groups[0]), titleOf(groups.at(-1))];
  if (first === last) return `${first} × ${groups.length}`;
  const [name, value] = last.split(" = ");
  return value && first.startsWith(`${name} = `) ? `${first} … ${value}` : `${first} … ${last}`;
}

const titleOf = ({ title, node }) => title || `${node.short} #${node.box.nr}`;

/** @param {Item} item */
export function ladderLine({ groups, nodes }) {
  const alike = groups.every(({ kind }) => kind === groups[0].kind && kind !== "node");
  return alike ? `${groups.length} × ${nodeCount(Math.round(nodes.length / groups.length))}` : nodeCount(nodes.length);
}

function sizeLeaf(item, measure, { narrow }) {
  const name = lastParts(item.leaf.name);
  item.tag = 0;
  if (item.compact) {
    item.tile = narrow ? 34 : 42;
    item.w = Math.max(item.tile * 2 + 30, measure(name, LABEL, BOLD_MONO) + 14);
    item.h = FUNNEL.compact + 2 + item.tile + 40;
    return;
  }
  item.tile = 62;
  item.w = Math.max(item.tile * 2 + 44, measure(name, 15, BOLD_MONO) + measure(".grad", LABEL, MONO) + 56);
  item.h = FUNNEL.big + item.tile + 34;
}

function sizeDrawer(item, _measure, { narrow }) {
  item.columns = Math.min(narrow ? 2 : 6, Math.ceil(item.own.length / DRAWER.rows));
  item.w = Math.max(narrow ? 96 : 110, item.columns * DRAWER.w + 18);
  item.h = 118;
  item.tag = 0;
}

/** The places of the small tiles in a drawer, or in a card from `top` down, as their left upper corners.
 * @param {Item} item @param {number} count @param {number} top
 */
export function miniPlaces(item, count, top) {
  const columns = item.columns ?? MINI.row;
  const left = item.columns ? -columns * (DRAWER.w / 2) + 4 : -item.w / 2 + 12;
  const high = item.columns ? DRAWER.h : MINI.h;
  return Array.from({ length: Math.min(count, item.columns ? columns * DRAWER.rows : MINI.most) }, (_, i) => ({
    x: left + (i % columns) * MINI.w,
    y: top + Math.floor(i / columns) * high,
  }));
}

/** Views as the program writes them: `.T`, `[0, 1]`. @param {StageNode[]} nodes */
function lensText(nodes) {
  const text = [...nodes].reverse().map(viewText).join("").replace(/\]\[/g, ", ");
  return text.length > 16 ? `${text.slice(0, 15)}…` : text;
}

function viewText({ short, box }) {
  const index = box.numbers?.find(({ name }) => name === "index")?.text;
  if (short === "Select") return `[${index ?? ""}]`;
  if (short === "T") return ".T";
  return `.${short === "UnsafeView" ? "view" : short.toLowerCase()}`;
}
