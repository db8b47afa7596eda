/**
 * A scene as the server packs it (`gradreel/scene/encode.py`), unpacked: what is long comes in columns, and what changes
 * comes as histories, a track for each property of each thing.
 */

import { read } from "./columns.js";

const LONG = ["values", "boxes", "wires", "tensors", "groups", "steps"];

/** @typedef {import("./state.js").Track} Track
 *  @typedef {Map<string, Map<string, Track>>} Histories   things in the order in which they first appear */

/** The scene with lists of rows and `histories`.
 * @param {any} packed
 * @returns {any}
 */
export function unpacked(packed) {
  if (!packed.histories) return packed;
  const { things, histories: groups, ...scene } = packed;
  for (const name of LONG) scene[name] = read(scene[name]);
  scene.histories = historiesOf(things, groups);
  return scene;
}

/** @returns {Histories} */
function historiesOf(things, groups) {
  const tracks = {};
  const histories = new Map();
  for (const kind of Object.keys(things)) {
    tracks[kind] = read(things[kind]).map((parts) => {
      const made = new Map();
      histories.set(typeof parts === "string" ? parts : `name:${parts.scope}:${parts.text}`, made);
      return made;
    });
  }
  for (const { kind, property, ...columns } of groups) {
    const [places, lengths, starts, gaps] = ["things", "lengths", "starts", "gaps"].map((name) => read(columns[name]));
    const of = tracks[kind];
    const courses = columns.courses && read(columns.courses);
    const values = columns.values && read(columns.values);
    let from = 0;
    let gap = 0;
    for (let i = 0; i < places.length; i++) {
      let step = starts[i];
      const steps = [step];
      for (let j = 1; j < lengths[i]; j++) steps.push((step += gaps[gap++]));
      of[places[i]].set(property, { steps, values: courses ? courses[i] : values.slice(from, from + lengths[i]), before: null });
      from += lengths[i];
    }
  }
  return histories;
}
