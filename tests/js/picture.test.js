import assert from "node:assert/strict";
import test from "node:test";

import { groupTree } from "../../gradreel/player/web/folding.js";
import { indexed } from "../../gradreel/player/web/moment.js";
import { compose } from "../../gradreel/player/web/picture.js";
import { spokenOf } from "../../gradreel/player/web/selection.js";
import { createState } from "../../gradreel/player/web/state.js";
import { begun, counted, countsAt, living } from "../../gradreel/player/web/tally.js";
import { training } from "./make.js";
import { measure, stored } from "./scenes.js";

const opened = (raw, fold, how) => {
  const state = createState(raw);
  const scene = indexed(raw, state);
  const tree = groupTree(scene);
  return { scene, state, picture: compose(scene, state, tree, new Set(fold ? tree.groups.keys() : []), measure, how) };
};

for (const sideways of [false, true])
  test(`gradients reach a shared leaf from a folded card by a fleeting way${sideways ? ", sideways too" : ""}`, () => {
    const { picture } = opened(training(3, 20), true, { sideways });
    const fleeting = picture.links.filter((link) => link.fleeting);
    assert.ok(fleeting.length > 0);
    for (const { from, to, route } of fleeting) {
      const [start, end] = [picture.card.get(from).rect, picture.card.get(to).rect];
      assert.ok(picture.card.get(from).group);
      const [edge, tip] = sideways ? [start.x + start.width, end.x] : [start.y + start.height, end.y];
      assert.deepEqual([route.points[0], route.points.at(-1)].map((point) => point[sideways ? 0 : 1]), [edge, tip]);
    }
  });

test("no way is fleeting where nothing is folded", () => {
  assert.equal(opened(training(3, 4), false).picture.links.some((link) => link.fleeting), false);
});

test("what went wrong is spoken of once it has, and before that what the step is about", () => {
  const { scene, state } = opened(stored("shared_in_a_loop.json"), false);
  const [{ nodes, steps }] = scene.diagnoses;
  assert.equal(spokenOf({ scene, state, step: state.last }), nodes[0]);
  const built = scene.steps.findIndex((step) => step.focus.length === 1);
  assert.ok(built < steps.raised);
  assert.equal(spokenOf({ scene, state, step: built }), scene.steps[built].focus[0]);
  assert.equal(spokenOf({ scene, state, step: 0 }), null);
});

test("a folded card is counted anew for every step", () => {
  const { scene, state, picture } = opened(training(2, 3), true);
  const card = picture.cards.find((item) => item.group);
  for (const step of [0, state.last, Math.floor(state.last / 2), state.last]) {
    const states = card.boxes.map((id) => state.at(id, "state", step));
    assert.deepEqual(countsAt(card, step), counted(states));
    assert.equal(begun(countsAt(card, step)), states.some((one) => one !== null));
    assert.equal(living(countsAt(card, step)), states.some((one) => one !== null && one !== "released"));
  }
  assert.ok(scene.steps.length);
});
