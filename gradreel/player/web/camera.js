/**
 * Camera and picker: a vis-network whose nodes are as large as the cards but draw nothing. It pans, zooms and says what is
 * under the pointer; everything seen is painted on a canvas laid over its own.
 */

const NEAREST = 3;
const FARTHEST = 0.015;
const SETTINGS = {
  physics: false,
  layout: { improvedLayout: false },
  interaction: { dragNodes: false, hover: false, selectable: false, keyboard: false, zoomSpeed: 0.6 },
  nodes: { shape: "custom", chosen: false, fixed: true },
};

/** @param {HTMLElement} host
 * @param {any} vis  the vis-network namespace
 * @param {{onFrame: () => void, onPick: (id: string|null, at: {x: number, y: number}) => void,
 *          onHover: (id: string|null, at: {x: number, y: number}) => void, onMove: () => void}} wiring
 */
export function createCamera(host, vis, { onFrame, onPick, onHover, onMove }) {
  const network = new vis.Network(host, { nodes: [], edges: [] }, SETTINGS);
  let bounds = { x: 0, y: 0, width: 1, height: 1 };

  network.on("afterDrawing", onFrame);
  network.on("dragStart", onMove);
  network.on("zoom", ({ scale }) => {
    if (scale > NEAREST || scale < FARTHEST) network.moveTo({ scale: Math.max(FARTHEST, Math.min(NEAREST, scale)) });
    onMove();
  });
  network.on("click", ({ pointer }) => onPick(network.getNodeAt(pointer.DOM) ?? null, pointer.canvas));
  const focus = () => host.focus({ preventScroll: true });
  host.addEventListener("pointerdown", focus);
  const hover = (event) => {
    const box = host.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    onHover(network.getNodeAt(at) ?? null, network.DOMtoCanvas(at));
  };
  host.addEventListener("mousemove", hover);

  const view = () => {
    const { x, y } = network.getViewPosition();
    return { scale: network.getScale(), x, y, width: host.clientWidth, height: host.clientHeight };
  };
  const moveTo = (position, scale, ms) =>
    network.moveTo({ position, scale, animation: ms ? { duration: ms, easingFunction: "easeInOutQuad" } : false });

  return {
    view,
    moveTo,
    /** The rectangles that can be picked, and the whole they make. */
    setCards: (cards, whole) => {
      bounds = whole;
      const ghost = ({ width, height }) => () => ({ drawNode() {}, nodeDimensions: { width, height } });
      network.setData({
        nodes: cards.map(({ id, rect }) => ({
          id,
          x: rect.x + rect.width / 2,
          y: rect.y + rect.height / 2,
          ctxRenderer: ghost(rect),
        })),
        edges: [],
      });
    },
    /** The scale at which everything is in view. @param {number} [most] */
    wholeScale: (most = 1.2) => {
      const room = view();
      return Math.max(FARTHEST, Math.min(most, (room.width - 48) / bounds.width, (room.height - 96) / bounds.height));
    },
    fit: function fit(ms = 0) {
      moveTo({ x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 }, this.wholeScale(), ms);
    },
    zoom: (factor) => {
      const { scale, x, y } = view();
      moveTo({ x, y }, Math.max(FARTHEST, Math.min(NEAREST, scale * factor)), 0);
    },
    /** Whether a rectangle can be seen with some air around it. */
    sees: (rect, margin = 30) => {
      const { scale, x, y, width, height } = view();
      const left = (rect.x - x) * scale + width / 2;
      const top = (rect.y - y) * scale + height / 2;
      return left > margin && top > margin && left + rect.width * scale < width - margin && top + rect.height * scale < height - margin;
    },
    redraw: () => network.redraw(),
    destroy: () => {
      host.removeEventListener("mousemove", hover);
      host.removeEventListener("pointerdown", focus);
      network.destroy();
    },
  };
}
