/**
 * A scene as the server packs it (`gradreel/scene/encode.py`), unpacked: what is long comes in columns, and what
 * changes comes as histories, a track for each property of each thing.
 */

import { readColumn } from "./columns.js";
import { createHistories } from "./histories.js";

/** @import { Scene } from "./types.js" */

const LONGEST_SCENE = 200_000_000;
const LONG = ["values", "boxes", "wires", "tensors", "groups", "steps"];

/** What gzipped JSON holds: a scene, unpacked, or the data of a page as it is.
 * @param {Uint8Array} bytes
 * @returns {Promise<any>}
 */
export async function decodePayload(bytes) {
  const stream = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(stream).text();
  if (text.length > LONGEST_SCENE) throw new RangeError("the scene is too large");
  return unpackScene(JSON.parse(text));
}

/** The scene with lists of rows and `histories`.
 * @param {any} packed  as it came, or in rows already
 * @returns {Scene}
 */
export function unpackScene(packed) {
  if (!packed.histories) return packed;
  const { things, histories, ...scene } = packed;
  for (const name of LONG) scene[name] = readColumn(scene[name]);
  return { ...scene, histories: createHistories(things, histories) };
}

/** A scene in which nothing happens, for a page whose first answer is only a sentence.
 * @param {string} source
 * @returns {Scene}
 */
export function blankScene(source) {
  const start = { kind: "start", line: 0, sentence: "Nothing has run yet.", focus: [], changes: {} };
  const none = {
    values: [],
    boxes: [],
    wires: [],
    tensors: [],
    groups: [],
    calls: [],
    stretches: [],
    diagnoses: [],
    output: [],
  };
  const outcome = { kind: "finished", type: null, message: null, line: null };
  return { source, mode: "script", outcome, steps: [start], expression: null, unrun: true, ...none };
}

/** @typedef {{kind: string, line: number, which: "first"|"last"}} Moment */

/** @param {{steps: {kind: string, line: number}[]}} scene
 * @param {Moment} moment
 * @returns {number|null} null where the run has no such step, because the program was changed
 */
export function stepOf(scene, { kind, line, which }) {
  const shows = (step) => step.kind === kind && step.line === line;
  const step = which === "first" ? scene.steps.findIndex(shows) : scene.steps.findLastIndex(shows);
  return step < 0 ? null : step;
}

/** The step at which a node of that name first ran.
 * @param {any} scene
 * @param {string|null} node
 * @returns {number|null}
 */
export function ranAt({ steps, boxes }, node) {
  const named = new Set(boxes.filter(({ name }) => name === node).map(({ id }) => id));
  const step = steps.findIndex(({ kind, focus }) => kind === "node_ran" && focus.some((id) => named.has(id)));
  return step < 0 ? null : step;
}
