/**
 * One moment of the run as plain data: what a box, a wire, a leaf, the names and the program look like at a step.
 * Painter, panels, inspector, table and `player.state()` all read the run through these few functions.
 */

import { nameOf } from "./histories.js";

/** @import { BoundName, IndexedBox, IndexedScene, Scene, State } from "./types.js" */

const GONE = new Set([null, "released"]);

/** A scene with the look-ups that every part needs. A box keeps only the slots that are ever held: the rest are numbers
 * of its formula.
 * @param {Scene} scene
 * @param {State} state
 */
export function indexScene(scene, state) {
  const adds = new Map();
  for (const key of state.keys("sum:")) {
    const id = key.split(":")[1];
    adds.set(id, [...(adds.get(id) ?? []), key]);
  }
  const ever = new Map();
  const statesIn = (course) => {
    if (!ever.has(course)) ever.set(course, [...new Set(course)].filter((value) => value !== null));
    return ever.get(course);
  };
  const boxes = scene.boxes.map((box) => {
    const slots = [];
    const numbers = [];
    for (const slot of box.slots) {
      const track = state.track(box.id, `slot:${slot.name}`);
      if (track) slots.push({ ...slot, states: statesIn(track.values) });
      else numbers.push(slot);
    }
    return { ...box, adds: adds.get(box.id) ?? null, slots, numbers };
  });
  const into = new Map();
  const outOf = new Map();
  for (const wire of scene.wires) {
    gather(into, wire.to, wire);
    gather(outOf, wire.from, wire);
  }
  return {
    ...scene,
    boxes,
    box: new Map(boxes.map((box) => [box.id, box])),
    leaves: boxes.filter((box) => box.kind === "leaf"),
    tensor: new Map(scene.tensors.map((tensor) => [tensor.id, tensor])),
    call: new Map(scene.calls.map((call) => [call.id, call])),
    into,
    outOf,
  };
}

function gather(groups, key, item) {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

/** @param {State} state @param {IndexedBox} box @param {number} step */
export function boxAt(state, box, step) {
  const get = (property) => state.at(box.id, property, step);
  return {
    state: get("state"),
    order: get("order"),
    hint: get("hint"),
    gradIn: get("grad_in"),
    slots: box.slots.map((slot) => ({
      slot,
      state: get(`slot:${slot.name}`),
      found: get(`found:${slot.name}`),
    })),
    ...(box.kind === "leaf" && {
      variable: leafName(state, box, step),
      grad: get("grad"),
      came: get("came"),
      before: get("before"),
      how: get("how"),
      arrived: get("arrived"),
      expected: get("expected"),
    }),
  };
}

/** The name of a leaf at a step: `earlier x` once the program's `x` stands for another tensor.
 * @returns {string|null}
 */
export function leafName(state, box, step) {
  if (!box.variable) return null;
  const bound = state.at(`name:0:${box.variable}`, "tensor", step);
  return bound === null || bound === box.tensor ? box.variable : `earlier ${box.variable}`;
}

/** @returns {boolean} whether a box with this state is there to be seen */
export function isPresent(boxState) {
  return !GONE.has(boxState ?? null);
}

/** The names that stand for something at a step, in the order in which they were first bound.
 * @param {State} state @param {string[]} keys  those of all names, `state.keys("name:")` @param {number} step
 * @returns {{key: string, scope: number, name: string, tensor: string|null, text: string|null}[]}  a tensor, or a text
 */
export function namesAt(state, keys, step) {
  const found = [];
  const { from, to } = livesOf(state, keys);
  for (let place = 0; place < keys.length; place++) {
    if (step < from[place] || step >= to[place]) continue;
    const key = keys[place];
    const tensor = state.at(key, "tensor", step);
    const text = state.at(key, "text", step);
    if (tensor !== null || text !== null) found.push({ key, ...nameOf(key), tensor, text });
  }
  return found;
}

const lives = new WeakMap();

/** From when to when each name ever stands for something, by its place among `keys`: a run of many calls has thousands.
 */
function livesOf(state, keys) {
  const known = lives.get(keys);
  if (known?.state === state) return known;
  const [from, to] = [keys.map(() => Infinity), keys.map(() => -Infinity)];
  for (const property of ["tensor", "text"])
    state.each("name:", property, (place, steps, values, start, end) => {
      from[place] = Math.min(from[place], steps[start]);
      to[place] = Math.max(to[place], values[end - 1] === null ? steps[end - 1] : Infinity);
    });
  const made = { state, from, to };
  lives.set(keys, made);
  return made;
}

/** The names tied to each box at a step: those whose tensor the box made, or whose gradient it gathers.
 * @returns {Map<string, BoundName[]>}
 */
export function namesByBox(state, names, step) {
  const found = new Map();
  for (const name of names) {
    const box = name.tensor === null ? null : state.at(name.tensor, "box", step);
    if (box === null) continue;
    if (!found.has(box)) found.set(box, []);
    found.get(box).push(name);
  }
  return found;
}

/** The gradients that leaves hold at a step: those of the AccumulateGrads that live, then those of named tensors whose
 * graph is gone already.
 * @returns {{id: string, name: string, grad: number|null, now: ReturnType<typeof boxAt>|null}[]} `id` of what to
 *   select, `grad` an index of a value
 */
export function gradientsAt(state, scene, names, step) {
  const found = [];
  const listed = new Set();
  for (const box of scene.leaves) {
    const now = boxAt(state, box, step);
    if (!isPresent(now.state)) continue;
    listed.add(box.tensor);
    found.push({ id: box.id, name: now.variable ?? "leaf", grad: now.grad, now });
  }
  for (const { name, tensor } of names) {
    const grad = tensor === null || listed.has(tensor) ? null : state.at(tensor, "grad", step);
    if (grad === null) continue;
    listed.add(tensor);
    found.push({ id: tensor, name, grad, now: null });
  }
  return found;
}

/** What the program has printed by a step. @returns {string} */
export function printedAt(scene, step) {
  return scene.output.filter(([, at]) => at <= step).map(([text]) => text).join("");
}

/** The backward call whose steps include this one, or null. */
export function callAt(scene, step) {
  return scene.calls.findLast((call) => call.from <= step && step <= (call.to ?? Infinity)) ?? null;
}

/** Data that JSON can carry: a value's elements, or what stands for them. */
function dataOf(value) {
  if (!value) return null;
  return value.whole ? value.data : { shape: value.shape, head: value.head };
}

/** All that can be seen at a step, as JSON-able data; what `player.state()` gives.
 * @param {State} state
 * @param {ReturnType<typeof indexScene>} scene
 * @param {string[]} nameKeys
 * @param {number} step
 */
export function describe(state, scene, nameKeys, step) {
  const boxes = [];
  const names = namesAt(state, nameKeys, step);
  for (const box of scene.boxes) {
    const now = boxAt(state, box, step);
    if (!isPresent(now.state)) continue;
    const slots = Object.fromEntries(
      now.slots.filter((slot) => slot.state !== null).map((slot) => [slot.slot.name, slot.state]),
    );
    boxes.push({ id: box.id, name: box.name, line: box.line, state: now.state, slots });
  }
  return {
    step,
    steps: state.last,
    line: state.at("program", "line", step),
    sentence: scene.steps[step].sentence,
    boxes,
    leaves: gradientsAt(state, scene, names, step).map(({ name, grad }) => ({
      name,
      grad: dataOf(scene.values[grad]),
    })),
    names: names.map(({ name, scope, tensor, text }) => ({ name, scope, tensor, text })),
    printed: printedAt(scene, step),
  };
}

/** The sums of a run in the order of time, to find the one that last grew. @param {State} state */
export function sumTrack(state) {
  const events = [];
  for (const key of state.keys("sum:")) {
    const track = state.track(key, "terms");
    track?.steps.forEach((step, i) => track.values[i] && events.push([step, key]));
  }
  events.sort((a, b) => a[0] - b[0]);
  return { steps: events.map(([step]) => step), keys: events.map(([, key]) => key) };
}
