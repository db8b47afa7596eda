/**
 * What `player.state()` says of encoded scenes, at every step: read forwards, backwards and in leaps, which must agree.
 * `node states.mjs FOLDER` prints a line of JSON for each file in it: its name and the states from first to last.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

import { describe, indexScene } from "../../gradreel/player/web/scene/moment.js";
import { decodePayload } from "../../gradreel/player/web/scene/scene.js";
import { createState } from "../../gradreel/player/web/scene/state.js";

const folder = process.argv[2];
for (const name of readdirSync(folder).sort()) {
  const scene = await decodePayload(new Uint8Array(readFileSync(`${folder}/${name}`)));
  const state = createState(scene);
  const ready = indexScene(scene, state);
  const names = state.keys("name:");
  const told = (step) => describe(state, ready, names, step);
  const states = scene.steps.map((_, step) => told(step));
  for (let step = state.last; step >= 0; step--) assert.deepEqual(told(step), states[step]);
  for (let i = 0, step = 0; i < 60; i++) {
    step = (step * 7919 + 104729) % states.length;
    assert.deepEqual(told(step), states[step]);
  }
  process.stdout.write(`${JSON.stringify([name, states])}\n`);
}
