/**
 * What is selected, on the page: a node, a leaf, a tensor behind a name, a folded group; and how gradients add up. What is
 * said comes from inspection.js.
 */

import { differs, element } from "../lib/dom.js";
import { short, title } from "../lib/format.js";
import { fits, gapOf, gridOf, spreadOf } from "./heatmap.js";
import { historyOf, leafFacts, milestones, namesOf, nodeFacts, tensorFacts } from "./inspection.js";
import { callAt, leafName } from "../scene/moment.js";
import { renew } from "../lib/renewing.js";
import { indexAt } from "../scene/state.js";

const WRITES = 6;
const WAITING = 8;

/** @param {HTMLElement} head @param {HTMLElement} root
 * @param {import("./inspection.js").Moment} moment
 * @param {{onSeek: (step: number) => void, onFold: (id: string) => void, onSelect: (id: string) => void}} actions
 */
export function showInspector(head, root, moment, actions) {
  const { scene, tree, selected } = moment;
  const box = scene.box.get(selected);
  const tensor = scene.tensor.get(selected);
  const group = tree.groups.get(selected);
  if (box) {
    head.textContent = box.kind === "leaf" ? `AccumulateGrad ${leafName(moment.state, box, moment.step) ?? ""}` : `${box.name}${box.nr === null ? "" : ` #${box.nr}`}`;
    const facts = box.kind === "leaf" ? leafFacts(box, moment) : nodeFacts(box, moment);
    const grads = box.kind === "leaf" ? history("grad, change by change", box.id, "grad", moment, actions) : null;
    renew(root, card(...facts.map(row), grads, jumpsOf(box, moment, actions)));
  } else if (tensor) {
    head.textContent = `Tensor ${namesOf(tensor.id, moment).join(", ")}`;
    renew(root, card(...tensorParts(tensor, moment, actions)));
  } else if (group) {
    head.textContent = group.title;
    const open = moment.folded.has(group.id) ? "unfold" : "fold";
    const facts = [{ key: "holds", value: `${group.boxes.length} nodes` }, { key: "line", value: String(group.line ?? "—") }];
    renew(root, card(...facts.map(row), jumps([[open, () => actions.onFold(group.id)]])));
  } else {
    head.textContent = "Selected";
    renew(root, element("p", { class: "quiet", text: "(click a card or a name)" }));
  }
}

function card(...parts) {
  return element("div", { class: "card" }, ...parts);
}

/** @param {import("./inspection.js").Fact} fact */
function row({ key, value, changed, slot, note }) {
  return element("div", { class: changed ? "row changed" : "row", "data-slot": slot, title: note ?? (changed ? "changed at this step" : null) },
    element("span", { text: key }), element("span", { text: value }));
}

function jumps(list) {
  return element("div", { class: "jumps" }, ...list.map(([text, onclick]) => element("button", { text, onclick })));
}

function jumpsOf(box, { state, step, tree, folded }, { onSeek, onFold }) {
  const buttons = milestones(box, state, step).map(([word, at]) => [`${word}: step ${at}`, () => onSeek(at)]);
  const group = tree.groupOf.get(box.id);
  if (group) buttons.push([`${folded.has(group) ? "unfold" : "fold"} ${tree.groups.get(group).title}`, () => onFold(group)]);
  return jumps(buttons);
}

function tensorParts(tensor, moment, actions) {
  const { state, scene, step } = moment;
  const index = state.at(tensor.id, "value", step);
  const box = scene.box.get(state.at(tensor.id, "box", step));
  return [
    index === null ? null : picture(scene.values[index]),
    ...tensorFacts(tensor, moment).map(row),
    history("versions", tensor.id, "version", moment, actions, (version) => `version ${version}`),
    history("grad, change by change", tensor.id, "grad", moment, actions),
    ...gradParts(state.at(tensor.id, "grad", step), scene),
    box && jumps([[box.kind === "leaf" ? `gradient gathered in ${title(box)}` : `made by ${title(box)}`, () => actions.onSelect(box.id)]]),
  ];
}

/** A gradient that does not fit into a line, as its tensor is shown. */
function gradParts(index, scene) {
  const value = index === null ? null : scene.values[index];
  const shown = value?.shape.length ? picture(value) : null;
  return shown ? [element("h4", { text: "grad" }), shown] : [];
}

/** The contents of a tensor: shaded numbers, or bars where they are too many. */
function picture(value) {
  const grid = gridOf(value);
  if (grid) return heat(grid, gapOf(value));
  const spread = spreadOf(value);
  return spread && bars(spread, fits(value) ? "of so many moments, only the last were sent number by number" : null);
}

/** @param {number} many  rows that make one matrix */
function heat(grid, many) {
  const cell = ({ text, shade, odd }) => element("td", {
    class: odd ? "odd" : shade < 0 ? "less" : "more", style: `--shade:${Math.round(Math.abs(shade) * 55)}%`, text,
  });
  return element("div", { class: "heat", tabindex: 0, role: "group", "aria-label": "values" },
    element("table", {}, element("tbody", {}, ...grid.map((cells, i) => element("tr", { class: i && i % many === 0 ? "next" : null }, ...cells.map(cell))))));
}

/** @param {string|null} note  why there are bars and not numbers, where one would expect numbers */
function bars({ least, most, bars: counts }, note) {
  const top = Math.max(...counts, 1);
  const words = `${short({ shape: [], whole: true, data: least })} to ${short({ shape: [], whole: true, data: most })}`;
  return element("figure", { class: "bars" },
    element("div", { role: "img", "aria-label": `how the values are spread, ${words}` },
      ...counts.map((count) => element("i", { style: `height:${Math.round((count / top) * 100)}%`, title: String(count) }))),
    element("figcaption", { text: words }), note && element("figcaption", { text: note }));
}

/** The changes of a property up to this step, the last few of them, each a way to its step. */
function history(title, key, property, moment, { onSeek }, say = (index) => short(moment.scene.values[index], 20)) {
  const entries = historyOf(key, property, moment);
  if (entries.length < 2) return null;
  const shown = entries.slice(-WRITES);
  const line = (entry) => element("button", {
    class: "row", title: `go to step ${entry.step}`, onclick: () => onSeek(entry.step),
  }, element("span", { text: entry.line ? `line ${entry.line}` : `step ${entry.step}` }), element("span", { text: say(entry.value) }));
  const earlier = entries.length - shown.length;
  return element("div", { class: "history" }, element("h4", { text: earlier ? `${title} (the last ${WRITES} of ${entries.length})` : title }), ...shown.map(line));
}

/** The sums of a run in the order of time, to find the one that last grew. @param {any} state */
export function sumTrack(state) {
  const events = [];
  for (const key of state.keys("sum:")) {
    const track = state.track(key, "terms");
    track?.steps.forEach((step, i) => track.values[i] && events.push([step, key]));
  }
  events.sort((a, b) => a[0] - b[0]);
  return { steps: events.map(([step]) => step), keys: events.map(([, key]) => key) };
}

/** How gradients add up: at what is selected, else where one last arrived.
 * @param {HTMLElement} head @param {HTMLElement} root
 */
export function showSum(head, root, moment, sums) {
  const { state, scene, step, selected } = moment;
  const own = (scene.box.get(selected)?.adds ?? []).find((key) => state.at(key, "terms", step));
  const key = own ?? recent(sums, state, step);
  const box = key && scene.box.get(key.split(":")[1]);
  head.hidden = root.hidden = !box;
  if (!box) return;
  head.textContent = `Adding up at ${title(box)}`;
  const lines = termsOf(box, key, moment);
  if (!differs(root, lines)) return;
  renew(root, element("div", { class: "card sum" }, ...lines.map((line) => element("div", { class: line.total ? "total" : "" },
    element("span", { text: line.sign }), element("span", { text: line.value }), element("span", { text: line.from })))));
}

function recent(sums, state, step) {
  for (let i = indexAt(sums.steps, step); i >= 0 && i > indexAt(sums.steps, step) - 40; i--) {
    const terms = state.at(sums.keys[i], "terms", step);
    if (terms?.length > 1 || (terms && sums.keys[i])) return sums.keys[i];
  }
  return null;
}

/** Whether the gradient of a wire is still to come. */
function waits(wire, state, step) {
  return state.at(wire.id, "state", step) === "idle" && ["built", "ready", "running", "failed"].includes(state.at(wire.from, "state", step));
}

function termsOf(box, key, { state, scene, step }) {
  const terms = state.at(key, "terms", step) ?? [];
  const value = (index) => short(scene.values[index], 18);
  const lines = terms.map(([from, index], i) => ({
    sign: i ? "+" : "", value: value(index), from: from ? `from ${title(scene.box.get(from))}` : from === "" ? "from those before" : "given",
  }));
  const waiting = callAt(scene, step) ? (scene.into.get(box.id) ?? []).filter((wire) => waits(wire, state, step)) : [];
  const shown = waiting.length > WAITING ? waiting.slice(0, WAITING - 1) : waiting;
  for (const wire of shown) lines.push({ sign: lines.length ? "+" : "", value: "waiting", from: `from ${title(scene.box.get(wire.from))}` });
  if (shown.length < waiting.length) lines.push({ sign: "+", value: "waiting", from: `from ${waiting.length - shown.length} more` });
  const total = state.at(key, "total", step);
  if (terms.length > 1 && total !== null) lines.push({ sign: "=", value: value(total), from: "", total: true });
  return lines;
}
