/**
 * The panel of an expression: its free names as leaves whose values can be changed, a slider for a number, cells for a
 * vector or a matrix. What is changed is handed on as plain nested lists, at most every few milliseconds.
 */

import { element } from "../lib/dom.js";

/** @import { Expression } from "../scene/types.js" */

const PAUSE = 30;
const CELLS = 36;
const REACH = 5;

/** @typedef {number|any[]} Nested */

/**
 * @param {HTMLElement} host
 * @param {{onValues: (values: Record<string, Nested>) => void}} options
 */
export function createExpression(host, { onValues }) {
  let values = new Map();
  let known = "";
  let timer = 0;
  // Arrows here move a slider or a cursor: neither the player nor the page may take them for their own.
  host.addEventListener("keydown", (event) => event.stopPropagation());
  const handleChange = (name, value) => {
    values.set(name, value);
    clearTimeout(timer);
    timer = setTimeout(() => onValues(Object.fromEntries(values)), PAUSE);
  };

  return {
    /** Show an expression; the rows stay as they are while only values move.
     * @param {Expression|null} expression out of the scene, or null
     */
    show(expression) {
      host.hidden = !expression;
      if (!expression) {
        known = "";
        return;
      }
      const identity = JSON.stringify([
        expression.text,
        expression.leaves.map(({ name, value }) => [name, shapeOf(value)]),
      ]);
      if (identity === known) return;
      known = identity;
      values = new Map(expression.leaves.map(({ name, value }) => [name, value]));
      const rows = expression.leaves.map((leaf) => row(leaf, (value) => handleChange(leaf.name, value)));
      host.replaceChildren(
        element("h2", { text: "Leaves of the expression" }),
        ...(rows.length
          ? rows
          : [element("p", { class: "gr-quiet", text: "No free name: nothing to take a gradient of." })]),
        ...(expression.ones
          ? [
              element("p", {
                class: "gr-quiet",
                "data-testid": "ones",
                text:
                  "The result is not a single number, so it is sent back with ones: each gradient is that of the sum " +
                  "of all entries.",
              }),
            ]
          : []),
      );
    },
    values: () => Object.fromEntries(values),
  };
}

/** A leaf: its name, its value as text, and handles that suit its shape. */
function row({ name, value }, onChange) {
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
  const put = (next, from) => {
    value = next;
    if (from !== text) text.value = formatList(next);
    text.removeAttribute("aria-invalid");
    onChange(next);
  };
  const rebuild = () => handles.replaceChildren(...handlesFor(name, value, put));
  text.addEventListener("input", () => {
    const next = parseList(text.value);
    if (next === null) return text.setAttribute("aria-invalid", "true");
    put(next, text);
    rebuild();
  });
  rebuild();
  return element(
    "div",
    { class: "gr-leaf" },
    element("label", {}, element("code", { text: name }), element("span", { text: " = " }), text),
    handles,
  );
}

function handlesFor(name, value, put) {
  if (!Array.isArray(value)) return [slider(name, value, put)];
  const rows = Array.isArray(value[0]) ? value : [value];
  if (Array.isArray(rows[0][0]) || rows.length * rows[0].length > CELLS) return [];
  return [grid(name, rows, rows === value, put)];
}

function slider(name, value, put) {
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
  input.addEventListener("input", () => put(Number(input.value), input));
  return input;
}

function grid(name, rows, isMatrix, put) {
  const data = rows.map((entries) => [...entries]);
  const table = element("div", { class: "gr-cells", role: "group", "aria-label": `entries of ${name}` });
  table.style.gridTemplateColumns = `repeat(${data[0].length}, minmax(0, 64px))`;
  data.forEach((entries, i) => entries.forEach((entry, j) => {
    const where = isMatrix ? `${name}[${i}, ${j}]` : `${name}[${j}]`;
    const cell = element("input", { type: "number", step: "any", "aria-label": where });
    cell.value = String(entry);
    cell.addEventListener("input", () => {
      if (cell.value === "" || !Number.isFinite(Number(cell.value))) return;
      data[i][j] = Number(cell.value);
      put(isMatrix ? data.map((line) => [...line]) : [...data[0]], cell);
    });
    table.append(cell);
  }));
  return table;
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
