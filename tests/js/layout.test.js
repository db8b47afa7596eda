import assert from "node:assert/strict";
import test from "node:test";

import { compose, overlap, rebind } from "../../gradreel/player/web/canvas/picture.js";
import { count } from "../../gradreel/player/web/layout/layers.js";
import { layout } from "../../gradreel/player/web/layout/layout.js";
import { groupTree, initialFolds } from "../../gradreel/player/web/scene/grouping.js";
import { indexScene } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { determinant, recurrent, training } from "./scene_builder.js";
import { measure, storedScenes } from "./scenes.js";

function picture(scene, folded) {
  const state = createState(scene);
  const ready = indexScene(scene, state);
  const tree = groupTree(ready);
  return compose(ready, state, tree, folded ?? initialFolds(tree), measure);
}

const SCENES = [
  ...storedScenes(), ["recurrent", recurrent(9)], ["determinant", determinant(4)], ["training", training(2, 3)],
  ["folded training", training(3, 20)], ["folded recurrent", recurrent(40)],
];

for (const [name, scene] of SCENES) {
  const drawn = picture(scene);
  const rects = [...drawn.cards.map((card) => card.rect), ...drawn.chips.map((chip) => chip.rect)];

  test(`${name}: no two cards overlap`, () => {
    rects.forEach((a, i) =>
      rects.slice(i + 1).forEach((b) => assert.ok(!overlap(a, b), `${JSON.stringify(a)} ${JSON.stringify(b)}`)),
    );
  });

  test(`${name}: wires point down and meet the edges of their cards`, () => {
    const places = new Map([...drawn.cards, ...drawn.chips].map((item) => [item.id, item.rect]));
    for (const link of drawn.links) {
      const [start, end] = [link.route.points[0], link.route.points.at(-1)];
      const from = places.get(link.from);
      const to = places.get(`chip:${link.to}:${link.from}`) ?? places.get(link.to);
      assert.equal(start[1], from.y + from.height);
      assert.equal(end[1], to.y);
      assert.ok(start[1] < end[1], `${link.id} runs up`);
      assert.ok(start[0] >= from.x && start[0] <= from.x + from.width && end[0] >= to.x && end[0] <= to.x + to.width);
    }
  });

  test(`${name}: a wire that has its way through the layers passes no card`, () => {
    for (const link of drawn.links) {
      const { points, long } = link.route;
      if (long) continue;
      for (let i = 2; i + 1 < points.length - 2; i += 2) {
        const [[x, top], [, bottom]] = [points[i], points[i + 1]];
        const lane = { x: x - 1, y: top, width: 2, height: bottom - top };
        for (const rect of rects) assert.ok(!overlap(lane, rect), `${link.id} runs through a card`);
      }
    }
  });

  test(`${name}: the same scene is drawn the same, whenever it is drawn`, () => {
    const again = picture(structuredClone(scene));
    assert.deepEqual(again.cards.map((card) => [card.id, card.rect]), drawn.cards.map((card) => [card.id, card.rect]));
    assert.deepEqual(again.bounds, drawn.bounds);
  });

  test(`${name}: everything stands within the bounds`, () => {
    const { x, y, width, height } = drawn.bounds;
    for (const rect of rects)
      assert.ok(
        rect.x > x - 1 &&
          rect.y > y - 1 &&
          rect.x + rect.width <= x + width + 1 &&
          rect.y + rect.height <= y + height + 1,
      );
  });
}

test("a leaf with up to three users has wires, one with more has chips", () => {
  const units = (users) => [
    { id: "w", width: 200, height: 72, leaf: true },
    ...Array.from({ length: users }, (_, i) => ({ id: `n${i}`, width: 200, height: 48 })),
  ];
  const links = (users) => Array.from({ length: users }, (_, i) => ({ id: `w${i}`, from: `n${i}`, to: "w" }));
  assert.equal(layout(units(3), links(3)).chips.length, 0);
  const shared = layout(units(4), links(4));
  assert.equal(shared.chips.length, 4);
  assert.ok(
    [...shared.places.values()].every((rect) => rect === shared.places.get("w") || rect.y < shared.places.get("w").y),
    "the leaf stands below",
  );
});

test("graphs that share nothing stand side by side in the order in which they were built", () => {
  const units = ["a0", "a1", "b0", "b1"].map((id) => ({ id, width: 100, height: 300 }));
  const { places } = layout(units, [{ id: "x", from: "a1", to: "a0" }, { id: "y", from: "b1", to: "b0" }]);
  assert.ok(places.get("a0").x + 100 < places.get("b0").x);
  assert.ok(places.get("a1").y < places.get("a0").y);
});

test("a cycle of folded groups is drawn all the same", () => {
  const units = ["a", "b", "c"].map((id) => ({ id, width: 100, height: 50 }));
  const links = [["a", "b"], ["b", "c"], ["c", "a"]].map(([from, to], i) => ({ id: `w${i}`, from, to }));
  const { places, routes } = layout(units, links);
  assert.equal(new Set([...places.values()].map((rect) => `${rect.x} ${rect.y}`)).size, 3);
  assert.equal(routes.size, 3);
});

test("other values move nothing", () => {
  const [, scene] = SCENES.find(([name]) => name === "kept shared_in_a_loop");
  const drawn = picture(scene);
  const next = structuredClone(scene);
  for (const box of next.boxes) for (const slot of box.slots) slot.label = "a much longer label than before";
  const state = createState(next);
  const again = rebind(drawn, indexScene(next, state), state);
  assert.deepEqual(again.cards.map((card) => card.rect), drawn.cards.map((card) => card.rect));
  assert.equal(again.card.get("n2").box.slots[0].label, "a much longer label than before");
});

test("an empty program has an empty picture", () => {
  const { places, bounds } = layout([], []);
  assert.equal(places.size, 0);
  assert.deepEqual([bounds.width, bounds.height], [0, 0]);
});

test("crossings are counted as they are", () => {
  const up = [[], [], [1], [0]];
  assert.equal(count([[0, 1], [2, 3]], up, [0, 1, 0, 1]), 1);
  assert.equal(count([[0, 1], [3, 2]], up, [0, 1, 1, 0]), 0);
});

test("sideways is the same drawing, turned: nothing overlaps and wires run to the right", () => {
  for (const scene of [determinant(4), training(2, 3), recurrent(5)]) {
    const state = createState(scene);
    const ready = indexScene(scene, state);
    const drawn = compose(ready, state, groupTree(ready), new Set(), measure, { sideways: true });
    const rects = [...drawn.cards, ...drawn.chips].map((item) => item.rect);
    rects.forEach((a, i) => rects.slice(i + 1).forEach((b) => assert.ok(!overlap(a, b))));
    for (const { route, from, to } of drawn.links) {
      const target = drawn.chips.find((chip) => chip.id === `chip:${to}:${from}`)?.rect ?? drawn.card.get(to).rect;
      const source = drawn.card.get(from).rect;
      assert.equal(route.points[0][0], source.x + source.width);
      assert.equal(route.points.at(-1)[0], target.x);
      assert.ok(target.x > source.x);
    }
  }
});

test("two thousand boxes are laid out unfolded, each with a place of its own", () => {
  const scene = determinant(6);
  const drawn = picture(scene, new Set());
  assert.equal(new Set(drawn.cards.map(({ rect }) => `${rect.x} ${rect.y}`)).size, scene.boxes.length);
});
