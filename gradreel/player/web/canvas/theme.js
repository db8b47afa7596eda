/**
 * The colours for the canvas. They are told once, in player.css; here they are read from there, for whatever theme is
 * in force.
 */

export const MONO = "\"JetBrains Mono\",\"DejaVu Sans Mono\",ui-monospace,monospace";

const NAMES = [
  "bg",
  "panel",
  "line",
  "ink",
  "soft",
  "live",
  "live-bg",
  "run",
  "run-bg",
  "leaf",
  "leaf-bg",
  "bad",
  "bad-bg",
  "gone",
  "gen2",
  "gen3",
];

/** The colours that hold inside an element. @param {Element} element @returns {Record<string, string>} */
export function coloursOf(element) {
  const style = getComputedStyle(element);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim() || "#888888"]));
}
