import assert from "node:assert/strict";
import test from "node:test";

import {
  fromTo, groupTree, initialFolds, linksOf, READABLE, unitsOf,
} from "../../gradreel/player/web/scene/grouping.js";
import { determinant, maker, recurrent, training } from "./scene_builder.js";
import { stored } from "./scenes.js";

const opened = (scene) => {
  const tree = groupTree(scene);
  return { tree, folded: initialFolds(tree), shown: unitsOf(tree, initialFolds(tree)).units };
};

test("a small graph opens with nothing folded", () => {
  const { folded, shown } = opened(stored("shared_in_a_loop.json"));
  assert.equal(folded.size, 0);
  assert.equal(shown.length, 13);
});

for (const [name, scene] of [
  ["recurrent", recurrent(400)],
  ["training", training(3, 20)],
  ["determinant", determinant(6)],
]) {
  test(`${name}: a large graph opens readable, each box in one place`, () => {
    const { shown } = opened(scene);
    assert.ok(shown.length <= READABLE, `${shown.length} cards`);
    assert.equal(
      shown.reduce((sum, unit) => sum + unit.boxes.length, 0),
      scene.boxes.length,
    );
    assert.equal(new Set(shown.flatMap((unit) => unit.boxes)).size, scene.boxes.length);
  });
}

test("the latest iteration opens first", () => {
  const { tree, folded } = opened(training(3, 20));
  const open = [...tree.groups.values()]
    .filter((group) => group.kind === "iteration" && !folded.has(group.id))
    .map((group) => group.title);
  assert.ok(open.includes("i = 19"));
  assert.ok(!open.includes("i = 0"));
});

test("many iterations are bundled, and a bundle opens into its iterations", () => {
  const { tree } = opened(recurrent(100));
  assert.ok(tree.tops.filter((id) => tree.groups.has(id)).length <= 24);
  const bundle = tree.groups.get(tree.tops[0]);
  assert.equal(bundle.title, "t = 0 … 9");
  const folded = new Set(tree.groups.keys());
  folded.delete(bundle.id);
  assert.equal(unitsOf(tree, folded).units.filter((unit) => bundle.children.includes(unit.id)).length, 10);
});

test("folding and unfolding one group changes only that group", () => {
  const scene = training(2, 3);
  const tree = groupTree(scene);
  const [first] = tree.tops;
  const { units } = unitsOf(tree, new Set([first]));
  const group = tree.groups.get(first);
  assert.equal(units.length, scene.boxes.length - group.boxes.length + 1);
  assert.deepEqual(units.find((unit) => unit.group).boxes, group.boxes);
});

test("wires inside a folded group go, those to the same place become one", () => {
  const scene = stored("shared_in_a_loop.json");
  const tree = groupTree(scene);
  const { unitOf } = unitsOf(tree, new Set(["g0"]));
  const links = linksOf(scene.wires, unitOf);
  assert.deepEqual(
    links.filter((link) => link.from === "g0").map((link) => [link.to, link.wires.length]),
    [
      ["n2", 1],
      ["n0", 1],
    ],
  );
  assert.ok(links.every((link) => link.from !== link.to));
});

test("a leaf that several iterations use belongs to none of them", () => {
  const scene = training(1, 2);
  const tree = groupTree(scene);
  assert.equal(tree.groupOf.get("n0"), null);
});

test("a long program without groups is folded by line", () => {
  const { scene, leaf, node } = maker("x = ...");
  let last = leaf("x");
  for (let i = 0; i < 200; i++) last = node("MulBackward0", [last], { line: 1 + Math.floor(i / 10) });
  const { shown } = opened(scene);
  assert.ok(shown.length <= READABLE);
  assert.ok(shown.some((unit) => unit.group?.title === "line 1"));
});

test("a bundle is called by its first and its last, without the words that they share", () => {
  for (const [start, end, called] of [
    ["t = 0", "t = 9", "t = 0 … 9"],
    ["iteration 12", "iteration 22", "iteration 12 … 22"],
    ["iteration 1 … 11", "iteration 12 … 22", "iteration 1 … 22"],
    ["forward()", "forward()", "forward()"],
    ["lines 3–4", "forward()", "lines 3–4 … forward()"],
  ]) assert.equal(fromTo(start, end), called);
});
