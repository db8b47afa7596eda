import assert from "node:assert/strict";
import test from "node:test";

import { valuesAt } from "../../gradreel/player/web/editor/annotations.js";
import { complete, modulesOf, namesIn } from "../../gradreel/player/web/editor/completion.js";
import words from "../../gradreel/player/web/editor/vocabulary.json" with { type: "json" };
import { indexScene, namesAt } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { storedScenes } from "./scenes.js";

/** What is proposed at the bar in a text. */
function at(text, asked = false) {
  const position = text.indexOf("|");
  return complete(text.replace("|", ""), position, words, asked);
}

const labels = (found) => found?.options.map((option) => option.label) ?? null;

for (const [text, proposed] of [
  ["import torch\ntorch.zer|", "zeros"],
  ["import torch as th\nth.nn.Lin|", "Linear"],
  ["import torch.nn.functional as F\ny = F.rel|", "relu"],
  ["from torch import nn, optim as o\no.SG|", "SGD"],
  ["import torch\nx = torch.ones(2)\nx.back|", "backward"],
  ["import torch\n(x * 2).back|", "backward"],
  ["import torch\nw.grad.zer|", "zero_"],
  ["import torch\nopt = torch.optim.SGD(p, lr=1)\nopt.st|", "step"],
  ["import torch\nnet = torch.nn.Linear(2, 1)\nnet.param|", "parameters"],
  ["import torch\nweights = 1\nprint(wei|)", "weights"],
  ["def forward_pass(x):\n    return forw|", "forward_pass"],
  ["retu|", "return"],
  [">>> import torch\n>>> torch.manual_s|", "manual_seed"],
]) test(`${JSON.stringify(text)} proposes ${proposed}`, () => assert.ok(labels(at(text))?.includes(proposed)));

for (const text of ["# torch.zer|", "'torch.zer|'", "f(\"it's #\", 'ba|", "|", "torch.zzzqq|", "x = 1.|"])
  test(`${JSON.stringify(text)} proposes nothing`, () => assert.equal(at(text), null));

test("a list can be asked for with nothing typed", () => {
  assert.ok(labels(at("import torch\n|", true)).includes("torch"));
  assert.equal(at("import torch\nx = torch.|").from, "import torch\nx = torch.".length);
});

test("names with an underscore come after the others", () => {
  const { options } = at("import torch\nx = torch.ones(2)\nx.|");
  for (const { label, boost = 0 } of options) assert.equal(boost < 0, label.startsWith("_"), label);
  assert.ok(options.some(({ label }) => label.startsWith("_")));
});

test("imports and names are read from half typed programs", () => {
  const source =
    "import torch.nn as nn, math\nfrom torch.nn import functional as F\nfor i in (\na, b = 1, 2\n" +
    "with open() as f:\nx: int = 3\nif a == b:";
  assert.deepEqual([...modulesOf(source, words)], [["nn", "torch.nn"], ["math", "math"], ["F", "torch.nn.functional"]]);
  for (const name of ["i", "a", "b", "f", "x", "nn", "F"]) assert.ok(namesIn(source).has(name), name);
});

test("values stand beside the lines that bound them, and change with the step", () => {
  const scene = storedScenes().find(([name]) => name === "golden training")[1];
  const state = createState(scene);
  const found = indexScene(scene, state);
  const shown = (step) => valuesAt({ state, scene: found, step, names: namesAt(state, state.keys("name:"), step) });
  const loss = (step) => shown(step).find((item) => item.line === line)?.text;
  const line = 1 + scene.source.split("\n").findIndex((text) => text.trim().startsWith("loss ="));
  assert.deepEqual(shown(0), []);
  assert.ok(loss(state.last) && new Set(scene.steps.map((_, step) => loss(step))).size >= 3);
  for (const { line, text } of shown(state.last)) {
    assert.ok(text.startsWith("= ") || scene.source.split("\n")[line - 1].includes(text.split(" ")[0]), text);
    assert.doesNotMatch(text, /undefined|null/);
  }
});
