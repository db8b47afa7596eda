import assert from "node:assert/strict";
import test from "node:test";

import { find } from "../../gradreel/player/web/panels/finder.js";
import { holdingOf } from "../../gradreel/player/web/scene/lifetime.js";
import { indexScene, namesAt } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { stored } from "./scenes.js";

/** The scene of y = t @ a before a loop that runs backward twice, at a step. */
function at(step) {
  const scene = stored("shared_in_a_loop.json");
  const state = createState(scene);
  const ready = indexScene(scene, state);
  return { state, scene: ready, step, names: namesAt(state, state.keys("name:"), step) };
}
const tensorOf = (moment, name) => moment.names.find((item) => item.name === name).tensor;

test("a node is held by its name, by the nodes above, by what saved its result", () => {
  const held = holdingOf(at(22), "n2");
  assert.equal(held.words, "held by name `y`, 1 edge");
  assert.equal(held.wires.size, 1);
});

test("of a leaf no node is said to be held by others: none made it", () => {
  const moment = at(14);
  assert.equal(holdingOf(moment, tensorOf(moment, "t")).words, "`del t` would free no node");
});

test("with a name goes what no other name reaches", () => {
  const moment = at(14);
  const loss = holdingOf(moment, tensorOf(moment, "loss"));
  assert.ok(loss.gone.size > 0);
  assert.ok(!loss.gone.has("n2"), "y still holds what made it");
  assert.match(loss.words, /`del loss` would free \d nodes?/);
  const y = holdingOf(moment, tensorOf(moment, "y"));
  assert.equal(y.gone.size, 0);
  assert.match(y.words, /free no node/);
});

test("a leaf's name frees no node: the graph holds the leaf, not the other way", () => {
  const moment = at(22);
  assert.equal(holdingOf(moment, tensorOf(moment, "t")).gone.size, 0);
});

test("every node is reached by a name, or said to be held by something else", () => {
  const moment = at(46);
  for (const name of moment.names.filter((item) => item.tensor)) {
    const held = holdingOf(moment, name.tensor);
    for (const id of held.gone) assert.ok(moment.scene.box.has(id));
  }
});

test("a node is found by name, line, operator and number", () => {
  const moment = at(46);
  const first = (query) => find(query, moment)[0]?.id;
  const box = (id) => moment.scene.box.get(id);
  assert.equal(first("y"), "n2");
  assert.ok(find("line 8", moment).every(({ id }) => box(id).line === 8));
  assert.equal(box(first("pow")).name, "PowBackward0");
  assert.equal(box(first("#0")).nr, 0);
  assert.equal(box(first("t")).variable, "t");
  assert.deepEqual(find("  ", moment), []);
  assert.deepEqual(find("nothing of the kind", moment), []);
});
