/**
 * The stage: the graph pane with its camera and its overlay canvas. It turns a moment into a frame and eases what
 * changed while playing; it decides nothing about time.
 */

import { element } from "../lib/dom.js";
import { namesByBox } from "../scene/moment.js";
import { createCamera } from "./camera.js";
import { opacity } from "./card_painter.js";
import { ghostsAt } from "./ghosts.js";
import { createMinimap } from "./minimap.js";
import { paint } from "./painter.js";
import { createMeasure } from "./pen.js";
import { around } from "./picture.js";
import { coloursOf } from "./theme.js";

const EASE = 180;
const GLIDE = 200;
const READABLE = 0.6;
const LEGIBLE = 0.5;
const CLOSE = 0.7;
/** How much larger what is there has to be seen without what is not. */
const WORTHWHILE = 1.15;
const BROAD = 1.6;
const WIDE = 420;
/** Room beside the cards for names, and above them for the gradients that come in. */
const SIDE = 60;
const ABOVE = 40;

/** @param {HTMLElement} root
 * @param {HTMLElement} corner  where the small map goes
 * @param {any} vis
 * @param {{onPick: (id: string|null) => void, onFollow: (follows: boolean) => void}} wiring
 */
export function createCanvasView(root, corner, vis, { onPick, onFollow }) {
  const host = element("div", { class: "host" });
  const overlay = element("canvas", { class: "overlay", "aria-hidden": "true" });
  root.append(host, overlay);
  const context = overlay.getContext("2d");
  const measure = createMeasure(context);
  const still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");
  let frame = null;
  let started = 0;
  let pending = 0;
  let pills = [];
  let follows = true;
  let hover = null;
  let opened = false;
  let colours = null;

  const setFollow = (value) => {
    if (value === follows) return;
    follows = value;
    onFollow(value);
  };
  const camera = createCamera(host, vis, {
    onFrame: () => draw(),
    onMove: () => setFollow(false),
    onPick: (at) => onPick(hit(at)),
    onHover: (at) => {
      const next = hit(at);
      if (next === hover) return;
      hover = next;
      host.style.cursor = next ? "pointer" : "";
      request();
    },
  });
  const minimap = createMinimap(corner, {
    onGo: (at) => {
      setFollow(false);
      camera.moveTo(at, camera.view().scale, 0);
    },
  });
  const sizing = new ResizeObserver(() => {
    camera.resize();
    if (!opened && frame) open();
    else if (follows && frame && host.clientWidth) settle();
    request();
  });
  sizing.observe(host);

  /** What is at a point: a name, a chip, a card that is there, the title of an open group. */
  function hit(at) {
    if (!frame) return null;
    const within = ({ rect }) =>
      at.x >= rect.x && at.x <= rect.x + rect.width && at.y >= rect.y && at.y <= rect.y + rect.height;
    const small = pills.find(within)?.tensor ?? frame.picture.chips.find(within)?.leaf;
    if (small) return small;
    const { turns, covered } = frame.ghosts;
    const card =
      turns.find(within) ?? frame.picture.cards.find((item) => within(item) && !covered.has(item.id) && isSeen(item));
    return (
      card?.id ??
      frame.picture.outlines.find(
        ({ rect, cards }) => within({ rect: { ...rect, height: 24 } }) && !cards.every(({ id }) => covered.has(id)),
      )?.group.id ??
      null
    );
  }

  function request() {
    if (!pending) pending = requestAnimationFrame(() => draw());
  }

  function draw() {
    cancelAnimationFrame(pending);
    pending = 0;
    if (!frame || !host.clientWidth) return;
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = [Math.round(host.clientWidth * ratio), Math.round(host.clientHeight * ratio)];
    if (overlay.width !== width || overlay.height !== height) Object.assign(overlay, { width, height });
    const progress = started ? Math.min(1, (performance.now() - started) / EASE) : 1;
    if (progress >= 1) started = 0;
    const view = camera.view();
    colours ??= coloursOf(root);
    pills = paint(context, { ...frame, view, ratio, progress, hover, measure, colours });
    minimap.paint(frame, view, colours, ratio);
    if (progress < 1) request();
  }

  const isThere = (card) => opacity(card, frame.state, frame.step) === 1;
  const isShade = (card) => frame.ghosts.shades.has(card.id);
  const isSeen = (card) => isShade(card) || opacity(card, frame.state, frame.step) > 0;

  /** The frame of what is there now, and with it of all that is gone or still to come if that costs little. */
  function worthSeeing() {
    const there = frame.picture.cards.filter(isThere);
    const cards = there.some((card) => card.box?.kind !== "leaf") ? there : frame.picture.cards.filter(isShade);
    if (!cards.length) return undefined;
    const now = around(cards.map((card) => card.rect), SIDE, ABOVE);
    return camera.wholeScale(now) < camera.wholeScale() * WORTHWHILE ? undefined : now;
  }

  /** The camera at the beginning: what is worth seeing where that can be read, else what this step is about, else the
   * newest root and what is below it.
   */
  function open() {
    opened = host.clientWidth > 0;
    if (!opened) return;
    const top = newest() ?? frame.picture.roots.findLast(isShade);
    const seen = worthSeeing();
    if (!top || camera.wholeScale(seen) >= LEGIBLE) return camera.fit(0, seen);
    const busy = busyCard(frame.picture, frame.focus);
    if (busy) return camera.lookAt(busy.rect, CLOSE);
    const { x, y, width, height } = top.rect;
    if (frame.picture.sideways)
      return camera.moveTo({ x: x + host.clientWidth / 2 / CLOSE - 90, y: y + height / 2 }, CLOSE, 0);
    return camera.moveTo({ x: x + width / 2, y: y + host.clientHeight / 2 / CLOSE - 90 }, CLOSE, 0);
  }

  /** After the stage has changed its size: all of it as large as there is room for, or what the step is about where it
   * was.
   */
  function settle() {
    const seen = worthSeeing();
    if (camera.wholeScale(seen) >= LEGIBLE) camera.fit(0, seen);
    else keepInView(busyCard(frame.picture, frame.focus), 0);
  }

  /** Bring a card into view, if it is not. */
  function follow(card, ms) {
    if (card && !camera.sees(card.rect)) camera.lookAt(card.rect, Math.max(camera.view().scale, READABLE), ms);
  }

  /** Bring a card to where it can be read, from an overview too. */
  function look(card, ms) {
    if (camera.view().scale < LEGIBLE) camera.lookAt(card.rect, READABLE, ms);
    else follow(card, ms);
  }

  /** Follow a card: to where all of it can be seen, if it can be read there. */
  function keepInView(card, ms) {
    if (card && !camera.sees(card.rect) && camera.wholeScale() >= LEGIBLE) camera.fit(ms);
    else follow(card, ms);
  }

  /** Whether a card of a graph is there. Leaves do not count, they outlive every graph. */
  const isNode = (card) => card.box?.kind !== "leaf" && card.group?.kind !== "leaves" && isThere(card);

  /** The newest root that is there; where the roots are gone, the newest of what they led to. */
  const newest = () => frame.picture.roots.findLast(isNode) ?? frame.picture.cards.findLast(isNode) ?? null;

  /** For a step that is about no card: where the graph is, if nothing of it can be seen. */
  const lost = () => (frame.picture.cards.some((card) => isNode(card) && camera.sees(card.rect, 0)) ? null : newest());

  return {
    measure,
    /** The colours may have changed. */
    recolour: () => {
      colours = null;
      request();
    },
    /** A new picture. With `keep`, the given card stays where it was on the screen. */
    setPicture: (picture, keep) => {
      const { scale, x, y } = camera.view();
      const before = keep && frame ? placeOf(frame.picture, keep) : null;
      camera.setBounds(picture.bounds);
      if (frame) frame.picture = picture;
      const after = before && placeOf(picture, keep);
      if (keep && follows && camera.wholeScale() >= LEGIBLE) camera.fit();
      else if (after) camera.moveTo({ x: x + after.x - before.x, y: y + after.y - before.y }, scale, 0);
      else if (keep) camera.moveTo({ x, y }, scale, 0);
    },
    /** Show a moment; with `ease`, what changed at this step turns into what it is now. */
    show: (moment, { from, ease, picture, begin }) => {
      const eased = ease && !still?.matches;
      const busy = busyCard(picture, moment.about);
      frame = {
        ...moment,
        picture,
        ghosts: ghostsAt({ ...moment, picture, measure }, moment.turned),
        from,
        names: namesByBox(moment.state, moment.names, moment.step),
        focus: new Set(moment.about),
        changed: { has: (id) => moment.state.changes(id, moment.step) },
      };
      started = eased ? performance.now() : 0;
      if (begin) open();
      else if (follows && host.clientWidth) keepInView(busy ?? lost(), eased ? GLIDE : 0);
      request();
    },
    fit: () => {
      camera.fit(still?.matches ? 0 : GLIDE, frame ? worthSeeing() : undefined);
      setFollow(true);
    },
    follow: () => {
      setFollow(!follows);
      if (follows && frame) keepInView(busyCard(frame.picture, frame.focus) ?? lost(), still?.matches ? 0 : GLIDE);
    },
    zoom: (factor) => {
      setFollow(false);
      camera.zoom(factor);
    },
    lookAt: (card) => look(card, still?.matches ? 0 : GLIDE),
    view: () => camera.view(),
    /** Whether an open group was there and nothing of it is left. */
    isGone: (group) => frame.ghosts.gone.has(group),
    /** The group that is gone and behind whose card a card stands. @returns {string|null} */
    behind: (card) => frame.ghosts.turns.find(({ cards }) => cards.some(({ id }) => id === card))?.id ?? null,
    /** Whether a graph drawn from left to right has more room here. */
    isBroad: () => host.clientWidth > Math.max(BROAD * host.clientHeight, WIDE),
    /** All that the painter needs for the present moment, to paint it elsewhere. */
    frame: () => frame && { ...frame, measure, colours: (colours ??= coloursOf(root)) },
    destroy: () => {
      sizing.disconnect();
      cancelAnimationFrame(pending);
      frame = null;
      camera.destroy();
      host.remove();
      overlay.remove();
    },
  };
}

/** The card that a step is about. */
function busyCard(picture, focus) {
  return [...focus].map((id) => picture.card.get(picture.unitOf.get(id))).find(Boolean) ?? null;
}

/** Where a card stands, or what remains of it: its group's card, or the first of its boxes. */
function placeOf(picture, { unit, boxes }) {
  const card = picture.card.get(unit) ?? boxes.map((id) => picture.card.get(picture.unitOf.get(id))).find(Boolean);
  return card ? { x: card.rect.x + card.rect.width / 2, y: card.rect.y } : null;
}
