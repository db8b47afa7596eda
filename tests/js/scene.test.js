import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { readColumn } from "../../gradreel/player/web/scene/columns.js";
import { unpackScene } from "../../gradreel/player/web/scene/scene.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { goldens } from "./scenes.js";

for (const [form, column, things] of [
  ["as it is", [3, null, "a"], [3, null, "a"]],
  ["the same", { all: { a: 1 }, n: 2 }, [{ a: 1 }, { a: 1 }]],
  ["differences", { step: [1, -7], first: 5 }, [5, 6, -1]],
  ["a run", { from: 4, by: -2, n: 3 }, [4, 2, 0]],
  ["letters", { letters: ["#%["], least: -1 }, [-1, 1, 55]],
  ["two letters each", { letters: ["#$%", "$#["], least: -1 }, [0, 56, 169]],
  ["differences by letters", { step: { letters: ["#$"], least: 1 }, first: 5 }, [5, 6, 8]],
  ["turns", { turns: [{ all: 7, n: 2 }, ["a", "b"]] }, [7, "a", 7, "b"]],
  ["a table", { of: ["on", "off"], at: [1, 0, 1] }, ["off", "on", "off"]],
  [
    "texts",
    { text: [["n", ""], ["a ", " b"], ["-"]], at: [0, 1, 0, 2], holes: [[{ step: [1], first: 7 }], [["0.50"]], []] },
    ["n7", "a 0.50 b", "n8", "-"],
  ],
  ["lists", { lengths: [1, 0, 2], items: ["a", "b", "c"] }, [["a"], [], ["b", "c"]]],
  [
    "records",
    { rows: { a: [1, 2], b: { all: null, n: 2 } } },
    [
      { a: 1, b: null },
      { a: 2, b: null },
    ],
  ],
  ["sorts", { sorts: [[1, 2], ["a"]], at: [0, 1, 0] }, [1, "a", 2]],
  [
    "floats",
    { digits: [12346, 70711, 0, 10000, 25000], tens: [-8, -9, 0, 40, -80] },
    [1.2346, -0.70711, 0, 1e24, 2.5e-36],
  ],
  ["tensors", { nested: [1, 2, 3], shape: [[], [2, 1], [0, 2], [2, 0]] }, [1, [[2], [3]], [], [[], []]]],
]) {
  test(`a column of ${form} is read`, () => assert.deepEqual(readColumn(column), things));
}

test("a column of no known form is refused", () => {
  assert.throws(() => readColumn({ toString: 1 }), /no known form/);
  assert.throws(() => readColumn({}), /no known form/);
});

for (const [name, rows, file] of goldens()) {
  const packed = () => JSON.parse(readFileSync(file, "utf8"));

  test(`${name}: unpacked, it is the scene in rows`, () => {
    const scene = { ...unpackScene(packed()), histories: null };
    const steps = rows.steps.map((step) => ({ ...step, changes: null }));
    assert.deepEqual(
      { ...scene, steps: scene.steps.map((step) => ({ ...step, changes: null })) },
      { ...rows, steps, histories: null },
    );
  });

  test(`${name}: the histories it brings are those that its steps tell`, () => {
    const [brought, told] = [createState(unpackScene(packed())), createState(rows)];
    assert.deepEqual(brought.keys("").toSorted(), told.keys("").toSorted());
    assert.deepEqual(brought.keys("name:"), told.keys("name:"));
    for (const thing of told.keys("")) {
      assert.deepEqual(
        [...brought.properties(thing, told.last).keys()].toSorted(),
        [...told.properties(thing, told.last).keys()].toSorted(),
      );
      for (const property of told.properties(thing, told.last).keys())
        assert.deepEqual(brought.track(thing, property), told.track(thing, property), `${thing} ${property}`);
    }
    for (const prefix of ["name:", "sum:"]) {
      const passed = ({ each }, property) => {
        const rows = [];
        each(prefix, property, (place, steps, values, from, to) =>
          rows.push([place, steps.slice(from, to), values.slice(from, to)]),
        );
        return rows.toSorted(([one], [other]) => one - other);
      };
      for (const property of ["tensor", "text", "terms", "total"])
        assert.deepEqual(passed(brought, property), passed(told, property), `${prefix} ${property}`);
    }
    for (const thing of ["no such thing", "n99999", "name:0:no such name", ""]) {
      assert.equal(brought.track(thing, "state"), undefined);
      assert.equal(brought.has(thing), false);
    }
  });
}
