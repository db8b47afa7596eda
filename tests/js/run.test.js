import assert from "node:assert/strict";
import test from "node:test";

import { indexScene } from "../../gradreel/player/web/scene/moment.js";
import { aboutAt, sameShape, spokenOf } from "../../gradreel/player/web/scene/run.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { training } from "./scene_builder.js";
import { stored } from "./scenes.js";

test("a scene of other values is of the same shape; the program further down on a page is another", () => {
  const [scene, values, lower] = [training(2, 2), training(2, 2), training(2, 2)];
  for (const value of values.values) value.dtype = "float64";
  for (const box of lower.boxes) if (box.line !== null) box.line += 5;
  assert.equal(sameShape(scene, values), true);
  assert.equal(sameShape(scene, lower), false);
});

test("what went wrong is spoken of once it has, and before that what the step is about", () => {
  const raw = stored("shared_in_a_loop.json");
  const state = createState(raw);
  const scene = indexScene(raw, state);
  const [{ nodes, steps }] = scene.diagnoses;
  assert.equal(spokenOf({ scene, state, step: state.last }), nodes[0]);
  const built = scene.steps.findIndex((step) => step.focus.length === 1);
  assert.ok(built < steps.raised);
  assert.equal(spokenOf({ scene, state, step: built }), scene.steps[built].focus[0]);
  assert.equal(spokenOf({ scene, state, step: 0 }), null);
});

test("where an error is raised, and at steps after it that tell of no node, the one it is about is in view", () => {
  const [first, second] = [
    { nodes: ["n2"], steps: { raised: 1 } },
    { nodes: ["n5"], steps: { raised: 4 } },
  ];
  const focus = [[], ["n7"], [], ["n3"], [], ["n1"]];
  const scene = {
    diagnoses: [first, second, { nodes: ["n9"], steps: { seen: 0 } }],
    steps: focus.map((each) => ({ focus: each })),
  };
  assert.deepEqual(
    focus.map((_, step) => aboutAt({ scene, step })),
    [[], ["n2"], ["n2"], ["n3"], ["n5"], ["n1"]],
  );
});
