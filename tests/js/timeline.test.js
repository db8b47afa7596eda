import assert from "node:assert/strict";
import test from "node:test";

import { actionOf } from "../../gradreel/player/web/player/keyboard.js";
import {
  beside, loopAround, stretchAt, stretchWord, toggleMark,
} from "../../gradreel/player/web/timeline/bookmarks.js";
import { createClock } from "../../gradreel/player/web/timeline/playback.js";

const STRETCHES = [
  { from: 1, to: 9, kind: "forward" },
  { from: 10, to: 19, kind: "backward", label: "call 1" },
  { from: 20, to: 30, kind: "forward" },
];

test("a step lies in one stretch, the start in none", () => {
  assert.deepEqual([0, 1, 9, 10, 30].map((step) => stretchAt(STRETCHES, step)?.from ?? null), [null, 1, 1, 10, 20]);
  assert.deepEqual(STRETCHES.map(stretchWord), ["forward", "backward 1", "forward"]);
  assert.equal(stretchWord({ kind: "skipped", label: "" }), "turns left out");
});

test("the steps beside one are the next and the last of a list, else the ends", () => {
  const cases = [
    [[3, 7], 3, 1, 7],
    [[3, 7], 7, 1, 30],
    [[3, 7], 7, -1, 3],
    [[3, 7], 3, -1, 0],
    [[3, 7], 5, -1, 3],
    [[], 5, 1, 30],
  ];
  for (const [steps, step, direction, expected] of cases) assert.equal(beside(steps, step, direction, 30), expected);
});

test("a bookmark comes and goes, in order", () => {
  assert.deepEqual(toggleMark(toggleMark([], 7), 3), [3, 7]);
  assert.deepEqual(toggleMark([3, 7], 3), [7]);
});

test("a loop is what lies between two bookmarks, else the stretch", () => {
  for (const [marks, step, expected] of [
    [[], 12, [10, 19]],
    [[5], 12, [10, 19]],
    [[5, 25], 12, [5, 25]],
    [[5, 25], 5, [5, 25]],
    [[5, 25], 25, [5, 25]],
    [[], 0, [0, 30]],
  ]) {
    const { from, to } = loopAround(STRETCHES, marks, step, 30);
    assert.deepEqual([from, to], expected);
  }
});

test("what loops begins again at its start, for ever", () => {
  const seen = [];
  let step = 17;
  let next = null;
  const clock = createClock({
    steps: () => 30, step: () => step, timeOf: () => 100, range: () => ({ from: 15, to: 18 }), onChange: () => {},
    onStep: (to) => seen.push((step = to)), after: (run) => (next = run), cancel: () => (next = null),
  });
  clock.play();
  for (let i = 0; i < 6; i++) next();
  assert.deepEqual(seen, [18, 15, 16, 17, 18, 15]);
  clock.pause();
  assert.equal(next, null);
});

test("keys ask for one thing each, with shift or without where a keyboard wants it", () => {
  const asks = (key, more = {}) => actionOf({ key, shiftKey: false, ctrlKey: false, ...more }, null);
  assert.deepEqual(
    ["l", "b", "[", "]", "x", "f", "s", "/", "-"].map((key) => asks(key)),
    ["loop", "bookmark", "prevMark", "nextMark", null, "present", "share", "find", "less"],
  );
  assert.equal(asks("+", { shiftKey: true }), "more");
  assert.equal(asks("l", { ctrlKey: true }), null);
  assert.equal(asks("+", { ctrlKey: true }), null);
  const presented = { closest: (selector) => selector === "[data-present]" };
  for (const [target, next, prev] of [[presented, "next", "prev"], [null, null, null]]) {
    assert.equal(actionOf({ key: "PageDown", shiftKey: false, ctrlKey: false }, target), next);
    assert.equal(actionOf({ key: "PageUp", shiftKey: false, ctrlKey: false }, target), prev);
  }
});
