import assert from "node:assert/strict";
import test from "node:test";

import { dragNumber } from "../../gradreel/player/web/stage/gestures.js";

/** A number, pixels to the right, whether with shift, and what it becomes. */
const DRAGS = [
  [2, 25, false, 2.5], [2, -150, false, -1], [2, 25, true, 2.05], [0, 1, false, 0.02], [0.1, 1, false, 0.12],
  [400, 10, false, 410], [-400, 10, false, -390], [1e6, 500, false, 1e6], [0.3, 0, false, 0.3],
];
for (const [number, pixels, fine, told] of DRAGS)
  test(`${number} dragged by ${pixels} pixels is ${told}`, () => assert.equal(dragNumber(number, pixels, fine), told));
