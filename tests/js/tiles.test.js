import assert from "node:assert/strict";
import test from "node:test";

import { createPen, paletteFrom } from "../../gradreel/player/web/stage/pen.js";
import { sizeFor, tile } from "../../gradreel/player/web/stage/tiles.js";
import { measure } from "./scenes.js";

const palette = paletteFrom(() => "#888888");
const scalar = (data) => ({ shape: [], dtype: "float32", data, whole: true });

/** A pen that notes what is filled and where texts stand. */
function noting() {
  const [bars, texts] = [[], []];
  let at = [0, 0];
  const own = {
    translate: (x, y) => (at = [x, y]),
    fillRect: (x, y, w, h) => bars.push({ x, y, w, h }),
    fillText: (text) => texts.push({ text, x: at[0], y: at[1] }),
  };
  const context = new Proxy(own, { get: (target, name) => target[name] ?? (() => {}), set: () => true });
  return { pen: createPen(context, palette, measure), bars, texts };
}

test("the number of a scalar stands on one colour: its bar is below it", () => {
  for (const size of [30, 34, 44, 58])
    for (const number of [1, -3, 0, 0.96, 28]) {
      const { pen, bars, texts } = noting();
      tile(pen, scalar(number), { x: 0, y: 0 }, size, { most: 30 });
      const [ground, bar] = bars;
      const [{ y }] = texts;
      assert.ok(y - 4 > ground.y && y + 4 < bar.y, `${size}: ${number} stands at ${y}, its bar at ${bar.y}`);
      assert.ok(number < 0 ? bar.x < 0 : bar.x === 0);
    }
});

test("a number stays on its tile: the tile is wider, or the number has fewer digits", () => {
  const wide = (text) => measure(text, 12);
  for (const size of [24, 30])
    for (const [room, text] of [[undefined, "13.96"], [34, "14"]]) {
      const { pen, texts } = noting();
      const [w] = tile(pen, scalar(13.9614), { x: 0, y: 0 }, size, { room });
      assert.equal(texts[0].text, text, String(size));
      assert.ok(wide(text) < w && w <= Math.max(size, room ?? 60), `${size}: ${w}`);
    }
});

test("a tile that rests is as large as its numbers need, if that is not too large", () => {
  const matrix = (data) => ({ shape: [data.length, data[0].length], dtype: "float32", data, whole: true });
  for (const [data, most, numbers] of [
    [[[7, 10], [3, 4]], 46, 4], [[[7, 10], [3, 4]], 31, 0], [[[1, 2], [3, 4]], 46, 4], [[[-0.25], [10.25]], 70, 2],
  ]) {
    const { pen, texts } = noting();
    const size = sizeFor(pen, matrix(data), 30, most);
    tile(pen, matrix(data), { x: 0, y: 0 }, size);
    assert.equal(texts.length, numbers, JSON.stringify([data, size]));
    assert.ok(size >= 30 && size <= most);
  }
});

test("a scalar too small for its number is a bar alone", () => {
  const { pen, bars, texts } = noting();
  tile(pen, scalar(2), { x: 0, y: 0 }, 18, { numbers: false });
  assert.deepEqual(texts, []);
  assert.equal(bars[0].h, bars[1].h);
});
