import assert from "node:assert/strict";
import test from "node:test";

import { aloft } from "../../gradreel/player/web/minimap.js";
import { along } from "../../gradreel/player/web/paintwire.js";
import { groupTree } from "../../gradreel/player/web/folding.js";
import { indexed } from "../../gradreel/player/web/moment.js";
import { compose, sameShape } from "../../gradreel/player/web/picture.js";
import { aboutAt, spokenOf } from "../../gradreel/player/web/selection.js";
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

for (const sideways of [false, true])
  test(`no fleeting way runs behind another leaf${sideways ? ", sideways too" : ""}`, () => {
    const { picture } = opened(training(6, 20), true, { sideways });
    const leaves = picture.cards.filter((card) => card.box?.kind === "leaf");
    const rows = new Set(leaves.map((card) => card.rect[sideways ? "x" : "y"]));
    assert.ok(rows.size > 1, "leaves stand in more than one row");
    for (const { to, route } of picture.links.filter((link) => link.fleeting))
      for (let part = 0; part <= 1; part += 0.002) {
        const [x, y] = along(route, part);
        const behind = leaves.find(({ id, rect }) => id !== to && x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height);
        assert.equal(behind?.id, undefined, `to ${to} at ${part}`);
      }
  });

test("a scene of other values is the same picture; the program further down on a page is another", () => {
  const [scene, values, lower] = [training(2, 2), training(2, 2), training(2, 2)];
  for (const value of values.values) value.dtype = "float64";
  for (const box of lower.boxes) if (box.line !== null) box.line += 5;
  assert.equal(sameShape(scene, values), true);
  assert.equal(sameShape(scene, lower), false);
});

test("the small map stands below, and above while it hides a leaf there", () => {
  const leaf = { id: "n1", rect: { x: 0, y: 0, width: 250, height: 70 } };
  const map = { picture: { card: new Map([["n1", leaf]]), unitOf: new Map([["n1", "n1"]]) }, cards: [leaf], leaves: [leaf], width: 100, height: 80 };
  const view = (x, y, scale = 1) => ({ x, y, scale, width: 800, height: 600 });
  assert.equal(aloft(false, map, [], view(0, 0)), false);
  assert.equal(aloft(false, map, [], view(350, -200)), true, "the leaf is below on the left");
  assert.equal(aloft(true, map, [], view(0, 0)), true, "it does not come back for nothing");
  assert.equal(aloft(true, map, [], view(-180, 250)), false, "the leaf is above on the right");
  assert.equal(aloft(true, { ...map, leaves: [] }, ["n1"], view(-180, 250)), false, "so is what the step is about");
  assert.equal(aloft(false, map, [], view(100, 35, 8)), false, "where both places hide it, it stays");
  const other = { id: "n2", rect: { x: 700, y: -540, width: 250, height: 70 } };
  assert.equal(aloft(true, { ...map, leaves: [], cards: [other] }, [], view(350, -200)), false, "it hides no other card either");
  assert.equal(aloft(true, { ...map, cards: [leaf, other] }, [], view(350, -200)), true, "but a leaf counts more");
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

test("where an error is raised, and where a step after it tells of no node, the one it is about is to be in view", () => {
  const [first, second] = [{ nodes: ["n2"], steps: { raised: 1 } }, { nodes: ["n5"], steps: { raised: 4 } }];
  const focus = [[], ["n7"], [], ["n3"], [], ["n1"]];
  const scene = { diagnoses: [first, second, { nodes: ["n9"], steps: { seen: 0 } }], steps: focus.map((each) => ({ focus: each })) };
  assert.deepEqual(focus.map((_, step) => aboutAt({ scene, step })), [[], ["n2"], ["n2"], ["n3"], ["n5"], ["n1"]]);
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
