/**
 * Two runs side by side: what differs between them at a moment, and one clock for both. Their lines are compared, and
 * steps of the same kind on the same line are the same moment; where only one of them does something, the other waits.
 * Pure.
 */

import { formatBytes, formatShort } from "../lib/format.js";
import { gradientsAt, namesAt, printedAt } from "./moment.js";
import { valueAt } from "./state.js";

/** @import { IndexedScene, State } from "./types.js" */

const ROOM = 34;

/**
 * @typedef {{scene: IndexedScene, state: State, names: string[]}} Run  an indexed scene, its state, and the keys of its
 *   names
 * @typedef {{what: string, left: string, right: string}} Difference
 */

/** What can be compared of a run at a step, by what it is.
 * @param {Run} run
 * @param {number} step
 * @returns {Map<string, string>}
 */
export function comparableFacts({ scene, state, names }, step) {
  const found = new Map();
  const bound = namesAt(state, names, step);
  for (const { name, scope, tensor, text } of bound) {
    if (scope) continue;
    const index = tensor === null ? null : state.at(tensor, "value", step);
    const version = tensor === null ? 0 : state.at(tensor, "version", step) ?? 0;
    const value = tensor === null ? text ?? "" : index === null ? "a tensor" : formatShort(scene.values[index], ROOM);
    found.set(name, version ? `${value}, version ${version}` : value);
  }
  for (const { name, grad } of gradientsAt(state, scene, bound, step))
    found.set(`${name}.grad`, grad === null ? "None" : formatShort(scene.values[grad], ROOM));
  found.set("saved now", formatBytes(state.at("program", "bytes", step) ?? 0));
  found.set("peak so far", formatBytes(peakBy(state, step)));
  found.set("nodes built", String(nodesBy(scene, state, step)));
  const lines = printedAt(scene, step).trimEnd().split("\n");
  found.set("printed last", lines.at(-1) || "nothing");
  const ended = step >= state.last && scene.outcome.kind !== "finished";
  if (scene.unrun) return found.set("the run", "has not begun");
  found.set(
    "the run",
    ended ? `raises ${scene.outcome.type ?? scene.outcome.kind}` : step >= state.last ? "finishes" : "goes on",
  );
  return found;
}

/** The facts on which two runs differ.
 * @param {Run} left
 * @param {Run} right
 * @param {[number, number]} moment
 * @returns {Difference[]}
 */
export function differences(left, right, [one, other]) {
  const [a, b] = [comparableFacts(left, one), comparableFacts(right, other)];
  const keys = [...new Set([...a.keys(), ...b.keys()])];
  return keys
    .filter((what) => a.get(what) !== b.get(what))
    .map((what) => ({ what, left: a.get(what) ?? "–", right: b.get(what) ?? "–" }));
}

/** The most bytes that saved tensors held at once until a step. */
export function peakBy(state, step) {
  const track = state.track("program", "bytes");
  let peak = 0;
  for (let i = 0; track && i < track.steps.length && track.steps[i] <= step; i++)
    peak = Math.max(peak, track.values[i]);
  return peak;
}

function nodesBy(scene, state, step) {
  return scene.boxes.filter((box) => box.kind === "node" && valueAt(state.track(box.id, "state"), step) !== null)
    .length;
}

const MOST = 4_000_000;

/**
 * @typedef {{left: number|null, right: number|null, same: boolean}} Row  line numbers from 1; both where a line changed
 * @typedef {[number, number]} Moment  the step of each
 */

/** The longest common subsequence of two lists, as pairs of places.
 * @param {any[]} left
 * @param {any[]} right
 * @returns {[number, number][]}
 */
export function longestCommonSubsequence(left, right) {
  const width = right.length + 1;
  const table = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      table[i * width + j] =
        left[i] === right[j]
          ? table[(i + 1) * width + j + 1] + 1
          : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i++;
    else j++;
  }
  return pairs;
}

/** Two programs line by line: what is the same, what was changed, what only one of them has.
 * @param {string} left
 * @param {string} right
 * @returns {Row[]}
 */
export function lineRows(left, right) {
  const [one, other] = [left, right].map((text) => text.trimEnd().split("\n"));
  const rows = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...longestCommonSubsequence(one, other), [one.length, other.length]]) {
    while (i < a || j < b) rows.push({ left: i < a ? ++i : null, right: j < b ? ++j : null, same: false });
    if (a < one.length && b < other.length) rows.push({ left: ++i, right: ++j, same: true });
  }
  return rows;
}

/** The moments of two runs, from before the first step to the last of both.
 * @param {{source: string, steps: {kind: string, line: number}[]}} left
 * @param {{source: string, steps: {kind: string, line: number}[]}} right
 * @returns {Moment[]}
 */
export function momentsOf(left, right) {
  const rows = lineRows(left.source, right.source);
  const row = (side) => new Map(rows.flatMap((each, i) => (each[side] === null ? [] : [[each[side], i]])));
  const signsOf = ({ steps }, rowOf) => steps.map(({ kind, line }) => `${kind} ${rowOf.get(line) ?? 0}`);
  const signs = [signsOf(left, row("left")), signsOf(right, row("right"))];
  const lasts = [left.steps.length - 1, right.steps.length - 1];
  if (signs[0].length * signs[1].length > MOST) return proportionalMoments(lasts[0], lasts[1]);
  /** @type {Moment[]} */
  const moments = [[0, 0]];
  let [i, j] = [0, 0];
  for (const [a, b] of [
    ...longestCommonSubsequence(signs[0].slice(1), signs[1].slice(1)).map(([x, y]) => [x + 1, y + 1]),
    [lasts[0] + 1, lasts[1] + 1],
  ]) {
    while (i + 1 < a || j + 1 < b)
      moments.push([(i = Math.min(i + 1, Math.max(i, a - 1))), (j = Math.min(j + 1, Math.max(j, b - 1)))]);
    if (a <= lasts[0] && b <= lasts[1]) moments.push([(i = a), (j = b)]);
  }
  return moments;
}

/** Runs too long to be compared step by step go at their own pace and end together. @returns {Moment[]} */
function proportionalMoments(one, other) {
  const last = Math.max(one, other);
  return Array.from({ length: last + 1 }, (_, k) => [Math.round((one * k) / last), Math.round((other * k) / last)]);
}

/** The moment at which one side is at a step; of several the nearest to `now`.
 * @param {Moment[]} moments
 * @param {0|1} side
 * @param {number} step
 * @param {number} now
 * @returns {number}
 */
export function momentAt(moments, side, step, now) {
  let best = now;
  let distance = Infinity;
  moments.forEach((moment, k) => {
    if (moment[side] !== step || Math.abs(k - now) >= distance) return;
    [best, distance] = [k, Math.abs(k - now)];
  });
  return best;
}
