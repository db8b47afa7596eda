/**
 * What a person prefers, kept in their own browser: light or dark, which is as the system has it until somebody
 * chooses; values after the lines, and running while typing, as boxes to tick.
 */

import { element } from "../lib/dom.js";
import { keep, quietly, readKept } from "./storage.js";

const THEME = "gradreel.looks";
/** @typedef {"light"|"dark"} Theme */

/** @type {Record<Theme, Theme>} */
const OTHER = { light: "dark", dark: "light" };

let turn = () => {};

/** The button for it was pressed. */
export const toggleTheme = () => turn();

/**
 * @param {Theme} system  how the system has it
 * @param {(theme: Theme) => void} onChange
 */
export function createTheme(system, onChange) {
  let chosen = readTheme();
  const now = () => chosen ?? system;
  const change = (act) => {
    const before = now();
    act();
    if (now() !== before) onChange(now());
  };
  turn = () => change(() => keepTheme((chosen = OTHER[now()])));
  return {
    now,
    /** @param {Theme} theme */
    system: (theme) => change(() => (system = theme)),
  };
}

/** @returns {Theme|null} */
function readTheme() {
  const kept = quietly(() => localStorage, (storage) => storage.getItem(THEME)) ?? "";
  return kept in OTHER ? /** @type {Theme} */ (kept) : null;
}

/** Where nothing can be kept, the choice holds until the page is left. @param {Theme} theme */
const keepTheme = (theme) => quietly(() => localStorage, (storage) => storage.setItem(THEME, theme));

const CHOSEN = "gradreel-choices";
const CHOICES = [
  { name: "values", title: "values after lines", first: true },
  { name: "live", title: "run while typing", first: false },
];

/**
 * @param {() => Storage} storage  asked anew each time: a browser may refuse it
 * @param {Record<string, (on: boolean) => void>} onChange  by name
 */
export function createPreferences(storage, onChange) {
  const kept = readKept(storage, CHOSEN) ?? {};
  const chosen = Object.fromEntries(
    CHOICES.map(({ name, first }) => [name, typeof kept[name] === "boolean" ? kept[name] : first]),
  );
  const box = ({ name, title }) => {
    const input = element("input", {
      type: "checkbox",
      "data-testid": `choice-${name}`,
      onchange: () => choose(name, input.checked),
    });
    input.checked = chosen[name];
    return element("label", {}, input, ` ${title}`);
  };
  const choose = (name, on) => {
    chosen[name] = on;
    keep(storage, CHOSEN, chosen);
    onChange[name]?.(on);
  };
  return { element: element("p", { class: "gr-quiet gr-choices" }, ...CHOICES.map(box)), get: (name) => chosen[name] };
}
