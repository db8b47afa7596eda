/**
 * The panels beside the picture: the names that are bound now, the leaves and their gradients, what was printed, and what
 * happened: the diagnosis of an error, or the backward calls. Each panel is a function from a moment to elements.
 */

import { differs, element } from "./dom.js";
import { number, shape, short, title } from "./format.js";
import { write } from "./marks.js";
import { gathered } from "./naming.js";
import { callAt, gradientsAt, present, printedAt } from "./moment.js";
import { renew } from "./renewing.js";

const CALLS = 6;
const LEAVES = 80;

/** Fill an element with pills, one a name, grouped by the function they live in.
 * @param {HTMLElement} root
 * @param {any} moment  {state, scene, step, names, selected}
 * @param {(tensor: string) => void} onSelect
 */
export function showNames(root, moment, onSelect) {
  const { state, step } = moment;
  const frames = state.at("program", "frames", step) ?? [];
  const inner = moment.names.reduce((most, name) => Math.max(most, name.scope), 0);
  const names = gathered(moment.names, inner);
  const texts = names.map((name) => (name.more ? `${name.more} more parts` : nameText(name, moment)));
  if (!differs(root, [names, texts, frames, names.map((name) => name.tensor && moment.selected === name.tensor)])) return;
  if (!names.length) return root.replaceChildren(nothing("(none yet)"));
  names.forEach((name, i) => {
    const there = root.children[i];
    const pill = pillLike(there, name.tensor ? "button" : "span");
    const [whose, called, what] = pill.childNodes;
    put(whose, name.scope ? `${name.scope === inner ? frames.at(-1)?.[0] ?? "call" : "call"}: ` : "");
    put(called, name.name);
    put(what, ` ${texts[i]}`);
    pill.onclick = name.tensor ? () => onSelect(name.tensor) : null;
    if (name.tensor) pill.setAttribute("aria-pressed", String(moment.selected === name.tensor));
    if (!there) root.append(pill);
    else if (pill !== there) there.replaceWith(pill);
  });
  while (root.children.length > names.length) root.lastChild.remove();
}

/** The pill that is there already, if it is such an element, else a new one: from step to step little of a pill changes. */
function pillLike(there, tag) {
  if (there?.localName === tag) return there;
  const pill = element(tag, { class: "pill" }, element("s"));
  pill.append(document.createTextNode(""), element("s"));
  return pill;
}

function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** What a name's pill adds to the name: a number, a shape, where it comes from, its version where that matters. */
function nameText(name, { state, scene, step }) {
  if (name.tensor === null) return name.text ?? "";
  const tensor = scene.tensor.get(name.tensor);
  const index = state.at(name.tensor, "value", step);
  const value = index === null ? null : scene.values[index];
  const parts = [tensor?.shape.length === 0 && value?.whole ? number(value.data) : shape(tensor?.shape ?? [])];
  const box = scene.box.get(state.at(name.tensor, "box", step));
  const version = state.at(name.tensor, "version", step) ?? 0;
  if (box?.kind === "node") parts.push(`from ${title(box)}`);
  if (version > 0 || (state.at(name.tensor, "requires_grad", step) && box?.kind !== "node")) parts.push(`v${version}`);
  return parts.filter(Boolean).join(" ");
}

/** For each panel of leaves which rows stand in it, and where their gradients are told: a gradient changes, its row stays. */
const leafRows = new WeakMap();

/** A row for each leaf: its gradient, and what is still to come. */
export function showLeaves(root, moment, onSelect) {
  const { state, scene, step, names } = moment;
  const found = gradientsAt(state, scene, names, step);
  const shown = found.slice(0, LEAVES);
  const calling = callAt(scene, step) !== null;
  const told = shown.map(({ grad, now }) => {
    const arrived = now?.expected && calling ? ` · ${now.arrived ?? 0} of ${now.expected} arrived` : "";
    return (grad === null ? "None" : short(scene.values[grad], 18)) + arrived;
  });
  const which = JSON.stringify(found.map(({ id, name }) => [id, name]));
  if (leafRows.get(root)?.which !== which) {
    const grads = shown.map(() => element("span"));
    leafRows.set(root, { which, grads });
    const rows = shown.map(({ id, name }, i) => element("button", { class: "row", onclick: () => onSelect(id) }, element("span", { text: `${name}.grad` }), grads[i]));
    if (found.length > LEAVES) rows.push(nothing(`and ${found.length - LEAVES} more`));
    root.replaceChildren(...(rows.length ? rows : [nothing("(no leaf is used yet)")]));
  }
  leafRows.get(root).grads.forEach((grad, i) => put(grad, told[i]));
}

/** @param {HTMLElement} root */
export function showPrinted(root, { scene, step }) {
  const text = printedAt(scene, step);
  if (!differs(root, text)) return;
  root.replaceChildren(text ? element("pre", { class: "printed", text }) : nothing("(nothing)"));
  root.scrollTop = root.scrollHeight;
}

/** What happened: every diagnosis told once its step is reached, the error, the backward calls so far.
 * @param {HTMLElement} root
 * @param {any} moment
 * @param {{onSeek: (step: number) => void, onMend: ((mend: any) => void)|null|undefined, tried?: any, onBack?: () => void}} actions
 */
export function showStory(root, { state, scene, step }, { onSeek, onMend, tried, onBack }) {
  const parts = tried && onBack ? [triedCard(tried, onBack)] : [];
  const raised = scene.outcome.kind !== "finished";
  for (const diagnosis of scene.diagnoses) {
    const at = diagnosis.steps?.raised ?? diagnosis.steps?.seen ?? state.last;
    if (step >= at) parts.push(diagnosisCard(diagnosis, raised, { onSeek, onMend }));
    else parts.push(element("button", { class: "ahead", onclick: () => onSeek(at) }, `${raised ? "✖" : "!"} ${diagnosis.title}, at step ${at}`));
  }
  if (raised && !scene.diagnoses.length && step >= state.last) parts.push(errorCard(scene.outcome));
  parts.push(...callRows(scene.calls, step, onSeek));
  if (!raised && !scene.unrun && step >= state.last) parts.push(element("p", { class: "quiet", text: scene.mode === "transcript" ? "✓ The transcript was run to its end." : "✓ The program finished." }));
  renew(root, ...(parts.length ? parts : [nothing("(nothing has run backward yet)")]));
}

/** The step at which something was freed, changed, cut off or born: what there is to see. */
const CULPRITS = [["freed", "the step that freed it"], ["changed", "the step that changed it"], ["cut", "the step that cut it off"], ["born", "the step where it was born"], ["built", "the step that built it"]];

function diagnosisCard(diagnosis, raised, { onSeek, onMend }) {
  const card = element("div", { class: `card ${raised ? "err" : "warn"}` });
  card.append(element("h3", { text: `${raised ? "✖" : "!"} ${diagnosis.title}` }));
  for (const paragraph of diagnosis.story ?? []) {
    const line = element("p");
    write(line, paragraph);
    card.append(line);
  }
  const culprit = CULPRITS.find(([role]) => diagnosis.steps?.[role] !== undefined);
  if (culprit) {
    const [role, what] = culprit;
    card.append(element("p", {}, element("button", { text: `Show me ${what}`, "data-testid": "show-me", onclick: () => onSeek(diagnosis.steps[role]) })));
  }
  const mends = (diagnosis.mends ?? []).map((mend, i) => mendRow(mend, onMend, i === 0));
  if (mends.length) card.append(element("h4", { text: "What mends it: each was run" }), ...mends);
  if (diagnosis.message) {
    const said = element("details", {}, element("summary", { text: "what PyTorch says" }), element("p", { class: "said", text: diagnosis.message }));
    card.append(said);
  }
  return card;
}

/** A mend: what it does and costs, the difference it makes, and a way to try it; the best one stands open. */
function mendRow(mend, onMend, open) {
  const row = element("details", { class: "mend", open, "data-testid": "mend" }, element("summary", { text: mend.title }));
  row.append(element("p", { class: "quiet", text: `Cost: ${mend.cost}.` }), difference(mend.diff));
  if (onMend) row.append(element("button", { text: "Try it", "data-testid": "try-it", onclick: () => onMend(mend) }));
  return row;
}

/** A diff, its lines marked by sign and colour; what does not fit beside its sign and indentation goes on below, further in. */
function difference(diff) {
  const lines = diff.split("\n").filter((line) => !line.startsWith("@@"));
  return element("pre", { class: "diff" }, ...lines.map(differenceLine));
}

function differenceLine(line) {
  const [lead] = line.match(/^.?\s*/);
  const row = element("span", { "data-sign": line[0] ?? " " }, element("span", { class: "lead", text: lead }), `${line.slice(lead.length)}\n`);
  row.style.setProperty("--lead", lead.length);
  return row;
}

/** What was tried last, with one click back to the program before. */
function triedCard(tried, onBack) {
  const card = element("div", { class: "card tried", "data-testid": "tried" }, element("h3", { text: `Tried: ${tried.title}` }));
  card.append(difference(tried.diff), element("button", { text: "Back to the program before", "data-testid": "back", onclick: onBack }));
  return card;
}

const HEADS = { raised: "✖ The program raised an error", refused: "✖ This program cannot be run here", stopped: "✖ The run was stopped" };

function errorCard({ kind, type, message, line }) {
  const card = element("div", { class: "card err" }, element("h3", { text: HEADS[kind] ?? "✖ The run ended early" }));
  if (line) card.append(element("p", {}, "On ", element("b", { text: `line ${line}` }), ":"));
  const named = kind === "raised" || /Error$/.test(type ?? "");
  card.append(element("p", { class: "said", text: [named && type, message].filter(Boolean).join(": ") }));
  return card;
}

/** The backward calls; of many, those near this step. */
function callRows(calls, step, onSeek) {
  const here = calls.findLastIndex((call) => call.from <= step);
  const first = calls.length <= CALLS ? 0 : Math.max(0, Math.min(here - 2, calls.length - CALLS));
  const shown = calls.slice(first, first + CALLS).map((call) => callRow(call, step, onSeek));
  const rest = calls.length - shown.length;
  return rest ? [...shown, nothing(`and ${rest} more backward calls`)] : shown;
}

function callRow(call, step, onSeek) {
  const when = callWhen(call, step);
  const flags = call.create_graph ? ["create_graph"] : call.retain_graph ? ["retain_graph"] : [];
  const row = element("button", { class: "row call", "data-when": when, title: call.text ?? "", onclick: () => onSeek(call.from) });
  row.append(element("span", { text: `call ${call.id} · line ${call.line}` }), element("span", { text: [...flags, when].join(" · ") }));
  return row;
}

function callWhen(call, step) {
  if (step < call.from) return "later";
  if (step < (call.to ?? Infinity)) return "runs now";
  return call.failed ? "failed" : "done";
}

/** What stands in the place of the graph while there is none.
 * @param {HTMLElement} root
 * @param {any} moment
 * @param {(step: number) => void} onSeek
 */
export function showBare(root, { state, scene, step }, onSeek) {
  const there = scene.boxes.some((box) => present(state.at(box.id, "state", step)));
  root.hidden = there;
  if (there) return;
  const gone = Math.max(-1, ...scene.boxes.map((box) => state.when(box.id, "state", ["released"]) ?? -1));
  if (scene.unrun) root.replaceChildren("Nothing has run yet.");
  else if (!scene.boxes.length) root.replaceChildren(scene.outcome.kind === "refused" ? "The program did not run." : "This program builds no backward graph.");
  else if (gone < 0 || step < gone) root.replaceChildren("No backward graph yet.");
  else root.replaceChildren("Nothing is left of the backward graph: no name holds it.", element("br"),
    element("button", { text: `the moment before it went: step ${gone - 1}`, onclick: () => onSeek(gone - 1) }));
}

/** @param {string} text */
export function nothing(text) {
  return element("p", { class: "quiet", text });
}
