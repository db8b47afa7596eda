/**
 * What can be said of a selected thing at a step, as rows of words: a node, a leaf, a tensor, a group. Pure; the inspector
 * only puts it on the page. A row is marked where what it tells changed at this very step.
 */

import { bytes, short, signed, title } from "../lib/format.js";
import { boxAt, leafName, present } from "../scene/moment.js";
import { indexAt } from "../scene/state.js";

/** @typedef {{key: string, value: string, changed?: boolean, slot?: string, note?: string|null}} Fact */
/** @typedef {{state: any, scene: any, step: number, names: any[], tree?: any, folded?: Set<string>, selected?: string|null}} Moment */

const ROOM = 24;
const HOLDERS = 6;
const RUNS = 4;

/** How a gradient came into `.grad`, in words. */
const STORED = { taken: "as it came", copied: "as a copy", in_place: "added in place", anew: "added, as a new tensor", retained: "because it was retained", assigned: "by the program" };

/** Whether a property took another value at this very step. */
export function changedAt(state, key, property, step) {
  const track = state.track(key, property);
  const index = track ? indexAt(track.steps, step) : -1;
  return index >= 0 && track.steps[index] === step;
}

function fact(key, value, more = {}) {
  return { key, value: String(value), ...more };
}

const sized = (shape) => (shape?.length ? ` [${shape.join(",")}]` : "");

/** A formula with the program's names in place of the operator's: `outer(grad, a)` for `outer(grad, vec)`.
 * @param {string} formula @param {any} box
 */
export function named(formula, box) {
  const words = new Map();
  for (const input of box.inputs) if (input.label && input.label !== "temporary") words.set(input.name, input.label);
  for (const slot of [...box.slots, ...(box.numbers ?? [])]) {
    const label = slot.kind === "tensor" ? slot.label : slot.text && signed(slot.text);
    if (label && label !== "temporary") words.set(slot.name, label);
  }
  return formula.replace(/(?<![\w.])[A-Za-z_]\w*/g, (word) => {
    const label = words.get(word);
    if (label === undefined || label === word) return word;
    return /^[\w.[\]]+$/.test(label) ? label : `(${label})`;
  });
}

/** @param {any} box @param {Moment} moment @returns {Fact[]} */
export function nodeFacts(box, moment) {
  const { state, scene, step } = moment;
  const now = boxAt(state, box, step);
  const changed = (property) => ({ changed: changedAt(state, box.id, property, step) });
  const facts = [];
  if (!present(now.state)) facts.push(fact("now", now.state === "released" ? "released: nothing holds it" : "not built yet", changed("state")));
  if (box.generation > 0) facts.push(fact("made by", "create_graph: it can be differentiated again"));
  facts.push(fact("operator", box.op));
  if (box.inputs.length) facts.push(fact("takes", box.inputs.map((input) => (input.label || input.name) + sized(input.shape)).join(", ")));
  if (box.output) facts.push(fact("makes", `${sized(box.output.shape).trim() || "a scalar"} ${box.output.dtype}`));
  if (now.gradIn !== null) facts.push(fact("gets", `grad ${short(scene.values[now.gradIn], ROOM)}`, changed("grad_in")));
  for (const [input, formula] of box.formula) {
    const put = named(formula, box);
    facts.push(fact(`to ${input}`, put, { note: put === formula ? null : formula }));
  }
  facts.push(...gives(box, moment));
  facts.push(fact("needs", box.slots.map(({ name, label }) => (label && label !== name ? `${name} = ${label}` : name)).join(", ") || "nothing kept"));
  for (const { slot, state: how, found } of now.slots) {
    if (how !== null) facts.push(slotFact(slot, how, found, scene, changedAt(state, box.id, `slot:${slot.name}`, step)));
  }
  for (const slot of box.numbers ?? []) if (slot.text !== null && slot.text !== undefined) facts.push(numberFact(slot));
  if (now.hint) facts.push(fact("hook", now.hint, changed("hint")));
  facts.push(fact("kept alive by", holders(box, moment).join(", ") || "nothing"));
  return facts;
}

/** The gradients that a node has handed on in the present call. */
function gives(box, { state, scene, step }) {
  const facts = [];
  for (const wire of scene.outOf.get(box.id) ?? []) {
    const value = state.at(wire.id, "value", step);
    if (value === null || !["lit", "done"].includes(state.at(wire.id, "state", step))) continue;
    facts.push(fact(`gives ${title(scene.box.get(wire.to))}`, short(scene.values[value], ROOM), { changed: changedAt(state, wire.id, "value", step) }));
  }
  return facts;
}

/** A number of the formula; where PyTorch keeps it in another guise, that too. */
function numberFact({ name, text }) {
  const meant = signed(text);
  return fact(`saved ${name}`, meant, { note: meant === text ? null : `PyTorch keeps it unsigned, as ${text}` });
}

function slotFact(slot, how, found, scene, changed) {
  const versions = how === "stale" ? `kept at version ${slot.version}, now version ${found}` : `v${slot.version ?? 0}`;
  const value = how === "freed" || slot.value === null ? "" : ` ${short(scene.values[slot.value], 20)}`;
  const size = slot.nbytes ? ` · ${bytes(slot.nbytes)}` : "";
  return fact(slot.name.startsWith("saved") ? slot.name : `saved ${slot.name}`, `${how}${value} · ${versions}${size}`, { slot: how, changed });
}

/** What keeps a node alive: names whose tensor it made, nodes above that lead to it. @returns {string[]} */
function holders(box, { state, scene, step, names }) {
  const tied = names.filter((name) => name.tensor !== null && state.at(name.tensor, "box", step) === box.id).map((name) => name.name);
  const above = (scene.into.get(box.id) ?? [])
    .map((wire) => wire.from)
    .filter((id) => present(state.at(id, "state", step)))
    .map((id) => title(scene.box.get(id)));
  return some([...new Set([...tied, ...above])]);
}

function some(all) {
  return all.length > HOLDERS ? [...all.slice(0, HOLDERS - 1), `${all.length - HOLDERS + 1} more`] : all;
}

/** @param {any} box @param {Moment} moment @returns {Fact[]} */
export function leafFacts(box, moment) {
  const { state, scene, step } = moment;
  const now = boxAt(state, box, step);
  const value = (index) => (index === null ? "None" : short(scene.values[index], ROOM));
  const changed = (property) => ({ changed: changedAt(state, box.id, property, step) });
  const held = state.at(box.tensor, "value", step);
  const facts = [fact("gathers for", namesOf(box.tensor, moment).join(", ") || leafName(state, box, step) || "a leaf")];
  if (held !== null) facts.push(fact("value", value(held), { changed: changedAt(state, box.tensor, "value", step) }));
  facts.push(fact("grad", value(now.grad), changed("grad")));
  if (now.before !== null) facts.push(fact("before", value(now.before), changed("before")));
  if (now.came !== null) facts.push(fact("arrives", value(now.came), changed("came")));
  if (now.how) facts.push(fact("stored", STORED[now.how] ?? now.how, changed("how")));
  if (now.expected) facts.push(fact("arrived", `${now.arrived ?? 0} of ${now.expected}`, changed("arrived")));
  if (now.hint) facts.push(fact("hook", now.hint, changed("hint")));
  const users = [...new Set((scene.into.get(box.id) ?? []).map((wire) => wire.from))].filter((id) => present(state.at(id, "state", step)));
  facts.push(fact("used by", some(users.map((id) => title(scene.box.get(id)))).join(", ") || "nothing now"));
  return facts;
}

/** What the program calls a tensor at this step; what made it where it has no name. @returns {string[]} */
export function namesOf(tensor, { names, scene }) {
  const found = names.filter((name) => name.tensor === tensor).map((name) => name.name);
  return found.length ? found : [scene.tensor.get(tensor)?.op ?? ""];
}

/** @param {any} tensor @param {Moment} moment @returns {Fact[]} */
export function tensorFacts(tensor, moment) {
  const { state, scene, step } = moment;
  const changed = (property) => ({ changed: changedAt(state, tensor.id, property, step) });
  const alive = (other) => state.at(other.id, "state", step) === "alive";
  const index = state.at(tensor.id, "value", step);
  const value = index === null ? null : scene.values[index];
  const facts = [];
  if (!alive(tensor)) facts.push(fact("now", state.at(tensor.id, "state", step) === "released" ? "released: nothing holds it" : "not made yet", changed("state")));
  if (!tensor.shape.length) facts.push(fact("value", short(value, 40), changed("value")));
  facts.push(fact("shape", tensor.shape.length ? `[${tensor.shape.join(", ")}]` : "a scalar"), fact("dtype", tensor.dtype));
  facts.push(fact("version", state.at(tensor.id, "version", step) ?? 0, changed("version")));
  facts.push(fact("requires_grad", state.at(tensor.id, "requires_grad", step) ? "True" : "False", changed("requires_grad")));
  const grad = state.at(tensor.id, "grad", step);
  if (grad !== null) facts.push(fact("grad", short(scene.values[grad], ROOM), changed("grad")));
  const views = scene.tensors.filter((other) => other.base === tensor.id && alive(other));
  const shares = scene.tensors.filter((other) => other.id !== tensor.id && other.storage === tensor.storage && other.base !== tensor.id && other.id !== tensor.base && alive(other));
  const said = (list) => some(list.map((other) => namesOf(other.id, moment)[0])).join(", ");
  if (tensor.base) facts.push(fact("view of", namesOf(tensor.base, moment).join(", ")));
  if (views.length) facts.push(fact("views", said(views)));
  if (shares.length) facts.push(fact("shares memory with", said(shares)));
  return facts;
}

/** How a property of a thing came to be what it is: each change up to this step, with the line that made it.
 * @param {string} key @param {string} property @param {Moment} moment
 * @returns {{step: number, line: number|null, value: any}[]}
 */
export function historyOf(key, property, { state, scene, step }) {
  const track = state.track(key, property);
  if (!track) return [];
  return track.steps
    .map((at, i) => ({ step: at, line: scene.steps[at].line, value: track.values[i] }))
    .filter((entry) => entry.step <= step && entry.value !== null);
}

/** Moments in the life of a node to jump to; of many runs those around `step`. @returns {[string, number][]} */
export function milestones(box, state, step = 0) {
  const freed = box.slots.map((slot) => state.when(box.id, `slot:${slot.name}`, ["freed"])).filter((at) => at !== null);
  const list = [
    ["built", state.when(box.id, "state", ["built"])],
    ...runs(box, state, step).map((at) => ["ran", at]),
    ["freed", freed.length ? Math.min(...freed) : null],
    ["failed", state.when(box.id, "state", ["failed"])],
    ["released", state.when(box.id, "state", ["released"])],
  ];
  return list.filter(([, at]) => at !== null);
}

/** The steps at which a node began to run: a retained one, and that of a leaf, runs in more calls than one. */
function runs(box, state, step) {
  const track = state.track(box.id, "state");
  if (!track) return [];
  const on = (value) => value === "running" || value === "ran";
  const found = track.steps.filter((_, i) => on(track.values[i]) && !(i && on(track.values[i - 1])));
  const here = found.findLastIndex((at) => at <= step);
  const first = Math.max(0, Math.min(here - 1, found.length - RUNS));
  return found.slice(first, first + RUNS);
}
