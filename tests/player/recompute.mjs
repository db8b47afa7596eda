/**
 * What the page computes of an expression by itself beside what the server makes of it. `node recompute.mjs FOLDER`:
 * for each `NAME.first` the scene of some values, for each `NAME.other` that of others; prints a line of JSON for each
 * name: all numbers of the second scene, and those of the first played with the second's values (null: it cannot be).
 */

import { readdirSync, readFileSync } from "node:fs";

import { createTape } from "../../gradreel/player/web/scene/recompute.js";
import { decodePayload } from "../../gradreel/player/web/scene/scene.js";
import { createState } from "../../gradreel/player/web/scene/state.js";

const TRACKS = ["value", "grad", "grad_in", "came", "before", "total"];
const folder = process.argv[2];
const read = (name) => decodePayload(new Uint8Array(readFileSync(`${folder}/${name}`)));

/** Every number of a scene by where it stands, with what is told of them in words. */
function numbersOf(scene) {
  const state = createState(scene);
  const data = (place) => (place === null ? null : scene.values[place].data);
  const found = { source: scene.source, slopes: scene.wires.map(({ slope }) => slope) };
  found.factors = scene.wires.map(({ factor }) => factor);
  for (const key of [...scene.tensors, ...scene.boxes, ...scene.wires].map(({ id }) => id).concat(state.keys("sum:"))) {
    for (const property of TRACKS) {
      const track = state.track(key, property);
      if (track) found[`${key} ${property}`] = track.values.map(data);
    }
    const terms = state.track(key, "terms");
    if (terms) found[`${key} terms`] = terms.values.map((each) => each?.map(([, place]) => data(place)) ?? null);
  }
  for (const { id, slots } of scene.boxes)
    for (const { name, value } of slots) if ((value ?? null) !== null) found[`${id} slot ${name}`] = data(value);
  return found;
}

for (const name of readdirSync(folder).filter((each) => each.endsWith(".first"))) {
  const [first, other] = await Promise.all([read(name), read(name.replace(".first", ".other"))]);
  const values = Object.fromEntries(other.expression.leaves.map((leaf) => [leaf.name, leaf.value]));
  const tape = createTape(first);
  const ours = tape && numbersOf(tape.at(values));
  process.stdout.write(`${JSON.stringify([name.replace(".first", ""), numbersOf(other), ours])}\n`);
}
