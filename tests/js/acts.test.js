import assert from "node:assert/strict";
import test from "node:test";

import { indexScene, namesAt } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { modelOf } from "../../gradreel/player/web/stage/model.js";
import { stageMoment } from "../../gradreel/player/web/stage/moment.js";
import { createOffscreenStage } from "../../gradreel/player/web/stage/offscreen.js";
import { paletteFrom } from "../../gradreel/player/web/stage/pen.js";
import { svgContext } from "../../gradreel/player/web/stage/svg.js";
import { tileNumber } from "../../gradreel/player/web/stage/values.js";
import { measure, stored } from "./scenes.js";

const [width, height] = [1110, 660];
const NAMES = ["run", "leaf", "live", "panel", "ink"];
/** Colours that tell by their names what they are. */
const colours = paletteFrom((name) => `#${String(NAMES.indexOf(name) + 1).padStart(6, "0")}`);

/** What is painted at a share of a step: its texts, and the SVG of it all. */
function painter(raw) {
  const state = createState(raw);
  const model = modelOf(indexScene(raw, state), state);
  const stage = createOffscreenStage({ model, measure, colours }, { width, height });
  const keys = state.keys("name:");
  return {
    model,
    moment: (step) => stageMoment(model, step, namesAt(state, keys, step)),
    steps: (kind) => raw.steps.flatMap((step, at) => (step.kind === kind ? [at] : [])),
    at: (step, progress) => {
      const context = svgContext((text, font) => measure(text, parseFloat(/[\d.]+(?=px)/.exec(font)[0])));
      stage(context, { step, progress });
      const svg = context.inside();
      return { svg, texts: [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text) };
    },
  };
}

/** The blocks in trays. */
const blocks = ({ svg }) => svg.match(/stroke-width="1\.3"/g)?.length ?? 0;
const has = ({ texts }, text) => texts.includes(text);

test("a tower and its number are others when what falls has come to rest", () => {
  const raw = stored("accumulation.json");
  const { at, model, steps } = painter(raw);
  const [leaf] = model.leaves;
  const number = (place) => String(raw.values[place].data);
  let seen = 0;
  for (const step of steps("grad_stored")) {
    const [before, after] = [at(step - 1, 1), at(step, 1)];
    const { before: old, value } = leaf.grads.find((each) => each.step === step);
    for (const time of [0.1, 0.3, 0.5, 0.65]) {
      assert.equal(blocks(at(step, time)), blocks(before), `step ${step}, ${time}`);
      if (old !== null) assert.ok(has(at(step, time), number(old)), `step ${step}, ${time}`);
    }
    for (const time of [0.67, 0.8, 0.92, 0.98]) {
      assert.equal(blocks(at(step, time)), blocks(after), `step ${step}, ${time}`);
      assert.ok(has(at(step, time), number(value)), `step ${step}, ${time}`);
    }
    seen += Number(old !== null);
  }
  assert.ok(seen);
});

test("two gradients that meet stand apart until they fade into their sum", () => {
  const raw = stored("diamond.json");
  const { at, moment, steps } = painter(raw);
  for (const step of steps("grad_added")) {
    const [{ after }] = moment(step).acts.filter(({ type }) => type === "meet");
    const sum = tileNumber(raw.values[after].data);
    const before = at(step - 1, 1);
    const more = (picture, text) => seen(picture, text) - seen(before, text);
    const times = Array.from({ length: 40 }, (_, i) => at(step, i / 40));
    for (const [i, picture] of times.entries())
      assert.ok(more(picture, "+") <= 0.5 || more(picture, sum) <= 0, `step ${step}, ${i / 40}`);
    assert.ok(times.some((each) => more(each, "+") === 1) && times.some((each) => more(each, sum) > 0.9));
  }
});

/** How strongly a text is seen, all places together. */
function seen({ svg }, text) {
  return [...svg.matchAll(/<text([^>]*)>([^<]*)</g)]
    .filter(([, look, own]) => own === text && /fill="#/.test(look))
    .reduce((sum, [, look]) => sum + Number(/ opacity="([\d.]+)"/.exec(look)?.[1] ?? 1), 0);
}

test("in which pass a step is stands on the stage", () => {
  const { at, steps } = painter(stored("accumulation.json"));
  const said = [...steps("node_made").slice(-1), ...steps("backward_started")].map((step) => at(step, 1).texts);
  for (const [i, way] of ["forward", "backward", "backward"].entries()) assert.ok(said[i].includes(way), way);
  assert.ok(said[1].includes("←") && said[2].includes("2"));
});
