/**
 * What keeps what alive. A node is held by the names whose tensor it made, by the nodes whose gradients flow into it,
 * and by the slots that saved such a tensor; a name is followed from the tensor it stands for, its base, and the node
 * that made it. Pure.
 */

import { isPresent } from "./moment.js";

/** @import { BoundName, Moment } from "./types.js" */

const KEPT = new Set(["held", "retained", "stale"]);

/**
 * @typedef {{names: Set<string>, wires: Set<string>, slots: {box: string, slot: string}[], gone: Set<string>, bytes:
 *   number, words: string}} Holding  keys of names, ids of wires; what would go, and the bytes that it keeps
 */

/** What is to be shown of a selection: who holds a node, or what would go with a name.
 * @param {Moment} moment
 * @returns {Holding|null}
 */
export function holdingOf(moment, selected) {
  const { scene, names } = moment;
  const box = scene.box.get(selected);
  if (box) return box.kind === "leaf" ? null : holdersOf(box, moment);
  if (!scene.tensor.has(selected)) return null;
  const tied = names.filter((name) => name.tensor === selected);
  return tied.length ? withoutName(tied, moment) : null;
}

const NOTHING = { names: new Set(), wires: new Set(), slots: [], gone: new Set(), bytes: 0, words: "" };

/** @returns {Holding} who holds a node */
function holdersOf(box, { state, scene, step, names }) {
  if (!isPresent(state.at(box.id, "state", step))) return { ...NOTHING, words: "" };
  const tied = names.filter((name) => name.tensor !== null && state.at(name.tensor, "box", step) === box.id);
  const wires = (scene.into.get(box.id) ?? []).filter((wire) => isPresent(state.at(wire.from, "state", step)));
  const slots = [];
  for (const wire of wires) {
    const user = scene.box.get(wire.from);
    for (const slot of user.slots) {
      const saves =
        slot.tensor &&
        state.at(slot.tensor, "box", step) === box.id &&
        KEPT.has(state.at(user.id, `slot:${slot.name}`, step));
      if (saves) slots.push({ box: user.id, slot: slot.name });
    }
  }
  const kinds = [
    count(
      tied.length,
      "name",
      tied.map(({ name }) => `\`${name}\``),
    ),
    count(new Set(wires.map((wire) => wire.from)).size, "edge"),
    count(slots.length, "saved tensor"),
  ].filter(Boolean);
  const words = kinds.length ? `held by ${kinds.join(", ")}` : "held by something that has no name here";
  return {
    ...NOTHING,
    names: new Set(tied.map(({ key }) => key)),
    wires: new Set(wires.map((wire) => wire.id)),
    slots,
    words,
  };
}

function count(number, word, list) {
  if (!number) return "";
  return list && number <= 3
    ? `${word}${number > 1 ? "s" : ""} ${list.join(", ")}`
    : `${number} ${word}${number > 1 ? "s" : ""}`;
}

/** What would go if a tensor's only name were deleted. What no name explains is held by a list or an object, and stays.
 * @param {BoundName[]} tied  the names of the tensor
 * @param {Moment} moment
 * @returns {Holding}
 */
function withoutName(tied, moment) {
  const { scene, names } = moment;
  const keys = new Set(tied.map(({ key }) => key));
  const label = tied.map(({ name }) => `\`${name}\``);
  const base = { ...NOTHING, names: keys };
  if (tied.length > 1)
    return { ...base, words: `${label.join(" and ")} name one tensor: deleting one of them frees nothing` };
  const there = scene.boxes
    .filter((box) => isPresent(moment.state.at(box.id, "state", moment.step)))
    .map((box) => box.id);
  const all = reachableFrom(names.map(({ tensor }) => tensor), [], moment);
  const others = reachableFrom(
    names.filter(({ key }) => !keys.has(key)).map(({ tensor }) => tensor), there.filter((id) => !all.has(id)), moment,
  );
  const gone = new Set(there.filter((id) => !others.has(id)));
  const bytes = keptBytes(gone, moment) - sharedBytes(gone, others, moment);
  const why = gone.size || !reachableFrom([tied[0].tensor], [], moment).size ? "" : ": others hold them";
  if (!gone.size) return { ...base, words: `\`del ${tied[0].name}\` would free no node${why}` };
  const nodes = `${gone.size} ${gone.size === 1 ? "node" : "nodes"}`;
  return {
    ...base,
    gone,
    bytes,
    words: `\`del ${tied[0].name}\` would free ${nodes}${bytes ? ` and ${bytes} saved bytes` : ""}`,
  };
}

/** The boxes that tensors and boxes keep alive: along edges and saved slots. A leaf does not hold its AccumulateGrad.
 */
function reachableFrom(tensors, boxes, { state, scene, step }) {
  const found = new Set();
  const waiting = [...boxes];
  const hold = (tensor) => {
    for (let at = tensor; at; at = scene.tensor.get(at)?.base ?? null) {
      const id = state.at(at, "box", step);
      if (id !== null && scene.box.get(id)?.kind === "node") waiting.push(id);
    }
  };
  tensors.forEach(hold);
  while (waiting.length) {
    const id = waiting.pop();
    if (found.has(id) || !isPresent(state.at(id, "state", step))) continue;
    found.add(id);
    for (const wire of scene.outOf.get(id) ?? [])
      if (state.at(wire.id, "state", step) !== "gone") waiting.push(wire.to);
    for (const slot of scene.box.get(id).slots)
      if (slot.tensor && KEPT.has(state.at(id, `slot:${slot.name}`, step))) hold(slot.tensor);
  }
  return found;
}

function storagesOf(boxes, { state, scene, step }) {
  const found = new Map();
  for (const id of boxes)
    for (const slot of scene.box.get(id).slots)
      if (KEPT.has(state.at(id, `slot:${slot.name}`, step)))
        found.set(slot.storage ?? `${id}:${slot.name}`, slot.nbytes);
  return found;
}

const keptBytes = (boxes, moment) => [...storagesOf(boxes, moment).values()].reduce((sum, bytes) => sum + bytes, 0);

/** Of what would go, the bytes that others save too. */
function sharedBytes(gone, others, moment) {
  const stays = storagesOf(others, moment);
  return [...storagesOf(gone, moment)].reduce((sum, [storage, bytes]) => sum + (stays.has(storage) ? bytes : 0), 0);
}
