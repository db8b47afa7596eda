import assert from "node:assert/strict";
import test from "node:test";

import { searchOperators } from "../../gradreel/player/web/lib/search.js";
import { indexScene } from "../../gradreel/player/web/scene/moment.js";
import {
  comparableFacts, differences, lineRows, longestCommonSubsequence, momentAt, momentsOf, peakBy,
} from "../../gradreel/player/web/scene/run_diff.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { maker } from "./scene_builder.js";
import { storedScenes } from "./scenes.js";

const steps = (source, ...list) => ({ source, steps: [["start", 0], ...list].map(([kind, line]) => ({ kind, line })) });

test("the longest common subsequence keeps order and is as long as can be", () => {
  assert.deepEqual(longestCommonSubsequence([..."abcbd"], [..."bcad"]), [[1, 0], [2, 1], [4, 3]]);
  assert.deepEqual(longestCommonSubsequence([], ["x"]), []);
});

test("lines are the same, changed, or on one side only", () => {
  assert.deepEqual(lineRows("a\nb\nc\n", "a\nB\nc\nd\n"), [
    { left: 1, right: 1, same: true },
    { left: 2, right: 2, same: false },
    { left: 3, right: 3, same: true },
    { left: null, right: 4, same: false },
  ]);
});

test("where only one side does something the other waits, and both end together", () => {
  const left = steps("a\nb", ["made", 1], ["freed", 2], ["printed", 2]);
  const right = steps("a\nx\nb", ["made", 1], ["line", 2], ["freed", 3], ["freed", 3], ["printed", 3]);
  assert.deepEqual(momentsOf(left, right), [[0, 0], [1, 1], [1, 2], [2, 3], [2, 4], [3, 5]]);
});

test("a step that kept becomes one that freed at the same moment", () => {
  const left = steps("a\nb()", ["made", 1], ["ran", 2], ["freed", 2], ["done", 2]);
  const right = steps("a\nb(keep)", ["made", 1], ["ran", 2], ["retained", 2], ["done", 2]);
  assert.deepEqual(momentsOf(left, right), [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]]);
});

const scenes = storedScenes();
for (const [name, scene] of scenes) {
  test(`${name} beside itself and beside another: time goes on, no step is left out`, () => {
    for (const other of [scene, scenes[0][1]]) {
      const moments = momentsOf(scene, other);
      assert.deepEqual([moments[0], moments.at(-1)], [[0, 0], [scene.steps.length - 1, other.steps.length - 1]]);
      moments.slice(1).forEach(([a, b], k) => {
        const [before, under] = [a - moments[k][0], b - moments[k][1]];
        assert.ok([before, under].every((step) => step === 0 || step === 1) && before + under > 0, `moment ${k + 1}`);
      });
      if (other === scene) assert.equal(moments.length, scene.steps.length);
    }
  });
}

test("runs too long to be compared still end together", () => {
  const long = (count) => ({ source: "a", steps: Array.from({ length: count }, () => ({ kind: "x", line: 1 })) });
  const moments = momentsOf(long(3000), long(1500));
  assert.deepEqual([moments[0], moments.at(-1), moments.length], [[0, 0], [2999, 1499], 3000]);
});

test("the moment of a step is the nearest one", () => {
  const moments = [[0, 0], [1, 1], [1, 2], [1, 3], [2, 4]];
  assert.equal(momentAt(moments, 0, 1, 3), 3);
  assert.equal(momentAt(moments, 0, 1, 0), 1);
  assert.equal(momentAt(moments, 1, 4, 0), 4);
  assert.equal(momentAt(moments, 0, 9, 2), 2);
});

/** A run with one product, backward or not. */
function madeRun(backward) {
  const { scene, leaf, node, backward: back } = maker("y = a * b\ny.backward()\n");
  const root = node("MulBackward0", [leaf("a"), leaf("b")], { slots: ["self", "other"] });
  if (backward) back(root);
  const state = createState(scene);
  return { scene: indexScene(scene, state), state, names: state.keys("name:") };
}

test("a run does not differ from itself, and differs from one that goes no further by what is held", () => {
  const [one, two] = [madeRun(true), madeRun(false)];
  assert.deepEqual(differences(one, one, [one.state.last, one.state.last]), []);
  const found = Object.fromEntries(
    differences(one, two, [one.state.last, two.state.last]).map(({ what, left, right }) => [what, [left, right]]),
  );
  assert.deepEqual(found["saved now"], ["0 B", "8 B"]);
  assert.equal(comparableFacts(one, 0).get("the run"), "goes on");
  assert.equal(peakBy(one.state, one.state.last), 8);
});

test("operators are found by name, node and what they keep, the closest first", () => {
  const operator = (name, node, formula, kept = []) => ({
    name,
    node,
    family: "f",
    ways: [{ formula }],
    kept: kept.map((each) => ({ name: each })),
  });
  const items = [
    operator("addmul", "AddmulBackward0", "grad"),
    operator("mul.Tensor", "MulBackward0", "grad * other", ["other"]),
    operator("exp", "ExpBackward0", "grad * result", ["result"]),
  ];
  const names = (text) => searchOperators(items, text).map(({ name }) => name);
  assert.deepEqual(names("mul"), ["mul.Tensor", "addmul"]);
  assert.deepEqual(names("saves result"), ["exp"]);
  assert.deepEqual(names("MULBACKWARD0"), ["mul.Tensor", "addmul"].slice(0, names("MULBACKWARD0").length));
  assert.deepEqual(names("nothing like it"), []);
});
