/**
 * The line between the stage and what stands beside it, or below the program: dragged, or moved with the arrow keys, it
 * gives one more room and the other less. How much is kept in a person's own browser. The stage always keeps the larger
 * part, so what acts there is never covered.
 */

import { element } from "../lib/dom.js";

const KEPT = "gradreel.beside";
/** Pixels that a key moves it, with shift so many times as many. */
const STEP = 24;
const FAR = 4;
/** The least that stands beside, in pixels; the most, as a share of the frame. */
const LEAST = { beside: 240, below: 120 };
const MOST = { beside: 0.4, below: 0.6 };

/** @typedef {"beside"|"below"} Side  where the pane stands: beside the stage, or below the program */

/**
 * @param {HTMLElement} frame  what holds the panes
 * @param {HTMLElement} pane  what stands beside the stage
 * @param {() => Storage} [store]
 */
export function createDivider(frame, pane, store = () => localStorage) {
  const line = element("div", {
    class: "divider",
    role: "separator",
    tabindex: 0,
    "aria-label": "how much room what happened has",
    "data-testid": "divider",
  });
  /** @type {Partial<Record<Side, number>>} */
  let sizes = readSizes(store);

  /** @returns {Side} */
  const sideNow = () => {
    const stage = frame.querySelector(".graph").getBoundingClientRect();
    return pane.getBoundingClientRect().right <= stage.left + 2 ? "below" : "beside";
  };
  const sizeNow = (side) => pane.getBoundingClientRect()[side === "beside" ? "width" : "height"];
  const wholeOf = (side) => frame[side === "beside" ? "clientWidth" : "clientHeight"];
  const mostOf = (side) => Math.max(LEAST[side], MOST[side] * wholeOf(side));
  const clamp = (side, size) => Math.round(Math.max(LEAST[side], Math.min(mostOf(side), size)));

  function apply() {
    for (const side of /** @type {Side[]} */ (["beside", "below"]))
      if (sizes[side]) frame.style.setProperty(`--${side}`, `${sizes[side]}px`);
      else frame.style.removeProperty(`--${side}`);
  }

  /** What a reader is told: the side it moves along, and where it stands. */
  function tell() {
    if (!line.isConnected) return;
    const side = sideNow();
    line.setAttribute("aria-orientation", side === "beside" ? "vertical" : "horizontal");
    for (const [name, value] of Object.entries({ now: sizeNow(side), min: LEAST[side], max: mostOf(side) }))
      line.setAttribute(`aria-value${name}`, String(Math.round(value)));
  }

  /** @param {Side} side @param {number|null} size  null: as it was at first */
  function resize(side, size) {
    sizes = { ...sizes, [side]: size === null ? undefined : clamp(side, size) };
    apply();
    tell();
  }
  const remember = () => {
    try {
      store().setItem(KEPT, JSON.stringify(sizes));
    } catch {
      // A browser that keeps nothing is left in peace.
    }
  };

  line.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    line.focus({ preventScroll: true });
    line.setPointerCapture(event.pointerId);
  });
  line.addEventListener("pointermove", ({ pointerId, clientX, clientY }) => {
    if (!line.hasPointerCapture(pointerId)) return;
    const { right, bottom } = pane.getBoundingClientRect();
    const side = sideNow();
    resize(side, side === "beside" ? right - clientX : bottom - clientY);
  });
  line.addEventListener("pointerup", remember);
  line.addEventListener("dblclick", () => {
    resize(sideNow(), null);
    remember();
  });
  line.addEventListener("keydown", (event) => {
    const side = sideNow();
    const far = event.shiftKey ? STEP * FAR : STEP;
    const goals = {
      [side === "beside" ? "ArrowLeft" : "ArrowUp"]: sizeNow(side) + far,
      [side === "beside" ? "ArrowRight" : "ArrowDown"]: sizeNow(side) - far,
      Home: LEAST[side],
      End: mostOf(side),
    };
    const goal = event.key === "Enter" ? null : goals[event.key];
    if (goal === undefined) return;
    event.preventDefault();
    event.stopPropagation(); // to the player these keys are steps
    resize(side, goal);
    remember();
  });
  new ResizeObserver(tell).observe(pane);
  apply();
  return line;
}

/** @param {() => Storage} store @returns {Partial<Record<Side, number>>} */
function readSizes(store) {
  try {
    const kept = JSON.parse(store().getItem(KEPT) ?? "{}");
    const sizes = ["beside", "below"].map((side) => [side, kept[side]]);
    return Object.fromEntries(sizes.filter(([, size]) => Number.isFinite(size) && size > 0));
  } catch {
    return {};
  }
}
