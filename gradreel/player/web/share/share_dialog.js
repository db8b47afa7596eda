/**
 * Share this moment: a dialog that plays the card of the present step, and gives it away as a picture or as a loop,
 * with the link to the step.
 */

import { element, saveFile } from "../lib/dom.js";
import { formatBytes } from "../lib/format.js";
import { openingOf } from "../lib/markdown.js";
import { loopAround, posedAt } from "../stage/pace.js";
import { createCard, SIDE } from "./card.js";
import { makeGif, makePicture, makeVideo, PICTURE, findVideoType } from "./files.js";

/** @import { Setup } from "../stage/offscreen.js" */
/** @import { Instant, Loop } from "../stage/pace.js" */
/** @import { Card, Making } from "./files.js" */

/** @typedef {{setup: Setup, step: number, seen: number|null, durations: number[]}} Moment  `seen`: the last step that
 *   may be shown, where what is ahead is withheld; `durations`: the milliseconds of each step
 * @typedef {{card: () => Card, still: Instant, loop: Loop}} Shared  each that draws at a time of its own takes a card
 */

const CANNOT = "This browser cannot make that file. Take another kind, or a screenshot of this card.";

/** @param {{moment: () => Moment, link?: () => Promise<string|null>}} wiring  `link`: where the present step opens */
export function createShareDialog({ moment, link = async () => null }) {
  const video = findVideoType();
  const canvas = element("canvas", { class: "card-shown", role: "img", "data-testid": "card" });
  const progress = element("progress", { max: 1, "aria-label": "how much is done" });
  const cancel = button("Cancel", { "data-testid": "share-cancel", onclick: () => making?.abort() });
  const busy = element("div", { class: "making", hidden: true }, progress, cancel);
  const said = element("p", { class: "quiet", role: "status", "data-testid": "share-said" });
  const way = (name, text, note, onclick) =>
    button(text, { "data-testid": `share-${name}`, onclick }, element("small", { text: note }));
  const copy = way("link", "Copy link", "opens this step", copyLink);
  const files = [
    way("png", "Picture", `PNG, ${PICTURE} × ${PICTURE}`, () =>
      save("png", ({ card, still }) => makePicture(card(), still))),
    way("gif", "Loop", "GIF, plays wherever pictures do", () =>
      save("gif", ({ card, loop }, making) => makeGif(card(), loop, making))),
    way("video", "Video", video ? `the loop as ${video.ending}, finer` : "this browser records none", () =>
      save(video.ending, ({ card, loop }, making) => makeVideo(card(), loop, video.type, making))),
  ];
  const close = button("×", { "aria-label": "close", onclick: () => root.close() });
  const root = element("dialog", { class: "sheet share", "aria-label": "share this moment", "data-testid": "share" },
    element("div", { class: "head" }, element("h2", { text: "Share this moment" }), close),
    element("div", { class: "shared" }, canvas, element("div", { class: "ways" }, ...files, copy, busy, said)));
  root.addEventListener("click", (event) => event.target === root && root.close());
  root.addEventListener("close", () => {
    cancelAnimationFrame(playing);
    making?.abort();
  });

  /** @type {AbortController|null} */
  let making = null;
  /** @type {Shared|null} what is shared while the dialog is open */
  let shared = null;
  let href = null;
  let playing = 0;

  async function open() {
    const { setup, step, seen, durations } = moment();
    const { kind, sentence } = setup.model.scene.steps[step];
    href = await link().catch(() => null);
    if (root.open || !root.isConnected) return;
    const card = () => createCard(setup, href);
    shared = { card, still: { step, progress: posedAt(kind) }, loop: loopAround(durations, step, seen ?? undefined) };
    copy.hidden = !href;
    said.textContent = "";
    canvas.setAttribute("aria-label", `the card of step ${step}: ${openingOf(sentence)}`);
    setBusy(false);
    root.showModal();
    play();
  }

  /** Play the loop on the card; where motion is reduced, show the moment. */
  function play() {
    cancelAnimationFrame(playing);
    const ratio = Math.min(2, devicePixelRatio || 1);
    Object.assign(canvas, { width: SIDE * ratio, height: SIDE * ratio });
    const context = canvas.getContext("2d");
    const { loop, still } = shared;
    const card = shared.card();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return card(context, ratio, still);
    let [began, before] = [0, Infinity];
    const draw = (now) => {
      began ||= now;
      const time = (now - began) % loop.length;
      card(context, ratio, loop.at(time), time < before ? undefined : time - before);
      before = time;
      playing = requestAnimationFrame(draw);
    };
    playing = requestAnimationFrame(draw);
  }

  /** Make a file and hand it over; what plays waits meanwhile.
   * @param {string} ending @param {(shared: Shared, making: Making) => Promise<Blob>} make
   */
  async function save(ending, make) {
    making = new AbortController();
    const { signal } = making;
    cancelAnimationFrame(playing);
    setBusy(true);
    cancel.focus();
    said.textContent = ending === "png" ? "Making the picture …" : "Making the loop …";
    try {
      const blob = await make(shared, { signal, onProgress: (share) => (progress.value = share) });
      saveFile(`gradreel-step-${shared.still.step}.${ending}`, blob);
      said.textContent = `Saved, ${formatBytes(blob.size)}.`;
    } catch (error) {
      said.textContent = signal.aborted ? "Cancelled: nothing was saved." : CANNOT;
      if (!signal.aborted) console.warn(error);
    }
    setBusy(false);
    if (!root.open) return;
    close.focus();
    play();
  }

  function setBusy(on) {
    if (!on) making = null;
    progress.value = 0;
    busy.hidden = !on;
    for (const each of files) each.disabled = on || (each.dataset.testid === "share-video" && !video);
  }

  async function copyLink() {
    try {
      await navigator.clipboard.writeText(href);
      said.textContent = "Link copied.";
    } catch {
      said.textContent = href;
    }
  }

  return {
    root,
    open,
    /** @returns {boolean} whether it was open */
    close: () => {
      const was = root.open;
      root.close();
      return was;
    },
  };
}

/** @param {string} text @param {Record<string, any>} properties @param {...Node} children */
function button(text, properties, ...children) {
  return element("button", { type: "button", text, ...properties }, ...children);
}
