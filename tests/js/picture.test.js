import assert from "node:assert/strict";
import test from "node:test";

import { clearest } from "../../gradreel/player/web/canvas/minimap.js";
import { titleRoom } from "../../gradreel/player/web/canvas/painter.js";
import { compose, sameShape } from "../../gradreel/player/web/canvas/picture.js";
import { along } from "../../gradreel/player/web/canvas/wire.js";
import { groupTree } from "../../gradreel/player/web/scene/grouping.js";
import { countsAt, countStates, indexScene, isAnyBuilt, isAnyPresent } from "../../gradreel/player/web/scene/moment.js";
import { aboutAt, spokenOf } from "../../gradreel/player/web/scene/run.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { training } from "./scene_builder.js";
import { measure, stored } from "./scenes.js";

const opened = (raw, fold, how) => {
  const state = createState(raw);
  const scene = indexScene(raw, state);
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
        const behind = leaves.find(
          ({ id, rect }) =>
            id !== to && x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height,
        );
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

test("the small map stands below, and above while it hides a leaf or more cards there", () => {
  const leaf = { id: "n1", rect: { x: 0, y: 0, width: 250, height: 70 } };
  const map = {
    picture: { card: new Map([["n1", leaf]]), unitOf: new Map([["n1", "n1"]]) },
    cards: [leaf],
    leaves: [leaf],
    width: 100,
    height: 80,
  };
  const view = (x, y, scale = 1) => ({ x, y, scale, width: 800, height: 600 });
  const all = () => true;
  assert.equal(clearest("below", map, [], view(0, 0), all), "below");
  assert.equal(clearest("below", map, [], view(350, -200), all), "right", "the leaf is below on the left");
  assert.equal(clearest("right", map, [], view(0, 0), all), "right", "it does not come back for nothing");
  assert.equal(clearest("right", map, [], view(-180, 250), all), "below", "the leaf is above on the right");
  assert.equal(
    clearest("right", { ...map, leaves: [] }, ["n1"], view(-180, 250), all),
    "below",
    "so is what the step is about",
  );
  assert.equal(clearest("below", map, [], view(100, 35, 8), all), "below", "where all places hide it, it stays");
  const other = { id: "n2", rect: { x: 700, y: -540, width: 250, height: 70 } };
  assert.equal(
    clearest("right", { ...map, leaves: [], cards: [other] }, [], view(350, -200), all),
    "below",
    "it hides no other card either",
  );
  assert.equal(
    clearest("right", { ...map, cards: [leaf, other] }, [], view(350, -200), all),
    "left",
    "with a leaf below, the other side is clear",
  );
  const third = { id: "n3", rect: { x: -100, y: -480, width: 250, height: 70 } };
  assert.equal(
    clearest("right", { ...map, cards: [leaf, other, third] }, [], view(350, -200), all),
    "right",
    "but a leaf counts more",
  );
  assert.equal(
    clearest("right", { ...map, cards: [leaf, other, third] }, [], view(350, -200), (card) => card !== third),
    "left",
    "what is not there yet is not hidden",
  );
  assert.equal(
    clearest("left", { ...map, leaves: [], cards: [third] }, [], view(350, -200), all),
    "below",
    "it hides no card on the left either",
  );
  assert.equal(
    clearest("left", { ...map, leaves: [], cards: [] }, [], view(350, -200), all, [third.rect]),
    "below",
    "nor what is left of a turn, nor a title",
  );
});

test("the title of an open group ends before the gradient that comes in there", () => {
  const scene = training(1, 2);
  const state = createState(scene);
  const named = indexScene(scene, state);
  const tree = groupTree(named);
  const picture = compose(named, state, tree, new Set(), measure);
  const outline = picture.outlines.at(-1);
  const root = picture.cards.findLast((card) => card.box.name === "MseLossBackward0");
  const room = (step, more = {}) => titleRoom(outline, { picture, state, step, scene: named, ...more });
  const last = scene.steps.length - 1;
  assert.equal(room(1), outline.rect.width - 24, "nothing has come");
  assert.ok(outline.rect.x + 12 + room(last) < root.rect.x + root.rect.width / 2 - 5);
  assert.equal(
    room(last, { picture: { ...picture, sideways: true } }),
    outline.rect.width - 24,
    "from the left it comes below the title",
  );
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

test("a folded card is counted anew for every step", () => {
  const { scene, state, picture } = opened(training(2, 3), true);
  const card = picture.cards.find((item) => item.group);
  for (const step of [0, state.last, Math.floor(state.last / 2), state.last]) {
    const states = card.boxes.map((id) => state.at(id, "state", step));
    assert.deepEqual(countsAt(card, step), countStates(states));
    assert.equal(isAnyBuilt(countsAt(card, step)), states.some((one) => one !== null));
    assert.equal(isAnyPresent(countsAt(card, step)), states.some((one) => one !== null && one !== "released"));
  }
  assert.ok(scene.steps.length);
});
