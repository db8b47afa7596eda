/**
 * What is selected: a node, a leaf, a tensor behind a name; and how gradients add up. What can be said
 * of it at a step comes as facts, rows of words without a page; the inspector puts them there. A row is marked where
 * what it tells changed at this very step.
 */

import { element, hasChanged, reconcile } from "../lib/dom.js";
import { formatBytes, formatNumber, formatShort, formatSigned, titleOf } from "../lib/format.js";
import { boxAt, callAt, isPresent, leafName } from "../scene/moment.js";
import { indexAt } from "../scene/state.js";
import { fits, gapOf, gridOf, spreadOf } from "./heatmap.js";

/** @import { IndexedBox, Moment, Tensor } from "../scene/types.js" */

const WRITES = 6;
const WAITING = 8;

/** @param {HTMLElement} head @param {HTMLElement} root
 * @param {Moment} moment
 * @param {{onSeek: (step: number) => void, onFold: (id: string) => void, onSelect: (id: string) => void}} actions
 */
export function showInspector(head, root, moment, actions) {
  const { scene, selected } = moment;
  const box = scene.box.get(selected);
  const tensor = scene.tensor.get(selected);
  if (box) {
    head.textContent =
      box.kind === "leaf"
        ? `AccumulateGrad ${leafName(moment.state, box, moment.step) ?? ""}`
        : `${box.name}${box.nr === null ? "" : ` #${box.nr}`}`;
    const facts = box.kind === "leaf" ? leafFacts(box, moment) : nodeFacts(box, moment);
    const grads = box.kind === "leaf" ? history("grad, change by change", box.id, "grad", moment, actions) : null;
    reconcile(root, card(...facts.map(row), grads, jumpsOf(box, moment, actions)));
  } else if (tensor) {
    head.textContent = `Tensor ${namesOf(tensor.id, moment).join(", ")}`;
    reconcile(root, card(...tensorParts(tensor, moment, actions)));
  } else {
    head.textContent = "Selected";
    reconcile(root, element("p", { class: "quiet", text: "(click a card or a name)" }));
  }
}

function card(...parts) {
  return element("div", { class: "card" }, ...parts);
}

/** @param {Fact} fact */
function row({ key, value, changed, slot, note }) {
  return element(
    "div",
    {
      class: changed ? "row changed" : "row",
      "data-slot": slot,
      title: note ?? (changed ? "changed at this step" : null),
    },
    element("span", { text: key }),
    element("span", { text: value }),
  );
}

function jumps(list) {
  return element("div", { class: "jumps" }, ...list.map(([text, onclick]) => element("button", { text, onclick })));
}

/** @param {IndexedBox} box @param {Moment} moment @param {any} actions */
function jumpsOf(box, { state, scene, step }, { onSeek, onFold }) {
  const buttons = milestones(box, state, step).map(([word, at]) => [`${word}: step ${at}`, () => onSeek(at)]);
  const group = scene.groups.find(({ id }) => id === box.group);
  if (group) buttons.push([`fold or open ${group.title}`, () => onFold(group.id)]);
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
    box &&
      jumps([
        [
          box.kind === "leaf" ? `gradient gathered in ${titleOf(box)}` : `made by ${titleOf(box)}`,
          () => actions.onSelect(box.id),
        ],
      ]),
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
  return element(
    "div",
    { class: "heat", tabindex: 0, role: "group", "aria-label": "values" },
    element(
      "table",
      {},
      element(
        "tbody",
        {},
        ...grid.map((cells, i) => element("tr", { class: i && i % many === 0 ? "next" : null }, ...cells.map(cell))),
      ),
    ),
  );
}

/** @param {{least: number, most: number, bars: number[]}} spread
 * @param {string|null} note  why there are bars and not numbers, where one would expect numbers
 */
function bars({ least, most, bars: counts }, note) {
  const top = Math.max(...counts, 1);
  const words = `${formatNumber(least)} to ${formatNumber(most)}`;
  return element(
    "figure",
    { class: "bars" },
    element(
      "div",
      { role: "img", "aria-label": `how the values are spread, ${words}` },
      ...counts.map((count) =>
        element("i", { style: `height:${Math.round((count / top) * 100)}%`, title: String(count) }),
      ),
    ),
    element("figcaption", { text: words }),
    note && element("figcaption", { text: note }),
  );
}

/** The changes of a property up to this step, the last few of them, each a way to its step. */
function history(
  title,
  key,
  property,
  moment,
  { onSeek },
  say = (index) => formatShort(moment.scene.values[index], 20),
) {
  const entries = historyOf(key, property, moment);
  if (entries.length < 2) return null;
  const shown = entries.slice(-WRITES);
  const line = (entry) =>
    element(
      "button",
      {
        class: "row",
        title: `go to step ${entry.step}`,
        onclick: () => onSeek(entry.step),
      },
      element("span", { text: entry.line ? `line ${entry.line}` : `step ${entry.step}` }),
      element("span", { text: say(entry.value) }),
    );
  const earlier = entries.length - shown.length;
  return element(
    "div",
    { class: "history" },
    element("h4", { text: earlier ? `${title} (the last ${WRITES} of ${entries.length})` : title }),
    ...shown.map(line),
  );
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
  head.textContent = `Adding up at ${titleOf(box)}`;
  const lines = termsOf(box, key, moment);
  if (!hasChanged(root, lines)) return;
  reconcile(
    root,
    element(
      "div",
      { class: "card sum" },
      ...lines.map((line) =>
        element(
          "div",
          { class: line.total ? "total" : "" },
          element("span", { text: line.sign }),
          element("span", { text: line.value }),
          element("span", { text: line.from }),
        ),
      ),
    ),
  );
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
  return (
    state.at(wire.id, "state", step) === "idle" &&
    ["built", "ready", "running", "failed"].includes(state.at(wire.from, "state", step))
  );
}

function termsOf(box, key, { state, scene, step }) {
  const terms = state.at(key, "terms", step) ?? [];
  const value = (index) => formatShort(scene.values[index], 18);
  const lines = terms.map(([from, index], i) => ({
    sign: i ? "+" : "",
    value: value(index),
    from: from ? `from ${titleOf(scene.box.get(from))}` : from === "" ? "from those before" : "given",
  }));
  const waiting = callAt(scene, step) ? (scene.into.get(box.id) ?? []).filter((wire) => waits(wire, state, step)) : [];
  const shown = waiting.length > WAITING ? waiting.slice(0, WAITING - 1) : waiting;
  for (const wire of shown)
    lines.push({ sign: lines.length ? "+" : "", value: "waiting", from: `from ${titleOf(scene.box.get(wire.from))}` });
  if (shown.length < waiting.length)
    lines.push({ sign: "+", value: "waiting", from: `from ${waiting.length - shown.length} more` });
  const total = state.at(key, "total", step);
  if (terms.length > 1 && total !== null) lines.push({ sign: "=", value: value(total), from: "", total: true });
  return lines;
}

/** @typedef {{key: string, value: string, changed?: boolean, slot?: string, note?: string|null}} Fact */

const ROOM = 24;
const HOLDERS = 6;
const RUNS = 4;

/** How a gradient came into `.grad`, in words. */
const STORED = {
  taken: "as it came",
  copied: "as a copy",
  in_place: "added in place",
  anew: "added, as a new tensor",
  retained: "because it was retained",
  assigned: "by the program",
};

/** Whether a property took another value at this very step. */
export function changedAt(state, key, property, step) {
  const track = state.track(key, property);
  const index = track ? indexAt(track.steps, step) : -1;
  return index >= 0 && track.steps[index] === step;
}

function fact(key, value, more = {}) {
  return { key, value: String(value), ...more };
}

const formatSize = (shape) => (shape?.length ? ` [${shape.join(",")}]` : "");

/** A formula with the program's names in place of the operator's: `outer(grad, a)` for `outer(grad, vec)`.
 * @param {string} formula @param {IndexedBox} box
 */
export function nameOperands(formula, box) {
  const words = new Map();
  for (const input of box.inputs) if (input.label && input.label !== "temporary") words.set(input.name, input.label);
  for (const slot of [...box.slots, ...(box.numbers ?? [])]) {
    const label = slot.kind === "tensor" ? slot.label : slot.text && formatSigned(slot.text);
    if (label && label !== "temporary") words.set(slot.name, label);
  }
  return formula.replace(/(?<![\w.])[A-Za-z_]\w*/g, (word) => {
    const label = words.get(word);
    if (label === undefined || label === word) return word;
    return /^[\w.[\]]+$/.test(label) ? label : `(${label})`;
  });
}

/** @param {IndexedBox} box @param {Moment} moment @returns {Fact[]} */
export function nodeFacts(box, moment) {
  const { state, scene, step } = moment;
  const now = boxAt(state, box, step);
  const changeOf = (property) => ({ changed: changedAt(state, box.id, property, step) });
  const facts = [];
  if (!isPresent(now.state))
    facts.push(
      fact("now", now.state === "released" ? "released: nothing holds it" : "not built yet", changeOf("state")),
    );
  if (box.generation > 0) facts.push(fact("made by", "create_graph: it can be differentiated again"));
  facts.push(fact("operator", box.op));
  if (box.inputs.length)
    facts.push(
      fact("takes", box.inputs.map((input) => (input.label || input.name) + formatSize(input.shape)).join(", ")),
    );
  if (box.output) facts.push(fact("makes", `${formatSize(box.output.shape).trim() || "a scalar"} ${box.output.dtype}`));
  if (now.gradIn !== null)
    facts.push(fact("gets", `grad ${formatShort(scene.values[now.gradIn], ROOM)}`, changeOf("grad_in")));
  for (const [input, formula] of box.formula) {
    const put = nameOperands(formula, box);
    facts.push(fact(`to ${input}`, put, { note: put === formula ? null : formula }));
  }
  facts.push(...gives(box, moment));
  facts.push(
    fact(
      "needs",
      box.slots.map(({ name, label }) => (label && label !== name ? `${name} = ${label}` : name)).join(", ") ||
        "nothing saved",
    ),
  );
  for (const { slot, state: how, found } of now.slots) {
    if (how !== null)
      facts.push(slotFact(slot, how, found, scene, changedAt(state, box.id, `slot:${slot.name}`, step)));
  }
  for (const slot of box.numbers ?? []) if (slot.text !== null && slot.text !== undefined) facts.push(numberFact(slot));
  if (now.hint) facts.push(fact("hook", now.hint, changeOf("hint")));
  facts.push(fact("kept alive by", holders(box, moment).join(", ") || "nothing"));
  return facts;
}

/** The gradients that a node has handed on in the present call. */
function gives(box, { state, scene, step }) {
  const facts = [];
  for (const wire of scene.outOf.get(box.id) ?? []) {
    const value = state.at(wire.id, "value", step);
    if (value === null || !["lit", "done"].includes(state.at(wire.id, "state", step))) continue;
    facts.push(
      fact(`gives ${titleOf(scene.box.get(wire.to))}`, formatShort(scene.values[value], ROOM), {
        changed: changedAt(state, wire.id, "value", step),
      }),
    );
  }
  return facts;
}

/** A number of the formula; where PyTorch keeps it in another guise, that too. */
function numberFact({ name, text }) {
  const meant = formatSigned(text);
  return fact(`saved ${name}`, meant, { note: meant === text ? null : `PyTorch keeps it unsigned, as ${text}` });
}

function slotFact(slot, how, found, scene, changed) {
  const versions = how === "stale" ? `saved at version ${slot.version}, now version ${found}` : `v${slot.version ?? 0}`;
  const value = how === "freed" || slot.value === null ? "" : ` ${formatShort(scene.values[slot.value], 20)}`;
  const size = slot.nbytes ? ` · ${formatBytes(slot.nbytes)}` : "";
  return fact(slot.name.startsWith("saved") ? slot.name : `saved ${slot.name}`, `${how}${value} · ${versions}${size}`, {
    slot: how,
    changed,
  });
}

/** What keeps a node alive: names whose tensor it made, nodes above that lead to it. @returns {string[]} */
function holders(box, { state, scene, step, names }) {
  const tied = names
    .filter((name) => name.tensor !== null && state.at(name.tensor, "box", step) === box.id)
    .map((name) => name.name);
  const above = (scene.into.get(box.id) ?? [])
    .map((wire) => wire.from)
    .filter((id) => isPresent(state.at(id, "state", step)))
    .map((id) => titleOf(scene.box.get(id)));
  return some([...new Set([...tied, ...above])]);
}

function some(all) {
  return all.length > HOLDERS ? [...all.slice(0, HOLDERS - 1), `${all.length - HOLDERS + 1} more`] : all;
}

/** @param {IndexedBox} box @param {Moment} moment @returns {Fact[]} */
export function leafFacts(box, moment) {
  const { state, scene, step } = moment;
  const now = boxAt(state, box, step);
  const value = (index) => (index === null ? "None" : formatShort(scene.values[index], ROOM));
  const changeOf = (property) => ({ changed: changedAt(state, box.id, property, step) });
  const held = state.at(box.tensor, "value", step);
  const facts = [fact("gathers for", namesOf(box.tensor, moment).join(", ") || leafName(state, box, step) || "a leaf")];
  if (held !== null) facts.push(fact("value", value(held), { changed: changedAt(state, box.tensor, "value", step) }));
  facts.push(fact("grad", value(now.grad), changeOf("grad")));
  if (now.before !== null) facts.push(fact("before", value(now.before), changeOf("before")));
  if (now.came !== null) facts.push(fact("arrives", value(now.came), changeOf("came")));
  if (now.how) facts.push(fact("stored", STORED[now.how] ?? now.how, changeOf("how")));
  if (now.expected) facts.push(fact("arrived", `${now.arrived ?? 0} of ${now.expected}`, changeOf("arrived")));
  if (now.hint) facts.push(fact("hook", now.hint, changeOf("hint")));
  const users = [...new Set((scene.into.get(box.id) ?? []).map((wire) => wire.from))].filter((id) =>
    isPresent(state.at(id, "state", step)),
  );
  facts.push(fact("used by", some(users.map((id) => titleOf(scene.box.get(id)))).join(", ") || "nothing now"));
  return facts;
}

/** What the program calls a tensor at this step; what made it where it has no name. @returns {string[]} */
function namesOf(tensor, { names, scene }) {
  const found = names.filter((name) => name.tensor === tensor).map((name) => name.name);
  return found.length ? found : [scene.tensor.get(tensor)?.op ?? ""];
}

/** @param {Tensor} tensor @param {Moment} moment @returns {Fact[]} */
export function tensorFacts(tensor, moment) {
  const { state, scene, step } = moment;
  const changeOf = (property) => ({ changed: changedAt(state, tensor.id, property, step) });
  const alive = (other) => state.at(other.id, "state", step) === "alive";
  const index = state.at(tensor.id, "value", step);
  const value = index === null ? null : scene.values[index];
  const facts = [];
  if (!alive(tensor))
    facts.push(
      fact(
        "now",
        state.at(tensor.id, "state", step) === "released" ? "released: nothing holds it" : "not made yet",
        changeOf("state"),
      ),
    );
  if (!tensor.shape.length) facts.push(fact("value", formatShort(value, 40), changeOf("value")));
  facts.push(
    fact("shape", tensor.shape.length ? `[${tensor.shape.join(", ")}]` : "a scalar"),
    fact("dtype", tensor.dtype),
  );
  facts.push(fact("version", state.at(tensor.id, "version", step) ?? 0, changeOf("version")));
  facts.push(
    fact("requires_grad", state.at(tensor.id, "requires_grad", step) ? "True" : "False", changeOf("requires_grad")),
  );
  const grad = state.at(tensor.id, "grad", step);
  if (grad !== null) facts.push(fact("grad", formatShort(scene.values[grad], ROOM), changeOf("grad")));
  const views = scene.tensors.filter((other) => other.base === tensor.id && alive(other));
  const shares = scene.tensors.filter(
    (other) =>
      other.id !== tensor.id &&
      other.storage === tensor.storage &&
      other.base !== tensor.id &&
      other.id !== tensor.base &&
      alive(other),
  );
  const joinNames = (list) => some(list.map((other) => namesOf(other.id, moment)[0])).join(", ");
  if (tensor.base) facts.push(fact("view of", namesOf(tensor.base, moment).join(", ")));
  if (views.length) facts.push(fact("views", joinNames(views)));
  if (shares.length) facts.push(fact("shares memory with", joinNames(shares)));
  return facts;
}

/** How a property of a thing came to be what it is: each change up to this step, with the line that made it.
 * @param {string} key @param {string} property @param {Moment} moment
 * @returns {{step: number, line: number|null, value: any}[]}
 */
export function historyOf(key, property, { state, scene, step }) {
  const track = state.track(key, property);
  if (!track) return [];
  return track.steps
    .map((at, i) => ({ step: at, line: scene.steps[at].line, value: track.values[i] }))
    .filter((entry) => entry.step <= step && entry.value !== null);
}

/** Moments in the life of a node to jump to; of many runs those around `step`. @returns {[string, number][]} */
export function milestones(box, state, step = 0) {
  const freed = box.slots.map((slot) => state.when(box.id, `slot:${slot.name}`, ["freed"])).filter((at) => at !== null);
  const list = [
    ["built", state.when(box.id, "state", ["built"])],
    ...runs(box, state, step).map((at) => ["ran", at]),
    ["freed", freed.length ? Math.min(...freed) : null],
    ["failed", state.when(box.id, "state", ["failed"])],
    ["released", state.when(box.id, "state", ["released"])],
  ];
  return list.filter(([, at]) => at !== null);
}

/** The steps at which a node began to run: a retained one, and that of a leaf, runs in more calls than one. */
function runs(box, state, step) {
  const track = state.track(box.id, "state");
  if (!track) return [];
  const on = (value) => value === "running" || value === "ran";
  const found = track.steps.filter((_, i) => on(track.values[i]) && !(i && on(track.values[i - 1])));
  const here = found.findLastIndex((at) => at <= step);
  const first = Math.max(0, Math.min(here - 1, found.length - RUNS));
  return found.slice(first, first + RUNS);
}
