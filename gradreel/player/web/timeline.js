/**
 * The strip below the picture: the bytes that saved buffers hold over time, the stretches of the run, a mark for each backward
 * call and error, ticks for loops, and over it all the slider that scrubs.
 */

import { element, svgElement } from "./dom.js";
import { bytes } from "./format.js";
import { plain } from "./marks.js";
import { indexAt, valueAt } from "./state.js";

const WIDTH = 1000;
const HEIGHT = 54;
const TICKS = 200;
const STRETCH = { forward: "live", backward: "run", optimizer: "leaf", error: "bad" };

/** @param {HTMLElement} root
 * @param {{onSeek: (step: number) => void}} wiring
 */
export function createTimeline(root, { onSeek }) {
  const strip = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const scrub = element("input", { type: "range", min: 0, max: 1, step: 1, value: 0, "data-testid": "scrub", "aria-label": "step of the run" });
  const tip = element("div", { class: "tip", hidden: true });
  const memory = element("div", { class: "memory" });
  const cursor = svgElement("line", { y1: 0, y2: HEIGHT, "vector-effect": "non-scaling-stroke", class: "cursor" });
  root.append(element("div", { class: "strip" }, strip, scrub, tip), memory);
  let scene = null;
  let state = null;
  let peak = 0;
  scrub.addEventListener("input", () => onSeek(Number(scrub.value)));
  scrub.addEventListener("pointermove", (event) => {
    const box = scrub.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    const step = Math.round(share * state.last);
    tip.textContent = `${step}: ${bytes(state.at("program", "bytes", step) ?? 0)} · ${plain(scene.steps[step].sentence)}`;
    tip.hidden = false;
    const room = box.width - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(room, share * box.width - tip.offsetWidth / 2))}px`;
  });
  scrub.addEventListener("pointerleave", () => (tip.hidden = true));

  return {
    setScene: (nextScene, nextState) => {
      [scene, state] = [nextScene, nextState];
      peak = draw(strip, scene, state);
      strip.append(cursor);
      scrub.max = String(state.last);
    },
    show: (step) => {
      const x = at(step, state.last);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      const kind = stretchOf(scene, step)?.kind;
      cursor.style.stroke = `var(--${kind === "error" ? "bad" : "ink"})`;
      scrub.value = String(step);
      scrub.setAttribute("aria-valuetext", `Step ${step} of ${state.last}. ${plain(scene.steps[step].sentence)}`);
      memory.textContent = `saved now ${bytes(state.at("program", "bytes", step) ?? 0)}\npeak ${bytes(peak)}`;
    },
  };
}

function at(step, last) {
  return last ? (step / last) * WIDTH : 0;
}

function stretchOf(scene, step) {
  const index = indexAt(scene.stretches.map((stretch) => stretch.from), step);
  return scene.stretches[index] ?? null;
}

/** Draw the strip anew. @returns {number} the most bytes held at once */
function draw(strip, scene, state) {
  const { last } = state;
  const track = state.track("program", "bytes");
  const peak = Math.max(0, ...[...new Set(track?.values ?? [])]);
  strip.replaceChildren();
  strip.append(svgElement("path", {
    d: area(track, last, peak),
    fill: "var(--live-bg)",
    stroke: "var(--live)",
    "stroke-width": 1.5,
    "vector-effect": "non-scaling-stroke",
  }));
  for (const tick of ticks(state, last)) strip.append(tick);
  scene.stretches.forEach((stretch, i) => {
    const from = at(i === 0 ? 0 : stretch.from - 1, last);
    const to = at(stretch.to, last);
    const box = svgElement("rect", { x: from, y: HEIGHT - 4, width: Math.max(2, to - from), height: 4 });
    box.style.fill = `var(--${STRETCH[stretch.kind] ?? "soft"})`;
    const name = svgElement("title");
    name.textContent = `${stretch.kind} ${stretch.label ?? ""}`;
    box.append(name);
    strip.append(box);
  });
  for (const call of scene.calls) strip.append(mark(at(call.from, last), call.failed ? "bad" : "run"));
  return peak;
}

/** The saved bytes as an area, at most two points a column. */
function area(track, last, peak) {
  const height = (value) => HEIGHT - 5 - (peak ? (value / peak) * (HEIGHT - 12) : 0);
  const base = HEIGHT - 5;
  const points = [[0, base]];
  const columns = Math.min(last, WIDTH);
  let before = 0;
  for (let column = 0; column <= columns; column++) {
    const step = columns ? Math.round((column / columns) * last) : 0;
    const value = Math.max(0, valueAt(track, step) ?? 0);
    if (value === before && column !== columns) continue;
    points.push([at(Math.max(0, step - 1), last), height(before)], [at(step, last), height(value)]);
    before = value;
  }
  points.push([WIDTH, height(before)], [WIDTH, base]);
  return `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`;
}

/** A faint tick where an iteration begins, as long as they can be told apart. */
function ticks(state, last) {
  const track = state.track("program", "loops");
  const found = (track?.steps ?? []).filter((_, i) => track.values[i]?.length);
  return found.length > TICKS ? [] : found.map((step) => svgElement("line", {
    x1: at(step, last), x2: at(step, last), y1: HEIGHT - 9, y2: HEIGHT - 4, class: "tick", "vector-effect": "non-scaling-stroke",
  }));
}

function mark(x, token) {
  const line = svgElement("line", { x1: x, x2: x, y1: 2, y2: HEIGHT - 4, class: "call", "vector-effect": "non-scaling-stroke" });
  line.style.stroke = `var(--${token})`;
  return line;
}
