/**
 * The camera: a vis-network without nodes of its own. It pans, zooms and glides, by mouse, wheel and touch, and says
 * where in the picture the pointer is; all that is seen is painted on a canvas laid over its own. Ten thousand nodes in
 * vis-network would cost half a second to set and fifteen milliseconds a frame, and nobody would see them.
 */

const NEAREST = 3;
const FARTHEST = 0.015;
/** Pixels that are left free beside what is to be seen as a whole; a little less is enough for what is seen. */
const AIR = 24;
/** Pixels at the top that the caption takes. */
const CAPTION = 40;
/** The room that a look at one place leaves at the rims of the picture: for names beside it, the caption above. */
const RIM = { x: 60, above: 48, below: 34 };
const SETTINGS = {
  autoResize: false, // it would make all larger where there is more room, and that up to a second late
  physics: false,
  layout: { improvedLayout: false },
  interaction: { dragNodes: false, hover: false, selectable: false, keyboard: false, zoomSpeed: 0.6 },
};

/** @typedef {{x: number, y: number}} Point   in the picture, not on the screen */

/** @param {HTMLElement} host
 * @param {any} vis  the vis-network namespace, or a promise of it: until it comes, the picture stands where it is put
 * @param {{onFrame: () => void, onPick: (at: Point) => void, onHover: (at: Point) => void, onMove: () => void}} wiring
 */
export function createCamera(host, vis, { onFrame, onPick, onHover, onMove }) {
  /** @type {any} a vis-network, or what stands in for it */
  let network = createStill(onFrame);
  let gone = false;
  let bounds = { x: 0, y: 0, width: 1, height: 1 };
  if (vis instanceof Promise) vis.then((found) => gone || start(found)).catch((error) => console.error(error));
  else start(vis);

  function start({ Network }) {
    const [position, scale] = [network.getViewPosition(), network.getScale()];
    network = new Network(host, { nodes: [], edges: [] }, SETTINGS);
    // The graph is one stop for the keyboard, not two.
    host.querySelector(".vis-network")?.setAttribute("tabindex", "-1");
    network.on("afterDrawing", onFrame);
    network.on("dragStart", onMove);
    network.on("zoom", ({ scale }) => {
      if (scale > NEAREST || scale < FARTHEST) network.moveTo({ scale: within(scale) });
      onMove();
    });
    network.on("click", ({ pointer }) => onPick(pointer.canvas));
    network.moveTo({ position, scale, animation: false });
  }
  const focus = () => host.focus({ preventScroll: true });
  const hover = (event) => {
    const box = host.getBoundingClientRect();
    onHover(network.DOMtoCanvas({ x: event.clientX - box.left, y: event.clientY - box.top }));
  };
  host.addEventListener("pointerdown", focus);
  host.addEventListener("mousemove", hover);

  const view = () => {
    const { x, y } = network.getViewPosition();
    return { scale: network.getScale(), x, y, width: host.clientWidth, height: host.clientHeight };
  };
  const moveTo = (position, scale, ms) =>
    network.moveTo({
      position,
      scale: within(scale),
      animation: ms ? { duration: ms, easingFunction: "easeInOutQuad" } : false,
    });
  /** The scale at which `rect`, everything unless told, is in view. */
  const wholeScale = (rect = bounds) => {
    const { width, height } = view();
    return within(Math.min(1.2, (width - 2 * AIR) / rect.width, (height - CAPTION - AIR) / rect.height));
  };

  return {
    view,
    moveTo,
    wholeScale,
    /** What there is to look at. @param {{x: number, y: number, width: number, height: number}} whole */
    setBounds: (whole) => (bounds = whole),
    /** The stage has another size: what was in the middle stays there, as large as it was. */
    resize: () => {
      const [position, scale] = [network.getViewPosition(), network.getScale()];
      network.setSize();
      network.redraw();
      network.moveTo({ position, scale, animation: false });
    },
    /** Look at a rectangle, and past the rim of the picture only where all of it is in view. */
    lookAt: (rect, scale, ms = 0) => {
      const { width, height } = view();
      const x = held(rect.x + rect.width / 2, width / scale, bounds.x - RIM.x, bounds.x + bounds.width + RIM.x);
      const y = held(
        rect.y + rect.height / 2,
        height / scale,
        bounds.y - RIM.above / scale,
        bounds.y + bounds.height + RIM.below / scale,
      );
      moveTo({ x, y }, scale, ms);
    },
    fit: (ms = 0, rect = bounds) => {
      const scale = wholeScale(rect);
      moveTo({ x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 - (CAPTION - AIR) / 2 / scale }, scale, ms);
    },
    zoom: (factor) => {
      const { scale, x, y } = view();
      moveTo({ x, y }, scale * factor, 0);
    },
    /** Whether a rectangle can be seen with some air around it, clear of the caption. */
    sees: (rect, margin = AIR - 4) => {
      const { scale, x, y, width, height } = view();
      const left = (rect.x - x) * scale + width / 2;
      const top = (rect.y - y) * scale + height / 2;
      const above = margin > 0 ? CAPTION - 4 : 0;
      return (
        left > margin &&
        top > above &&
        left + rect.width * scale < width - margin &&
        top + rect.height * scale < height - margin
      );
    },
    destroy: () => {
      gone = true;
      host.removeEventListener("pointerdown", focus);
      host.removeEventListener("mousemove", hover);
      network.destroy();
    },
  };
}

/** What a network does of which nobody has taken hold: it shows what it is told to. */
function createStill(onFrame) {
  let [position, scale] = [{ x: 0, y: 0 }, 1];
  return {
    getViewPosition: () => position,
    getScale: () => scale,
    moveTo: (to) => {
      ({ position = position, scale = scale } = to);
      queueMicrotask(onFrame);
    },
    DOMtoCanvas: () => ({ x: Infinity, y: Infinity }),
    setSize: () => {},
    redraw: () => {},
    destroy: () => {},
  };
}

/** The middle of a window of a given length, held between two ends; where they lie closer, in the middle of them. */
function held(middle, length, from, to) {
  if (to - from <= length) return (from + to) / 2;
  return Math.max(from + length / 2, Math.min(to - length / 2, middle));
}

function within(scale) {
  return Math.max(FARTHEST, Math.min(NEAREST, scale));
}
