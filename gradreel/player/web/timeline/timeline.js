/**
 * The strip below the picture, over the time that steps play: the bytes that saved buffers hold as an area, the
 * stretches of the run as bars with their words, ticks for loops, marks for backward calls, bookmarks, what plays again
 * and again, and over it all the slider that scrubs. The strip itself is drawn once for a scene.
 */

import { element, svgElement } from "../lib/dom.js";
import { formatBytes } from "../lib/format.js";
import { openingOf } from "../lib/markdown.js";
import { timeScale } from "../stage/pace.js";
import { stretchAt, stretchWord } from "./bookmarks.js";

/** @param {HTMLElement} root
 * @param {{onSeek: (step: number) => void, onPlay: (step: number) => void}} wiring  `onPlay`: play from a step
 */
export function createTimeline(root, { onSeek, onPlay }) {
  const strip = svgElement("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const scrub = element("input", {
    type: "range",
    min: 0,
    max: 1,
    step: 1,
    value: 0,
    "data-testid": "scrub",
    "aria-label": "step of the run",
  });
  const tip = element("div", { class: "tip", hidden: true });
  const words = element("div", { class: "words", "aria-hidden": "true" });
  const flags = element("div", { class: "flags" });
  const band = element("div", { class: "band", hidden: true, "aria-hidden": "true" });
  const memory = element("div", { class: "memory" });
  const cursor = element("div", { class: "cursor" }, element("i"));
  root.append(
    element(
      "div",
      { class: "strip" },
      strip,
      element("div", { class: "moving", "aria-hidden": "true" }, cursor),
      band,
      scrub,
      flags,
      words,
      tip,
    ),
    memory,
  );
  let scene = null;
  let state = null;
  let peak = 0;
  let scale = timeScale([]);
  /** The last step of which is told; null where nothing is withheld. */
  let seen = null;
  const share = (step) => `${scale.at(step) * 100}%`;
  const stepAt = (event) => {
    const box = scrub.getBoundingClientRect();
    return scale.stepAt(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)));
  };
  // Its own idea of where a press lands is one of equal steps; what it is told by keys and by aids is a step.
  scrub.addEventListener("input", () => onSeek(Number(scrub.value)));
  scrub.addEventListener("pointerdown", (event) => {
    if (event.button || scrub.disabled) return;
    event.preventDefault();
    scrub.focus({ preventScroll: true });
    scrub.setPointerCapture(event.pointerId);
    onSeek(stepAt(event));
  });
  scrub.addEventListener("dblclick", (event) => onPlay(stepAt(event)));
  scrub.addEventListener("pointermove", (event) => {
    const step = stepAt(event);
    if (scrub.hasPointerCapture(event.pointerId)) onSeek(step);
    const told = seen === null || step <= seen;
    const stretch = stretchAt(scene.stretches, step);
    const held = `${formatBytes(state.at("program", "bytes", step) ?? 0)} saved`;
    const said = told && [held, stretch && stretchWord(stretch), openingOf(scene.steps[step].sentence)];
    tip.textContent = [`${step}`, ...(said || ["not played yet"])].filter(Boolean).join(" · ");
    tip.hidden = false;
    const { width } = scrub.getBoundingClientRect();
    const middle = scale.at(step) * width;
    const left = Math.max(0, Math.min(width - tip.offsetWidth, middle - tip.offsetWidth / 2));
    tip.style.left = `${left}px`;
  });
  scrub.addEventListener("pointerleave", () => (tip.hidden = true));

  return {
    /** @param {any} nextScene @param {any} nextState @param {number[]} durations  milliseconds of each step */
    setScene: (nextScene, nextState, durations) => {
      [scene, state, scale] = [nextScene, nextState, timeScale(durations)];
      peak = drawStrip(strip, words, scene, state, scale);
      scrub.max = String(state.last);
      scrub.disabled = state.last === 0;
    },
    /** @param {number[]} marks */
    setBookmarks: (marks) => flags.replaceChildren(...marks.map((step) => {
      const flag = element("button", {
        title: `bookmark: step ${step}`,
        "aria-label": `go to the bookmark at step ${step}`,
        onclick: () => onSeek(step),
      });
      flag.style.left = share(step);
      return flag;
    })),
    /** @param {{from: number, to: number}|null} range */
    setLoop: (range) => {
      band.hidden = !range;
      if (range) Object.assign(band.style, { left: share(range.from), right: `calc(100% - ${share(range.to)})` });
    },
    /** @param {number} step @param {number} [time]  milliseconds in which the cursor goes there
     * @param {number|null} [last]  what is beyond it is withheld
     */
    show: (step, time = 0, last = null) => {
      seen = last;
      const cut = seen === null ? "" : `inset(0 calc(100% - ${share(seen)}) 0 0)`;
      for (const part of [strip, words]) part.style.clipPath = cut;
      cursor.style.transition = time ? `transform ${Math.round(time)}ms linear` : "none";
      cursor.style.transform = `translateX(${share(step)})`;
      const kind = stretchAt(scene.stretches, step)?.kind;
      cursor.dataset.tone = kind === "error" ? "bad" : "";
      scrub.value = String(step);
      scrub.setAttribute("aria-valuetext", `Step ${step} of ${state.last}. ${openingOf(scene.steps[step].sentence)}`);
      const held = formatBytes(state.at("program", "bytes", step) ?? 0);
      memory.textContent = `saved now ${held}\npeak ${formatBytes(peak)}`;
    },
  };
}

const WIDTH = 1000;
const HEIGHT = 54;
const TICKS = 200;
const BARS = 400;
const POINTS = 2000;
/** Half of what is torn out of the strip where turns are left out. */
const TORN = 2.5;
/** Of the strip's width, what a word needs. */
const WORDY = 0.075;
const STRETCH = { forward: "live", backward: "run", optimizer: "leaf", error: "bad", skipped: "ink" };

/** Draw the strip anew. @returns {number} the most bytes held at once */
function drawStrip(strip, words, scene, state, scale) {
  const at = (step) => scale.at(Math.min(state.last, Math.max(0, step))) * WIDTH;
  const track = state.track("program", "bytes");
  const peak = (track?.values ?? []).reduce((most, value) => Math.max(most, value ?? 0), 0);
  const parts = [
    svgElement("path", {
      d: area(track, at, peak),
      fill: "var(--live-bg)",
      stroke: "var(--live)",
      "stroke-width": 1.5,
      "vector-effect": "non-scaling-stroke",
    }),
  ];
  parts.push(...ticks(state, at), ...bars(scene.stretches, at));
  if (scene.calls.length <= BARS)
    parts.push(...scene.calls.map((call) => mark(at(call.from - 1), call.failed ? "bad" : "run")));
  parts.push(
    ...scene.stretches
      .filter(({ kind }) => kind === "skipped")
      .flatMap((stretch) => tearAt((at(stretch.to) + at(stretch.to - 1)) / 2)),
  );
  strip.replaceChildren(...parts);
  words.replaceChildren(...labels(scene.stretches, at));
  return peak;
}

function bars(stretches, at) {
  return mergeStretches(stretches).map((stretch) => {
    const from = at(stretch.from - 1);
    const box = svgElement("rect", {
      x: from,
      y: HEIGHT - 4,
      width: Math.max(2, at(stretch.to) - from),
      height: 4,
    });
    box.style.fill = `var(--${STRETCH[stretch.kind] ?? "soft"})`;
    return box;
  });
}

/** Neighbouring stretches of one kind as one bar, where there are more than can be told apart. */
function mergeStretches(stretches) {
  if (stretches.length <= BARS) return stretches;
  const found = [];
  for (const stretch of stretches) {
    if (found.at(-1)?.kind === stretch.kind) found.at(-1).to = stretch.to;
    else found.push({ ...stretch });
  }
  return found.filter((_, i) => i % Math.ceil(found.length / BARS) === 0 || found[i].kind === "error");
}

/** A word under each stretch that is wide enough for it. */
function labels(stretches, at) {
  const found = [];
  for (const stretch of stretches) {
    const from = at(stretch.from - 1) / WIDTH;
    const width = at(stretch.to) / WIDTH - from;
    if (width < WORDY) continue;
    const word = element("span", { text: stretchWord(stretch) });
    Object.assign(word.style, { left: `${from * 100}%`, width: `${width * 100}%` });
    found.push(word);
  }
  return found;
}

/** The saved bytes as an area: they change while a step plays. Of very many changes only some are drawn. */
function area(track, at, peak) {
  const height = (value) => HEIGHT - 5 - (peak ? (value / peak) * (HEIGHT - 12) : 0);
  const base = HEIGHT - 5;
  const points = [[0, base]];
  const each = Math.max(1, Math.floor((track?.steps.length ?? 0) / POINTS));
  let before = 0;
  for (let i = 0; i < (track?.steps.length ?? 0); i += each) {
    const value = Math.max(0, track.values[i] ?? 0);
    points.push([at(track.steps[i] - 1), height(before)], [at(track.steps[i]), height(value)]);
    before = value;
  }
  points.push([WIDTH, height(before)], [WIDTH, base]);
  return `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`;
}

/** A faint tick where an iteration begins, as long as they can be told apart. */
function ticks(state, at) {
  const track = state.track("program", "loops");
  const found = (track?.steps ?? []).filter((_, i) => track.values[i]?.length);
  return found.length > TICKS
    ? []
    : found.map((step) =>
        svgElement("line", {
          x1: at(step - 1),
          x2: at(step - 1),
          y1: HEIGHT - 9,
          y2: HEIGHT - 4,
          class: "tick",
          "vector-effect": "non-scaling-stroke",
        }),
      );
}

/** Where turns are left out the strip is torn: two edges, and nothing between them. */
function tearAt(x) {
  const teeth = [0, 1, 2, 3, 4, 5, 6].map((i) => [i % 2 ? 2 : -2, (i * HEIGHT) / 6]);
  const edge = (side) => teeth.map(([dx, y]) => `${(x + side * TORN + dx).toFixed(1)} ${y.toFixed(1)}`);
  const gap = svgElement("path", { d: `M${edge(-1).join("L")}L${edge(1).reverse().join("L")}Z`, fill: "var(--panel)" });
  const edges = [-1, 1].map((side) =>
    svgElement("path", { d: `M${edge(side).join("L")}`, class: "torn", "vector-effect": "non-scaling-stroke" }),
  );
  return [gap, ...edges];
}

function mark(x, token) {
  const line = svgElement("line", {
    x1: x,
    x2: x,
    y1: 2,
    y2: HEIGHT - 4,
    class: "call",
    "vector-effect": "non-scaling-stroke",
  });
  line.style.stroke = `var(--${token})`;
  return line;
}
