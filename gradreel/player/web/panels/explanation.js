/**
 * What happened, as a panel: each diagnosis with the fixes that were run, a line for each; an error that nobody
 * explains; the backward calls.
 */

import { element, reconcile } from "../lib/dom.js";
import { writeMarked } from "../lib/markdown.js";
import { firstStepOf, isError } from "../scene/diagnosis.js";
import { nothing } from "./variables.js";

/** @import { Fix, Moment } from "../scene/types.js" */

const CALLS = 6;

/** What happened: every diagnosis told once its step is reached, the error, the backward calls so far.
 * @param {HTMLElement} root
 * @param {Moment} moment
 * @param {{onSeek: (step: number) => void, onFix: ((fix: Fix) => void)|null|undefined, onCompare?: ((fix: Fix) =>
 *   void)|null, tried?: Fix|null, onBack?: () => void, onMeaning?: () => void, withheld?: boolean}} how  `withheld`:
 *   nothing is told of what is ahead
 */
export function showExplanation(root, { state, scene, step }, how) {
  const { onSeek, tried, onBack, onMeaning, withheld = false } = how;
  /** @type {HTMLElement[]} */
  const parts = tried && onBack ? [triedCard(tried, onBack)] : [];
  const raised = scene.outcome.kind !== "finished";
  for (const diagnosis of scene.diagnoses) {
    const at = firstStepOf(diagnosis, state.last);
    if (step >= at) parts.push(diagnosisCard(diagnosis, how));
    else if (!withheld)
      parts.push(
        element(
          "button",
          { class: "ahead", onclick: () => onSeek(at) },
          `${signOf(diagnosis)} ${diagnosis.title}, at step ${at}`,
        ),
      );
  }
  if (raised && !scene.diagnoses.some(isError) && step >= state.last) parts.push(errorCard(scene.outcome, onMeaning));
  parts.push(...callRows(withheld ? scene.calls.filter((call) => call.from <= step) : scene.calls, step, onSeek));
  if (!raised && !scene.unrun && step >= state.last)
    parts.push(
      element("p", {
        class: "quiet",
        text: scene.mode === "transcript" ? "✓ The transcript was run to its end." : "✓ The program finished.",
      }),
    );
  reconcile(root, ...(parts.length ? parts : [nothing("(nothing has run backward yet)")]));
}

/** The step at which something was freed, changed, cut off or born: what there is to see. */
const CULPRITS = [
  ["freed", "the step that freed it"],
  ["changed", "the step that changed it"],
  ["cut", "the step that cut it off"],
  ["born", "the step where it was born"],
  ["built", "the step that built it"],
];

const signOf = (diagnosis) => (isError(diagnosis) ? "✖" : "!");

function diagnosisCard(diagnosis, actions) {
  const card = element("div", { class: `card ${isError(diagnosis) ? "err" : "warn"}` });
  card.append(element("h3", { text: `${signOf(diagnosis)} ${diagnosis.title}` }));
  for (const paragraph of diagnosis.story ?? []) {
    const line = element("p");
    writeMarked(line, paragraph);
    card.append(line);
  }
  const culprit = CULPRITS.find(([role]) => diagnosis.steps?.[role] !== undefined);
  if (culprit) {
    const [role, what] = culprit;
    card.append(
      element(
        "p",
        {},
        element("button", {
          text: `Show ${what}`,
          "data-testid": "show-me",
          onclick: () => actions.onSeek(diagnosis.steps[role]),
        }),
      ),
    );
  }
  const fixes = diagnosis.mends ?? [];
  const rows = (list) => list.map((fix) => fixRow(fix, actions));
  const [first, ...others] = rows(fixes.filter((fix) => fix.fixes));
  const apart = rows(fixes.filter((fix) => !fix.fixes));
  if (first)
    card.append(
      element("div", { class: "nearest" }, element("h4", { text: "What mends it: each was run" }), first),
      ...others,
    );
  if (apart.length) card.append(element("h4", { text: "What only ends the error: it mends nothing" }), ...apart);
  if (diagnosis.message) {
    const said = element(
      "details",
      {},
      element("summary", { text: "what PyTorch says" }),
      element("p", { class: "said", text: diagnosis.message }),
    );
    card.append(said);
  }
  return card;
}

/** A fix in a line, with ways to try it and to see it beside what it mends; opened, what it costs and the difference it
 * makes.
 */
function fixRow(fix, { onFix, onCompare }) {
  const look = () => requestAnimationFrame(() => row.scrollIntoView({ block: "nearest" }));
  const words = fix.fixes ? `Cost: ${fix.cost}.` : `The error goes; ${fix.lost}.`;
  const what = element(
    "details",
    {},
    element("summary", { text: fix.title, onclick: look }),
    element("p", { class: "quiet", text: words }),
    difference(fix.diff),
    ...outputs(fix),
  );
  const row = element("div", { class: "mend", "data-testid": "mend" }, what);
  const act = (text, testid, does, title) =>
    does &&
    element("button", {
      text,
      title,
      "aria-label": `${text}: ${fix.title}`,
      "data-testid": testid,
      onclick: () => does(fix),
    });
  row.append(
    element(
      "div",
      { class: "acts" },
      act("Try it", "try-it", onFix),
      act("Before/after", "before-after", onCompare, "the program as it is and with this fix, side by side"),
    ),
  );
  return row;
}

/** What the program printed and what the edited one prints, side by side, from where they differ. */
function outputs({ printed, prints }) {
  if (!prints && !printed) return [];
  const column = (heading, text) =>
    element("div", {}, element("p", { class: "quiet", text: heading }), element("pre", { text: text || "(nothing)" }));
  return [
    element(
      "div",
      { class: "outputs", "data-testid": "outputs" },
      column("printed", printed),
      column("prints then", prints),
    ),
  ];
}

/** A diff, its lines marked by sign and colour; what does not fit beside its sign and indentation goes on below,
 * further in.
 */
function difference(diff) {
  const lines = diff.split("\n").filter((line) => !line.startsWith("@@"));
  return element("pre", { class: "diff" }, ...lines.map(differenceLine));
}

function differenceLine(line) {
  const [lead] = line.match(/^.?\s*/);
  const row = element(
    "span",
    { "data-sign": line[0] ?? " " },
    element("span", { class: "lead", text: lead }),
    `${line.slice(lead.length)}\n`,
  );
  row.style.setProperty("--lead", lead.length);
  return row;
}

/** What was tried last, with one click back to the program before. */
function triedCard(tried, onBack) {
  const card = element(
    "div",
    { class: "card tried", "data-testid": "tried" },
    element("h3", { text: `Tried: ${tried.title}` }),
  );
  card.append(
    difference(tried.diff),
    element("button", {
      text: "Back to the program before",
      "data-testid": "back",
      "data-lands": true,
      onclick: onBack,
    }),
  );
  return card;
}

const NO_PYTHON = /^(Syntax|Indentation|Tab)Error$/;
const MESSAGE = "ErrorMessage";
const NO_PROGRAM = ["NoProgram", MESSAGE];
const HEADS = {
  raised: "✖ The program raised an error",
  refused: "✖ This program cannot be run here",
  stopped: "✖ The run was stopped",
};

/** A text that is no program: what it is, and what to do instead. */
function textCard({ type, message }, onMeaning) {
  const [what, instead] = halves(message);
  const said = element("p");
  writeMarked(said, instead);
  const card = element("div", { class: "card err" }, element("h3", { text: `✖ ${what.replaceAll("`", "")}` }), said);
  if (type === MESSAGE && onMeaning)
    card.append(
      element("p", {}, element("button", { text: "What does it mean?", "data-testid": "meaning", onclick: onMeaning })),
    );
  return card;
}

/** A sentence at its first colon outside code: `This is a diff: paste the whole file.` */
function halves(sentence) {
  const at = [...sentence.matchAll(/`[^`]*`|: /g)].find(([found]) => found === ": ")?.index;
  if (at === undefined) return [sentence, ""];
  const instead = sentence.slice(at + 2);
  return [sentence.slice(0, at), instead[0].toUpperCase() + instead.slice(1)];
}

function errorCard({ kind, type, message, line }, onMeaning) {
  if (kind === "refused" && NO_PROGRAM.includes(type)) return textCard({ type, message }, onMeaning);
  const card = element(
    "div",
    { class: "card err" },
    element("h3", {
      text: NO_PYTHON.test(type) ? "✖ This is not valid Python" : (HEADS[kind] ?? "✖ The run ended early"),
    }),
  );
  if (line) card.append(element("p", {}, "On ", element("b", { text: `line ${line}` }), ":"));
  const named = kind === "raised" || /Error$/.test(type ?? "");
  const said = element("p", { class: "said" });
  if (kind === "refused") writeMarked(said, [named && type, message].filter(Boolean).join(": "));
  else said.textContent = [named && type, message].filter(Boolean).join(": ");
  card.append(said);
  return card;
}

/** The backward calls; of many, those near this step. */
function callRows(calls, step, onSeek) {
  const here = calls.findLastIndex((call) => call.from <= step);
  const first = calls.length <= CALLS ? 0 : Math.max(0, Math.min(here - 2, calls.length - CALLS));
  const shown = calls.slice(first, first + CALLS).map((call) => callRow(call, step, onSeek));
  const later = calls.length - first - shown.length;
  return [first && nothing(`${first} earlier`), ...shown, later && nothing(`${later} more`)].filter(Boolean);
}

function callRow(call, step, onSeek) {
  const when = callWhen(call, step);
  const flags = call.create_graph ? ["create_graph"] : call.retain_graph ? ["retain_graph"] : [];
  const row = element("button", {
    class: "row call",
    "data-when": when,
    title: call.text ?? "",
    onclick: () => onSeek(call.from),
  });
  row.append(
    element("span", { text: `call ${call.id} · line ${call.line}` }),
    element("span", { text: [...flags, when].join(" · ") }),
  );
  return row;
}

function callWhen(call, step) {
  if (step < call.from) return "later";
  if (step < (call.to ?? Infinity)) return "runs now";
  return call.failed ? "failed" : "done";
}
