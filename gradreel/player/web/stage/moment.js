/**
 * One moment of the run as the stage shows it: what lives, what is kept, which gradients wait where. All of it is read
 * from the histories of the scene, so a moment is the same from whichever side one comes to it. Pure.
 */

import { namesByBox } from "../scene/moment.js";
import { createCursor } from "./cursor.js";
import { actsAt } from "./happenings.js";

/** @import { BoundName, Slot } from "../scene/types.js" */
/** @import { Edge, Leaf, Model, StageMoment, StageNode } from "./types.js" */

const KEPT = new Set(["held", "retained", "stale"]);

/** @param {Model} model @param {number} step @param {BoundName[]} names @returns {StageMoment} */
export function stageMoment(model, step, names) {
  const { state } = model;
  const acts = actsAt(model, step);
  return {
    step,
    names,
    tags: namesByBox(state, names, step),
    acts,
    running: acts.find(({ type }) => type === "run")?.node ?? null,
    failed: acts.find(({ type }) => type === "fail")?.node ?? failedBefore(model, step),
    cached: new Map(),
  };
}

/** The node that an error is still about. @param {Model} model @param {number} step */
function failedBefore({ scene, state, node }, step) {
  const error = scene.steps.slice(0, step + 1).findLast(({ kind }) => kind === "backward_failed");
  const id = error?.focus[0];
  return id && state.at(id, "state", step) === "failed" ? (node.get(id) ?? null) : null;
}

/** @param {StageNode} node @param {number} step */
export const isAlive = (node, step) => node.born <= step && step < node.died;

/** How a slot stands: held, retained, stale, freed or, before it is filled, null. What was written over since it was
 * kept is stale, whether autograd noticed or not.
 * @param {Model} model @param {StageNode} node @param {Slot} slot @param {number} step
 * @returns {string|null}
 */
export function slotAt({ state }, node, slot, step) {
  const found = state.at(node.id, `slot:${slot.name}`, step);
  return KEPT.has(found) && writtenOver(state, node, slot, step) !== null ? "stale" : found;
}

/** The value to show in a slot: of a stale one, the value that is there now.
 * @param {Model} model @param {StageNode} node @param {Slot} slot @param {number} step @returns {number|null}
 */
export const slotValue = ({ state }, node, slot, step) => writtenOver(state, node, slot, step) ?? slot.value;

const writtenOver = (state, node, slot, step) => state.at(node.id, `now:${slot.name}`, step);

/** Whether a node has run in the present call, or the last one. */
export const hasRun = ({ state }, node, step) => state.at(node.id, "order", step) !== null;

/** The value that went along an edge in the present call, or null. @returns {number|null} */
export const sentAt = ({ state }, edge, step) => state.at(edge.id, "value", step);

/** Whether a gradient that went along an edge has been added to what came before, or is at its leaf; of another node
 * that expects one gradient, whether the node has run.
 * @param {Model} model @param {Edge} edge @param {number} step
 */
export function hasArrived(model, edge, step) {
  const { state } = model;
  if (hasRun(model, edge.to, step)) return true;
  const sum = `sum:${edge.to.id}:${edge.input}`;
  if (!state.track(sum, "total")) return edge.to.leaf && arrivedAt(model, edge.to, step) > 0;
  return state.at(edge.id, "state", step) === "done" || state.at(sum, "wire", step) === edge.id
    || (state.at(sum, "wires", step) ?? []).includes(edge.id);
}

/** What has added up at a node and waits for it to run. @returns {number|null} */
export function waitingAt(model, node, step) {
  const { state } = model;
  if (hasRun(model, node, step)) return null;
  for (const key of node.box.adds ?? []) {
    const value = state.at(key, "total", step);
    if (value !== null) return value;
  }
  if (!node.leaf) return null;
  const came = state.at(node.id, "came", step);
  return came !== null && state.at(node.id, "how", step) === null && arrivedAt(model, node, step) > 0
    ? came
    : null;
}

/** How many gradients have come to a node that waits for more than one, or a leaf, in the present call. */
export const arrivedAt = ({ state }, node, step) => state.at(node.id, "arrived", step) ?? 0;

/** How many gradients such a node expects in the call that a step is in, or in the last one. */
export const expectedAt = ({ state }, node, step) => state.at(node.id, "expected", step) ?? 0;

/** The nodes that the present or last call starts at, with the value that each gets. */
export function seedsAt(model, step) {
  const call = model.scene.calls.findLast(({ from }) => from <= step);
  if (!call) return [];
  return model.scene.steps[call.from].focus.slice(0, 1).flatMap((id) => {
    const node = model.node.get(id);
    const value = node && seedOf(model, node, call);
    return node && isAlive(node, step) && value !== null && inCall(model, call, step) ? [{ node, value, call }] : [];
  });
}

/** Whether the marks of a call are still there: until the next one begins. */
const inCall = ({ scene }, call, step) => !scene.calls.some(({ from }) => from > call.from && from <= step);

function seedOf({ state }, node, call) {
  for (const key of node.box.adds ?? []) {
    const terms = state.at(key, "terms", call.from);
    if (terms?.length) return terms[0][1];
  }
  const track = state.track(node.id, "grad_in");
  const at = track ? track.steps.findIndex((step, place) => step >= call.from && track.values[place] !== null) : -1;
  return at < 0 || track.steps[at] > (call.to ?? Infinity) ? null : track.values[at];
}

/** The value of a tensor at a step. @returns {number|null} */
export const tensorAt = ({ state }, tensor, step) => state.at(tensor, "value", step);

/** @param {Leaf} leaf @param {number} step */
export const leafAlive = (leaf, step) => leaf.born <= step && step < leaf.died;

const [HELD, FREED] = [1, 2];

/** The cursors over all that is counted, made when something is counted for the first time.
 * @param {Model} model
 */
function countersOf({ memo, nodes, edges, state }) {
  if (!memo.has("counters")) {
    const slots = nodes.flatMap(({ id, slots: own }) => own.map(({ name }) => state.track(id, `slot:${name}`)));
    let first = 0;
    memo.set("counters", {
      ran: createCursor(nodes.map(({ id }) => state.track(id, "order")), (order) => Number(order !== null)),
      slots: createCursor(slots, (kept) => (kept === null ? 0 : kept === "freed" ? FREED : HELD)),
      firstSlot: Int32Array.from(nodes, ({ slots: own }) => (first += own.length) - own.length),
      sent: createCursor(edges.map(({ id }) => state.track(id, "value")), (value) => Number(value !== null)),
      lit: createCursor(edges.map(({ id }) => state.track(id, "state")), (how) => Number(how === "lit")),
    });
  }
  return memo.get("counters");
}

/** How many of some nodes are built, have run, keep something, have let go of it.
 * @param {Model} model @param {StageNode[]} nodes @param {StageMoment} moment
 */
export function countsOf(model, nodes, moment) {
  const { cached, step } = moment;
  if (!cached.has(nodes)) {
    const { firstSlot, ...counters } = countersOf(model);
    const [ran, slots] = [counters.ran.at(step), counters.slots.at(step)];
    const found = { all: nodes.length, born: 0, ran: 0, held: 0, freed: 0, stale: 0, runs: false, failed: false };
    for (const node of nodes) {
      if (!isAlive(node, step)) continue;
      found.born++;
      found.ran += ran[node.at];
      found.runs ||= node === moment.running;
      found.failed ||= node === moment.failed;
      const first = firstSlot[node.at];
      for (let slot = first + node.slots.length - 1; slot >= first; slot--) {
        if (slots[slot] === FREED) found.freed++;
        else if (slots[slot] === HELD) found.held++;
      }
    }
    cached.set(nodes, found);
  }
  return cached.get(nodes);
}

/** How an edge of a bundle stands: how many have carried a gradient, and whether one is on its way.
 * @param {Model} model @param {import("./types.js").Link} link @param {StageMoment} moment
 */
export function linkAt(model, link, moment) {
  const { cached, step } = moment;
  if (!cached.has(link)) {
    const counters = countersOf(model);
    const [sent, lit] = [counters.sent.at(step), counters.lit.at(step)];
    const found = { alive: false, done: 0, lit: false };
    for (const edge of link.edges) {
      if (!isAlive(edge.from, step)) continue;
      found.alive = true;
      found.done += sent[edge.at];
      found.lit ||= Boolean(sent[edge.at] && lit[edge.at]);
    }
    cached.set(link, found);
  }
  return cached.get(link);
}

/** The tensors with names of the program itself that are neither leaves nor made by a node, the latest last.
 * @param {Model} model @param {StageMoment} moment @param {number} most
 */
export function plainTensors(model, { names, step }, most) {
  const found = new Map();
  for (const { scope, name, tensor } of names) {
    if (scope !== 0 || tensor === null || /[.[]/.test(name) || found.has(tensor)) continue;
    if (model.leaf.has(tensor) || model.state.at(tensor, "box", step) !== null) continue;
    const value = tensorAt(model, tensor, step);
    if (value !== null) found.set(tensor, { tensor, name, value });
  }
  return [...found.values()].slice(-most);
}

/** The name of a leaf at a step. @param {Leaf} leaf @param {StageMoment} moment */
export function leafName(leaf, { names }) {
  if (leaf.name.includes(".")) return leaf.name;
  const bound = names.filter(({ tensor }) => tensor === leaf.tensor);
  return bound.length && !bound.some(({ name }) => name === leaf.name) ? bound.at(-1).name : leaf.name;
}
