/**
 * The entry of the Streamlit page. Streamlit calls it again on every rerun and theme change with the same parent element, so
 * it keeps its instance by that element, and does something only when something has changed.
 */

import { blank } from "./blank.js";
import { createLab } from "./lab.js";
import { fingerprint, open, unzip } from "./letter.js";
import { DamagedLink, isEmbedded, readAddress, stepAsked } from "./link.js";
import { PLACES } from "./places.js";
import { saveFile } from "./saving.js";
import { createWire } from "./wire.js";

/** @type {WeakMap<Element|ShadowRoot, ReturnType<typeof createPlace>>} */
const places = new WeakMap();

/** @param {{data: Uint8Array, parentElement: any, setTriggerValue: (name: string, value: any) => void}} call */
export default function main({ data, parentElement, setTriggerValue }) {
  const place = places.get(parentElement) ?? createPlace(parentElement.querySelector(".gr-root"));
  places.set(parentElement, place);
  place.receive(data, setTriggerValue);
  return () => {
    place.leave();
    places.delete(parentElement);
  };
}

/** One mounted component, from its first letter to its end. @param {HTMLElement} root */
function createPlace(root) {
  let send = (_name, _value) => {};
  let lab = null;
  let shown = "";
  let saved = null;
  let turn = Promise.resolve();
  /** A link that was opened and whose program has not come yet. */
  let link = null;
  const wire = createWire({
    send: (question) => send("question", question),
    onBusy: (busy) => lab?.busy(busy),
    onSilence: () => lab?.say("No answer came. The page is still here: run it again.", { lasting: true }),
  });

  async function take(bytes) {
    const { head, scene, file, ...more } = open(bytes);
    wire.answered(head.request);
    if (PLACES[head.place]) return visit(head, { scene, ...more });
    if (file && saved !== head.request) {
      saved = head.request;
      const whole = await new Response(new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip"))).blob();
      saveFile(head.file.name, new Blob([whole], { type: head.file.type }));
    }
    lab?.setTheme(themeOf(root));
    if (lab && head.message) tell(head);
    const mark = fingerprint(scene);
    if (mark === shown || (lab && !scene)) return;
    shown = mark;
    const next = scene ? await unzip(scene) : blank(head.source ?? "");
    if (lab) {
      lab.show(next, link?.step ?? null, head.remarks);
      link = null;
    } else await begin(head, next);
  }

  /** A page that is not the Lab: its first letter makes it, and those after that are answers to what it asks. */
  async function visit(head, { scene, beside, page }) {
    lab?.setTheme(themeOf(root));
    const mark = [head.request, fingerprint(scene), fingerprint(beside)].join();
    if (mark === shown) return;
    shown = mark;
    const scenes = await Promise.all([scene, beside].map((part) => part && unzip(part)));
    const answer = { head, scene: scenes[0], beside: scenes[1] };
    if (lab) lab.show(answer);
    else lab = PLACES[head.place](root, { ...answer, page: await unzip(page), ask: wire.ask, theme: themeOf(root) });
    if (head.message) tell(head);
  }

  /** A sentence instead of a scene; one about trouble that may be over by now offers to try again. */
  function tell({ message, again }) {
    lab.say(message, { lasting: true, offer: again ? { title: "Run it again", act: lab.again } : null });
  }

  async function begin(head, scene) {
    const embedded = head.place === "lab" && isEmbedded(location);
    const place = embedded ? "embed" : head.place;
    lab = createLab(root, { head: { ...head, place }, scene, ask: wire.ask, theme: themeOf(root), step: embedded ? stepAsked(location) : null });
    if (head.message) tell(head);
    if (head.place !== "lab") return;
    if (!(await follow()) && !embedded) lab.resume();
    addEventListener("hashchange", follow);
  }

  /** Open the program that the address names. @returns {Promise<boolean>} whether it names one, be it damaged */
  async function follow() {
    try {
      const place = await readAddress(location);
      if (!place) return false;
      link = place;
      lab.open(place);
    } catch (error) {
      if (!(error instanceof DamagedLink)) throw error;
      lab.clear(blank(""));
      lab.say(error.message, { lasting: true });
    }
    return true;
  }

  return {
    receive(data, setTriggerValue) {
      send = setTriggerValue;
      turn = turn.then(() => take(data)).catch((error) => console.error(error));
    },
    leave() {
      removeEventListener("hashchange", follow);
      wire.stop();
      lab?.destroy();
    },
  };
}

/** Whether Streamlit shows its light or its dark theme, by the brightness of its background. */
function themeOf(root) {
  const colour = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const [, hex] = /^#([0-9a-f]{6})$/i.exec(colour) ?? [];
  if (!hex) return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const [red, green, blue] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
}
