/**
 * An expression with other values, computed in the page: its tape is played again, forward and back, and every number
 * of the scene is put in its place. What is given is a scene like the one that the server made. A tape is used only if,
 * played with the values that the scene was made with, it gives the numbers of that scene.
 */

import { full, fromNested, map, sizeOf, toNested } from "./arrays.js";
import { OPERATORS } from "./operators.js";
import { createState } from "./state.js";
import { formatNumber, formatShort } from "../lib/format.js";

/** @import { Numbers } from "./arrays.js" */
/** @import { Box, Operation, Scene } from "./types.js" */

/** How far apart, of the larger one, two results may be that are the same; small ones may be what was left of large. */
const [NEAR, SMALL] = [2e-5, 0.01];
const [MANY, DIGITS, FEWER] = [16, 8, 5];
/** What a node keeps for its backward alone, as the factors of a matrix, the page does not compute. */
const UNKNOWN = { shape: [], data: [] };
/** Steps whose sentences speak of numbers. */
const SPOKEN = new Set(["name_bound", "backward_started", "node_ran", "grad_added", "grad_stored"]);

/**
 * @typedef {{forward: Map<string, Numbers>, sent: Map<string, Numbers>, totals: Map<string, Numbers>, slopes:
 *   Map<string, number>}} Pass  by tensor, by wire, by box, and by wire where it is the same everywhere
 * @typedef {{old: number, find: (pass: Pass) => Numbers|undefined}} Entry  a number of the scene, and what it is
 */

/**
 * @param {Scene} scene
 * @returns {{at: (values: Record<string, any>) => Scene}|null} null where the page cannot do it
 */
export function createTape(scene) {
  const replay = createReplay(scene);
  const plan = replay && planOf(scene);
  if (!plan) return null;
  const start = replay(Object.fromEntries(scene.expression.leaves.map(({ name, value }) => [name, value])));
  const agrees = plan.entries.every(({ old, find }) => isNear(find(start), scene.values[old]));
  return agrees ? { at: (values) => sceneWith(scene, plan, replay(values), values) } : null;
}

// ---- replay

/** @returns {((values: Record<string, any>) => Pass)|null} */
function createReplay(scene) {
  const { tape = [], leaves = [] } = scene.expression ?? {};
  const rows = tape.map((row) => ({ ...row, settings: settingsOf(row) }));
  const known = ({ op, inputs, node }) => !inputs.length || (OPERATORS[op] && (!node || OPERATORS[op].backward));
  if (!rows.length || !leaves.length || !rows.every(known) || scene.calls.length !== 1) return null;
  const root = scene.steps[scene.calls[0].from].focus[0];
  const wires = new Map(scene.wires.map((wire) => [`${wire.from}:${wire.output}`, wire]));
  return (values) => {
    const data = rows.map((row, nr) => (nr < leaves.length ? values[leaves[nr].name] : row.data));
    const { forward, calls } = runForward(rows, data);
    return { forward, ...runBackward(rows, calls, wires, root) };
  };
}

function settingsOf({ settings }) {
  return Object.fromEntries(Object.entries(settings ?? {}).map(([name, text]) => [name, settingOf(text)]));
}

/** A plain value as it is told, in Python's words. */
function settingOf(text) {
  const words = { None: null, True: true, False: false, inf: Infinity };
  if (text in words) return words[text];
  if (/^[([].*[)\]]$/.test(text)) return (text.match(/-?[\w.+-]+/g) ?? []).map(settingOf);
  if (/^\d{19,20}$/.test(text)) return Number(BigInt.asIntN(64, BigInt(text)));
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function runForward(rows, data) {
  const forward = new Map();
  const calls = rows.map(({ op, inputs, settings, shape, tensor }, nr) => {
    if (!inputs.length) {
      forward.set(tensor, fromNested(shape, data[nr]));
      return null;
    }
    const call = { inputs: inputs.map((each) => forward.get(each)), settings, shape, result: undefined };
    call.result = OPERATORS[op].forward(call);
    forward.set(tensor, call.result);
    return call;
  });
  return { forward, calls };
}

/** Those made last go first, as autograd has it. */
function runBackward(rows, calls, wires, root) {
  const [sent, totals, slopes] = [new Map(), new Map(), new Map()];
  for (let nr = rows.length - 1; nr >= 0; nr--) {
    const { node, op, shape } = rows[nr];
    if (node === root) totals.set(node, full(shape, 1));
    const grad = node && totals.get(node);
    if (!grad) continue;
    const { backward } = OPERATORS[op];
    const ones = backward(full(shape, 1), calls[nr]);
    backward(grad, calls[nr]).forEach((each, output) => {
      const wire = wires.get(`${node}:${output}`);
      if (!wire) return;
      sent.set(wire.id, each);
      const before = totals.get(wire.to);
      totals.set(wire.to, before ? map((a, b) => a + b, before, each) : each);
      const { data } = ones[output];
      if (data.length === sizeOf(shape) && data.every((slope) => slope === data[0])) slopes.set(wire.id, data[0]);
    });
  }
  return { sent, totals, slopes };
}

// ---- the plan: where each number of a scene comes from

/**
 * Tracks of values get places of their own: in the scene, things that happen to be equal share one.
 * @param {Scene} scene
 * @returns {{entries: Entry[], tracks: Map<string, Map<string, any>>, boxes: Box[]}}
 */
function planOf(scene) {
  const state = createState(scene);
  /** @type {Entry[]} */
  const entries = [];
  const tracks = new Map();
  const enter = (old, find) => {
    if (old === null) return null;
    entries.push({ old, find });
    return scene.values.length + entries.length - 1;
  };
  const put = (key, property, findAt) => {
    const track = state.track(key, property);
    if (!track) return;
    const values = track.values.map((old, i) => enter(old, findAt(track.steps[i], i)));
    if (!tracks.has(key)) tracks.set(key, new Map());
    tracks.get(key).set(property, { ...track, values });
  };
  const boxOf = new Map(scene.boxes.filter(({ tensor }) => tensor).map((box) => [box.tensor, box.id]));
  for (const { id } of scene.tensors) {
    put(id, "value", () => ({ forward }) => forward.get(id));
    put(id, "grad", () => ({ totals }) => totals.get(boxOf.get(id)));
  }
  for (const { id } of scene.wires) put(id, "value", () => ({ sent }) => sent.get(id));
  for (const { id } of scene.boxes) {
    const total = ({ totals }) => totals.get(id);
    for (const property of ["grad_in", "grad", "before"]) put(id, property, () => total);
    const sum = `sum:${id}:0`;
    put(id, "came", (step) => {
      const arrival = state.track(sum, "wire")?.steps.includes(step);
      const wire = arrival && state.at(sum, "wire", step);
      return arrival ? ({ sent }) => sent.get(wire) : total;
    });
  }
  for (const key of state.keys("sum:")) planSum(state, tracks, key, put, enter);
  const boxes = scene.boxes.map((box) => withSlots(box, scene.expression.tape, enter));
  return { entries, tracks, boxes };
}

/** What has come together at a node, term by term. */
function planSum(state, tracks, key, put, enter) {
  const wiresAt = (step) => state.at(key, "wires", step) ?? [];
  put(key, "total", (step) => {
    const wires = wiresAt(step);
    return ({ sent }) => wires.map((wire) => sent.get(wire)).reduce((all, each) => map((a, b) => a + b, all, each));
  });
  const terms = state.track(key, "terms");
  if (!terms) return;
  const values = terms.values.map((each, i) =>
    each?.map(([box, old], nr) => [box, enter(old, ({ sent }) => sent.get(wiresAt(terms.steps[i])[nr]))]) ?? null);
  if (!tracks.has(key)) tracks.set(key, new Map());
  tracks.get(key).set("terms", { ...terms, values });
}

/** @param {Box} box @param {Operation[]} tape */
function withSlots(box, tape, enter) {
  const row = tape.find(({ node }) => node === box.id);
  const slots = box.slots.map((slot) => {
    if (slot.value === null || slot.value === undefined || !row) return slot;
    const kept = row.saved[slot.name] ?? row.tensor;
    return { ...slot, value: enter(slot.value, ({ forward }) => forward.get(kept) ?? UNKNOWN) };
  });
  return { ...box, slots };
}

/** @param {Numbers|undefined} ours @param {any} theirs */
function isNear(ours, theirs) {
  if (ours === UNKNOWN) return true;
  if (!ours || !theirs?.whole) return false;
  const other = [theirs.data].flat(Infinity).map(Number);
  return ours.data.length === other.length && ours.data.every((each, at) => {
    const same = Object.is(each, other[at]) || Number.isNaN(each) === Number.isNaN(other[at]);
    if (!Number.isFinite(each)) return same && (Number.isNaN(each) || String(theirs.data).includes("inf"));
    return Math.abs(each - other[at]) <= NEAR * Math.max(SMALL, Math.abs(each));
  });
}

// ---- the scene

/** @param {Scene} scene @param {NonNullable<ReturnType<typeof planOf>>} plan @param {Pass} pass
 * @param {Record<string, any>} values @returns {Scene}
 */
function sceneWith(scene, { entries, tracks, boxes }, pass, values) {
  const told = entries.map(({ old, find }) => {
    const found = find(pass);
    return found === UNKNOWN ? unknownLike(scene.values[old]) : valueOf(found, scene.values[old].dtype);
  });
  const leaves = scene.expression.leaves.map(({ name }) => ({ name, value: values[name] }));
  const { histories } = scene;
  const sentence = sentenceOf(scene, leaves, pass);
  return {
    ...scene,
    source: sourceWith(scene.source, leaves),
    values: [...scene.values, ...told],
    boxes,
    // What went wrong is said of numbers that are not finite: as long as it is the same ones, it is as true as before.
    diagnoses: alikeFinite(scene, entries, told) ? scene.diagnoses : [],
    wires: scene.wires.map((wire) => withSlope(wire, pass.slopes.get(wire.id))),
    steps: scene.steps.map((step) => (SPOKEN.has(step.kind) ? { ...step, sentence } : step)),
    expression: { ...scene.expression, leaves, tape: tapeWith(scene.expression.tape, pass) },
    histories: {
      ...histories,
      track: (key, property) => tracks.get(key)?.get(property) ?? histories.track(key, property),
      tracks: (key) => new Map([...histories.tracks(key), ...(tracks.get(key) ?? [])]),
    },
  };
}

/** @param {Operation[]} tape @param {Pass} pass */
function tapeWith(tape, { forward }) {
  return tape.map((row) => ({ ...row, data: valueOf(forward.get(row.tensor), row.node ? "float32" : "").data }));
}

/** A value as the server tells it. @param {Numbers} numbers @param {string} dtype */
function valueOf({ shape, data }, dtype) {
  const digits = data.length <= MANY ? DIGITS : FEWER;
  const tell = (number) => {
    if (dtype === "bool") return Boolean(number);
    return Number.isFinite(number) ? Number(number.toPrecision(digits)) : pythonNumber(number);
  };
  return { shape, dtype, data: toNested({ shape, data }, tell), whole: true };
}

/** Whether the same numbers are finite as in the scene. */
function alikeFinite(scene, entries, told) {
  const isFinite = ({ data }) => !/inf|nan/.test(String(data));
  return entries.every(({ old }, at) => isFinite(scene.values[old]) === isFinite(told[at]));
}

function unknownLike({ shape, dtype }) {
  return { shape, dtype, data: toNested(full(shape, 0), () => "…"), whole: true };
}

/** A number as Python writes it. @param {number} number */
function pythonNumber(number) {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
  const text = String(number).replace(/e([+-])(\d)$/, "e$10$2");
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const pythonNested = (value) =>
  Array.isArray(value) ? `[${value.map(pythonNested).join(", ")}]` : pythonNumber(value);

/** The program with other values in the lines of its leaves. */
function sourceWith(source, leaves) {
  const lines = source.split("\n");
  for (const { name, value } of leaves) {
    const at = lines.findIndex((line) => line.startsWith(`${name} = torch.tensor(`));
    if (at >= 0) lines[at] = `${name} = torch.tensor(${pythonNested(value)}, requires_grad=True)`;
  }
  return lines.join("\n");
}

/** Three digits, as Python's `.3g` has them. */
function threeDigits(number) {
  if (!Number.isFinite(number)) return pythonNumber(number);
  const [digits, power] = number.toExponential(2).split("e");
  if (number !== 0 && (Number(power) < -4 || Number(power) >= 3))
    return `${Number(digits)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  return String(Number(number.toPrecision(3)));
}

/** A number that is none of a formula's own. */
const COMPUTED = /(?<![\w.])(?!(?:0|1|2|0\.5)(?![\d.]))\d/;

/** @param {import("./types.js").Wire} wire @param {number|undefined} number */
function withSlope(wire, number) {
  const factor = typeof wire.factor === "number" ? (number ?? null) : null;
  return { ...wire, slope: slopeWith(wire.slope, number), factor: Number.isFinite(factor) ? factor : null };
}

/** The words of a slope with another number in them. @param {string|null} slope @param {number|undefined} number */
function slopeWith(slope, number) {
  if (!slope) return slope;
  const speaks = /saved|input|result/.test(slope) && COMPUTED.test(slope);
  if (number === undefined) return speaks ? null : slope;
  const found = /^(.*[×=] )(?:-?[\d.]+(?:e[+-]\d+)?|-?inf|nan)$/.exec(slope);
  if (found) return found[1] + threeDigits(number);
  return speaks ? `× ${threeDigits(number)}` : slope;
}

/** What has become of the result, in the place of sentences that speak of other numbers. */
function sentenceOf(scene, leaves, { forward, totals }) {
  const short = (numbers) => formatShort(valueOf(numbers, "float32"));
  const named = leaves.map(({ name, value }, nr) => {
    const tensor = scene.expression.tape[nr].tensor;
    const box = scene.boxes.find((each) => each.kind === "leaf" && each.tensor === tensor);
    const grad = box && totals.get(box.id);
    const given = Array.isArray(value) ? short(forward.get(tensor)) : formatNumber(value);
    return [`\`${name}\` = ${given}`, grad ? `\`${name}.grad\` is ${short(grad)}` : null];
  });
  const result = short(forward.get(scene.expression.tape.at(-1).tensor));
  const grads = named.map(([, grad]) => grad).filter(Boolean).join(", ");
  return `With ${named.map(([given]) => given).join(", ")}: \`result\` is ${result}; ${grads}.`;
}
