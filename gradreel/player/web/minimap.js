/**
 * The whole picture in a corner, with a frame around what is in view, while not all of it is. Its shapes are drawn once for a
 * picture; a frame costs one image and a rectangle. Press or drag to go somewhere. It stands below on the left, and above on the
 * right while it hides less there: a leaf or the card that the step is about counts more than any other.
 */

import { element } from "./dom.js";
import { overlap } from "./picture.js";

const WIDEST = 168;
const HIGHEST = 112;
/** Of the stage's width and height, at the most: on a small stage the map must not stand for the picture. */
const SHARE = { x: 0.18, y: 0.16 };
const LEAST = 14;
/** From the rims of the stage; below, the tools may need some of it. */
const ASIDE = { x: 12, above: 12, below: 48 };

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
    /** @param {any} frame  with the picture and the busy boxes @param {any} view @param {any} colours @param {number} ratio */
    paint({ picture, focus }, view, colours, ratio) {
      const { bounds } = picture;
      const whole = view.width / view.scale >= bounds.width && view.height / view.scale >= bounds.height;
      canvas.hidden = whole || view.width < 420;
      if (canvas.hidden) return;
      const room = { width: Math.min(WIDEST, view.width * SHARE.x), height: Math.min(HIGHEST, view.height * SHARE.y) };
      if (map?.picture !== picture || map.colours !== colours || map.ratio !== ratio || map.room.width !== room.width || map.room.height !== room.height) {
        map = shapes(picture, colours, ratio, room);
        Object.assign(canvas, { width: map.image.width, height: map.image.height });
        Object.assign(canvas.style, { width: `${map.width}px`, height: `${map.height}px` });
      }
      const sign = [view.x, view.y, view.scale, view.width, ...focus].join();
      if (map.sign === sign) return;
      map.sign = sign;
      root.classList.toggle("aloft", aloft(root.classList.contains("aloft"), map, focus, view));
      const context = canvas.getContext("2d");
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.drawImage(map.image, 0, 0);
      context.setTransform(map.x, 0, 0, map.y, -bounds.x * map.x, -bounds.y * map.y);
      context.fillStyle = colours.run;
      for (const id of focus) {
        const rect = picture.card.get(picture.unitOf.get(id))?.rect;
        if (rect) context.fillRect(rect.x, rect.y, Math.max(rect.width, (4 * ratio) / map.x), Math.max(rect.height, (4 * ratio) / map.y));
      }
      context.setTransform(1, 0, 0, 1, 0, 0);
      const width = Math.max(LEAST, (view.width / view.scale) * map.x);
      const height = Math.max(LEAST, (view.height / view.scale) * map.y);
      context.strokeStyle = colours.ink;
      context.lineWidth = 1.5 * ratio;
      context.strokeRect((view.x - bounds.x) * map.x - width / 2, (view.y - bounds.y) * map.y - height / 2, width, height);
    },
  };
}

/** All cards as small rectangles. A picture far longer than wide is stretched, so that a place in it can still be hit. */
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
    context.fillRect((rect.x - bounds.x) * x, (rect.y - bounds.y) * y, Math.max(1, rect.width * x), Math.max(1, rect.height * y));
  }
  const leaves = cards.filter((card) => card.box?.kind === "leaf");
  return { picture, colours, ratio, room, bounds, image, width, height, x, y, cards, leaves };
}

/** Whether the map is to stand above: it leaves its place only where it hides more there than in the other.
 * @param {boolean} now
 * @param {{picture: any, cards: any[], leaves: any[], width: number, height: number}} map
 * @param {Iterable<string>} focus
 * @param {import("./paint.js").View} view
 */
export function aloft(now, { picture, cards, leaves, width, height }, focus, view) {
  const busy = [...focus].map((id) => picture.card.get(picture.unitOf.get(id))).filter(Boolean);
  const hidden = (above) => {
    const place = above
      ? { x: view.width - ASIDE.x - width, y: ASIDE.above, width, height }
      : { x: ASIDE.x, y: view.height - ASIDE.below - height, width, height: height + ASIDE.below };
    const hides = ({ rect }) => overlap(place, {
      x: (rect.x - view.x) * view.scale + view.width / 2, y: (rect.y - view.y) * view.scale + view.height / 2,
      width: rect.width * view.scale, height: rect.height * view.scale,
    });
    return busy.some(hides) || leaves.some(hides) ? 2 : Number(cards.some(hides));
  };
  return hidden(now) > hidden(!now) ? !now : now;
}
