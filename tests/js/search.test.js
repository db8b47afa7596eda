import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";

import { codeOf, createErrorSearch, errorOf, kindOf, wordsOf } from "../../gradreel/player/web/lib/search.js";

const DATA = new URL("../data/", import.meta.url);
const GALLERY = new URL("../../gradreel/material/gallery/", import.meta.url);

/** The exhibits as the page gets them: what PyTorch says, and what is said of it. */
const messages = JSON.parse(readFileSync(new URL("messages.json", GALLERY), "utf8"));
const exhibits = readdirSync(GALLERY).filter((name) => name.endsWith(".md")).sort().flatMap((name) =>
  readFileSync(new URL(name, GALLERY), "utf8").split(/^## /m).slice(1).map((section) => {
    const [, slug, rest] = /^(\w+) · ([\s\S]*)$/.exec(section);
    return {
      slug,
      message: messages[slug] ?? null,
      words: rest.replace(/^```[\s\S]*?^```/gm, "").replace(/^lesson: .*$/m, ""),
    };
  }));
const rank = createErrorSearch(exhibits);
const best = (text) => exhibits[rank(text)[0]?.index]?.slug ?? null;

/** What torch itself was recorded to say, and the exhibits that are about it. */
const recorded = JSON.parse(gunzipSync(readFileSync(new URL("messages.json.gz", DATA)))).messages;
const expected = JSON.parse(readFileSync(new URL("gallery.json", DATA), "utf8"));
const told = Object.entries(recorded).filter(([name]) => expected[name]).map(([name, { type, message, warnings }]) =>
  [name, type ? `${type}: ${message}` : `${warnings[0].category}: ${warnings[0].message}`]);

test("every message that torch was recorded to say is looked for", () => {
  const silent = Object.entries(recorded)
    .filter(([, { type, warnings }]) => !type && !warnings?.length)
    .map(([name]) => name);
  assert.deepEqual(Object.keys(recorded).filter((name) => !expected[name]).sort(), silent.sort());
  assert.ok(told.length >= 124);
});

const MANGLED = {
  "as it is": (text) => text,
  "without its type": (text) => text.replace(/^\w+: /, ""),
  "with other numbers and shapes": (text) => text.replace(/\d+/g, (digits) => String(Number(digits) * 7 + 11)),
  "in capitals, over many lines": (text) =>
    text
      .toUpperCase()
      .replace(/^(\w+)ERROR: /, "RuntimeError: ")
      .replace(/(.{30}\S*) /g, "$1\n"),
  "in a whole traceback": (text) =>
    `Traceback (most recent call last):\n  File "/home/me/my net/train_v2.py", line 812, in <module>\n` +
      `    main()\n  File "C:\\work\\model.py", line 31, in main\n    loss.backward()\n` +
      `  File "/usr/lib/python3.12/site-packages/torch/_tensor.py", line 630, in backward\n` +
      `    torch.autograd.backward(\n${text}\n`,
  "in a notebook's traceback": (text) =>
    "---------------------------------------------------------------------------\n" +
      "RuntimeError                              Traceback (most recent call last)\nCell In[7], line 3\n" +
      `      1 y = f(x)\n----> 3 y.backward()\n\n${text}`,
  "of a test's output": (text) => `E   ${text.split("\n").join("\nE   ")}`,
  "cut off": (text) => text.slice(0, Math.max(48, Math.ceil(text.length * 0.6))),
};

for (const [how, mangle] of Object.entries(MANGLED)) {
  test(`a message ${how} finds its exhibit`, () => {
    const missed = told
      .filter(([name, text]) => !expected[name].includes(best(mangle(text))))
      .map(([name, text]) => [name, best(mangle(text))]);
    // A message that is cut off may have lost the very words that tell it from its neighbour.
    const allowed = how === "cut off" ? 4 : 0;
    assert.ok(missed.length <= allowed, JSON.stringify(missed));
  });
}

for (const [text, slug] of [
  [
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace " +
      "operation: [torch.cuda.FloatTensor [64, 1]], which is output 0 of ReluBackward0, is at version 3; " +
      "expected version 1 instead.",
    "saved_result_modified",
  ],
  [
    "RuntimeError: Trying to backward through the graph a second time, but the saved intermediate " +
      "results have already been freed. Specify retain_graph=True when calling backward the first time.",
    "second_backward",
  ],
  [
    "RuntimeError: One of the differentiated Tensors appears to not have been used in the graph. Set " +
      "allow_unused=True if this is the desired behavior.",
    "unused_input",
  ],
  ["a leaf variable that requires grad has been used in an in-place operation", "leaf_inplace"],
  ["RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x784 and 512x10)", "matmul"],
  ["gradient nan torch.where branch not taken", "nan_where"],
  ["hidden state of an rnn detach", "rnn_hidden"],
]) {
  test(`“${text.slice(0, 60)}” finds ${slug}`, () =>
    assert.ok(
      rank(text)
        .slice(0, 3)
        .some(({ index }) => exhibits[index].slug === slug),
      best(text),
    ));
}

test("of two that say the same, the type of the tensor tells", () => {
  const said = (type) =>
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace " +
    `operation: [torch.${type} [10, 1]] is at version 2; expected version 1 instead.`;
  assert.equal(best(said("FloatTensor")), "step_between");
  assert.equal(best(said("cuda.LongTensor")), "index_modified");
});

test("what says nothing finds nothing", () => {
  for (const text of ["", "   ", "42 [2, 3]", "/usr/lib/x.py", "zzz qqq"]) assert.deepEqual(rank(text), []);
});

test("the error of a paste is its last one", () => {
  assert.deepEqual(errorOf("KeyError: 'a'\n\nDuring handling of the above\nRuntimeError: bad\nthing\n\nmore"), {
    type: "RuntimeError",
    text: "bad thing",
  });
  assert.deepEqual(errorOf("torch.autograd.gradcheck.GradcheckError: Jacobian mismatch"), {
    type: "GradcheckError",
    text: "Jacobian mismatch",
  });
  assert.equal(errorOf("no error here").type, null);
});

test("numbers, shapes, paths and addresses are no words", () => {
  assert.deepEqual(wordsOf("size [2, 3] at /opt/x/y.py, see https://a.b/c 0x7ff1 torch.cuda.FloatTensor"), [
    "size",
    "at",
    "see",
    "sometensor",
  ]);
});

const ERROR = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn";
const TRACEBACK =
  `Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n` + `    loss = y.sum()\n${ERROR}\n`;
for (const [kind, text] of [
  ["program", "import torch\nx = torch.ones(1)\n"],
  ["program", "sin(x*y) + x**2"],
  ["program", "y.backward()"],
  ["error", ERROR],
  ["error", TRACEBACK],
  ["error", "one of the variables needed for gradient computation has been modified"],
  ["both", `import torch\nx = torch.ones(1)\nx.backward()\n\n${TRACEBACK}`],
  ["both", `I get this:\n\n\`\`\`python\nimport torch\ny = torch.ones(1)\n\`\`\`\n\n${ERROR}`],
  ["program", ">>> x = torch.ones(1)\n>>> print(x)\ntensor([1.])"],
]) {
  test(`“${text.slice(0, 40).replaceAll("\n", "⏎")}” is ${kind}`, () => assert.equal(kindOf(text), kind));
}

test("code comes out of a post without what was said between", () => {
  assert.equal(codeOf(`Hi!\n\`\`\`python\nx = 1\ny = x\n\`\`\`\nand\n${TRACEBACK}`), "x = 1\ny = x\n");
  assert.equal(codeOf(`x = torch.ones(1)\nx.backward()\n${TRACEBACK}`), "x = torch.ones(1)\nx.backward()\n");
  assert.equal(codeOf(TRACEBACK), null);
});
