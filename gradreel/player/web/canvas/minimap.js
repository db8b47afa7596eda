/**
 * The whole picture in a corner, with a frame around what is in view, while not all of it is. Its shapes are drawn once
 * for a picture; a frame costs one image and a rectangle. Press or drag to go somewhere. It stands below on the left,
 * and above on either side while it hides less there: a leaf or the card that the step is about counts more than any
 * other.
 */

import { element } from "../lib/dom.js";
import { opacity } from "./card_painter.js";
import { overlap } from "./picture.js";

const WIDEST = 168;
const HIGHEST = 112;
/** Of the stage's width and height, at the most: on a small stage the map must not stand for the picture. */
const SHARE = { x: 0.18, y: 0.16 };
const LEAST = 14;
/** The height of the row in which the title of an open group stands, and the width of one of its letters. */
const TITLE = 24;
const LETTER = 7;
/** From the rims of the stage; above on the left stands the title. */
const ASIDE = { x: 12, above: 12, title: 40, below: 4 };
/** Where it may stand, first come first, with what it takes of the stage there. */
const PLACES = {
  below: (view, { width, height }) => ({
    x: ASIDE.x,
    y: view.height - ASIDE.below - height,
    width,
    height: height + ASIDE.below,
  }),
  right: (view, { width, height }) => ({ x: view.width - ASIDE.x - width, y: ASIDE.above, width, height }),
  left: (view, { width, height }) => ({ x: ASIDE.x, y: ASIDE.title, width, height }),
};

/** @param {HTMLElement} root
 * @param {{onGo: (at: {x: number, y: number}) => void}} wiring
 */
export function createMinimap(root, { onGo }) {
  const canvas = element("canvas", { class: "minimap", "aria-hidden": "true", "data-testid": "minimap", hidden: true });
  root.append(canvas);
  let map = null;

  const go = (event) => {
    const box = canvas.getBoundingClientRect();
    onGo({
      x: map.bounds.x + ((event.clientX - box.left) / box.width) * map.bounds.width,
      y: map.bounds.y + ((event.clientY - box.top) / box.height) * map.bounds.height,
    });
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    go(event);
  });
  canvas.addEventListener("pointermove", (event) => event.buttons && go(event));

  return {
    /**
     * @param {any} frame  with the picture, its state, the step and the busy boxes
     * @param {any} view
     * @param {any} colours
     * @param {number} ratio
     */
    paint({ picture, focus, state, step, ghosts }, view, colours, ratio) {
      const { bounds } = picture;
      const whole = view.width / view.scale >= bounds.width && view.height / view.scale >= bounds.height;
      canvas.hidden = whole || view.width < 420;
      if (canvas.hidden) return;
      const room = { width: Math.min(WIDEST, view.width * SHARE.x), height: Math.min(HIGHEST, view.height * SHARE.y) };
      if (
        map?.picture !== picture ||
        map.colours !== colours ||
        map.ratio !== ratio ||
        map.room.width !== room.width ||
        map.room.height !== room.height
      ) {
        map = shapes(picture, colours, ratio, room);
        Object.assign(canvas, { width: map.image.width, height: map.image.height });
        Object.assign(canvas.style, { width: `${map.width}px`, height: `${map.height}px` });
      }
      const sign = [view.x, view.y, view.scale, view.width, step, ...focus].join();
      if (map.sign === sign) return;
      map.sign = sign;
      const seen = (card) => opacity(card, state, step) > 0;
      const titles = picture.outlines
        .filter(({ group, cards }) => ghosts.gone.has(group.id) || cards.some(seen))
        .map(({ group, rect }) => ({
          ...rect,
          width: Math.min(rect.width, LETTER * (group.title.length + 4)),
          height: TITLE,
        }));
      root.dataset.place = clearest(root.dataset.place ?? "below", map, focus, view, seen, [
        ...ghosts.turns.map(({ rect }) => rect),
        ...titles,
      ]);
      const context = canvas.getContext("2d");
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.drawImage(map.image, 0, 0);
      context.setTransform(map.x, 0, 0, map.y, -bounds.x * map.x, -bounds.y * map.y);
      context.fillStyle = colours.run;
      for (const id of focus) {
        const rect = picture.card.get(picture.unitOf.get(id))?.rect;
        if (rect)
          context.fillRect(
            rect.x,
            rect.y,
            Math.max(rect.width, (4 * ratio) / map.x),
            Math.max(rect.height, (4 * ratio) / map.y),
          );
      }
      context.setTransform(1, 0, 0, 1, 0, 0);
      const width = Math.max(LEAST, (view.width / view.scale) * map.x);
      const height = Math.max(LEAST, (view.height / view.scale) * map.y);
      context.strokeStyle = colours.ink;
      context.lineWidth = 1.5 * ratio;
      context.strokeRect(
        (view.x - bounds.x) * map.x - width / 2,
        (view.y - bounds.y) * map.y - height / 2,
        width,
        height,
      );
    },
  };
}

/** All cards as small rectangles. A picture far longer than wide is stretched, so that a place in it can still be hit.
 */
function shapes(picture, colours, ratio, room) {
  const { bounds, cards } = picture;
  const scale = Math.min(room.width / bounds.width, room.height / bounds.height);
  const width = Math.round(Math.max(40, bounds.width * scale));
  const height = Math.round(Math.max(40, bounds.height * scale));
  const image = document.createElement("canvas");
  Object.assign(image, { width: width * ratio, height: height * ratio });
  const [x, y] = [(width * ratio) / bounds.width, (height * ratio) / bounds.height];
  const context = image.getContext("2d");
  for (const card of cards) {
    context.fillStyle = card.box ? (card.box.kind === "leaf" ? colours.leaf : colours.gone) : colours.soft;
    const { rect } = card;
    context.fillRect(
      (rect.x - bounds.x) * x,
      (rect.y - bounds.y) * y,
      Math.max(1, rect.width * x),
      Math.max(1, rect.height * y),
    );
  }
  const leaves = cards.filter((card) => card.box?.kind === "leaf");
  return { picture, colours, ratio, room, bounds, image, width, height, x, y, cards, leaves };
}

/** Where the map is to stand: it leaves its place only where it hides more there than in another.
 * @param {string} now  one of PLACES
 * @param {{picture: any, cards: any[], leaves: any[], width: number, height: number}} map
 * @param {Iterable<string>} focus
 * @param {import("./painter.js").View} view
 * @param {(card: any) => boolean} seen  whether there is a card at this step
 * @param {{x: number, y: number, width: number, height: number}[]} [others]  what else can be read: cards of what is
 *   gone, titles
 */
export function clearest(now, map, focus, view, seen, others = []) {
  const { picture, cards, leaves } = map;
  const busy = [...focus].map((id) => picture.card.get(picture.unitOf.get(id))).filter(Boolean);
  const hidden = (name) => {
    const place = PLACES[name](view, map);
    const hides = (card) => overlap(place, onStage(card.rect, view)) && seen(card);
    return busy.some(hides) || leaves.some(hides)
      ? 2
      : Number(cards.some(hides) || others.some((rect) => overlap(place, onStage(rect, view))));
  };
  return [now, ...Object.keys(PLACES)].reduce((best, name) => (hidden(name) < hidden(best) ? name : best));
}

/** A rectangle of the picture as it lies on the stage. */
function onStage(rect, { x, y, scale, width, height }) {
  return {
    x: (rect.x - x) * scale + width / 2,
    y: (rect.y - y) * scale + height / 2,
    width: rect.width * scale,
    height: rect.height * scale,
  };
}
