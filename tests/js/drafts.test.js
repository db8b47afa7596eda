import assert from "node:assert/strict";
import test from "node:test";

import { createDraftStore } from "../../gradreel/player/web/app/storage.js";

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
