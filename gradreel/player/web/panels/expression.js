/**
 * The panel of an expression: its free names as leaves whose values can be changed, a slider for a number, cells for a
 * vector or a matrix. What is changed is handed on as plain nested lists; what is on the stage is shown.
 */

import { activeIn, element } from "../lib/dom.js";

/** @import { Expression } from "../scene/types.js" */

const CELLS = 36;
const REACH = 5;
const ONES = "The result is not a single number, so it is sent back with ones: each gradient is that of the sum of all "
  + "entries.";

/** @typedef {number|any[]} Nested */

/**
 * @param {HTMLElement} host
 * @param {{onValues: (values: Record<string, Nested>) => void}} options
 */
export function createExpression(host, { onValues }) {
  /** @type {Map<string, ReturnType<typeof createRow>>} */
  let rows = new Map();
  let known = "";
  // Arrows here move a slider or a cursor: neither the player nor the page may take them for their own.
  host.addEventListener("keydown", (event) => event.stopPropagation());
  const values = () => Object.fromEntries([...rows].map(([name, row]) => [name, row.value()]));

  return {
    /** Show an expression; the rows stay as they are while only values move.
     * @param {Expression|null} expression out of the scene, or null
     * @param {boolean} [ahead] whether other values have been asked for meanwhile
     */
    show(expression, ahead = false) {
      host.hidden = !expression;
      if (!expression) {
        known = "";
        return;
      }
      const { text, leaves, ones } = expression;
      const identity = JSON.stringify([text, leaves.map(({ name, value }) => [name, shapeOf(value)])]);
      if (identity === known) return leaves.forEach(({ name, value }) => rows.get(name).show(value, ahead));
      known = identity;
      const onChange = () => {
        known = JSON.stringify([text, [...rows].map(([name, row]) => [name, shapeOf(row.value())])]);
        onValues(values());
      };
      rows = new Map(leaves.map((leaf) => [leaf.name, createRow(leaf, onChange)]));
      const quiet = (words, more = {}) => element("p", { class: "gr-quiet", text: words, ...more });
      host.replaceChildren(
        element("h2", { text: "Leaves of the expression" }),
        ...[...rows.values()].map((row) => row.root),
        ...(rows.size ? [] : [quiet("No free name: nothing to take a gradient of.")]),
        ...(ones ? [quiet(ONES, { "data-testid": "ones" })] : []),
      );
    },
    values,
    /** Change a leaf from elsewhere, as if it had been done here. @param {string} name @param {Nested} value */
    change: (name, value) => rows.get(name)?.change(value),
  };
}

/** A leaf: its name, its value as text, and handles that suit its shape. `wanted` is what a person asks for, which is
 * not on the stage before it has been computed.
 */
function createRow({ name, value }, onChange) {
  let wanted = value;
  const text = element("input", {
    class: "gr-value",
    type: "text",
    inputmode: "decimal",
    "aria-label": `value of ${name}`,
    "data-testid": `value-${name}`,
    spellcheck: "false",
    autocomplete: "off",
  });
  text.value = formatList(value);
  const handles = element("div", { class: "gr-handles" });
  /** @type {((value: Nested) => void)[]} */
  let followers = [];
  const rebuild = () => {
    const made = handlesFor(name, wanted, change);
    followers = made.map(({ follow }) => follow);
    handles.replaceChildren(...made.map(({ root }) => root));
  };
  const change = (next) => {
    wanted = next;
    onChange();
  };
  text.addEventListener("input", () => {
    const next = parseList(text.value);
    if (next === null) return text.setAttribute("aria-invalid", "true");
    text.removeAttribute("aria-invalid");
    const other = String(shapeOf(next)) !== String(shapeOf(wanted));
    wanted = next;
    if (other || isBeyond(handles, next)) rebuild();
    else followers.forEach((follow) => follow(next));
    onChange();
  });
  rebuild();
  return {
    root: element(
      "div",
      { class: "gr-leaf" },
      element("label", {}, element("code", { text: name }), element("span", { text: " = " }), text),
      handles,
    ),
    value: () => wanted,
    change,
    /** What is on the stage: the field tells it, unless somebody writes in it; the handles are where they were put.
     * @param {Nested} shown @param {boolean} ahead
     */
    show(shown, ahead) {
      if (activeIn(text) !== text) {
        text.value = formatList(shown);
        text.removeAttribute("aria-invalid");
      }
      if (ahead) return;
      wanted = shown;
      followers.forEach((follow) => follow(shown));
    },
  };
}

/** Whether a number lies where its slider cannot go. */
function isBeyond(handles, value) {
  const input = handles.querySelector("input[type=range]");
  return input && Math.abs(value) > Number(input.max);
}

/** @returns {{root: HTMLElement, follow: (value: Nested) => void}[]} */
function handlesFor(name, value, change) {
  if (!Array.isArray(value)) return [slider(name, value, change)];
  const rows = Array.isArray(value[0]) ? value : [value];
  if (Array.isArray(rows[0][0]) || rows.length * rows[0].length > CELLS) return [];
  return [grid(name, value, change)];
}

function slider(name, value, change) {
  const reach = Math.max(REACH, Math.ceil(Math.abs(value) * 2));
  const input = element("input", {
    type: "range",
    min: -reach,
    max: reach,
    step: 0.01,
    "aria-label": `slide ${name}`,
    "data-testid": `slider-${name}`,
  });
  input.value = String(value);
  input.addEventListener("input", () => change(Number(input.value)));
  const follow = (next) => {
    if (Math.abs(next) > Number(input.max)) {
      input.max = String(Math.ceil(Math.abs(next) * 2));
      input.min = `-${input.max}`;
    }
    if (Number(input.value) !== next) input.value = String(next);
  };
  return { root: input, follow };
}

function grid(name, value, change) {
  const isMatrix = Array.isArray(value[0]);
  const rowsOf = (next) => (isMatrix ? next : [next]).map((entries) => [...entries]);
  let data = rowsOf(value);
  const table = element("div", { class: "gr-cells", role: "group", "aria-label": `entries of ${name}` });
  table.style.gridTemplateColumns = `repeat(${data[0].length}, minmax(0, 64px))`;
  const cells = data.map((entries, i) => entries.map((entry, j) => {
    const where = isMatrix ? `${name}[${i}, ${j}]` : `${name}[${j}]`;
    const cell = element("input", { type: "number", step: "any", "aria-label": where });
    cell.value = String(entry);
    cell.addEventListener("input", () => {
      if (cell.value === "" || !Number.isFinite(Number(cell.value))) return;
      data[i][j] = Number(cell.value);
      change(isMatrix ? data.map((line) => [...line]) : [...data[0]]);
    });
    table.append(cell);
    return cell;
  }));
  const follow = (next) => {
    data = rowsOf(next);
    cells.forEach((line, i) => line.forEach((cell, j) => {
      if (Number(cell.value) !== data[i][j]) cell.value = String(data[i][j]);
    }));
  };
  return { root: table, follow };
}

/** @param {Nested} value @returns {string} */
export function formatList(value) {
  return Array.isArray(value) ? `[${value.map(formatList).join(", ")}]` : String(value);
}

/** The value that a text stands for: a number or even nested lists of numbers.
 * @param {string} text
 * @returns {Nested|null} null where it is none
 */
export function parseList(text) {
  try {
    const value = JSON.parse(text.replace(/(?<![\d.])\.(\d)/g, "0.$1").replace(/(\d)\.(?!\d)/g, "$1.0"));
    return shapeOf(value) === null ? null : value;
  } catch {
    return null;
  }
}

/**
 * @param {any} value
 * @returns {number[]|null} null where the lists are uneven, empty or hold something else than finite numbers
 */
export function shapeOf(value) {
  if (typeof value === "number") return Number.isFinite(value) ? [] : null;
  if (!Array.isArray(value) || value.length === 0) return null;
  const shapes = value.map(shapeOf);
  if (shapes.some((shape) => shape === null || shape.join() !== shapes[0].join())) return null;
  return [value.length, ...shapes[0]];
}
