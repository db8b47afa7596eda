/**
 * What stands beside the lines of a program at a step: marks, values, notes.
 *
 * Marks are the line that runs, the loops and their iterations, and, for the node in question, the line that built it
 * and the line that freed or changed a saved tensor. Lines of silent trouble are marked, too, more gently than an
 * error. Values stand after the lines that made them. What a diagnosis says of a line comes as a note, for whoever
 * points at the line, or goes to it with the keys: a row that has one carries its line as `data-told`.
 */

import { element } from "../lib/dom.js";
import { formatShort, titleOf } from "../lib/format.js";
import { writeMarked } from "../lib/markdown.js";
import { firstStepOf, isError, sentencesByLine } from "../scene/diagnosis.js";
import { indexAt, valueAt } from "../scene/state.js";

/** @import { Moment } from "../scene/types.js" */

/** @param {Moment} moment
 * @returns {{line: number, kind?: "now"|"bad"|"born"|"kill"|"loop"|"odd", text?: string, brief?: string, below?:
 *   string, note?: string[]}[]}
 */
export function marksAt({ state, scene, step, selected }) {
  const marks = [];
  const line = state.at("program", "line", step);
  const diagnoses = scene.diagnoses.filter((item) => step >= firstStepOf(item, state.last));
  const diagnosis = diagnoses.findLast(isError);
  const failed = scene.outcome.kind !== "finished" && step >= state.last ? scene.outcome.line ?? line : null;
  for (const [loop, turn, of] of state.at("program", "loops", step) ?? [])
    marks.push(
      of === null
        ? { line: loop, kind: "loop", text: `iteration ${turn}` }
        : { line: loop, kind: "loop", text: `iteration ${turn} of ${of}`, brief: `${turn} of ${of}` },
    );
  const box = scene.box.get(diagnosis ? diagnosis.nodes[0] : selected);
  if (diagnosis)
    marks.push(...diagnosisMarks(diagnosis, box), ...storyMarks(diagnosis), ...raisedMarks(diagnosis, failed));
  else marks.push(...diagnoses.flatMap(troubleMarks));
  if (!diagnosis && box && box.kind !== "leaf") marks.push(...lifetimeMarks(box, { state, scene, step, line }));
  if (failed !== null) marks.push({ line: failed, kind: "bad", below: errorOf(scene.outcome) });
  else if (line !== null) marks.push({ line, kind: "now" });
  return marks;
}

/** What the story of an error says of its lines. */
const storyMarks = ({ story }) => [...sentencesByLine(story ?? [])].map(([line, note]) => ({ line, note }));

/** The line of an error after which the run went on, as a transcript does. */
const raisedMarks = ({ lines, message }, failed) =>
  failed === null && lines?.raised
    ? [{ line: lines.raised, kind: "bad", below: errorOf({ kind: "raised", type: null, message }) }]
    : [];

/** The lines that silent trouble came about on: those that its story speaks of, and those that the first fix edits. */
function troubleMarks({ story, lines }) {
  const told = sentencesByLine(story ?? []);
  const edits = EDITS.map(({ role }) => lines?.[role]).filter((line) => line && !told.has(line));
  return [
    ...[...told].map(([line, note]) => ({ line, kind: "odd", text: "!", note })),
    ...edits.map((line) => ({ line, kind: "odd", text: EDIT })),
  ];
}

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
const EDIT = "the edit";
/** The lines that the first fix edits, where nothing else is said of them.
 * @type {{role: string, kind: "born"|"kill", word: string, after?: string}[]}
 */
const EDITS = ["edit", "edit_2", "edit_3"].map((role) => ({ role, kind: "born", word: EDIT }));
/** What the lines of a diagnosis did, by their role in it; `after` is the step that did it, where the line tells of
 * one.
 */
const ROLES = [
  { role: "built", kind: "born", word: MADE },
  { role: "saved", kind: "born", word: MADE },
  { role: "freed_by", kind: "kill", word: "freed it", after: "freed" },
  { role: "changed", kind: "kill", word: "changed it", after: "changed" },
  { role: "cut", kind: "kill", word: "the graph ends here" },
  ...EDITS,
];

/** The lines that led to an error, each with what it did: a node is named beside the line that built it. What would
 * only have been changed was not.
 */
function diagnosisMarks({ kind: what, lines, steps }, box) {
  const roles = ROLES.filter(({ role }) => lines?.[role] && (role !== "changed" || steps?.changed !== undefined));
  const marks = roles.map(({ role, kind, word, after }) => {
    const line = lines[role];
    if (role === "built" && box?.line === line) return { line, kind, text: `built ${titleOf(box)}` };
    if (role === "saved" && what === "saved_modified") return { line, kind, text: "made what it saved" };
    const step = steps?.[after];
    return step ? { line, kind, text: `${word} at step ${step}`, brief: word } : { line, kind, text: word };
  });
  const saysMore = ({ line }) => marks.some((other) => other.line === line && other.text !== MADE);
  return marks.filter((mark) => mark.text !== MADE || !saysMore(mark));
}

function lifetimeMarks(box, { state, scene, step, line }) {
  const marks = [];
  const built = state.when(box.id, "state", ["built"]);
  if (built === null || built > step) return marks;
  if (box.line !== null && box.line !== line)
    marks.push({ line: box.line, kind: "born", text: `built ${titleOf(box)}` });
  const freed = box.slots
    .map((slot) => state.when(box.id, `slot:${slot.name}`, ["freed"]))
    .filter((at) => at !== null && at <= step);
  if (!freed.length) return marks;
  const at = Math.min(...freed);
  if (scene.steps[at].line)
    marks.push({ line: scene.steps[at].line, kind: "kill", text: `freed it at step ${at}`, brief: "freed it" });
  return marks;
}

const EACH = 22;
const MOST_VALUES = 2;

/** @param {Moment} moment
 * @returns {{line: number, text: string}[]} at most a few names a line, the latest
 */
export function valuesAt({ state, scene, step, names }) {
  const lines = new Map();
  const source = scene.source.split("\n");
  for (const { key, name, tensor, text } of names) {
    if (/[.[]/.test(name)) continue;
    const at = boundAt(state, key, step);
    const line = at > 0 ? scene.steps[at].line : null;
    if (!line || !mentions(source[line - 1], name)) continue;
    const value = tensor === null ? text : formatValue(scene.values[valueAt(state.track(tensor, "value"), step)]);
    if (value === null || value === "") continue;
    if (!lines.has(line)) lines.set(line, []);
    lines.get(line).push({ at, name, value });
  }
  return [...lines].map(([line, list]) => ({
    line,
    text: formatValues(source[line - 1] ?? "", list.sort((a, b) => a.at - b.at).slice(-MOST_VALUES)),
  }));
}

/** Whether a line speaks of a name; in a long run what was bound on one line is told with the next. */
function mentions(code, name) {
  return (code ?? "").split(/[^\p{L}\p{N}_]+/u).includes(name);
}

/** A line that begins with the one name it binds need not hear it again. */
function formatValues(code, list) {
  if (list.length === 1 && code.trimStart().startsWith(`${list[0].name} `)) return `= ${list[0].value}`;
  return list.map(({ name, value }) => `${name} = ${value}`).join(", ");
}

/** The last step up to this one at which a name was bound to something. */
function boundAt(state, key, step) {
  const last = (track) => (track ? track.steps[indexAt(track.steps, step)] ?? 0 : 0);
  return Math.max(last(state.track(key, "tensor")), last(state.track(key, "text")));
}

function formatValue(value) {
  return value ? formatShort(value, EACH) : null;
}

/** Pixels between a row and its note, and those that a note needs to stand beside the code: with fewer it stands under
 * the row.
 */
const GAP = 8;
const WIDE = 320;

/** @param {HTMLElement} host  the pane of the code, inside the player */
export function createNote(host) {
  const note = element("div", { class: "note", role: "status", "data-testid": "note", hidden: true });
  const root = host.closest(".gradreel") ?? host;
  root.append(note);
  /** @type {Map<number, string[]>} */
  let notes = new Map();
  let shown = null;

  const rowOf = (node) => (node instanceof Element ? node : node?.parentElement)?.closest("[data-told]") ?? null;
  const hide = () => {
    note.hidden = true;
    shown = null;
  };
  /** Tell of the row that something is in, or of none. @param {Node|null} node */
  const show = (node) => {
    const row = rowOf(node);
    const line = Number(row?.dataset.told);
    const sentences = notes.get(line);
    if (!sentences) return hide();
    if (shown?.line === line) return;
    shown = { line, sentences };
    note.replaceChildren(...sentences.map((sentence) => {
      const paragraph = element("p");
      writeMarked(paragraph, sentence);
      return paragraph;
    }));
    note.hidden = false;
    place(row.getBoundingClientRect());
  };
  const place = (row) => {
    const [around, pane] = [root.getBoundingClientRect(), host.getBoundingClientRect()];
    const beside = around.right - pane.right >= WIDE;
    const [left, top] = beside ? [pane.right + GAP, row.top] : [pane.left + GAP, row.bottom + GAP / 2];
    const highest = around.bottom - note.offsetHeight - GAP;
    Object.assign(note.style, {
      left: `${left - around.left}px`,
      top: `${Math.max(0, Math.min(top, highest) - around.top)}px`,
    });
  };
  // Rows may move under a mouse that does not: that points at nothing.
  host.addEventListener("mousemove", (event) => {
    if (event.movementX || event.movementY) show(/** @type {Node} */ (event.target));
  });
  host.addEventListener("mouseleave", hide);
  host.addEventListener("focusin", (event) => show(/** @type {Node} */ (event.target)));
  host.addEventListener("focusout", hide);
  host.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  root.addEventListener("scroll", hide, { capture: true });

  return {
    show,
    /** What is said from now on. @param {{line: number, note?: string[]}[]} marks */
    set(marks) {
      notes = new Map();
      for (const { line, note = [] } of marks)
        if (note.length) notes.set(line, [...new Set([...(notes.get(line) ?? []), ...note])]);
      if (shown && JSON.stringify(notes.get(shown.line)) !== JSON.stringify(shown.sentences)) hide();
    },
    destroy: () => {
      root.removeEventListener("scroll", hide, { capture: true });
      note.remove();
    },
  };
}
