/**
 * A scene as the server packs it (`gradreel/scene/encode.py`), unpacked: what is long comes in columns, and what changes
 * comes as histories, a track for each property of each thing.
 */

import { read } from "./columns.js";
import { createHistories } from "./histories.js";

const LONG = ["values", "boxes", "wires", "tensors", "groups", "steps"];

/** The scene with lists of rows and `histories`.
 * @param {any} packed
 * @returns {any}
 */
export function unpacked(packed) {
  if (!packed.histories) return packed;
  const { things, histories, ...scene } = packed;
  for (const name of LONG) scene[name] = read(scene[name]);
  return { ...scene, histories: createHistories(things, histories) };
}
