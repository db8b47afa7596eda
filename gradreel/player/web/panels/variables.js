/**
 * The panels beside the picture: the names that are bound now, the leaves and their gradients, and what was printed.
 * Each panel is a function from a moment to elements.
 */

import { element, hasChanged } from "../lib/dom.js";
import { formatNumber, formatShape, formatShort, titleOf } from "../lib/format.js";
import { callAt, gradientsAt, printedAt } from "../scene/moment.js";

/** @import { BoundName, Moment } from "../scene/types.js" */

const LEAVES = 80;

/** Fill an element with pills, one a name, grouped by the function they live in.
 * @param {HTMLElement} root
 * @param {Moment} moment
 * @param {(tensor: string) => void} onSelect
 */
export function showNames(root, moment, onSelect) {
  const { state, step } = moment;
  const frames = state.at("program", "frames", step) ?? [];
  const inner = moment.names.reduce((most, name) => Math.max(most, name.scope), 0);
  const names = gatherParts(moment.names, inner);
  const texts = names.map((name) => (name.more ? `${name.more} more parts` : nameText(name, moment)));
  if (!hasChanged(root, [names, texts, frames, names.map((name) => name.tensor && moment.selected === name.tensor)]))
    return;
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

/** The pill that is there already, if it is such an element, else a new one: from step to step little of a pill
 * changes.
 */
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
  const parts = [
    tensor?.shape.length === 0 && value?.whole ? formatNumber(value.data) : formatShape(tensor?.shape ?? []),
  ];
  const box = scene.box.get(state.at(name.tensor, "box", step));
  const version = state.at(name.tensor, "version", step) ?? 0;
  if (box?.kind === "node") parts.push(`from ${titleOf(box)}`);
  if (version > 0 || (state.at(name.tensor, "requires_grad", step) && box?.kind !== "node")) parts.push(`v${version}`);
  return parts.filter(Boolean).join(" ");
}

/** For each panel of leaves which rows stand in it, and where their gradients are told: a gradient changes, its row
 * stays.
 */
const leafRows = new WeakMap();

/** A row for each leaf: its gradient, and what is still to come. */
export function showLeaves(root, moment, onSelect) {
  const { state, scene, step, names } = moment;
  const found = gradientsAt(state, scene, names, step);
  const shown = found.slice(0, LEAVES);
  const calling = callAt(scene, step) !== null;
  const texts = shown.map(({ grad, now }) => {
    const arrived = now?.expected && calling ? ` · ${now.arrived ?? 0} of ${now.expected} arrived` : "";
    return (grad === null ? "None" : formatShort(scene.values[grad], 18)) + arrived;
  });
  const which = JSON.stringify(found.map(({ id, name }) => [id, name]));
  if (leafRows.get(root)?.which !== which) {
    const grads = shown.map(() => element("span"));
    leafRows.set(root, { which, grads });
    /** @type {HTMLElement[]} */
    const rows = shown.map(({ id, name }, i) =>
      element(
        "button",
        { class: "row", onclick: () => onSelect(id) },
        element("span", { text: `${name}.grad` }),
        grads[i],
      ),
    );
    if (found.length > LEAVES) rows.push(nothing(`and ${found.length - LEAVES} more`));
    root.replaceChildren(...(rows.length ? rows : [nothing("(no leaf is used yet)")]));
  }
  leafRows.get(root).grads.forEach((grad, i) => put(grad, texts[i]));
}

/** @param {HTMLElement} root */
export function showPrinted(root, { scene, step }) {
  const text = printedAt(scene, step);
  if (!hasChanged(root, text)) return;
  root.replaceChildren(text ? element("pre", { class: "printed", text }) : nothing("(nothing)"));
  root.scrollTop = root.scrollHeight;
}

/** @param {string} text */
export function nothing(text) {
  return element("p", { class: "quiet", text });
}

const PARTS = 12;

/** Of a thing of many parts, `rows[0][1]` or `net.0.weight`, the first and how many more it has; of what belongs to a
 * call that waits for another, no parts at all.
 * @param {BoundName[]} names
 * @param {number} inner  the scope of the innermost call
 * @returns {(BoundName & {more?: number})[]} names, and `{name, scope, more}` where parts are counted
 */
export function gatherParts(names, inner) {
  const parts = new Map();
  const whole = (name) => `${name.scope}:${/^[^.[]*/.exec(name.name)[0]}`;
  const isPart = (name) => /[.[]/.test(name.name);
  for (const name of names) if (isPart(name)) parts.set(whole(name), (parts.get(whole(name)) ?? 0) + 1);
  const seen = new Map();
  const shown = [];
  for (const name of names) {
    const [key, many] = [whole(name), parts.get(whole(name)) ?? 0];
    const room = name.scope && name.scope !== inner ? 0 : many > PARTS ? PARTS - 1 : PARTS;
    const place = isPart(name) ? (seen.get(key) ?? 0) : -1;
    if (isPart(name)) seen.set(key, place + 1);
    if (place < room) shown.push(name);
    else if (place === room)
      shown.push({
        key: `${key}…`,
        scope: name.scope,
        name: key.slice(key.indexOf(":") + 1),
        tensor: null,
        more: many - room,
      });
  }
  return shown;
}
