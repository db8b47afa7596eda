import assert from "node:assert/strict";
import test from "node:test";

import { createStepStore } from "../../gradreel/player/web/app/storage.js";

function storage() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, text),
    removeItem: (key) => kept.delete(key),
  };
}

test("a step is found again for the same program alone", () => {
  const store = storage();
  createStepStore(() => store).keep("x = 1\n", 7);
  assert.equal(createStepStore(() => store).of("x = 1"), 7);
  assert.equal(createStepStore(() => store).of("x = 2"), null);
});

test("another program ends the memory of the last", () => {
  const memory = createStepStore(((store) => () => store)(storage()));
  memory.keep("x = 1", 7);
  memory.leave("x = 1");
  assert.equal(memory.of("x = 1"), 7);
  memory.leave("x = 2");
  assert.equal(memory.of("x = 1"), null);
});

test("a browser that keeps nothing, or rubbish, is no trouble", () => {
  const none = createStepStore(() => {
    throw new Error("denied");
  });
  none.keep("x", 1);
  assert.equal(none.of("x"), null);
  const store = storage();
  store.setItem("gradreel.step", "{");
  assert.equal(createStepStore(() => store).of("x"), null);
});
