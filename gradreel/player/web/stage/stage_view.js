/**
 * The stage in the page: a canvas that shows a moment, and on the way to it what happens in its step. It decides
 * nothing about time: it is told how long the step is.
 */

import { element } from "../lib/dom.js";
import { createComposer, layoutAt, recompose } from "./compose.js";
import { createFilm } from "./film.js";
import { createDragging, listenToWheel } from "./gestures.js";
import { lookAt } from "./look.js";
import { modelOf } from "./model.js";
import { stageMoment } from "./moment.js";
import { posedAt, stillAt } from "./pace.js";
import { createMeasure, createPen, paletteOf } from "./pen.js";
import { paint } from "./painter.js";
import { edgeRoute } from "./places.js";
import { along } from "./routes.js";
import { ladderTitle } from "./sizes.js";
import { aim, ease, settle } from "./sprites.js";

/** @import { Moment } from "../scene/types.js" */
/** @import { Frame, Sprite } from "./types.js" */

const LONGEST_FRAME = 60;
/** Pixels from a line within which a press is on it. */
const NEAR = 8;
const MOST_RATIO = 2;
/** How far detail goes down: to the anchor and what lies beside it. */
const LEAST_DETAIL = -8;

/** @param {HTMLElement} host  what is pressed and has the focus
 * @param {HTMLElement} filmRoot
 * @param {{onPick: (id: string|null, kind: string, more: boolean) => void, onSeek: (step: number) => void, onChange?:
 *   (name: string, value: any) => void, zoomOf?: () => number}} wiring  `more`: with the shift key; `onChange`: a leaf
 *   of an expression is to have another value; `zoomOf`: how much larger than usual things are, asked whenever the
 *   stage gets another size
 */
export function createStageView(host, filmRoot, { onPick, onSeek, onChange = () => {}, zoomOf = () => 1 }) {
  const canvas = element("canvas", { class: "canvas", "aria-hidden": "true" });
  host.append(canvas);
  const context = canvas.getContext("2d");
  const measure = createMeasure((text, font) => {
    context.font = font;
    return context.measureText(text).width;
  });
  const still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");
  const film = createFilm(filmRoot, { onSeek });
  /** @type {Map<string, Sprite>} */
  const sprites = new Map();
  /** @type {import("./pen.js").Pen|null} with the colours in force; null when they may have changed */
  let pen = null;
  let composer = null;
  /** @type {Frame|null} */
  let frame = null;
  let pending = 0;
  let last = 0;
  let act = null;
  let zoom = 1;

  const request = () => (pending ||= requestAnimationFrame(draw));
  const sizing = new ResizeObserver(() => resize());
  sizing.observe(host);
  const dragging = createDragging(host, { frame: () => frame, pointOf, onChange });
  host.addEventListener("click", (event) => dragging.wasDragged() || press(event));
  host.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch" || event.buttons) return;
    point(hit(event));
    const handle = dragging.at(event);
    host.title = handle ? `drag to change ${handle.leaf.name}` : "";
    if (handle) host.style.cursor = "ew-resize";
  });
  host.addEventListener("pointerleave", () => point(null));
  host.addEventListener("pointerdown", () => host.focus({ preventScroll: true }));
  listenToWheel(host, { find: foldUnder, change: tryPin });

  function resize() {
    if (!host.clientWidth || !host.clientHeight || !composer) return;
    zoom = zoomOf();
    const [width, height] = [host.clientWidth / zoom, host.clientHeight / zoom];
    const ratio = zoom * Math.min(MOST_RATIO, globalThis.devicePixelRatio || 1);
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    const { room } = composer;
    if (room.width !== width || room.height !== height) recompose(composer, { room: { width, height } });
    if (frame) relayout(true);
  }

  function relayout(cut) {
    const { moment } = frame;
    const { width, height } = composer.room;
    if (!width) return;
    frame.layout = layoutAt(composer, moment.step, moment.names);
    Object.assign(frame, { width, height });
    aim(sprites, frame.layout, moment.step, film.spot);
    if (cut) settle(sprites);
    request();
  }

  function draw(now) {
    pending = 0;
    if (!frame?.layout || !host.clientWidth) return;
    const moves = ease(sprites, Math.min(LONGEST_FRAME, now - last));
    last = now;
    if (act) {
      act.started ||= now;
      frame.progress = Math.min(1, (now - act.started) / act.time);
      if (frame.progress >= 1) act = null;
    }
    render();
    if (moves || act) request();
  }

  function render() {
    const ratio = canvas.width / composer.room.width;
    pen ??= createPen(context, paletteOf(host), measure);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(pen, frame);
  }

  /** Where an event is on the stage. @param {MouseEvent} event */
  function pointOf({ clientX, clientY }) {
    const { left, top } = host.getBoundingClientRect();
    return [(clientX - left) / zoom, (clientY - top) / zoom];
  }

  /** What is at a point of the screen. @returns {{id: string, kind: string, label: string}|null} */
  function hit(event) {
    if (!frame?.targets) return null;
    const [x, y] = pointOf(event);
    const inside = (at) => x >= at.x && x <= at.x + at.w && y >= at.y && y <= at.y + at.h;
    return frame.targets.findLast(inside) ?? wireAt(x, y);
  }

  /** A press on a line is for the node that sends over it. */
  function wireAt(x, y) {
    for (const link of frame.layout.links)
      for (const edge of link.edges.slice(0, 6)) {
        const route = frame.sprites.has(link.from.key) && edgeRoute(frame, edge);
        if (!route) continue;
        for (let part = 0; part <= 1; part += 0.04) {
          const at = along(route, part);
          if (Math.hypot(at.x - x, at.y - y) < NEAR) return { id: edge.from.id, kind: "wire", label: edge.id };
        }
      }
    return null;
  }

  function point(target) {
    host.style.cursor = target ? "pointer" : "";
    if (!frame || frame.hover === (target?.id ?? null)) return;
    frame.hover = target?.id ?? null;
    request();
  }

  function press(event) {
    const target = hit(event);
    if (target?.kind === "card" || target?.kind === "open") pin(target.id, target.kind === "card");
    else if (target?.kind === "ladder") pin(target.id, true);
    else onPick(target?.id ?? null, target?.kind ?? "", event.shiftKey);
  }

  /** Open or shut a fold until another program comes. */
  function pin(id, open) {
    const ids = id.startsWith("r:") ? ladderFolds(id) : [id];
    const pins = new Map(composer.pins);
    for (const each of ids) pins.set(each, open);
    recompose(composer, { pins });
    relayout(false);
  }

  /** The fold that a turn of the wheel is about: a closed one to open, or the innermost open one to shut. */
  function foldUnder(event, more) {
    const target = frame?.layout && hit(event);
    if (!target) return null;
    const item = frame.layout.items.find(({ key }) => key === target.label);
    if (more) return target.kind === "ladder" || (target.kind === "card" && item?.group?.kids) ? target.id : null;
    if (target.kind === "open") return target.id;
    const at = item?.nodes[0]?.at;
    const around = frame.layout.open.filter(({ id, low, high }) => id !== "root" && low <= at && at <= high);
    return around.sort((a, b) => b.depth - a.depth)[0]?.id ?? null;
  }

  /** Open or shut a fold, if there is room for that. @returns {boolean} whether there was */
  function tryPin(id, open) {
    const { pins, model } = composer;
    const inside = open
      ? frame.layout.items.find(({ key, group }) => key === id || group?.id === id).nodes
      : model.nodes.filter(({ leaf, path }) => !leaf && path.includes(id));
    const piecesNow = () => new Set(inside.map((node) => frame.layout.owner.get(node))).size;
    const before = piecesNow();
    pin(id, open);
    if (open ? piecesNow() > before : piecesNow() < before) return true;
    recompose(composer, { pins });
    relayout(false);
    return false;
  }

  /** The moment at a share of its step, everything in its place. @param {number} progress */
  function pose(progress) {
    if (!frame) return;
    act = null;
    frame.progress = progress;
    if (!frame.layout) return;
    settle(sprites);
    render();
  }

  function ladderFolds(key) {
    const item = frame.layout.items.find((each) => each.key === key);
    const folds = item?.groups.filter(({ kids }) => kids) ?? [];
    return folds.slice(0, 1).map(({ id }) => id);
  }

  return {
    measure,
    /** A scene: its model is made anew. Of the same program with other values everything stays in its place.
     * @param {{same?: boolean}} [how]
     */
    setScene: (scene, state, how = {}) => {
      const { same = false } = how;
      const model = modelOf(scene, state);
      const fresh = createComposer(model, measure);
      host.style.touchAction = scene.expression ? "pan-y" : "";
      composer = same ? { ...composer, model, known: fresh.known } : fresh;
      film.setModel(model);
      if (!same) {
        sprites.clear();
        frame = null;
      }
      return model;
    },
    /** Show a moment; with `time`, what happens in its step over so many milliseconds.
     * @param {Moment & {holding?: any, path?: Set<string>}} moment  `path`: the wires of a path that is to be seen
     * @param {{time?: number, cut?: boolean, stays?: boolean}} how  `stays`: at the share of the step that is shown
     */
    show: (moment, how) => {
      const { time = 0, cut = false, stays = false } = how;
      const { model } = composer;
      const quiet = still?.matches;
      const rest = quiet ? stillAt(moment.scene.steps[moment.step].kind) : 1;
      film.show(model, moment.step);
      frame = /** @type {Frame} */ ({
        model,
        moment: stageMoment(model, moment.step, moment.names),
        layout: frame?.layout,
        progress: time && !quiet ? 0 : stays && frame && !act ? frame.progress : rest,
        sprites,
        hidden: new Set(),
        chosen: moment.selected ?? null,
        hover: frame?.hover ?? null,
        holding: moment.holding ?? null,
        path: moment.path ?? new Set(),
        lit: null,
        targets: frame?.targets ?? [],
      });
      act = time && !quiet ? { time, started: 0 } : null;
      if (!composer.room.width) resize();
      else relayout(cut || quiet);
    },
    recolour: () => {
      pen = null;
      request();
    },
    /** Open what stands before a node, so that it is seen. @param {string} id */
    reveal: (id) => {
      const node = composer.model.node.get(id);
      const owner = node && frame.layout.owner.get(node);
      if (owner?.type !== "card" && owner?.type !== "ladder") return;
      const fold = (owner.groups ?? [owner.group]).find(({ low, high }) => low <= node.at && node.at <= high);
      if (fold?.kids) pin(fold.id, true);
    },
    /** The title of what hides a node; null where it is seen. @param {string} id @returns {string|null} */
    foldedIn: (id) => {
      const node = composer.model.node.get(id);
      const owner = node && frame?.layout?.owner.get(node);
      if (owner?.type === "card") return owner.group.title || "nodes";
      return owner?.type === "ladder" ? ladderTitle(owner.groups) : null;
    },
    /** Open a fold, or shut it. @param {string} id */
    fold: (id) => pin(id, !frame.layout.open.some((fold) => fold.id === id)),
    /** More or less of what is folded open; more than as much as can be read is not to be had. @param {1|-1} way */
    detail: (way) => {
      recompose(composer, { detail: Math.max(LEAST_DETAIL, Math.min(0, composer.detail + way)) });
      relayout(false);
    },
    places: () => Object.fromEntries(visible(frame, sprites).map(({ item, to }) => {
      const [width, height] = [item.w * to.scale * zoom, item.h * to.scale * zoom];
      const key = item.type === "card" ? item.group.id : item.key;
      return [key, { x: to.x * zoom - width / 2, y: to.y * zoom - height / 2, width, height }];
    })),
    pose,
    /** The present step where a picture of it says most. */
    still: () => frame && pose(posedAt(frame.model.scene.steps[frame.moment.step].kind)),
    frame: () => frame && { ...frame, colours: paletteOf(host), measure },
    /** What is shown and how, for a picture beside the page. */
    setup: () => {
      const { model, pins, detail } = composer;
      return { model, measure, pins, detail, colours: paletteOf(host) };
    },
    /** What the last frame shows, in numbers. */
    look: () => {
      pen ??= createPen(context, paletteOf(host), measure);
      Object.assign(pen, { written: [], tiles: [] });
      render();
      const seen = lookAt(frame, pen);
      Object.assign(pen, { written: null, tiles: null });
      return seen;
    },
    destroy: () => {
      sizing.disconnect();
      cancelAnimationFrame(pending);
      frame = null;
      canvas.remove();
    },
  };
}


/** What is on the stage and does not go. */
const visible = (frame, sprites) => [...sprites.values()].filter(({ gone }) => frame && !gone);
