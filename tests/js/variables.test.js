import assert from "node:assert/strict";
import test from "node:test";

import { gatherParts } from "../../gradreel/player/web/panels/variables.js";

const named = (scope, ...names) =>
  names.map((name) => ({ key: `name:${scope}:${name}`, scope, name, tensor: "t1", text: null }));
const parts = (root, many) => Array.from({ length: many }, (_, i) => `${root}[${i}]`);
const told = (names, inner) => gatherParts(names, inner).map(({ name, more }) => (more ? `${name} +${more}` : name));

test("a thing of few parts shows all of them", () => {
  assert.deepEqual(told(named(0, "w", ...parts("w", 12)), 0), ["w", ...parts("w", 12)]);
});

test("of a thing of many parts the first are shown and the rest counted, where they would stand", () => {
  const names = named(0, "m", ...parts("m", 36), "net", "net.0.weight", "y");
  assert.deepEqual(told(names, 0), ["m", ...parts("m", 11), "m +25", "net", "net.0.weight", "y"]);
});

test("what belongs to a call that waits for another shows no parts; the innermost call and the program do", () => {
  const names = [
    ...named(0, "m", "m[0]"),
    ...named(1, "rows", "rows[0]", "rows[1]", "total"),
    ...named(2, "rows", "rows[0]"),
  ];
  assert.deepEqual(told(names, 2), ["m", "m[0]", "rows", "rows +2", "total", "rows", "rows[0]"]);
});

test("things of the same name in different calls are counted apart", () => {
  const names = [...named(1, ...parts("rows", 30)), ...named(2, ...parts("rows", 13))];
  const shown = gatherParts(names, 2);
  assert.equal(new Set(shown.map(({ key }) => key)).size, shown.length);
  assert.deepEqual(shown.filter(({ more }) => more).map(({ scope, more }) => [scope, more]), [[1, 30], [2, 2]]);
});
