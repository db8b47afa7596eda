/**
 * What a person wants of the Lab, as boxes to tick: values after the lines, running while typing. Kept in the browser.
 */

import { element } from "../lib/dom.js";

const KEY = "gradreel-choices";
const CHOICES = [
  { name: "values", title: "values after lines", first: true },
  { name: "live", title: "run while typing", first: false },
];

/**
 * @param {() => Storage} storage  asked anew each time: a browser may refuse it
 * @param {Record<string, (on: boolean) => void>} onChange  by name
 */
export function createChoices(storage, onChange) {
  const kept = read(storage);
  const chosen = Object.fromEntries(CHOICES.map(({ name, first }) => [name, typeof kept[name] === "boolean" ? kept[name] : first]));
  const box = ({ name, title }) => {
    const input = element("input", { type: "checkbox", "data-testid": `choice-${name}`, onchange: () => choose(name, input.checked) });
    input.checked = chosen[name];
    return element("label", {}, input, ` ${title}`);
  };
  const choose = (name, on) => {
    chosen[name] = on;
    try {
      storage().setItem(KEY, JSON.stringify(chosen));
    } catch {
      // Where nothing can be kept, the choice holds until the page is left.
    }
    onChange[name]?.(on);
  };
  return { element: element("p", { class: "gr-quiet gr-choices" }, ...CHOICES.map(box)), get: (name) => chosen[name] };
}

function read(storage) {
  try {
    return JSON.parse(storage().getItem(KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}
