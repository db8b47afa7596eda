import assert from "node:assert/strict";
import test from "node:test";

import { indexScene, namesAt } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { createComposer, layoutAt, recompose } from "../../gradreel/player/web/stage/compose.js";
import { modelOf } from "../../gradreel/player/web/stage/model.js";
import { stageMoment } from "../../gradreel/player/web/stage/moment.js";
import { paletteFrom } from "../../gradreel/player/web/stage/pen.js";
import { drawingOf, svgOf, wrapText } from "../../gradreel/player/web/stage/snapshot.js";
import { aim } from "../../gradreel/player/web/stage/sprites.js";
import { escapeXml, svgContext } from "../../gradreel/player/web/stage/svg.js";
import { measure, storedScenes } from "./scenes.js";

const ROOM = { width: 900, height: 600 };
/** What a canvas of a page would give for a tile of many numbers. */
globalThis.document = {
  createElement: () => ({
    getContext: () => ({ createImageData: () => ({ data: { set: () => {} } }), putImageData: () => {} }),
    toDataURL: () => "data:image/png;base64,AAAA",
  }),
};

function frameAt(first, step, progress = 1) {
  const state = createState(first);
  const scene = indexScene(first, state);
  const model = modelOf(scene, state);
  const composer = createComposer(model, measure);
  recompose(composer, { room: ROOM });
  const names = namesAt(state, state.keys("name:"), step);
  const layout = layoutAt(composer, step, names);
  const sprites = new Map();
  aim(sprites, layout, step, () => null);
  const colours = paletteFrom(() => "#123456");
  const moment = stageMoment(model, step, names);
  return { model, moment, layout, progress, sprites, ...ROOM, holding: null, path: new Set(), colours, measure };
}

const svgAt = (scene, step, progress) => {
  const frame = frameAt(scene, step, progress);
  return svgOf(drawingOf(frame), frame);
};

for (const [name, scene] of storedScenes()) {
  test(`${name} can be drawn as SVG at every step, also while what happens in it is under way`, () => {
    const last = scene.steps.length - 1;
    const few = Math.max(1, Math.floor(last / 40));
    for (let step = 0; step <= last; step += few) {
      const svg = svgAt(scene, step, step % 3 ? 0.5 : 1);
      assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
      assert.equal(svg.match(/<text /g)?.length, svg.match(/<\/text>/g)?.length);
    }
    const middle = svgAt(scene, Math.floor(last / 2));
    assert.match(middle, /<path d="M/);
  });
}

test("the SVG says what the stage says", () => {
  const [, scene] = storedScenes().find(([name]) => name.endsWith("diamond"));
  const svg = svgAt(scene, scene.steps.length - 1);
  assert.match(svg, />Mul</);
  assert.match(svg, />\.grad</);
  assert.match(svg, new RegExp(`>Step ${scene.steps.length - 1} of`));
});

test("nothing that a program says becomes markup", () => {
  const [, scene] = storedScenes()[0];
  const hostile = structuredClone(scene);
  for (const box of hostile.boxes) box.variable = box.name = "</text><script>alert('x')</script>\u0000\ud800";
  for (const step of hostile.steps) step.sentence = "</desc><script>&\"";
  const svg = svgAt(hostile, hostile.steps.length - 1);
  assert.doesNotMatch(svg, /<script|&(?!amp;|lt;|gt;|quot;|#39;)/);
  assert.ok(!svg.includes("\0"));
  assert.equal(escapeXml("a<b>&\u0001"), "a&lt;b&gt;&amp;\ufffd");
});

test("matrices are put together as on a canvas", () => {
  const context = svgContext(() => 0);
  context.setTransform(2, 0, 0, 2, 10, 20);
  context.save();
  context.translate(5, 0);
  context.rotate(Math.PI / 2);
  context.beginPath();
  context.moveTo(0, 0);
  context.fill();
  context.restore();
  context.fillRect(1, 1, 2, 2);
  const [turned, plain] = context.inside().split("\n");
  assert.match(turned, /matrix\(0 2 -2 0 20 20\)/);
  assert.match(plain, /matrix\(2 0 0 2 10 20\)/);
});

test("a caption is broken between words", () => {
  assert.deepEqual(wrapText("one two three", 8, (text) => text.length), ["one two", "three"]);
});
