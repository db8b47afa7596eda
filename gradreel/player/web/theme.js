/**
 * The colours, light and dark: one table for the styles and for the canvas. Okabe and Ito's palette, safe for colour-blind
 * eyes; whatever a colour says, a shape or a word says too.
 */

export const TOKENS = {
  light: {
    bg: "#f7f7f4", panel: "#fff", line: "#dcdcd4", ink: "#1d2330", soft: "#6a7283",
    live: "#0072b2", "live-bg": "#e3f0f8", run: "#e69f00", "run-bg": "#fff3d6", leaf: "#009e73", "leaf-bg": "#e0f4ee",
    bad: "#d55e00", "bad-bg": "#fdeadd", gone: "#b9bec8", gen2: "#cc79a7",
  },
  dark: {
    bg: "#12151c", panel: "#1a1f29", line: "#2d3442", ink: "#e7eaf0", soft: "#98a1b3",
    live: "#56b4e9", "live-bg": "#173042", run: "#f0b83a", "run-bg": "#3a2f12", leaf: "#3fc79c", "leaf-bg": "#12352b",
    bad: "#ff8a4c", "bad-bg": "#40230f", gone: "#4c5567", gen2: "#e19cc3",
  },
};

export const MONO = "\"JetBrains Mono\",\"DejaVu Sans Mono\",ui-monospace,monospace";
export const SANS = "Inter,\"DejaVu Sans\",system-ui,sans-serif";

/** The theme in force: what is asked for, else what the system prefers.
 * @param {string|null|undefined} asked
 * @returns {"light"|"dark"}
 */
export function themeName(asked) {
  if (asked === "light" || asked === "dark") return asked;
  return globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** @param {"light"|"dark"} name @returns {string} the tokens as custom properties */
export function variables(name) {
  return Object.entries(TOKENS[name]).map(([token, colour]) => `--${token}:${colour}`).join(";");
}
