import assert from "node:assert/strict";
import test from "node:test";

import { actionOf } from "../../gradreel/player/web/player/keyboard.js";
import { createClock } from "../../gradreel/player/web/timeline/playback.js";

/** A clock over `last` steps of so many milliseconds, with time turned by hand. */
function byHand(last, start = 0, timeOf = (step) => 100 * step) {
  const log = { step: start, playing: [], waits: [] };
  let waiting = null;
  const clock = createClock({
    steps: () => last,
    step: () => log.step,
    timeOf,
    onStep: (step) => (log.step = step),
    onChange: (playing) => log.playing.push(playing),
    after: (run, ms) => {
      waiting = run;
      log.waits.push(ms);
      return run;
    },
    cancel: (handle) => {
      if (handle === waiting) waiting = null;
    },
  });
  const turn = () => {
    const run = waiting;
    waiting = null;
    run?.();
  };
  return { clock, log, turn };
}

test("playing goes a step at a time and stops when the last one is over", () => {
  const { clock, log, turn } = byHand(3);
  clock.play();
  turn();
  turn();
  assert.equal(log.step, 2);
  turn();
  assert.equal(log.step, 3);
  assert.deepEqual([clock.playing(), log.waits.at(-1)], [true, 300], "the last step is seen to its end");
  turn();
  assert.deepEqual([clock.playing(), log.step], [false, 3]);
  assert.deepEqual(log.playing, [true, false]);
});

test("playing from the end starts anew", () => {
  const { clock, log } = byHand(3, 3);
  clock.play();
  assert.equal(log.step, 0);
  assert.ok(clock.playing());
});

test("a pause stops, and no step comes after it", () => {
  const { clock, log, turn } = byHand(9);
  clock.play();
  turn();
  clock.pause();
  turn();
  assert.equal(log.step, 1);
});

test("speed divides the wait and stays within bounds", () => {
  const { clock, log, turn } = byHand(9);
  clock.setSpeed(2);
  clock.play();
  turn();
  turn();
  assert.equal(log.step, 2);
  assert.equal(log.waits.at(-1), 200 / 2, "a step waits as long as it is worth");
  clock.setSpeed(100);
  assert.equal(clock.speed(), 8);
  assert.equal(log.waits.at(-1), 200 / 8);
});

test("a program without steps does not play", () => {
  const { clock } = byHand(0);
  clock.play();
  assert.equal(clock.playing(), false);
});

test("steps too short for a picture of their own are shown together", () => {
  const { clock, log, turn } = byHand(20, 0, () => 5);
  clock.play();
  turn();
  assert.equal(log.step, 4, "as many as make a picture's time");
  for (let i = 0; i < 9; i++) turn();
  assert.deepEqual([log.step, clock.playing()], [20, false]);
});

const key = (name, modifiers = {}) => actionOf({ key: name, shiftKey: false, ctrlKey: false, ...modifiers }, null);

test("keys mean what the sheet says", () => {
  assert.equal(key(" "), "toggle");
  assert.deepEqual([key("ArrowRight"), key("ArrowLeft"), key("Home"), key("End")], ["next", "prev", "first", "last"]);
  assert.deepEqual(
    [key("ArrowRight", { shiftKey: true }), key("ArrowLeft", { ctrlKey: true })],
    ["nextLine", "prevCall"],
  );
  assert.equal(key("x"), null);
});

test("space on a button presses the button", () => {
  const button = { closest: (selector) => (selector.includes("button") ? button : null) };
  assert.equal(actionOf({ key: " ", shiftKey: false, ctrlKey: false }, button), null);
});
