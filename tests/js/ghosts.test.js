import assert from "node:assert/strict";
import test from "node:test";

import { ghostsAt, leadsTo } from "../../gradreel/player/web/canvas/ghosts.js";
import { compose } from "../../gradreel/player/web/canvas/picture.js";
import { groupTree } from "../../gradreel/player/web/scene/grouping.js";
import { indexScene } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { maker } from "./scene_builder.js";
import { measure } from "./scenes.js";

/** Two turns of a loop on a node that both use; the first is released, then the second, then what they share. */
function loop() {
  const { scene, step, group, leaf, node } = maker("y = w * 2\nfor k in range(2):\n    s = (y * k).sum()\ndel s, y");
  const shared = node("MulBackward0", [leaf("w")]);
  const turns = [0, 1].map((k) => {
    const into = { group: group(`k = ${k}`) };
    const product = node("MulBackward0", [shared], into);
    return [node("SumBackward0", [product], into), product];
  });
  const released = [...turns, [shared, "n0"]].map((ids) =>
    step(
      "node_released",
      4,
      "Released.",
      ids,
      ids.map((id) => [id, "state", "released"]),
    ),
  );
  return { scene, turns, shared, released };
}

function opened(raw, how) {
  const state = createState(raw);
  const scene = indexScene(raw, state);
  const picture = compose(scene, state, groupTree(scene), new Set(), measure, how);
  const at = (step, turned = []) => ghostsAt({ picture, state, step, measure }, new Set(turned));
  return { picture, at };
}

const within = (inner, outer) => inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;

for (const sideways of [false, true])
  test(`a turn that is gone is one card in its place, and opens there${sideways ? ", sideways too" : ""}`, () => {
    const { scene, turns, shared, released } = loop();
    const { picture, at } = opened(scene, { sideways });
    assert.deepEqual(at(released[0] - 1).turns, []);
    const [turn, ...others] = at(released[0]).turns;
    assert.deepEqual([turn.id, others.length], ["g0", 0]);
    assert.deepEqual([...at(released[0]).covered].sort(), [...turns[0]].sort());
    assert.ok(within(turn.rect, picture.outlines.find(({ group }) => group.id === "g0").rect));
    assert.deepEqual(
      leadsTo(turn, picture, released[0]),
      [picture.card.get(shared).rect],
      "what is there still is led to",
    );
    const open = at(released[0], ["g0"]);
    assert.deepEqual([open.turns, [...open.shades].sort()], [[], [...turns[0]].sort()]);
    assert.deepEqual([...open.gone], ["g0"]);
  });

test("where nothing is left, what was there when something was last built is a shade", () => {
  const { scene, turns, shared, released } = loop();
  const { at } = opened(scene);
  const both = [...turns.flat(), shared, "n0"].sort();
  assert.deepEqual([...at(released[1]).shades], [], "what they share is there still");
  assert.deepEqual([...at(released[2]).shades].sort(), both);
  assert.deepEqual(at(released[2]).turns, []);
  const shut = at(released[2], ["g0"]);
  assert.deepEqual([shut.turns.map(({ id }) => id), [...shut.covered].sort()], [["g0"], [...turns[0]].sort()]);
  assert.deepEqual([...at(0).shades], [], "nothing was there yet");
});
