import assert from "node:assert/strict";
import test from "node:test";

import { createAnswerStore } from "../../gradreel/player/web/app/storage.js";
import { parseBlocks, parseSpans } from "../../gradreel/player/web/lib/markdown.js";
import { ranAt, stepOf } from "../../gradreel/player/web/scene/scene.js";

const scene = {
  steps: [
    ["start", 0],
    ["printed", 3],
    ["node_ran", 4],
    ["printed", 3],
    ["printed", 5],
  ].map(([kind, line]) => ({ kind, line })),
};

test("a moment is the first or the last step of a kind on a line", () => {
  assert.equal(stepOf(scene, { kind: "printed", line: 3, which: "first" }), 1);
  assert.equal(stepOf(scene, { kind: "printed", line: 3, which: "last" }), 3);
  assert.equal(stepOf(scene, { kind: "printed", line: 4, which: "last" }), null);
});

test("an operator is shown where its own node runs", () => {
  const boxes = [{ id: "n0", name: "MulBackward0" }, { id: "n1", name: "SumBackward0" }];
  const steps = ["node_made n0", "node_ran n1", "node_ran n0", "node_released n0"].map((told) => {
    const [kind, id] = told.split(" ");
    return { kind, focus: [id] };
  });
  assert.equal(ranAt({ boxes, steps }, "MulBackward0"), 2);
  assert.equal(ranAt({ boxes, steps }, "ExpBackward0"), null);
  assert.equal(ranAt({ boxes, steps }, null), null);
});

test("a line has code, strong words, stress and links, and nothing else", () => {
  const kinds = (text) => parseSpans(text).map(({ kind, text: inner }) => [kind, inner]);
  assert.deepEqual(kinds("Say `a*b` **not `c`** *now* or [go](./Lab#x)"), [
    ["text", "Say "],
    ["code", "a*b"],
    ["text", " "],
    ["strong", "not `c`"],
    ["text", " "],
    ["stress", "now"],
    ["text", " or "],
    ["link", "go"],
  ]);
  assert.deepEqual(kinds("2 * 3 * 4 and <b>x</b>"), [["text", "2 * 3 * 4 and <b>x</b>"]]);
  assert.deepEqual(kinds("[x](javascript:alert(1))"), [["text", "[x](javascript:alert(1))"]]);
  assert.deepEqual(kinds("once `a` * 2 and `b` * 3"), [
    ["text", "once "],
    ["code", "a"],
    ["text", " * 2 and "],
    ["code", "b"],
    ["text", " * 3"],
  ]);
});

test("a text has paragraphs, lists, tables and headings", () => {
  const found = parseBlocks("One\nline.\n\n* a\n* b\n  more\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n## Head");
  assert.deepEqual(found.map(({ kind }) => kind), ["paragraph", "list", "table", "heading"]);
  assert.deepEqual(
    [found[0].items, found[1].items, found[2].rows],
    [
      ["One line."],
      ["a", "b more"],
      [
        ["x", "y"],
        ["1", "2"],
      ],
    ],
  );
});

/** A storage that holds one text. */
function storage(text = null) {
  return { text, getItem() { return this.text; }, setItem(_, next) { this.text = next; } };
}

test("answers are kept, and forgotten when asked", () => {
  const store = storage();
  createAnswerStore(() => store).answer("views", 2);
  const later = createAnswerStore(() => store);
  assert.deepEqual([later.of("views"), later.of("hooks"), later.count()], [2, null, 1]);
  later.forget();
  assert.equal(createAnswerStore(() => store).count(), 0);
});

test("a storage that holds something else, or refuses, is no trouble", () => {
  for (const text of ["nonsense", "null", "[1]", '{"views": "x", "hooks": -1}']) {
    assert.equal(createAnswerStore(() => storage(text)).of("views"), null);
  }
  const refusing = createAnswerStore(() => { throw new Error("no"); });
  refusing.answer("views", 1);
  assert.equal(refusing.of("views"), 1);
});
