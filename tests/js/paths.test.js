import assert from "node:assert/strict";
import test from "node:test";

import { chainsAt, pathKey } from "../../gradreel/player/web/panels/paths.js";
import { namesAt } from "../../gradreel/player/web/scene/moment.js";
import { leafBoxes, MOST_PATHS, pathsBetween, rootsFor } from "../../gradreel/player/web/scene/paths.js";
import { createRun, loadScene } from "../../gradreel/player/web/scene/run.js";
import { maker } from "./scene_builder.js";

/** A graph at its end: `edges` are [from, to, factor], `x` is at n0, the last node is the root. */
function momentOf(many, edges, { calls = [] } = {}) {
  const { scene, leaf, node, step } = maker("graph");
  leaf("x");
  for (let at = 1; at < many; at++) node("MulBackward0", [], { slots: [] });
  edges.forEach(([from, to, factor, slope], at) => scene.wires.push({
    id: `w${at}`, from: `n${from}`, to: `n${to}`, output: 0, input_nr: 0, factor: factor ?? null,
    slope: slope ?? (factor === undefined ? null : `× ${factor}`),
  }));
  const sets = [["n0", "state", "built"], ["name:0:x", "tensor", "t0"], ["t0", "box", "n0"]];
  const last = step("node_made", 1, "All is built.", [`n${many - 1}`], sets);
  scene.calls.push(...calls);
  const run = createRun({});
  loadScene(run, scene);
  return { scene: run.scene, state: run.state, step: last, names: namesAt(run.state, run.names, last), selected: "t0" };
}

const DIAMOND = [[3, 1, 3], [3, 2, 1], [1, 0, 2], [2, 0, -5]];

test("the product along each path, and what they add up to", () => {
  const moment = momentOf(4, DIAMOND);
  assert.deepEqual(leafBoxes(moment, "t0"), ["n0"]);
  assert.deepEqual(leafBoxes(moment, "n2"), []);
  const { count, total, paths } = pathsBetween(moment, "n3", ["n0"]);
  assert.deepEqual([count, total], [2, 1]);
  assert.deepEqual(paths.map(({ product }) => product), [6, -5]);
  assert.equal(pathKey(paths[0]), "w0 w2");
});

test("of two equal edges each is a path", () =>
  assert.deepEqual(pathsBetween(momentOf(2, [[1, 0, 3], [1, 0, 3]]), "n1", ["n0"]).total, 6));

test("a path with a slope that is no number has letters, and so have all together", () => {
  const { total, paths } = pathsBetween(momentOf(4, [[3, 1, 3], [3, 2, 1], [1, 0, undefined, "· Wᵀ"], [2, 0, 2]]),
    "n3", ["n0"]);
  assert.deepEqual([total, paths.map(({ product }) => product)], [null, [null, 2]]);
});

test("where no path leads, there is none", () => {
  const moment = momentOf(4, [[1, 0, 2], [3, 2, 1]]);
  assert.deepEqual(pathsBetween(moment, "n3", ["n0"]), { count: 0, total: null, paths: [] });
});

test("of very many paths the first are told, and all are counted and added up", () => {
  const steps = Array.from({ length: 90 }, (_, at) => [[at + 1, at, 0.5], [at + 1, at, 0.5]]).flat();
  const { count, total, paths } = pathsBetween(momentOf(91, steps), "n90", ["n0"]);
  assert.deepEqual([count, total, paths.length], [2 ** 90, 1, MOST_PATHS]);
});

test("a graph deeper than a stack is counted, and none of its paths is told", () => {
  const steps = Array.from({ length: 20_000 }, (_, at) => [at + 1, at, 1]);
  const { count, total, paths } = pathsBetween(momentOf(20_001, steps), "n20000", ["n0"]);
  assert.deepEqual([count, total, paths], [1, 1, []]);
});

test("paths begin where backward was called, else at a name, else where somebody says", () => {
  const call = { id: 0, kind: "backward", line: 1, from: 4, to: 4, failed: false, text: "" };
  const moment = momentOf(4, DIAMOND, { calls: [call] });
  assert.deepEqual(rootsFor(moment, ["n0"]).map(({ id }) => id), ["n3"]);
  assert.equal(chainsAt(moment, { root: null, shown: null }).root, "n3");
  assert.equal(chainsAt(moment, { root: "n1", shown: null }).found.total, 2);
  assert.equal(chainsAt({ ...moment, selected: "n3" }, { root: null, shown: null }), null);
});
