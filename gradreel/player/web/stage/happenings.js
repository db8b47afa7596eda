/**
 * What happens in a step, as acts that can be drawn: a node is built, keeps, runs; gradients meet, are stored; a slot
 * is freed, retained, written over; an optimizer steps; a call fails. Read from what changes at that step. Pure.
 */

/** @import { Act, Model, StageNode } from "./types.js" */

const KEPT = new Set(["held", "retained", "stale"]);
/** What so many nodes do at once is told of the first ones. */
const MANY = 12;

/** @param {Model} model @param {number} step @returns {Act[]} */
export function actsAt(model, step) {
  const { scene, node } = model;
  const told = scene.steps[step];
  const about = told.focus.map((id) => node.get(id)).filter(Boolean);
  return [
    ...births(model, step),
    ...(told.kind === "backward_started" ? [{ type: "seed", node: about[0] }] : []),
    ...about.flatMap((each) => runs(model, each, step)),
    ...sums(model, about, step),
    ...stores(model, step),
    ...captures(model, about, step),
    ...about.flatMap((each) => slotChanges(model, each, step)),
    ...writes(model, told.kind, step),
    ...(told.kind === "backward_failed" && about[0] ? [failure(model, about[0], step)] : []),
  ].filter((act) => act.type !== "seed" || act.node);
}

/** @returns {Act[]} */
function births({ births: all }, step) {
  const built = (all.get(step) ?? []).filter(({ leaf }) => !leaf).slice(0, MANY);
  return built.flatMap((node) => [
    { type: "born", node },
    ...node.slots.map((slot) => ({ type: "keep", node, slot, value: slot.value, tensor: slot.tensor })),
  ]);
}

/** @returns {Act[]} that a node runs, what it reads, and what it hands on */
function runs({ state }, node, step) {
  if (node.leaf || !began(state, node, step)) return [];
  const read = node.slots.filter((slot) => KEPT.has(state.at(node.id, `slot:${slot.name}`, step - 1)));
  const edges = node.out
    .map((edge) => ({ edge, value: state.at(edge.id, "value", step) }))
    .filter(({ value }) => value !== null);
  return [
    { type: "run", node, value: state.at(node.id, "grad_in", step) },
    ...read.map((slot) => ({ type: "read", node, slot, value: slot.value })),
    ...(edges.length ? [{ type: "sends", node, edges }] : []),
  ];
}

/** Whether a node begins to run at a step; in a long run it has run by the end of it. */
function began(state, node, step) {
  const now = state.at(node.id, "order", step);
  return now !== null && state.at(node.id, "order", step - 1) !== now;
}

/** @returns {Act[]} that gradients meet, at what the step is about and at what it hands them to */
function sums({ state }, about, step) {
  const targets = [...new Set(about.flatMap((node) => [node, ...node.out.map(({ to }) => to)]))];
  const alone = targets.flatMap((node) => comesAlone(state, node, step));
  return [...alone, ...targets.flatMap((node) => (node.box.adds ?? []).flatMap((key) => {
    const [before, after] = [state.at(key, "total", step - 1), state.at(key, "total", step)];
    const terms = state.at(key, "terms", step);
    const moved = state.track(key, "terms")?.steps.includes(step) || (after !== null && after !== before);
    if (!moved || after === null) return [];
    const came = terms?.at(-1)[1] ?? state.at(node.id, "came", step);
    const input = Number(key.slice(key.lastIndexOf(":") + 1));
    const wire = state.at(key, "wire", step);
    const edge = wire === null ? null : node.into.find(({ id }) => id === wire) ?? null;
    return [{ type: before === null ? "arrive" : "meet", node, input, before, came, after, edge }];
  }))];
}

/** @returns {Act[]} that the only gradient that a leaf gets in a call comes to it */
function comesAlone(state, node, step) {
  const [before, now] = [step - 1, step].map((at) => state.at(node.id, "arrived", at) ?? 0);
  if (!node.leaf || !now || before || state.at(node.id, "expected", step) !== 1) return [];
  const came = state.at(node.id, "came", step);
  const edge = node.into.find(({ id }) => state.at(id, "value", step) !== null) ?? null;
  return [{ type: "arrive", node, input: edge?.input ?? 0, before: null, came, after: came, edge }];
}

/** @returns {Act[]} */
function stores({ stored }, step) {
  return (stored.get(step) ?? []).flatMap(({ leaf, at }) => {
    const entry = leaf.grads[at];
    const before = leaf.grads[at - 1]?.value ?? null;
    if (entry.value === null) return [{ type: "clear", leaf, before }];
    return entry.came === null ? [] : [{ type: "store", leaf, entry }];
  });
}

/** @returns {Act[]} */
function captures({ state }, about, step) {
  return about
    .filter((node) => state.at(node.id, "hint", step) === "taken by autograd.grad"
      && state.at(node.id, "hint", step - 1) !== "taken by autograd.grad")
    .map((node) => ({ type: "capture", node, value: state.at(node.id, "grad_in", step) }));
}

/** @returns {Act[]} */
function slotChanges({ state }, node, step) {
  if (node.died <= step) return [];
  return node.slots.flatMap((slot) => {
    const [before, after] = [step - 1, step].map((at) => state.at(node.id, `slot:${slot.name}`, at));
    if (before === after) return [];
    if (after === "freed") return [{ type: "free", node, slot, value: slot.value }];
    return after === "retained" ? [{ type: "lock", node, slot }] : [];
  });
}

/** @returns {Act[]} that tensors are written over, with the slots that go stale by it */
function writes(model, kind, step) {
  const { written, leaf } = model;
  const tensors = written.get(step);
  if (!tensors) return [];
  const type = kind === "optimizer_stepped" ? "optimize" : "write";
  const seen = tensors.filter((tensor) => leaf.has(tensor)).map((tensor) => ({ type, leaf: leaf.get(tensor), tensor }));
  return [...seen, ...cracks(model, step)];
}

function cracks({ nodes, state }, step) {
  const found = [];
  for (const node of nodes) {
    if (node.born > step || node.died <= step) continue;
    for (const slot of node.slots)
      if (state.track(node.id, `now:${slot.name}`)?.steps.includes(step)) found.push({ type: "crack", node, slot });
  }
  return found;
}

/** @returns {Act} the reach into a slot that is empty, or stale: the one that is told of, else the first */
function failure({ scene, state }, node, step) {
  const { sentence } = scene.steps[step];
  const wrong = ["freed", "stale"].flatMap((how) =>
    node.slots.filter(({ name }) => state.at(node.id, `slot:${name}`, step) === how));
  const slot = wrong.find(({ label }) => sentence.includes(`\`${label}\``)) ?? wrong[0] ?? node.slots[0] ?? null;
  return { type: "fail", node, slot, value: state.at(node.id, "grad_in", step) };
}
