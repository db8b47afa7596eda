import assert from "node:assert/strict";
import test from "node:test";

import { createDraftStore, createStepStore } from "../../gradreel/player/web/app/storage.js";

/** Storage as a browser has it. */
function storage() {
  const held = new Map();
  return {
    held,
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => held.set(key, String(value)),
    removeItem: (key) => held.delete(key),
  };
}

test("a draft comes back as it was left", () => {
  const store = storage();
  const drafts = createDraftStore(() => store);
  assert.equal(drafts.read(), null);
  drafts.keep({ text: "x = 1\n  # ünïcode 🎞", ran: true });
  assert.deepEqual(createDraftStore(() => store).read(), { text: "x = 1\n  # ünïcode 🎞", ran: true });
  drafts.keep({ text: "half ty", ran: false });
  assert.deepEqual(drafts.read(), { text: "half ty", ran: false });
  drafts.forget();
  assert.equal(drafts.read(), null);
});

test("a tab gets its own draft back, a new one the last of all", () => {
  const all = storage();
  const [one, other, fresh] = [storage(), storage(), storage()].map((tab) => createDraftStore(() => tab, () => all));
  one.keep({ text: "one", ran: true });
  other.keep({ text: "other", ran: false });
  assert.equal(one.read().text, "one");
  assert.equal(fresh.read().text, "other");
  const refusing = () => {
    throw new DOMException("denied", "SecurityError");
  };
  assert.equal(createDraftStore(refusing, () => all).read().text, "other");
});

test("nothing is kept of an empty text, or of one that is no program by its length", () => {
  for (const text of ["", "  \n", "a".repeat(100_001)]) {
    const store = storage();
    const drafts = createDraftStore(() => store);
    drafts.keep({ text: "before", ran: false });
    drafts.keep({ text, ran: false });
    assert.equal(store.held.size, 0);
  }
});

test("what somebody else left in the storage is no draft", () => {
  for (const left of ["", "{", "3", "null", "[]", '{"text":3}', JSON.stringify({ text: "a".repeat(100_001) })]) {
    const store = storage();
    store.setItem("gradreel.draft", left);
    assert.equal(createDraftStore(() => store).read(), null, left.slice(0, 20));
  }
});

test("a browser that keeps nothing is left in peace", () => {
  const refusing = createDraftStore(() => {
    throw new DOMException("denied", "SecurityError");
  });
  refusing.keep({ text: "x", ran: false });
  refusing.forget();
  assert.equal(refusing.read(), null);
});

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
