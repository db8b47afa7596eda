/**
 * What a card says and how large it is. Sizes are for the longest a card may ever say, so nothing moves while playing;
 * what does not fit all the same is cut with an ellipsis, so text never leaves its card.
 */

import { formatShort, ordinal, shortenName } from "../lib/format.js";

export const TITLE = 13;
export const SMALL = 11;
export const CHIP_HEIGHT = 17;
/** The height of the line in which gradients add up. */
const SUM = 17;
const PAD = 14;
const CHIP_PAD = 7;
const CHIP_GAP = 8;
const MOST = 316;
const LEAST = 168;

/** Slot states that carry a sign beside their text, and its room. */
export const SIGNED = new Set(["retained", "stale"]);
export const SIGN = 10;

/** @typedef {(text: string, size: number, bold?: boolean) => number} Measure */

/** @param {string} text @param {number} room @param {number} size @param {Measure} measure @param {boolean} [bold] */
export function fit(text, room, size, measure, bold) {
  if (measure(text, size, bold) <= room) return text;
  let length = Math.max(0, Math.floor((text.length * room) / measure(text, size, bold)));
  while (length > 0 && measure(`${text.slice(0, length)}…`, size, bold) > room) length--;
  return `${text.slice(0, length)}…`;
}

/** The text of a slot chip in each of its states.
 * @param {any} slot
 * @param {string|null} state
 * @param {number|null} found
 */
export function slotText(slot, state, found) {
  const label = slot.label ?? slot.text;
  if (state === "freed") return `${slot.name} freed`;
  if (state === "stale") return `${slot.name} kept at version ${slot.version ?? 0}, now version ${found ?? "?"}`;
  return label && label !== slot.name ? `${slot.name} = ${label}` : slot.name;
}

/** Size and inner places of a box's card. Slots stand in rows of chips below the two lines of text.
 * @param {any} box
 * @param {Measure} measure
 * @returns {{width: number, height: number, chips: {x: number, y: number, width: number}[]}}
 */
export function measureCard(box, measure) {
  if (box.kind === "leaf") return { width: leafWidth(box, measure), height: box.adds ? 72 + SUM : 72, chips: [] };
  const widths = box.slots.map((slot) => Math.min(MOST - 2 * PAD, chipWidth(slot, measure)));
  const text = Math.max(
    measure(`${box.name}   empty`, TITLE, true) + 22,
    measure(`${box.name}  `, TITLE) + measure(generation(box), SMALL) + 24,
    measure(`${where(box)} · used a 2nd time`, SMALL),
    Math.min(widths.reduce((sum, width) => sum + width + CHIP_GAP, -CHIP_GAP), 220),
    ...widths,
  );
  const width = Math.round(Math.max(LEAST, Math.min(MOST, text + 2 * PAD)));
  const chips = chipPlaces(widths, width - 2 * PAD, 44 + (box.adds ? SUM : 0));
  return { width, height: chips.length ? chips.at(-1).y + CHIP_HEIGHT + 8 : 48 + (box.adds ? SUM : 0), chips };
}

/** Where chips stand: in one row, else in columns, of which a chip that is longer than one takes a whole row.
 * @param {number[]} widths @param {number} room @param {number} top
 */
function chipPlaces(widths, room, top) {
  const inOneRow = widths.reduce((sum, width) => sum + width + CHIP_GAP, 0) <= room + CHIP_GAP + 0.5;
  const columns = 3 * (Math.max(...widths) + CHIP_GAP) <= room + CHIP_GAP ? 3 : 2;
  const column = (room + CHIP_GAP) / columns;
  let x = 0;
  let y = top;
  return widths.map((width) => {
    const takes = inOneRow || width + CHIP_GAP <= column + 0.5 ? 0 : room;
    if (x && x + Math.max(width, takes) > room + 0.5) {
      x = 0;
      y += CHIP_HEIGHT + 5;
    }
    const place = { x: PAD + x, y, width };
    x += inOneRow ? width + CHIP_GAP : takes || column;
    return place;
  });
}

function leafWidth(box, measure) {
  return Math.round(
    Math.max(254, Math.min(MOST, measure(`AccumulateGrad  ${box.variable ?? ""}`, TITLE) + 2 * PAD + 20)),
  );
}

function chipWidth(slot, measure) {
  const width = (state) => measure(slotText(slot, state, slot.version ?? 0), SMALL) + (SIGNED.has(state) ? SIGN : 0);
  return Math.max(...(slot.states ?? ["held", "freed"]).map(width)) + 2 * CHIP_PAD;
}

/** `#7 · line 8` */
export function where(box) {
  const parts = [];
  if (box.nr !== null && box.nr !== undefined) parts.push(`#${box.nr}`);
  if (box.line !== null && box.line !== undefined) parts.push(`line ${box.line}`);
  return parts.join(" · ");
}

/** `2nd order` for what the first create_graph made, and so on. */
export function generation(box) {
  return box.generation > 0 ? `${ordinal(box.generation + 1)} order` : "";
}

/** How a box stands, in a word or two.
 * @param {any} box
 * @param {any} now  as moment.boxAt gives it
 */
export function standing(box, now) {
  return now.hint || (now.state === "built" && keepsNothing(box) ? "keeps nothing" : stateWord(now));
}

const keepsNothing = (box) => !box.slots.length && box.kind !== "leaf";

/** In which state a box is, in a word or two. */
export function stateWord(now) {
  const ran = now.order ? `ran ${ordinal(now.order)}` : "ran";
  switch (now.state) {
    case "ran":
    case "empty":
      return ran;
    case "failed":
      return "stopped here";
    default:
      return now.state ?? "";
  }
}

/** The three lines of a leaf's card: what it is, what it holds, what has come.
 * @param {any} box
 * @param {any} now
 * @param {(index: number|null) => any} value
 * @returns {string[]}
 */
export function leafLines(box, now, value) {
  const grad = now.grad === null ? "None" : formatShort(value(now.grad), 24);
  const stored = Boolean(now.how);
  const lines = [`grad ${grad}`, ""];
  const came = now.came === null ? null : formatShort(value(now.came), 16);
  if (stored && came !== null && now.grad !== null) {
    const before = now.before === null ? "None" : formatShort(value(now.before), 14);
    const ways = [
      `grad ${before}${now.before === null ? " →" : ` + ${came} =`} ${grad}`,
      `grad ${before} → ${grad}`,
      `grad ${grad}`,
    ];
    lines[0] = ways.find((way) => way.length < 32) ?? ways[2];
  }
  const arrived = now.expected ? `${now.arrived ?? 0} of ${now.expected} arrived` : "";
  if (came !== null && !stored) lines[1] = [`+ ${came}`, arrived].filter(Boolean).join(" · ");
  else lines[1] = arrived ? `${arrived} in this call` : now.grad === null ? "nothing has arrived" : "";
  return lines;
}

/** A tensor that is told by its shape: no term of a sum that one can follow. */
const SUMMED_UP = /\] [^+=−]/;

/** `20 + 18 = 38`: what has come and what it makes; of terms that are too long for a card, how many they are.
 * @param {{terms: (number|null)[], total: number|null}} sum
 * @param {(index: number|null) => any} value
 * @param {number} letters  as many as there is room for
 */
export function sumLine({ terms, total }, value, letters) {
  const whole = formatShort(value(total), 18);
  if (!terms.length) return `so far ${whole}`;
  if (terms.length === 1) return `${whole} + …`;
  const parts = terms.map((term) => formatShort(value(term), 18)).join(" + ").replaceAll("+ -", "− ");
  const ways = [...(SUMMED_UP.test(parts) ? [] : [`${parts} = ${whole}`]), `${terms.length} added: ${whole}`];
  return ways.find((way) => way.length <= letters && !way.includes("tensor")) ?? `${terms.length} gradients added up`;
}

/** The card of a folded group.
 * @param {any} group
 * @param {Measure} measure
 * @param {string} [standing]  the longest that it may say of how its boxes stand
 */
export function measureGroup(
  group,
  measure,
  standing = ["released", "running", "failed"].map((word) => `${group.boxes.length} ${word}`).join(" · "),
) {
  const width = Math.max(measure(`▸ ${groupTitle(group)}`, TITLE), measure(standing, SMALL), 172) + 2 * PAD;
  return { width: Math.round(Math.min(MOST + 40, width)), height: 58, chips: [] };
}

export function groupTitle(group) {
  return `${group.title} · ${group.boxes.length} ${group.boxes.length === 1 ? "node" : "nodes"}`;
}

/** How the boxes behind a folded card stand, in a few words. @param {import("../scene/moment.js").Counts} counts */
export function groupStanding(counts) {
  const count = (...wanted) => wanted.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
  const there = [...counts.values()].reduce((sum, number) => sum + number, 0) - count(null);
  if (there === 0) return "";
  if (count("released") === there) return "released";
  const words = [
    [count("failed"), "failed"],
    [count("running"), "running"],
    [count("ready"), "ready"],
    [count("ran", "empty"), "ran"],
    [count("built"), "built"],
    [count("released"), "released"],
  ];
  return words.filter(([number]) => number).map(([number, word]) => `${number} ${word}`).slice(0, 3).join(" · ");
}

/** What the pill of a name says: the name, that it is a view, and the version once the tensor was written to. */
export function pillText(name, tensor, version) {
  return `${name}${tensor?.base ? " · view" : ""}${version > 0 ? ` v${version}` : ""}`;
}

/** The width of a pill. */
export function pillWidth(text, measure) {
  return Math.round(Math.min(150, measure(text, 11.5)) + 20);
}

/** The chip that stands for a shared leaf. */
export function leafChipText({ box, group }) {
  return group ? group.title : box.variable ?? shortenName(box.name);
}
