/**
 * Values after the lines that made them: for each name, what it stands for at this step, beside the line that bound it last.
 * Pure.
 */

import { short } from "../lib/format.js";
import { indexAt, valueAt } from "../scene/state.js";

const EACH = 22;
const MOST = 2;

/** @param {{state: any, scene: any, step: number, names: any[]}} moment
 * @returns {{line: number, text: string}[]} at most a few names a line, the latest
 */
export function valuesAt({ state, scene, step, names }) {
  const lines = new Map();
  const source = scene.source.split("\n");
  for (const { key, name, tensor, text } of names) {
    if (/[.[]/.test(name)) continue;
    const at = boundAt(state, key, step);
    const line = at > 0 ? scene.steps[at].line : null;
    if (!line || !says(source[line - 1], name)) continue;
    const value = tensor === null ? text : said(scene.values[valueAt(state.track(tensor, "value"), step)]);
    if (value === null || value === "") continue;
    if (!lines.has(line)) lines.set(line, []);
    lines.get(line).push({ at, name, value });
  }
  return [...lines].map(([line, list]) => ({ line, text: beside(source[line - 1] ?? "", list.sort((a, b) => a.at - b.at).slice(-MOST)) }));
}

/** Whether a line speaks of a name; in a long run what was bound on one line is told with the next. */
function says(code, name) {
  return (code ?? "").split(/[^\p{L}\p{N}_]+/u).includes(name);
}

/** A line that begins with the one name it binds need not hear it again. */
function beside(code, list) {
  if (list.length === 1 && code.trimStart().startsWith(`${list[0].name} `)) return `= ${list[0].value}`;
  return list.map(({ name, value }) => `${name} = ${value}`).join(", ");
}

/** The last step up to this one at which a name was bound to something. */
function boundAt(state, key, step) {
  const last = (track) => (track ? track.steps[indexAt(track.steps, step)] ?? 0 : 0);
  return Math.max(last(state.track(key, "tensor")), last(state.track(key, "text")));
}

function said(value) {
  return value ? short(value, EACH) : null;
}
