/**
 * What is selected, in words and values: a node, a leaf, a tensor behind a name, a folded group; and how gradients add up.
 */

import { element } from "./dom.js";
import { bytes, long, short, title } from "./format.js";
import { boxAt, callAt, present, leafName } from "./moment.js";
import { indexAt } from "./state.js";

/** @param {HTMLElement} head @param {HTMLElement} root
 * @param {any} moment  {state, scene, tree, folded, step, names, selected}
 * @param {{onSeek: (step: number) => void, onFold: (id: string) => void, onSelect: (id: string) => void}} actions
 */
export function showInspector(head, root, moment, actions) {
  const { scene, tree, selected } = moment;
  const box = scene.box.get(selected);
  const tensor = scene.tensor.get(selected);
  const group = tree.groups.get(selected);
  if (box) {
    head.textContent = box.kind === "leaf" ? `AccumulateGrad ${leafName(moment.state, box, moment.step) ?? ""}` : `${box.name}${box.nr === null ? "" : ` #${box.nr}`}`;
    root.replaceChildren(card(...(box.kind === "leaf" ? leafRows(box, moment) : nodeRows(box, moment)), ...footRows(box, moment, actions)));
  } else if (tensor) {
    head.textContent = `Tensor ${namesOf(tensor.id, moment).join(", ")}`;
    root.replaceChildren(card(...tensorRows(tensor, moment, actions)));
  } else if (group) {
    head.textContent = group.title;
    const open = moment.folded.has(group.id) ? "unfold" : "fold";
    root.replaceChildren(card(row("holds", `${group.boxes.length} nodes`), row("line", group.line ?? "—"), jumps([[open, () => actions.onFold(group.id)]])));
  } else {
    head.textContent = "Selected";
    root.replaceChildren(element("p", { class: "quiet", text: "(click a card or a name)" }));
  }
}

function card(...rows) {
  return element("div", { class: "card" }, ...rows);
}

function row(key, value, extra = {}) {
  return element("div", { class: "row", ...extra }, element("span", { text: key }), element("span", { text: String(value) }));
}

function jumps(list) {
  return element("div", { class: "jumps" }, ...list.map(([text, onclick]) => element("button", { text, onclick })));
}

function nodeRows(box, { state, scene, step, names }) {
  const now = boxAt(state, box, step);
  const rows = [];
  if (!present(now.state)) rows.push(row("now", now.state === "released" ? "released: nothing holds it" : "not built yet"));
  if (box.generation > 0) rows.push(row("made by", "create_graph: it can be differentiated again"));
  rows.push(row("operator", box.op));
  if (now.gradIn !== null) rows.push(row("gets", `grad ${short(scene.values[now.gradIn], 24)}`));
  rows.push(row("needs", box.slots.map(({ name, label }) => (label && label !== name ? `${name} = ${label}` : name)).join(", ") || "nothing kept"));
  for (const [input, formula] of box.formula) rows.push(row(`to ${input}`, formula));
  for (const { slot, state: how, found } of now.slots) if (how !== null) rows.push(slotRow(slot, how, found, scene));
  rows.push(row("kept alive by", holders(box, { state, scene, step, names }).join(", ") || "nothing"));
  return rows;
}

function slotRow(slot, how, found, scene) {
  const versions = how === "stale" ? `kept at v${slot.version}, now v${found}` : `v${slot.version ?? 0}`;
  const value = how === "freed" ? "" : ` ${short(scene.values[slot.value], 20)}`;
  const size = slot.nbytes ? bytes(slot.nbytes) : null;
  return row(`saved ${slot.name}`, `${how}${value} · ${versions}`, { "data-slot": how, title: size });
}

/** What keeps a node alive: names whose tensor it made, nodes above that lead to it. */
export function holders(box, { state, scene, step, names }) {
  const tied = names.filter((name) => name.tensor !== null && state.at(name.tensor, "box", step) === box.id).map((name) => name.name);
  const above = (scene.into.get(box.id) ?? [])
    .map((wire) => wire.from)
    .filter((id) => present(state.at(id, "state", step)))
    .map((id) => title(scene.box.get(id)));
  const all = [...new Set([...tied, ...above])];
  return all.length > 6 ? [...all.slice(0, 5), `${all.length - 5} more`] : all;
}

function leafRows(box, { state, scene, step, names }) {
  const now = boxAt(state, box, step);
  const value = (index) => (index === null ? "None" : short(scene.values[index], 24));
  const held = state.at(box.tensor, "value", step);
  const rows = [row("gathers for", namesOf(box.tensor, { names, scene }).join(", ") || box.variable || "a leaf")];
  if (held !== null) rows.push(row("value", value(held)));
  rows.push(row("grad", value(now.grad)));
  if (now.before !== null) rows.push(row("before", value(now.before)));
  if (now.came !== null) rows.push(row("arrives", value(now.came)));
  if (now.how) rows.push(row("stored", now.how));
  if (now.expected) rows.push(row("arrived", `${now.arrived ?? 0} of ${now.expected}`));
  const users = [...new Set((scene.into.get(box.id) ?? []).map((wire) => wire.from))].filter((id) => present(state.at(id, "state", step)));
  rows.push(row("used by", users.slice(0, 5).map((id) => title(scene.box.get(id))).join(", ") + (users.length > 5 ? `, ${users.length - 5} more` : "") || "nothing now"));
  return rows;
}

function footRows(box, { state, tree, folded }, { onSeek, onFold }) {
  const freed = box.slots.map((slot) => state.when(box.id, `slot:${slot.name}`, ["freed"])).filter((at) => at !== null);
  const list = [
    ["built", state.when(box.id, "state", ["built"])],
    ["ran", state.when(box.id, "state", ["running", "ran"])],
    ["freed", freed.length ? Math.min(...freed) : null],
    ["failed", state.when(box.id, "state", ["failed"])],
    ["released", state.when(box.id, "state", ["released"])],
  ].filter(([, at]) => at !== null);
  const buttons = list.map(([word, at]) => [`${word}: step ${at}`, () => onSeek(at)]);
  const group = tree.groupOf.get(box.id);
  if (group) buttons.push([`${folded.has(group) ? "unfold" : "fold"} ${tree.groups.get(group).title}`, () => onFold(group)]);
  return [jumps(buttons)];
}

function namesOf(tensor, { names, scene }) {
  const found = names.filter((name) => name.tensor === tensor).map((name) => name.name);
  return found.length ? found : [scene.tensor.get(tensor)?.op ?? ""];
}

function tensorRows(tensor, moment, { onSelect }) {
  const { state, scene, step, names } = moment;
  const index = state.at(tensor.id, "value", step);
  const box = scene.box.get(state.at(tensor.id, "box", step));
  const shares = scene.tensors.filter((other) => other.id !== tensor.id && other.storage === tensor.storage && state.at(other.id, "state", step) === "alive");
  const rows = [
    row("value", long(index === null ? null : scene.values[index])),
    row("shape", `[${tensor.shape.join(", ")}] ${tensor.dtype}`),
    row("version", state.at(tensor.id, "version", step) ?? 0),
    row("requires_grad", state.at(tensor.id, "requires_grad", step) ? "True" : "False"),
  ];
  if (tensor.base) rows.push(row("view of", namesOf(tensor.base, { names, scene }).join(", ")));
  if (shares.length) rows.push(row("shares memory with", shares.map((other) => namesOf(other.id, { names, scene })[0]).slice(0, 4).join(", ")));
  if (box) rows.push(jumps([[box.kind === "leaf" ? `gradient gathered in ${title(box)}` : `made by ${title(box)}`, () => onSelect(box.id)]]));
  return rows;
}

/** The sums of a run in the order of time, to find the one that last grew. @param {any} state */
export function sumTrack(state) {
  const events = [];
  for (const key of state.keys("sum:")) {
    const track = state.track(key, "terms");
    track.steps.forEach((step, i) => track.values[i] && events.push([step, key]));
  }
  events.sort((a, b) => a[0] - b[0]);
  return { steps: events.map(([step]) => step), keys: events.map(([, key]) => key) };
}

/** How gradients add up: at what is selected, else where one last arrived.
 * @param {HTMLElement} head @param {HTMLElement} root
 */
export function showSum(head, root, moment, sums) {
  const { state, scene, step, selected } = moment;
  const own = state.keys(`sum:${selected}:`).find((key) => state.at(key, "terms", step));
  const key = own ?? recent(sums, state, step);
  const box = key && scene.box.get(key.split(":")[1]);
  head.hidden = root.hidden = !box;
  if (!box) return;
  head.textContent = `Adding up at ${title(box)}`;
  const lines = termsOf(box, key, moment);
  root.replaceChildren(element("div", { class: "card sum" }, ...lines.map((line) => element("div", { class: line.total ? "total" : "" },
    element("span", { text: line.sign }), element("span", { text: line.value }), element("span", { text: line.from })))));
}

function recent(sums, state, step) {
  for (let i = indexAt(sums.steps, step); i >= 0 && i > indexAt(sums.steps, step) - 40; i--) {
    const terms = state.at(sums.keys[i], "terms", step);
    if (terms?.length > 1 || (terms && sums.keys[i])) return sums.keys[i];
  }
  return null;
}

function termsOf(box, key, { state, scene, step }) {
  const terms = state.at(key, "terms", step) ?? [];
  const value = (index) => short(scene.values[index], 18);
  const lines = terms.map(([from, index], i) => ({
    sign: i ? "+" : "", value: value(index), from: from ? `from ${title(scene.box.get(from))}` : "given",
  }));
  if (callAt(scene, step)) {
    for (const wire of scene.into.get(box.id) ?? []) {
      const how = state.at(wire.id, "state", step);
      const from = state.at(wire.from, "state", step);
      if (how === "idle" && ["built", "ready", "running", "failed"].includes(from))
        lines.push({ sign: lines.length ? "+" : "", value: "waiting", from: `from ${title(scene.box.get(wire.from))}` });
    }
  }
  const total = state.at(key, "total", step);
  if (terms.length > 1 && total !== null) lines.push({ sign: "=", value: value(total), from: "", total: true });
  return lines;
}
