import assert from "node:assert/strict";
import test from "node:test";

import { NoProgram, programOf } from "../../gradreel/player/web/app/files.js";

const notebook = (...cells) => JSON.stringify({ nbformat: 4, metadata: {}, cells });
const code = (source, outputs = []) => ({ cell_type: "code", execution_count: 1, metadata: {}, outputs, source });

for (const [what, name, text, program] of [
  ["a script is itself", "net.py", "import torch\n", "import torch\n"],
  ["a mark at the start goes", "net.py", "\uFEFFx = 1\n", "x = 1\n"],
  [
    "cells come one after the other",
    "a.ipynb",
    notebook(code(["import torch\n", "x = 1"]), code("y = 2\n")),
    "import torch\nx = 1\n\ny = 2\n",
  ],
  [
    "prose and outputs stay out",
    "a.IPYNB",
    notebook({ cell_type: "markdown", source: "# no" }, code("x", [{ output_type: "stream", text: "no" }]), code("")),
    "x\n",
  ],
  [
    "a notebook of the third format",
    "a.ipynb",
    JSON.stringify({ worksheets: [{ cells: [{ cell_type: "code", input: ["x = 1"] }] }] }),
    "x = 1\n",
  ],
  ["lines that are none are left out", "a.ipynb", notebook(code(["x = 1", 3, null])), "x = 1\n"],
]) {
  test(what, () => assert.equal(programOf(name, text), program));
}

for (const [what, name, text] of [
  ["a notebook that is no JSON", "a.ipynb", "{"],
  ["JSON that is no notebook", "a.ipynb", "[1, 2]"],
  ["a notebook that is null", "a.ipynb", "null"],
  ["a notebook without code", "a.ipynb", notebook({ cell_type: "markdown", source: "x" }, code("  \n"))],
  ["a picture", "cat.py", "\u0089PNG\u0000\u0000"],
]) {
  test(`${what} is refused with a sentence`, () =>
    assert.throws(
      () => programOf(name, text),
      (error) => error instanceof NoProgram && error.message.startsWith(name) && error.message.endsWith("."),
    ));
}
