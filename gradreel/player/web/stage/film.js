/**
 * The filmstrip: a frame for each turn of the loop that calls backward, with its loss; those that are over can be gone
 * back to. Frames are buttons, so they scroll, take keys and are read out as such.
 */

import { element, reconcile } from "../lib/dom.js";
import { mostOf, SHORT, tileNumber } from "./values.js";

/** @import { Episode, Model } from "./types.js" */

/** Of more turns only the latest have frames. */
const MOST = 300;

/** @param {HTMLElement} root @param {{onSeek: (step: number) => void}} wiring */
export function createFilm(root, { onSeek }) {
  /** @type {Map<string, HTMLElement>} */
  const frames = new Map();
  let shown = "";
  return {
    /** Whether a run has so many turns that they get a film. @param {Model} model */
    setModel: (model) => {
      root.hidden = model.episodes.length < 2;
      shown = "";
    },
    /** @param {Model} model @param {number} step */
    show: (model, step) => {
      if (root.hidden) return;
      const seen = model.episodes.filter(({ from }) => from <= step);
      const now = model.episodeOf[step];
      const key = seen.map((each) => `${each.key}${stateOf(each, now, step)}${lossAt(each, step)}`).slice(-MOST).join();
      if (key === shown) return;
      shown = key;
      frames.clear();
      const most = Math.max(...seen.map((each) => mostOf(model.scene.values[lossAt(each, step)])), 1e-30);
      const made = seen.slice(-MOST).map((episode) => {
        const frame = frameOf(model, episode, { step, most, state: stateOf(episode, now, step), onSeek });
        frames.set(episode.key, frame);
        return frame;
      });
      reconcile(root, ...made);
      frames.get((now ?? seen.at(-1))?.key)?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    },
    /** Where the frame of an episode is, from the left end of the stage. @param {Episode} episode */
    spot: ({ key }) => {
      const frame = frames.get(key);
      if (!frame) return null;
      return { x: frame.offsetLeft + frame.offsetWidth / 2 - root.scrollLeft, y: -frame.offsetHeight / 2 };
    },
  };
}

const lossAt = ({ call, loss }, step) => (call !== null && call <= step ? loss : null);

const stateOf = (episode, now, step) =>
  episode.failed !== null && episode.failed <= step ? "failed" : episode === now ? "now" : "done";

const SIGN = { failed: "✗", done: "✓", now: "" };
const WORD = { failed: "failed", done: "over", now: "running" };

function frameOf({ scene }, episode, { step, most, state, onSeek }) {
  const value = scene.values[lossAt(episode, step)];
  const loss = value && !value.shape.length ? tileNumber(value.data, SHORT) : "";
  const number = `${episode.number}${episode.of ? `/${episode.of}` : ""}`;
  const button = element(
    "button",
    {
      type: "button",
      "data-state": state,
      title: `iteration ${number}: ${WORD[state]}${loss && `, starts at ${loss}`}`,
      onclick: () => onSeek(episode.call ?? episode.from),
    },
    element("span", { text: number }),
    element("i", { text: SIGN[state], "aria-hidden": "true" }),
    element("b", { text: loss }),
  );
  button.style.setProperty("--loss", String(mostOf(value) / most));
  return button;
}
