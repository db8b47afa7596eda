/**
 * The strip below the picture: the bytes that saved buffers hold over time, the stretches of the run, bookmarks, what plays again
 * and again, and over it all the slider that scrubs.
 */

import { element, svgElement } from "../lib/dom.js";
import { bytes } from "../lib/format.js";
import { plain } from "../lib/marks.js";
import { stretchAt, stretchWord } from "./ranges.js";
import { drawStrip, HEIGHT, WIDTH } from "./timestrip.js";

/** @param {HTMLElement} root
 * @param {{onSeek: (step: number) => void, onPlay: (step: number) => void}} wiring  `onPlay`: play from a step
 */
export function createTimeline(root, { onSeek, onPlay }) {
  const strip = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const scrub = element("input", { type: "range", min: 0, max: 1, step: 1, value: 0, "data-testid": "scrub", "aria-label": "step of the run" });
  const tip = element("div", { class: "tip", hidden: true });
  const words = element("div", { class: "words", "aria-hidden": "true" });
  const flags = element("div", { class: "flags" });
  const band = element("div", { class: "band", hidden: true, "aria-hidden": "true" });
  const memory = element("div", { class: "memory" });
  const cursor = element("div", { class: "cursor" }, element("i"));
  root.append(element("div", { class: "strip" }, strip, element("div", { class: "moving", "aria-hidden": "true" }, cursor), band, scrub, flags, words, tip), memory);
  let scene = null;
  let state = null;
  let peak = 0;
  const share = (step) => `${state.last ? (step / state.last) * 100 : 0}%`;
  const stepAt = (event) => {
    const box = scrub.getBoundingClientRect();
    return Math.round(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * state.last);
  };
  scrub.addEventListener("input", () => onSeek(Number(scrub.value)));
  scrub.addEventListener("dblclick", (event) => onPlay(stepAt(event)));
  scrub.addEventListener("pointermove", (event) => {
    const step = stepAt(event);
    const stretch = stretchAt(scene.stretches, step);
    const held = `${bytes(state.at("program", "bytes", step) ?? 0)} saved`;
    tip.textContent = [`${step}`, held, stretch && stretchWord(stretch), plain(scene.steps[step].sentence)].filter(Boolean).join(" · ");
    tip.hidden = false;
    const { width } = scrub.getBoundingClientRect();
    tip.style.left = `${Math.max(0, Math.min(width - tip.offsetWidth, (step / Math.max(1, state.last)) * width - tip.offsetWidth / 2))}px`;
  });
  scrub.addEventListener("pointerleave", () => (tip.hidden = true));

  return {
    setScene: (nextScene, nextState) => {
      [scene, state] = [nextScene, nextState];
      peak = drawStrip(strip, words, scene, state);
      scrub.max = String(state.last);
      scrub.disabled = state.last === 0;
    },
    /** @param {number[]} marks */
    setBookmarks: (marks) => flags.replaceChildren(...marks.map((step) => {
      const flag = element("button", { title: `bookmark: step ${step}`, "aria-label": `go to the bookmark at step ${step}`, onclick: () => onSeek(step) });
      flag.style.left = share(step);
      return flag;
    })),
    /** @param {{from: number, to: number}|null} range */
    setLoop: (range) => {
      band.hidden = !range;
      if (range) Object.assign(band.style, { left: share(range.from), right: `calc(100% - ${share(range.to)})` });
    },
    show: (step) => {
      cursor.style.transform = `translateX(${share(step)})`;
      const kind = stretchAt(scene.stretches, step)?.kind;
      cursor.dataset.tone = kind === "error" ? "bad" : "";
      scrub.value = String(step);
      scrub.setAttribute("aria-valuetext", `Step ${step} of ${state.last}. ${plain(scene.steps[step].sentence)}`);
      memory.textContent = `saved now ${bytes(state.at("program", "bytes", step) ?? 0)}\npeak ${bytes(peak)}`;
    },
  };
}
