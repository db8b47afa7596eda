import assert from "node:assert/strict";
import test from "node:test";

import { describe, indexScene } from "../../gradreel/player/web/scene/moment.js";
import { createState, indexAt } from "../../gradreel/player/web/scene/state.js";
import { recurrent } from "./scene_builder.js";
import { stored, storedScenes } from "./scenes.js";

/** The state of everything by plain folding, step by step: what the histories must agree with. */
function folded(scene, last) {
  const things = {};
  for (const step of scene.steps.slice(0, last + 1))
    for (const [key, change] of Object.entries(step.changes))
      for (const [property, [, after]] of Object.entries(change)) (things[key] ??= {})[property] = after;
  return things;
}

for (const [name, scene] of [...storedScenes(), ["recurrent", recurrent(6)]]) {
  test(`${name}: any step sought in any order is what folding gives`, () => {
    const state = createState(scene);
    const steps = scene.steps.map((_, step) => step);
    for (const step of [...steps, ...steps.toReversed(), ...steps.map((at) => (at * 7919) % steps.length)]) {
      const things = folded(scene, step);
      for (const [key, properties] of Object.entries(things))
        for (const [property, value] of Object.entries(properties))
          assert.deepEqual(state.at(key, property, step), value);
    }
  });

  test(`${name}: what a change replaces is what held before it`, () => {
    const state = createState(scene);
    scene.steps.forEach((step, number) => {
      for (const [key, change] of Object.entries(step.changes))
        for (const [property, [before]] of Object.entries(change))
          assert.deepEqual(state.at(key, property, number - 1), before ?? null, `${key} ${property} at ${number}`);
    });
  });
}

test("a thing that never changes is unknown, and so is everything before the first step", () => {
  const state = createState(stored("diamond.json"));
  assert.equal(state.at("no such thing", "state", 5), null);
  assert.equal(state.at("n1", "state", 0), null);
});

test("names of a program may be any text", () => {
  const changes = { "name:0:__proto__": { text: [null, "1"] }, "name:0:state['a:b']": { text: [null, "2"] } };
  const scene = {
    steps: [
      { changes: {}, sentence: "", focus: [] },
      { changes, sentence: "", focus: [] },
    ],
    boxes: [],
    wires: [],
    tensors: [],
    calls: [],
    values: [],
    output: [],
  };
  const state = createState(scene);
  const names = describe(state, indexScene(scene, state), state.keys("name:"), 1).names;
  assert.deepEqual(
    names.map((name) => [name.scope, name.name, name.text]),
    [
      [0, "__proto__", "1"],
      [0, "state['a:b']", "2"],
    ],
  );
});

test("when tells the first step at which something was so", () => {
  const state = createState(stored("shared_in_a_loop.json"));
  assert.equal(state.when("n2", "state", ["built"]), 5);
  assert.equal(state.when("n2", "slot:self", ["freed"]), 24);
  assert.equal(state.when("n2", "state", ["released"]), null);
});

test("the picture of a moment lists what is there and leaves out what is gone", () => {
  const scene = stored("shared_in_a_loop.json");
  const state = createState(scene);
  const look = (step) => describe(state, indexScene(scene, state), state.keys("name:"), step);
  assert.deepEqual(look(0).boxes, []);
  const last = look(state.last);
  assert.equal(last.steps, scene.steps.length - 1);
  assert.ok(!last.boxes.some((box) => box.id === "n7"), "nodes of the first iteration are released");
  assert.deepEqual(last.boxes.find((box) => box.id === "n2").slots, { self: "freed", vec: "freed" });
  assert.deepEqual(last.leaves.map((leaf) => leaf.name), ["t", "a"]);
  assert.ok(last.names.some((name) => name.name === "y" && name.tensor === "t3"));
  JSON.stringify(last);
});

test("indexAt finds the last entry that is not beyond", () => {
  assert.deepEqual([-1, 0, 1, 2, 3, 9].map((step) => indexAt([0, 2, 2, 5], step)), [-1, 0, 0, 2, 2, 3]);
  assert.equal(indexAt([], 3), -1);
});

test("a leaf whose name stands for another tensor now is the earlier one", () => {
  const box = { id: "n0", kind: "leaf", name: "AccumulateGrad", variable: "x", tensor: "t0", slots: [] };
  const scene = {
    boxes: [box],
    wires: [],
    tensors: [],
    calls: [],
    values: [],
    output: [],
    steps: [
      { sentence: "", changes: {} },
      {
        sentence: "",
        changes: { n0: { state: [null, "built"] }, "name:0:x": { tensor: [null, "t0"], text: [null, ""] } },
      },
      { sentence: "", changes: { "name:0:x": { tensor: ["t0", "t1"] } } },
    ],
  };
  const state = createState(scene);
  const names = [1, 2].map((step) => describe(state, indexScene(scene, state), ["name:0:x"], step).leaves[0].name);
  assert.deepEqual(names, ["x", "earlier x"]);
});
