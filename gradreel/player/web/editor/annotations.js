/**
 * What the code pane marks at a step: the line that runs, the loops and their turns, and, for the node in question, the line
 * that built it and the line that emptied or changed what it kept. Lines of silent trouble are marked, too, more gently than
 * an error; what a diagnosis says of a line comes with it as a note. Pure.
 */

import { title } from "../lib/format.js";
import { isError, linesTold, toldFrom } from "../scene/diagnosis.js";

/** @param {any} moment  {state, scene, step, selected}
 * @returns {{line: number, kind?: "now"|"bad"|"born"|"kill"|"loop"|"odd", text?: string, brief?: string, below?: string, note?: string[]}[]}
 */
export function marksAt({ state, scene, step, selected }) {
  const marks = [];
  const line = state.at("program", "line", step);
  const told = scene.diagnoses.filter((item) => step >= toldFrom(item, state.last));
  const diagnosis = told.findLast(isError);
  const failed = scene.outcome.kind !== "finished" && step >= state.last ? scene.outcome.line ?? line : null;
  for (const [loop, turn, of] of state.at("program", "loops", step) ?? [])
    marks.push(of === null ? { line: loop, kind: "loop", text: `iteration ${turn}` } : { line: loop, kind: "loop", text: `iteration ${turn} of ${of}`, brief: `${turn} of ${of}` });
  const box = scene.box.get(diagnosis ? diagnosis.nodes[0] : selected);
  if (diagnosis) marks.push(...blame(diagnosis, box), ...noted(diagnosis), ...goneOn(diagnosis, failed));
  else marks.push(...told.flatMap(odd));
  if (!diagnosis && box && box.kind !== "leaf") marks.push(...lifeOf(box, { state, scene, step, line }));
  if (failed !== null) marks.push({ line: failed, kind: "bad", below: errorOf(scene.outcome) });
  else if (line !== null) marks.push({ line, kind: "now" });
  return marks;
}

/** What the story of an error says of its lines. */
const noted = ({ story }) => [...linesTold(story ?? [])].map(([line, note]) => ({ line, note }));

/** The line of an error after which the run went on, as a transcript does. */
const goneOn = ({ lines, message }, failed) =>
  failed === null && lines?.raised ? [{ line: lines.raised, kind: "bad", below: errorOf({ kind: "raised", type: null, message }) }] : [];

/** The lines that silent trouble came about on: those that its story speaks of. */
const odd = ({ story }) => [...linesTold(story ?? [])].map(([line, note]) => ({ line, kind: "odd", text: "!", note }));

/** Characters of an error under its line; all of it stands in the explanation. */
const MOST = 80;

/** An error in one sentence. @param {{kind: string, type: string|null, message: string|null}} outcome */
export function errorOf({ kind, type, message }) {
  const [sentence] = (message ?? "").split("\n")[0].match(/^.*?(?<!i\.e)[.!?](?=\s|$)|^.*/);
  const named = kind === "raised" || /Error$/.test(type ?? "");
  const text = [named && type, sentence].filter(Boolean).join(": ");
  const brief = text.length > MOST ? text.replace(/(?<=.{30}) \(.*/, "") : text; // what stands in brackets may go first
  return text && `✖ ${brief.length > MOST ? `${brief.slice(0, MOST).replace(/\s+\S*$/, "")} …` : brief}`;
}

const MADE = "made here";
/** What the lines of a diagnosis did, by their role in it; `after` is the step that did it, where the line tells of one. */
const ROLES = [
  { role: "built", kind: "born", word: MADE },
  { role: "saved", kind: "born", word: MADE },
  { role: "freed_by", kind: "kill", word: "freed it", after: "freed" },
  { role: "changed", kind: "kill", word: "changed it", after: "changed" },
  { role: "cut", kind: "kill", word: "the graph ends here" },
];

/** The lines that led to an error, each with what it did: a node is named beside the line that built it. What would only have
 * been changed was not.
 */
function blame({ kind: what, lines, steps }, box) {
  const told = ROLES.filter(({ role }) => lines?.[role] && (role !== "changed" || steps?.changed !== undefined));
  const marks = told.map(({ role, kind, word, after }) => {
    const line = lines[role];
    if (role === "built" && box?.line === line) return { line, kind, text: `built ${title(box)}` };
    if (role === "saved" && what === "saved_modified") return { line, kind, text: "made what it keeps" };
    const step = steps?.[after];
    return step ? { line, kind, text: `${word} at step ${step}`, brief: word } : { line, kind, text: word };
  });
  const saysMore = ({ line }) => marks.some((other) => other.line === line && other.text !== MADE);
  return marks.filter((mark) => mark.text !== MADE || !saysMore(mark));
}

function lifeOf(box, { state, scene, step, line }) {
  const marks = [];
  const built = state.when(box.id, "state", ["built"]);
  if (built === null || built > step) return marks;
  if (box.line !== null && box.line !== line) marks.push({ line: box.line, kind: "born", text: `built ${title(box)}` });
  const freed = box.slots.map((slot) => state.when(box.id, `slot:${slot.name}`, ["freed"])).filter((at) => at !== null && at <= step);
  if (!freed.length) return marks;
  const at = Math.min(...freed);
  if (scene.steps[at].line) marks.push({ line: scene.steps[at].line, kind: "kill", text: `freed it at step ${at}`, brief: "freed it" });
  return marks;
}
