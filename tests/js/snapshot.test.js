import assert from "node:assert/strict";
import test from "node:test";

import { ghostsAt } from "../../gradreel/player/web/canvas/ghosts.js";
import { compose } from "../../gradreel/player/web/canvas/picture.js";
import { drawingOf, svgOf, wrapText } from "../../gradreel/player/web/canvas/snapshot.js";
import { escapeXml, svgContext } from "../../gradreel/player/web/canvas/svg.js";
import { groupTree, initialFolds } from "../../gradreel/player/web/scene/grouping.js";
import { indexScene, namesAt, namesByBox } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { measure, storedScenes } from "./scenes.js";

const COLOURS = new Proxy({}, { get: () => "#123456" });

function frameAt(first, step) {
  const state = createState(first);
  const scene = indexScene(first, state);
  const tree = groupTree(scene);
  const folded = initialFolds(tree);
  const names = namesAt(state, state.keys("name:"), step);
  const picture = compose(scene, state, tree, folded, measure);
  return {
    scene,
    state,
    tree,
    folded,
    step,
    from: step,
    picture,
    ghosts: ghostsAt({ picture, state, step, measure }, new Set()),
    names: namesByBox(state, names, step),
    selected: null,
    measure,
    colours: COLOURS,
    focus: new Set(scene.steps[step].focus),
    changed: new Set(),
  };
}

const svgAt = (scene, step) => {
  const frame = frameAt(scene, step);
  return svgOf(drawingOf(frame), frame);
};

for (const [name, scene] of storedScenes()) {
  test(`${name} can be drawn as SVG at its start, in the middle and at its end`, () => {
    const last = scene.steps.length - 1;
    for (const step of [0, Math.floor(last / 2), last]) {
      const svg = svgAt(scene, step);
      assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
      assert.equal(svg.match(/<text /g)?.length, svg.match(/<\/text>/g)?.length);
    }
    const middle = svgAt(scene, Math.floor(last / 2));
    assert.match(middle, /<path d="M/);
  });
}

test("the SVG says what the cards say", () => {
  const [, scene] = storedScenes().find(([name]) => name.endsWith("diamond"));
  const svg = svgAt(scene, scene.steps.length - 1);
  assert.match(svg, />AccumulateGrad/);
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
