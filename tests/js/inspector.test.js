import assert from "node:assert/strict";
import test from "node:test";

import { formatSigned } from "../../gradreel/player/web/lib/format.js";
import { bendOf, toneOf } from "../../gradreel/player/web/panels/explore.js";
import { gapOf, gridOf, SIDE, spreadOf } from "../../gradreel/player/web/panels/heatmap.js";
import {
  changedAt, historyOf, leafFacts, milestones, nameOperands, nodeFacts, tensorFacts,
} from "../../gradreel/player/web/panels/inspector.js";
import { stateWord } from "../../gradreel/player/web/panels/table.js";
import { boxAt, indexScene, namesAt } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { storedScenes } from "./scenes.js";

const whole = (data, shape) => ({ shape, dtype: "float32", data, whole: true });

function momentOf(scene, step) {
  const state = createState(scene);
  const found = indexScene(scene, state);
  return { state, scene: found, step, names: namesAt(state, state.keys("name:"), step) };
}

const golden = (ending) => storedScenes().find(([name]) => name === `golden ${ending}`)[1];
const said = (facts) => Object.fromEntries(facts.map(({ key, value }) => [key, value]));

test("in the network what has run looks so, whether its saved tensors are freed or not", () => {
  const seen = new Set();
  for (const [name, scene] of storedScenes()) {
    const { state, scene: { boxes }, step } = momentOf(scene, scene.steps.length - 1);
    for (const box of boxes.filter(({ kind }) => kind === "node")) {
      const now = boxAt(state, box, step);
      if (!stateWord(now).startsWith("ran")) continue;
      seen.add(now.state);
      assert.equal(toneOf(box, now.state), "run", `${name}: ${now.state}`);
    }
  }
  assert.deepEqual([...seen].sort(), ["freed", "ran"]);
});

test("every thing of every stored scene can be told of at every step, in words", () => {
  for (const [name, scene] of storedScenes()) {
    for (let step = 0; step < scene.steps.length; step += 1) {
      const moment = momentOf(scene, step);
      const facts = [
        ...moment.scene.boxes.flatMap((box) => (box.kind === "leaf" ? leafFacts(box, moment) : nodeFacts(box, moment))),
        ...moment.scene.tensors.flatMap((tensor) => tensorFacts(tensor, moment)),
      ];
      for (const { key, value } of facts)
        assert.doesNotMatch(`${key}: ${value}`, /undefined|NaN|null|\[object/, `${name} at ${step}`);
      if (scene.steps.length > 60) step += 9;
    }
  }
});

test("a formula is told with the program's names", () => {
  const box = {
    inputs: [
      { name: "self", label: "t" },
      { name: "vec", label: "x + y" },
    ],
    slots: [{ name: "self", label: "t", kind: "tensor" }],
    numbers: [{ name: "dim", kind: "value", text: "1" }],
  };
  assert.equal(nameOperands("outer(grad, vec)", box), "outer(grad, (x + y))");
  assert.equal(nameOperands("self.T @ grad", box), "t.T @ grad");
  assert.equal(nameOperands("grad.expand(dim)", box), "grad.expand(1)");
  assert.equal(nameOperands("grad.self", box), "grad.self");
});

test("a number that PyTorch keeps unsigned is told as it was meant", () => {
  const cases = [
    ["18446744073709551615", "-1"],
    ["(18446744073709551614, 18446744073709551615)", "(-2, -1)"],
    ["9223372036854775807", "9223372036854775807"],
    ["1.8446744073709552e19", "1.8446744073709552e19"],
    ["3", "3"],
  ];
  for (const [text, meant] of cases) assert.equal(formatSigned(text), meant);
  const box = { inputs: [], slots: [], numbers: [{ name: "dim", kind: "value", text: "18446744073709551615" }] };
  assert.equal(nameOperands("grad.sum(dim)", box), "grad.sum((-1))");
});

test("a node says what it takes, keeps and hands on", () => {
  const scene = golden("diamond");
  const ran = scene.steps.findLastIndex(
    (step) => step.kind.startsWith("node_ran") || /runs|hands|multiplies/.test(step.sentence),
  );
  const moment = momentOf(scene, ran);
  const box = moment.scene.boxes.find((item) => item.op === "mul.Tensor");
  const facts = said(nodeFacts(box, moment));
  assert.ok(facts.takes && facts.makes && facts["kept alive by"]);
  assert.ok(Object.keys(facts).some((key) => key.startsWith("saved ")));
  const end = momentOf(scene, scene.steps.length - 1);
  assert.ok(milestones(box, end.state).some(([word]) => word === "freed"));
  assert.ok(Object.keys(said(nodeFacts(box, end))).some((key) => key.startsWith("gives ")));
});

test("every run of a node that runs again can be gone to, of many those around the step", () => {
  const scene = golden("accumulation");
  const { state, scene: { boxes } } = momentOf(scene, scene.steps.length - 1);
  const leaf = boxes.find((box) => box.kind === "leaf");
  const runs = (step) => milestones(leaf, state, step).filter(([word]) => word === "ran").map(([, at]) => at);
  assert.ok(runs(0).length > 1);
  assert.deepEqual(runs(0), runs(0).toSorted((a, b) => a - b));
  const many = {
    ...state,
    track: () => ({
      steps: [...Array(40).keys()],
      values: Array.from({ length: 40 }, (_, i) => (i % 2 ? "ran" : "built")),
    }),
  };
  assert.deepEqual(milestones(leaf, many, 20).filter(([word]) => word === "ran").map(([, at]) => at), [17, 19, 21, 23]);
});

test("a stale slot says both versions", () => {
  const scene = golden("saved_modified");
  const moment = momentOf(scene, scene.steps.length - 1);
  const words = moment.scene.boxes
    .flatMap((box) => (box.kind === "leaf" ? [] : nodeFacts(box, moment)))
    .map((item) => item.value);
  assert.ok(words.some((value) => /saved at version \d+, now version \d+/.test(value)));
});

test("what changed at a step is marked there, and nowhere else", () => {
  const scene = golden("accumulation");
  const state = createState(scene);
  const leaf = scene.boxes.find((box) => box.kind === "leaf");
  const marked = scene.steps.map((_, step) => step).filter((step) => changedAt(state, leaf.id, "grad", step));
  assert.deepEqual(marked, state.track(leaf.id, "grad").steps);
  const entries = historyOf(leaf.id, "grad", momentOf(scene, scene.steps.length - 1));
  assert.ok(entries.length >= 3 && entries.every((entry) => entry.line > 0));
  assert.ok(historyOf(leaf.id, "grad", momentOf(scene, entries[0].step)).length === 1);
});

test("small tensors are grids, shaded by size; odd numbers are told apart", () => {
  const grid = gridOf(whole([[1, -2], ["nan", 0]], [2, 2]));
  assert.deepEqual(grid.map((row) => row.map((cell) => cell.shade)), [[0.5, -1], [0, 0]]);
  assert.deepEqual(grid.flat().map((cell) => cell.odd), [false, false, true, false]);
  const complex = gridOf({ ...whole(["3+4j", "-1j"], [2]), dtype: "complex64" })[0];
  const seen = complex.map(({ text, shade, odd }) => [text, shade, odd]);
  assert.deepEqual(seen, [["3+4j", 1, false], ["0-1j", 0.2, false]]);
  assert.equal(gridOf(whole([1, 2, 3], [3])).length, 1);
  assert.equal(gridOf(whole(3, [])), null);
  assert.equal(gridOf(whole(new Array(SIDE + 1).fill(1), [SIDE + 1])), null);
  assert.equal(gridOf({ shape: [2, 2], whole: false }), null);
  assert.deepEqual(
    gridOf(whole([true, false], [2]))[0].map(({ text, shade }) => [text, shade]),
    [
      ["True", 1],
      ["False", 0],
    ],
  );
});

test("of more dimensions the matrices stand below each other", () => {
  const cube = whole([[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]], [2, 3, 2]);
  assert.deepEqual(
    gridOf(cube).map((row) => row.map((cell) => cell.text)),
    [
      ["1", "2"],
      ["3", "4"],
      ["5", "6"],
      ["7", "8"],
      ["9", "10"],
      ["11", "12"],
    ],
  );
  assert.equal(gapOf(cube), 3);
  assert.equal(gridOf(whole(new Array(33).fill([[1]]), [33, 1, 1])), null);
  assert.equal(gridOf({ shape: [2, 2, 2], dtype: "float32", whole: false }), null);
});

const packed = (halves) => btoa(halves.map((bits) => String.fromCharCode(bits & 255, bits >> 8)).join(""));
const matrix = (halves, power, dtype = "float32") => ({
  shape: [1, halves.length],
  dtype,
  whole: false,
  cells: [power, packed(halves)],
});
const texts = (value) => gridOf(value).flat().map((cell) => cell.text);

test("larger matrices are grids as well, of float16 to three digits", () => {
  assert.deepEqual(texts(matrix([0x3c00, 0xc000, 0x0000, 0x3555, 0x7bff, 0x0001], 0)), [
    "1",
    "-2",
    "0",
    "0.333",
    "65500",
    "5.96e-8",
  ]);
  assert.deepEqual(texts(matrix([0x3c00, 0x3555], -10)), ["9.77e-4", "3.25e-4"]);
  const odd = gridOf(matrix([0x7e00, 0x7c00, 0xfc00, 0x4000], 3)).flat();
  assert.deepEqual(
    odd.map(({ text, odd: is, shade }) => [text, is, shade]),
    [
      ["nan", true, 0],
      ["inf", true, 0],
      ["-inf", true, 0],
      ["16", false, 1],
    ],
  );
  assert.equal(gridOf({ shape: [32, 32], dtype: "float32", whole: false }), null);
});

test("integers that float16 holds are shown as they are", () => {
  assert.deepEqual(texts(matrix([0x77ff], -4, "int64")), ["2047"]);
  assert.deepEqual(texts(matrix([0x77ff], -4)), ["2050"]);
});

test("larger ones are bars", () => {
  const { least, most, bars } = spreadOf(whole([0, 1, 1, 2, "inf"], [5]));
  assert.deepEqual([least, most, bars.reduce((sum, count) => sum + count), bars[0], bars.at(-1)], [0, 2, 4, 1, 1]);
  assert.deepEqual(spreadOf({ shape: [900], whole: false, min: 0, max: 1, bins: [3, 4] }).bars, [3, 4]);
  assert.equal(spreadOf({ shape: [900], whole: false, min: 0, max: 1 }), null);
});

test("in the network an edge goes around what stands on its way, and twins apart", () => {
  assert.equal(bendOf(1, 0), undefined);
  const bends = [bendOf(1, 1), bendOf(2, 0), bendOf(2, 1), bendOf(5, 0)].map(({ type, roundness }) => type + roundness);
  assert.equal(new Set(bends).size, bends.length);
});
