/**
 * The run as the stage needs it: nodes with their edges and lives, leaves with all that their `.grad` ever holds, and
 * the episodes, turns of the loop that calls backward. Made once for a scene; what is there at a step says `moment.js`.
 */

import { shortenName } from "../lib/format.js";
import { aboutAt } from "../scene/run.js";
import { indexAt } from "../scene/state.js";
import { mostOf } from "./values.js";

/** @import { IndexedScene, State } from "../scene/types.js" */
/** @import { Edge, Episode, GradEntry, Leaf, Model, StageNode } from "./types.js" */

const VIEWS = new Set([
  "T", "View", "Transpose", "Select", "Slice", "Unsqueeze", "Squeeze", "Expand", "Permute", "Alias", "Reshape",
  "UnsafeView", "Unbind", "Clone", "ReshapeAlias", "Detach", "AsStrided",
]);
/** Of what was added to a `.grad`, so many terms are told one by one. */
export const TERMS = 12;

/** @param {IndexedScene} scene @param {State} state @returns {Model} */
export function modelOf(scene, state) {
  const groups = new Map(scene.groups.map((group) => [group.id, group]));
  const nodes = scene.boxes.map((box, at) => nodeOf(box, at, state, groups));
  const node = new Map(nodes.map((each) => [each.id, each]));
  const edges = connect(scene, node);
  addResults(scene, node);
  const { episodes, episodeOf } = episodesOf(scene, state, node);
  for (const each of nodes) {
    each.episode = episodeOf[each.born] ?? null;
    each.episode?.nodes.push(each);
  }
  tagNodes(scene, state, node);
  const leaves = leavesOf(scene, state, nodes);
  const births = byStep(nodes, ({ born }) => born);
  const deaths = byStep(nodes, ({ died }) => died);
  return {
    scene,
    state,
    nodes,
    node,
    edges,
    leaves,
    leaf: new Map(leaves.map((leaf) => [leaf.tensor, leaf])),
    episodes,
    episodeOf,
    focus: focusOf(scene, node),
    births,
    deaths,
    changeSteps: rising([...births.keys(), ...deaths.keys()]),
    deathSteps: rising([...deaths.keys()]),
    written: writesOf(scene, state),
    stored: storedBy(leaves),
    memo: new Map(),
  };
}

const rising = (steps) => [...new Set(steps)].filter(Number.isFinite).sort((a, b) => a - b);

/** @returns {Map<number, StageNode[]>} */
function byStep(nodes, stepOf) {
  const found = new Map();
  for (const each of nodes) {
    const step = stepOf(each);
    if (!Number.isFinite(step)) continue;
    if (!found.has(step)) found.set(step, []);
    found.get(step).push(each);
  }
  return found;
}

/** @returns {StageNode} */
function nodeOf(box, at, state, groups) {
  const track = state.track(box.id, "state");
  const gone = track ? track.values.lastIndexOf("released") : -1;
  const leaf = box.kind === "leaf";
  const short = shortenName(box.name);
  const path = [];
  for (let group = box.group; group; group = groups.get(group)?.parent ?? null) path.unshift(group);
  return {
    id: box.id,
    at,
    box,
    short,
    leaf,
    view: !leaf && !box.slots.length && VIEWS.has(short),
    gen: box.generation,
    slots: box.slots,
    out: [],
    into: [],
    born: track?.steps[0] ?? Infinity,
    died: gone < 0 ? Infinity : track.steps[gone],
    episode: null,
    path,
    tags: [],
    result: null,
  };
}

/** @returns {Edge[]} */
function connect(scene, node) {
  return scene.wires.map((wire, at) => {
    const [from, to] = [node.get(wire.from), node.get(wire.to)];
    /** @type {Edge} */
    const edge = { id: wire.id, at, from, to, input: wire.input_nr, slope: wire.slope ?? null };
    from.out.push(edge);
    to.into.push(edge);
    return edge;
  });
}

/** What each node of an expression came to on the way forward: the scene tells it with the expression's tape. */
function addResults(scene, node) {
  for (const { node: id, shape, data } of scene.expression?.tape ?? [])
    if (node.has(id)) node.get(id).result = { shape, dtype: "float32", data, whole: true };
}

/** The turns of the outermost loops in which a backward call starts, and for each step the one that it is in. */
function episodesOf(scene, state, node) {
  const loopsAt = (step) => state.at("program", "loops", step) ?? [];
  const called = scene.calls.map((call) => ({ call, loop: loopsAt(call.from)[0] })).filter(({ loop }) => loop);
  const lines = new Set(called.map(({ loop }) => loop[0]));
  const episodes = new Map();
  const episodeOf = [];
  const track = state.track("program", "loops");
  let place = -1;
  let now = null;
  for (let step = 0; step <= state.last; step++) {
    if (track && track.steps[place + 1] === step) now = turnAt(track.values[++place]?.[0], step);
    episodeOf.push(now);
    if (now) now.to = step;
  }
  function turnAt(turn, step) {
    if (!turn || !lines.has(turn[0])) return null;
    const key = `${turn[0]}:${turn[1]}`;
    if (!episodes.has(key)) episodes.set(key, episodeFrom(key, turn, step));
    return episodes.get(key);
  }
  for (const { call } of called) tellCall(episodeOf[call.from], call, scene, state, node);
  return { episodes: [...episodes.values()], episodeOf };
}

/** @returns {Episode} */
function episodeFrom(key, [line, number, of], from) {
  return { key, line, number, of: of ?? null, from, to: from, nodes: [], call: null, loss: null, failed: null };
}

/** What the film tells of an episode: where its first call starts, and whether any failed. */
function tellCall(episode, call, scene, state, node) {
  if (!episode) return;
  if (call.failed) episode.failed = call.to ?? state.last;
  if (episode.call !== null) return;
  episode.call = call.from;
  const root = node.get(scene.steps[call.from].focus[0]);
  if (root?.box.tensor) episode.loss = state.at(root.box.tensor, "value", call.from);
}

/** The names that the result of each node ever has: there is room for them from its birth on. */
function tagNodes(scene, state, node) {
  const keys = state.keys("name:");
  const boxes = new Map();
  const boxesOf = (tensor) => {
    if (!boxes.has(tensor)) boxes.set(tensor, new Set(state.track(tensor, "box")?.values ?? []));
    return boxes.get(tensor);
  };
  keys.forEach((key) => {
    const name = key.slice(key.indexOf(":", 5) + 1);
    for (const tensor of new Set(state.track(key, "tensor")?.values ?? []))
      if (tensor !== null)
        for (const id of boxesOf(tensor)) {
          const found = node.get(id);
          if (found && !found.leaf && !found.tags.includes(name)) found.tags.push(name);
        }
  });
}

/** @returns {(StageNode|null)[]} */
function focusOf(scene, node) {
  let last = null;
  return scene.steps.map((step, at) => {
    const about = step.kind === "node_released" ? [] : aboutAt({ scene, step: at });
    const id = about.find((each) => node.get(each) && !node.get(each).leaf);
    if (id) last = node.get(id);
    return last;
  });
}

/** @returns {Leaf[]} the tensors that gradients are stored at, in the order in which they were made */
function leavesOf(scene, state, nodes) {
  const found = new Map();
  for (const node of nodes) {
    const { tensor, variable } = node.box;
    if (!node.leaf || !tensor) continue;
    if (!found.has(tensor)) found.set(tensor, { tensor, name: variable ?? "tensor", nodes: [] });
    found.get(tensor).nodes.push(node);
  }
  const leaves = [...found.values()].sort((a, b) => Number(a.tensor.slice(1)) - Number(b.tensor.slice(1)));
  for (const leaf of leaves) {
    const life = state.track(leaf.tensor, "state");
    leaf.born = life?.steps[0] ?? leaf.nodes[0].born;
    const gone = life ? life.values.indexOf("released") : -1;
    leaf.died = gone < 0 ? Infinity : life.steps[gone];
    leaf.grads = gradsOf(leaf, state);
    leaf.most = mostAt(leaf, scene, state);
  }
  return leaves;
}

/** @returns {GradEntry[]} */
function gradsOf(leaf, state) {
  const track = state.track(leaf.tensor, "grad") ?? { steps: [], values: [] };
  /** @type {GradEntry[]} */
  const grads = [];
  track.steps.forEach((step, place) => {
    const value = track.values[place];
    const box = leaf.nodes.find(({ born, died }) => born <= step && step < died);
    const stored = box && value !== null && state.track(box.id, "how")?.steps.includes(step)
      && state.at(box.id, "how", step) !== null;
    const before = stored ? state.at(box.id, "before", step) : null;
    const came = stored ? state.at(box.id, "came", step) : null;
    const last = before === null || value === null ? null : grads.at(-1);
    const terms = value === null ? [] : [...(last?.terms ?? []), came ?? value].slice(-TERMS);
    grads.push({ step, value, before, came, terms, count: value === null ? 0 : (last?.count ?? 0) + 1 });
  });
  return grads;
}

/** The largest number of all that goes to a leaf. */
function mostAt(leaf, scene, state) {
  const places = new Set(leaf.grads.map(({ value }) => value));
  for (const node of leaf.nodes) {
    for (const value of state.track(node.id, "came")?.values ?? []) places.add(value);
    for (const key of node.box.adds ?? [])
      for (const value of state.track(key, "total")?.values ?? []) places.add(value);
  }
  places.delete(null);
  return Math.max(0, ...[...places].map((place) => mostOf(scene.values[place])));
}

/** The number for which the bar of a scalar has its full length, in the whole run: one number has one bar, whether it
 * is a value or a gradient.
 * @param {Model} model @returns {number}
 */
export function fullBarOf({ memo, nodes, leaves, scene, state }) {
  if (memo.has("bar")) return memo.get("bar");
  let most = 0;
  const see = (place) => {
    const value = place === null ? null : scene.values[place];
    const size = value?.whole && !value.shape.length ? Math.abs(Number(value.data)) : 0;
    if (size > most && Number.isFinite(size)) most = size;
  };
  for (const { id, slots } of nodes) {
    for (const { value } of slots) see(value);
    for (const place of state.track(id, "grad_in")?.values ?? []) see(place);
  }
  for (const { tensor, grads } of leaves) {
    for (const place of state.track(tensor, "value")?.values ?? []) see(place);
    for (const { value } of grads) see(value);
  }
  for (const [kind, property] of [["w", "value"], ["sum", "total"]])
    state.each(`${kind}:`, property, (_, steps, values, from, to) => {
      for (let at = from; at < to; at++) see(values[at]);
    });
  memo.set("bar", most);
  return most;
}

/** The number for which the tower of a scalar `.grad` is as high as its tray: one measure for all leaves.
 * @param {Model} model @returns {number}
 */
export function fullTowerOf({ memo, leaves, scene }) {
  if (!memo.has("tower")) {
    const values = leaves.flatMap(({ grads }) => grads.flatMap(({ value, came }) => [value, came]));
    const scalars = values.map((place) => scene.values[place]).filter((value) => value && !value.shape.length);
    memo.set("tower", Math.max(0, ...scalars.map(mostOf)));
  }
  return memo.get("tower");
}

/** By step the tensors that are written over. */
function writesOf(scene, state) {
  const written = new Map();
  for (const { id } of scene.tensors) {
    const changes = ["value", "version"].flatMap((property) => state.track(id, property)?.steps.slice(1) ?? []);
    for (const step of new Set(changes)) written.set(step, [...(written.get(step) ?? []), id]);
  }
  return written;
}

/** By step the leaves whose `.grad` changes. */
function storedBy(leaves) {
  const found = new Map();
  for (const leaf of leaves)
    leaf.grads.forEach(({ step }, at) => found.set(step, [...(found.get(step) ?? []), { leaf, at }]));
  return found;
}

/** The episode that a step belongs to; between two, the one before; before all, the first.
 * @param {Model} model @param {number} step @returns {Episode|null}
 */
export function episodeAt({ episodes, episodeOf }, step) {
  if (!episodes.length) return null;
  return episodeOf[step] ?? episodes.findLast(({ from }) => from <= step) ?? episodes[0];
}

/** The last of some steps that is not beyond one. @param {number[]} steps @param {number} step */
export const lastOf = (steps, step) => steps[indexAt(steps, step)] ?? -1;

/** What `.grad` of a leaf is at a step. @param {Leaf} leaf @param {number} step @returns {GradEntry|null} */
export function gradAt({ grads }, step) {
  const found = grads.findLast((entry) => entry.step <= step);
  return found && found.value !== null ? found : null;
}
