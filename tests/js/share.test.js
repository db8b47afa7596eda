import assert from "node:assert/strict";
import test from "node:test";

import { indexScene } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";
import { createCard } from "../../gradreel/player/web/share/card.js";
import { createGif } from "../../gradreel/player/web/share/gif.js";
import { modelOf } from "../../gradreel/player/web/stage/model.js";
import { durationsOf, loopAround } from "../../gradreel/player/web/stage/pace.js";
import { paletteFrom } from "../../gradreel/player/web/stage/pen.js";
import { svgContext } from "../../gradreel/player/web/stage/svg.js";
import { measure, storedScenes } from "./scenes.js";

/** What a canvas of a page would give for a tile of many numbers. */
globalThis.document = {
  createElement: () => ({
    getContext: () => ({ createImageData: () => ({ data: { set: () => {} } }), putImageData: () => {} }),
    toDataURL: () => "data:image/png;base64,AAAA",
  }),
};

const LOOPS = [
  { what: "a short run is a loop as a whole", durations: [300, 400, 500], step: 1, from: 0, to: 2, length: 2100 },
  { what: "as much before as after", durations: Array(21).fill(1000), step: 10, from: 8, to: 12, length: 5900 },
  { what: "at the start what follows", durations: Array(21).fill(1000), step: 0, from: 0, to: 4, length: 5900 },
  { what: "at the end what led to it", durations: Array(21).fill(1000), step: 20, from: 16, to: 20, length: 5900 },
  { what: "an error with what led to it", durations: [300, 700, 700, 3600], step: 3, from: 1, to: 3, length: 5900 },
  {
    what: "nothing of what is withheld", durations: Array(21).fill(1000), step: 10, last: 11, from: 7, to: 11,
    length: 5900,
  },
  { what: "one step that takes longer alone", durations: [300, 9000, 300], step: 1, from: 1, to: 1, length: 9900 },
];

for (const { what, durations, step, last, ...expected } of LOOPS)
  test(`of a loop: ${what}`, () => {
    const { at, ...loop } = loopAround(durations, step, last);
    assert.deepEqual(loop, expected);
    assert.deepEqual(at(0), { step: loop.from, progress: 0 });
    assert.deepEqual(at(durations[loop.from] / 4), { step: loop.from, progress: 0.25 });
    assert.deepEqual(at(loop.length), { step: loop.to, progress: 1 });
  });

function setupOf(first) {
  const state = createState(first);
  const model = modelOf(indexScene(first, state), state);
  return { model, measure, colours: paletteFrom(() => "#123456") };
}

/** A card as SVG: its texts, each with its size in units of the card. */
function textsOf(card, instant) {
  const context = Object.assign(svgContext((text) => text.length * 7), { clip: () => {} });
  card(context, 1, instant);
  const drawn = context.inside();
  assert.doesNotMatch(drawn, /NaN|undefined|Infinity/);
  return [...drawn.matchAll(/<text [^>]*font-size="([\d.]+)"([^>]*)>([^<]*)/g)].map(([, size, how, text]) => ({
    text, size: size * (/matrix\(([\d.]+)/.exec(how)?.[1] ?? 1),
  }));
}

for (const [name, scene] of storedScenes())
  test(`${name} as a card says its line and its sentence, in letters that can be read`, () => {
    const setup = setupOf(scene);
    const durations = durationsOf(setup.model);
    const last = scene.steps.length - 1;
    for (const step of new Set([0, last >> 1, last])) {
      const { at, length } = loopAround(durations, step);
      const card = createCard(setup, "https://gradreel.example/#g1.3.abc");
      for (const instant of [{ step, progress: 0.5 }, at(0), at(length / 2)]) {
        const texts = textsOf(card, instant);
        const said = texts.map(({ text }) => text).join(" ");
        assert.ok(Math.min(...texts.map(({ size }) => size)) >= 11.99, name);
        assert.match(said, /Gradreel gradreel\.example\/#g1\.3\.abc$/);
        const { line, sentence } = scene.steps[instant.step];
        assert.ok(!line || texts.some(({ text }) => text === String(line)));
        assert.ok(said.includes(sentence.split(/[\s`*]/)[0]), sentence);
      }
    }
  });

/** A picture of four by two in two colours, the second from a pixel on. */
const picture = (one, other, from) =>
  new Uint8ClampedArray(Uint32Array.from({ length: 8 }, (_, i) => (i < from ? one : other)).buffer);
const [INK, PAPER, RED] = [0xff33231d, 0xfff4f4ee, 0xff0b42c8];

/** Size, palette, and the delay of each frame, as they stand in a file. */
function readGif(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const many = 2 << (bytes[10] & 7);
  const palette = Array.from({ length: many }, (_, i) => [...bytes.subarray(13 + 3 * i, 16 + 3 * i)].join());
  const text = String.fromCharCode(...bytes);
  const frame = String.fromCharCode(0x21, 0xf9, 4);
  return {
    size: [view.getUint16(6, true), view.getUint16(8, true)],
    palette,
    delays: [...text.matchAll(new RegExp(frame, "g"))].map(({ index }) => view.getUint16(index + 4, true) * 10),
    again: text.includes("NETSCAPE2.0"),
    end: bytes.at(-1),
  };
}

test("a GIF keeps the colours of surfaces, plays again, and shows what stays the same once, for longer", () => {
  const frames = [picture(INK, PAPER, 4), picture(INK, PAPER, 4), picture(INK, RED, 5), picture(INK, PAPER, 5)];
  const gif = createGif(4, 2, frames);
  for (const frame of frames) gif.add(frame, 60);
  const { palette, ...rest } = readGif(gif.finish());
  assert.deepEqual(rest, { size: [4, 2], delays: [120, 60, 60], again: true, end: 0x3b });
  for (const colour of ["29,35,51", "238,244,244", "200,66,11"]) assert.ok(palette.includes(colour), colour);
});

test("a GIF of more colours than it may have gets the nearest", () => {
  const many = new Uint8ClampedArray(4 * 4096);
  for (let i = 0; i < 4096; i++) many.set([i % 256, (i * 7) % 256, i >> 4, 255], 4 * i);
  const gif = createGif(64, 64, [many]);
  gif.add(many, 60);
  const { palette } = readGif(gif.finish());
  assert.equal(palette.length, 256);
  const near = palette.map((colour) => colour.split(",").map(Number));
  const far = (at) => Math.min(...near.map((rgb) => Math.hypot(...rgb.map((part, i) => part - many[at + i]))));
  assert.ok(Math.max(...Array.from({ length: 4096 }, (_, i) => far(4 * i))) < 40);
});
