/** What differs between two runs at a moment: names, gradients, what was printed, bytes that saved tensors hold, the outcome. Pure. */

import { bytes, short } from "../lib/format.js";
import { gradientsAt, namesAt, printedAt } from "./moment.js";
import { valueAt } from "./state.js";

const ROOM = 34;

/** @typedef {{scene: any, state: any, names: string[]}} Run   an indexed scene, its state, and the keys of its names
 *  @typedef {{what: string, left: string, right: string}} Difference */

/** What can be compared of a run at a step, by what it is.
 * @param {Run} run
 * @param {number} step
 * @returns {Map<string, string>}
 */
export function facts({ scene, state, names }, step) {
  const found = new Map();
  const bound = namesAt(state, names, step);
  for (const { name, scope, tensor, text } of bound) {
    if (scope) continue;
    const index = tensor === null ? null : state.at(tensor, "value", step);
    const version = tensor === null ? 0 : state.at(tensor, "version", step) ?? 0;
    const value = tensor === null ? text ?? "" : index === null ? "a tensor" : short(scene.values[index], ROOM);
    found.set(name, version ? `${value}, version ${version}` : value);
  }
  for (const { name, grad } of gradientsAt(state, scene, bound, step)) found.set(`${name}.grad`, grad === null ? "None" : short(scene.values[grad], ROOM));
  found.set("saved now", bytes(state.at("program", "bytes", step) ?? 0));
  found.set("peak so far", bytes(peakBy(state, step)));
  found.set("nodes built", String(nodesBy(scene, state, step)));
  const lines = printedAt(scene, step).trimEnd().split("\n");
  found.set("printed last", lines.at(-1) || "nothing");
  const ended = step >= state.last && scene.outcome.kind !== "finished";
  if (scene.unrun) return found.set("the run", "has not begun");
  found.set("the run", ended ? `raises ${scene.outcome.type ?? scene.outcome.kind}` : step >= state.last ? "finishes" : "goes on");
  return found;
}

/** The facts on which two runs differ.
 * @param {Run} left
 * @param {Run} right
 * @param {[number, number]} moment
 * @returns {Difference[]}
 */
export function differences(left, right, [one, other]) {
  const [a, b] = [facts(left, one), facts(right, other)];
  const keys = [...new Set([...a.keys(), ...b.keys()])];
  return keys.filter((what) => a.get(what) !== b.get(what)).map((what) => ({ what, left: a.get(what) ?? "–", right: b.get(what) ?? "–" }));
}

/** The most bytes that saved tensors held at once until a step. */
export function peakBy(state, step) {
  const track = state.track("program", "bytes");
  let peak = 0;
  for (let i = 0; track && i < track.steps.length && track.steps[i] <= step; i++) peak = Math.max(peak, track.values[i]);
  return peak;
}

function nodesBy(scene, state, step) {
  return scene.boxes.filter((box) => box.kind === "node" && valueAt(state.track(box.id, "state"), step) !== null).length;
}
