/** The entry of an exported file: the scene lies in the page itself, and there is nobody to ask. */

import { createLab } from "./app/lab.js";
import { createTheme } from "./app/preferences.js";
import { decodePayload } from "./scene/scene.js";

export default async function standalone() {
  const root = /** @type {HTMLElement} */ (document.querySelector(".gr-root"));
  const element = /** @type {HTMLElement} */ (document.querySelector("#scene"));
  const packed = atob(element.textContent.trim());
  const scene = await decodePayload(Uint8Array.from(packed, (letter) => letter.charCodeAt(0)));
  const step = /^#(\d+)$/.exec(location.hash)?.[1] ?? element.dataset.step;
  const lab = createLab(root, {
    head: { place: "file", site: element.dataset.site },
    scene,
    ask: null,
    theme: null,
    step: step === undefined ? null : Number(step),
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const themes = createTheme(dark.matches ? "dark" : "light", lab.setTheme);
  lab.setTheme(themes.now());
  dark.addEventListener("change", () => themes.system(dark.matches ? "dark" : "light"));
}
