import assert from "node:assert/strict";
import test from "node:test";

import { errorOf, marksAt } from "../../gradreel/player/web/editor/annotations.js";
import {
  formatBytes, formatNested, formatNumber, formatShort, ordinal, titleOf,
} from "../../gradreel/player/web/lib/format.js";
import { parseMarks, stripMarks } from "../../gradreel/player/web/lib/markdown.js";
import { indexScene } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { stateWord } from "../../gradreel/player/web/panels/table.js";
import { stored } from "./scenes.js";

const whole = (data, shape) => ({ shape, dtype: "float32", data, whole: true });

for (const [value, text] of [
  [1, "1"],
  [0.5, "0.5"],
  [222.3926, "222.4"],
  [1e-5, "1e-5"],
  [1234567, "1.23e6"],
  [-0.25, "-0.25"],
  ["nan", "nan"],
  ["-inf", "-inf"],
  ["1+2j", "1+2j"],
  ["2j", "0+2j"],
  ["0.33333334-2.5e-05j", "0.3333-2.5e-5j"],
  ["-1e-07+nanj", "-1e-7+nanj"],
  ["nan-infj", "nan-infj"],
  [true, "True"],
  [0, "0"],
  [1 / 3, "0.3333"],
  [120000, "120000"],
])
  test(`the number ${value} reads ${text}`, () => assert.equal(formatNumber(value), text));

test("vectors get air, matrices are set tight", () => {
  assert.equal(formatNested([0.5, 0.5]), "[0.5, 0.5]");
  assert.equal(formatNested([[3, 2], [3, 2]]), "[[3,2],[3,2]]");
});

test("what does not fit is told by its ends, by its shape and how far it goes, or by its shape", () => {
  const eight = Array.from({ length: 8 }, (_, i) => [i * 0.01 - 0.0254, 0]);
  for (const [value, room, text] of [
    [whole([1, 2, 3, 4, 5, 6, 7, 8], [8]), 20, "[1, 2, … ×8]"],
    [whole([-0.0252, 0.0131, 0, 0, 0, 0, 0, 0.03], [8]), 20, "[8] -0.025…0.03"],
    [whole([[1.234, 2.345], [3.456, 4.567]], [2, 2]), 12, "[2,2] tensor"],
    [whole(eight, [8, 2]), 20, "[8,2] -0.025…0.045"],
    [whole(eight, [8, 2]), 16, "[8,2] -0.03…0.04"],
    [whole(eight, [8, 2]), 15, "[8,2] tensor"],
    [whole(Array(99).fill(0), [99]), 10, "[99] all 0"],
    [whole([[1, "nan"], [2, 3]], [2, 2]), 13, "[2,2] has nan"],
    [whole([["-inf", 0.5], [2, 3]], [2, 2]), 13, "[2,2] -inf…3"],
    [{ ...whole(Array(70).fill(true), [70]), dtype: "bool" }, 20, "[70] all True"],
    [{ shape: [64, 64], dtype: "float32", whole: false, min: -1e-5, max: 2.5 }, 20, "[64,64] -1e-5…2.5"],
    [{ ...whole(["3+4j", "1j", "0j", "-5+12j"], [4]), dtype: "complex64" }, 16, "[4] size 0…13"],
    [{ shape: [9, 9], dtype: "complex64", whole: false, min: 0.5, max: 2.5 }, 20, "[9,9] size 0.5…2.5"],
    [null, 26, "None"],
  ]) assert.equal(formatShort(value, room).replace("\u2060", ""), text);
  assert.match(formatShort(whole(eight, [8, 2]), 20), /…\u2060/, "what goes from here to there is not broken in two");
});

test("a few numbers lose digits before they are left out, but never those before the point", () => {
  assert.equal(formatShort(whole([-0.12345, 0.23456, 0.34567], [3]), 24), "[-0.123, 0.235, 0.346]");
  assert.equal(formatShort(whole([-0.12345, 0.23456, 0.34567], [3]), 20), "[-0.12, 0.23, 0.35]");
  assert.equal(formatShort(whole([123.456, -0.5, 2.25], [3]), 16), "[123, -0.5, 2.3]");
  assert.equal(formatShort(whole([0.12345, 0.23456, 0.34567, 1, 2, 3, 4.5678], [7]), 26), "[0.1235, 0.2346, … ×7]");
});

test("bytes and ordinals read as people say them", () => {
  assert.deepEqual([0, 64, 1024, 1536, 3 * 1024 * 1024].map(formatBytes), ["0 B", "64 B", "1 KB", "1.5 KB", "3 MB"]);
  assert.deepEqual([1, 2, 3, 4, 11, 12, 21, 112].map(ordinal), [
    "first",
    "2nd",
    "3rd",
    "4th",
    "11th",
    "12th",
    "21st",
    "112th",
  ]);
});

test("a box is named in few words", () => {
  assert.equal(titleOf({ kind: "node", name: "MvBackward0", nr: 0 }), "Mv #0");
  assert.equal(titleOf({ kind: "node", name: "UnsafeViewBackward0", nr: null }), "UnsafeView");
  assert.equal(titleOf({ kind: "leaf", name: "AccumulateGrad", nr: null, variable: "w" }), "w");
});

test("marks become pieces, and code is not searched for bold", () => {
  assert.deepEqual(parseMarks("**Mv #0** keeps `t`."), [
    { kind: "bold", text: "Mv #0" },
    { kind: "text", text: " keeps " },
    { kind: "code", text: "t" },
    { kind: "text", text: "." },
  ]);
  assert.deepEqual(parseMarks("`(out - x) ** 2` and `y ** 2`").map((piece) => piece.kind), ["code", "text", "code"]);
  assert.equal(stripMarks("<b>**x**</b>"), "<b>x</b>");
  assert.deepEqual(parseMarks(""), []);
});

test("the failing step marks who built and who freed", () => {
  const scene = stored("shared_in_a_loop.json");
  const state = createState(scene);
  const marks = marksAt({ state, scene: indexScene(scene, state), step: state.last, selected: null });
  assert.deepEqual(
    marks.filter(({ kind }) => kind).map(({ line, kind }) => [line, kind]),
    [
      [7, "loop"],
      [5, "born"],
      [10, "kill"],
      [10, "bad"],
    ],
  );
  assert.equal(marks[1].text, "built Mv #0");
  assert.equal(marks[2].text, "freed it at step 24");
});

test("a line is marked with what it did, and with no more", () => {
  const scene = stored("shared_in_a_loop.json");
  const state = createState(scene);
  const marked = (diagnosis, selected = null) => {
    const told = { ...scene, diagnoses: [{ nodes: [], steps: {}, ...diagnosis }] };
    told.diagnoses[0].steps.raised = state.last;
    return marksAt({ state, scene: indexScene(told, state), step: state.last, selected })
      .filter(({ kind }) => kind === "born" || kind === "kill").map(({ line, text }) => [line, text]);
  };
  const cases = [
    [
      { lines: { built: 4, cut: 3 } },
      [
        [4, "made here"],
        [3, "the graph ends here"],
      ],
    ],
    [{ lines: { built: 4, cut: 4 } }, [[4, "the graph ends here"]]],
    [{ lines: { saved: 2, changed: 3 } }, [[2, "made here"]]],
    [
      { lines: { saved: 2, changed: 3 }, steps: { changed: 9 } },
      [
        [2, "made here"],
        [3, "changed it at step 9"],
      ],
    ],
    [
      { lines: { built: 5, saved: 5 }, nodes: ["n2"], kind: "saved_modified" },
      [
        [5, "built Mv #0"],
        [5, "made what it saved"],
      ],
    ],
    [{ lines: { built: 6 }, nodes: ["n2"] }, [[6, "made here"]]],
  ];
  for (const [diagnosis, marks] of cases) assert.deepEqual(marked(diagnosis, "n7"), marks);
});

test("an error is told in one sentence under its line", () => {
  const told = (type, message, kind = "raised") => errorOf({ kind, type, message });
  assert.equal(told("ValueError", "x = 1.5 is wrong. More of it."), "✖ ValueError: x = 1.5 is wrong.");
  assert.equal(
    told("RuntimeError", "Detached in-place, i.e. with .detach_(). No."),
    "✖ RuntimeError: Detached in-place, i.e. with .detach_().",
  );
  assert.equal(told("KeyError", "'a'\nnext line"), "✖ KeyError: 'a'");
  assert.equal(told("SyntaxError", "'(' was never closed", "refused"), "✖ SyntaxError: '(' was never closed");
  assert.equal(told("seconds", "It took too long. Sorry.", "stopped"), "✖ It took too long.");
  assert.equal(told("AssertionError", ""), "✖ AssertionError");
  assert.equal(told(null, null, "stopped"), "");
  const long = told("RuntimeError", `${"word ".repeat(60)}end`);
  assert.ok(long.length < 90 && long.endsWith(" word …"));
  const twice = told(
    "RuntimeError",
    "Trying to backward through the graph a second time (or directly access saved tensors after they have been freed).",
  );
  assert.equal(twice, "✖ RuntimeError: Trying to backward through the graph a second time");
});

test("what a story says of a line is told there; silent trouble is marked gently, and from where it is seen", () => {
  const scene = stored("shared_in_a_loop.json");
  const state = createState(scene);
  const story = [
    "`loss.backward()` on **line 10** adds to it.",
    "The loop on **line 7**, then **line 10** again, and **line 10**.",
    "A sum.",
  ];
  const told = (steps, step, more = {}) =>
    marksAt({
      state,
      scene: indexScene({ ...scene, diagnoses: [{ nodes: [], story, steps, lines: {}, ...more }] }, state),
      step,
      selected: null,
    });
  const notes = (marks) => marks.filter(({ note }) => note).map(({ line, kind = null, note }) => [line, kind, note]);
  assert.deepEqual(notes(told({ seen: 30 }, 29)), []);
  assert.deepEqual(notes(told({ seen: 30 }, 30)), [[10, "odd", story.slice(0, 2)], [7, "odd", [story[1]]]]);
  assert.deepEqual(notes(told({}, state.last)), notes(told({ seen: 30 }, 30)), "nobody saw it: it is told at the end");
  const edits = (marks) => marks.filter(({ text }) => text === "the edit").map(({ line, kind }) => [line, kind]);
  const lines = { raised: 10, edit: 4, edit_2: 5 };
  assert.deepEqual(edits(told({ raised: 30 }, 30, { lines })), [[4, "born"], [5, "born"]]);
  const silent = told({}, state.last, { lines: { edit: 4, edit_2: 7 } });
  assert.deepEqual(edits(silent), [[4, "odd"]], "the story tells of 7");
  assert.deepEqual(notes(told({ raised: 30 }, 30)), [[10, null, story.slice(0, 2)], [7, null, [story[1]]]]);
});

test("an error after which a transcript goes on stays marked", () => {
  const scene = stored("shared_in_a_loop.json");
  const state = createState(scene);
  const diagnosis = { nodes: [], story: [], steps: { raised: 30 }, lines: { raised: 9 }, message: "No. More of it." };
  const gone = {
    ...scene,
    outcome: { kind: "finished", type: null, message: null, line: null },
    diagnoses: [diagnosis],
  };
  const bad = (step) =>
    marksAt({ state, scene: indexScene(gone, state), step, selected: null }).filter(({ kind }) => kind === "bad");
  assert.deepEqual(bad(29), []);
  assert.deepEqual(bad(state.last), [{ line: 9, kind: "bad", below: "✖ No." }]);
});

test("in which state a node is, is said in a word or two", () => {
  const words = [{ state: "built" }, { state: "ran", order: 2 }, { state: "failed" }, { state: null }].map(stateWord);
  assert.deepEqual(words, ["built", "ran 2nd", "stopped here", ""]);
});
