/**
 * The entry of the Streamlit page. Streamlit calls it again on every rerun and theme change with the same parent
 * element, so it keeps its instance by that element, and does something only when something has changed.
 */

import { announcePage } from "./app/first_paint.js";
import { createAppShell } from "./app_shell.js";
import { element } from "./lib/dom.js";
import styles from "./styles.js";

/** @type {WeakMap<Element|ShadowRoot, ReturnType<typeof createAppShell>>} */
const shells = new WeakMap();

/** The shell that was shown before Streamlit was ready, until Streamlit takes it over. */
let early = null;

/** @param {ReturnType<typeof createAppShell>} shell */
export const setEarlyShell = (shell) => (early = shell);

/** @param {{data: Uint8Array, parentElement: any, setTriggerValue: (name: string, value: any) => void}} call */
export default function main({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".gr-site");
  const shell = shells.get(parentElement) ?? early ?? createAppShell(addStyles(root), { onShow: announcePage });
  early = null;
  shells.set(parentElement, shell);
  shell.connect((request) => setTriggerValue("question", request), themeOf(root));
  shell.receive(data);
  return () => {
    shell.leave();
    shells.delete(parentElement);
  };
}

/** An element with our styles beside it: no component brings them along, for all that it brings comes anew with every
 * response.
 */
function addStyles(root) {
  root.before(element("style", { text: styles }));
  return root;
}

/** Whether Streamlit shows its light or its dark theme, by the brightness of its background. */
export function themeOf(root) {
  const colour = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const [, hex] = /^#([0-9a-f]{6})$/i.exec(colour) ?? [];
  if (!hex) return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const [red, green, blue] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
}
