/**
 * The graph from far away: plain shapes and lines, gathered by colour, so that ten thousand are a dozen strokes.
 */

import { isPresent } from "../scene/moment.js";
import { valueAt } from "../scene/state.js";
import { opacity } from "./card_painter.js";

/** @param {CanvasRenderingContext2D} context
 * @param {any} frame
 * @param {any[]} cards  those in view
 * @param {any[]} links
 */
export function paintFar(context, frame, cards, links) {
  const { state, step, colours, view, picture } = frame;
  lines(context, step, links, colours, 1 / view.scale);
  const fills = new Map();
  const put = (colour, rect) => {
    if (!fills.has(colour)) fills.set(colour, []);
    fills.get(colour).push(rect);
  };
  for (const card of cards) {
    const colour = farColour(card, state, step, colours);
    if (colour) put(colour, card.rect);
  }
  for (const chip of picture.chips)
    if (inView(chip.rect, view) && isPresent(state.at(chip.leaf, "state", step))) put(colours.leaf, chip.rect);
  for (const [colour, rects] of fills) {
    context.fillStyle = colour;
    for (const rect of rects) context.fillRect(rect.x, rect.y, rect.width, rect.height);
  }
}

function inView({ x, y }, view) {
  return Math.abs(x - view.x) * view.scale < view.width && Math.abs(y - view.y) * view.scale < view.height;
}

function lines(context, step, links, colours, width) {
  const groups = new Map();
  for (const link of links) {
    const colour = farLine(link, step, colours);
    if (!colour) continue;
    if (!groups.has(colour)) groups.set(colour, []);
    groups.get(colour).push(link.route.points);
  }
  context.lineWidth = width;
  for (const [colour, routes] of groups) {
    context.strokeStyle = colour;
    context.beginPath();
    for (const points of routes) {
      context.moveTo(points[0][0], points[0][1]);
      for (let i = 1; i < points.length; i++) context.lineTo(points[i][0], points[i][1]);
    }
    context.stroke();
  }
}

function farLine(link, step, colours) {
  let colour = null;
  for (const track of link.tracks) {
    const now = valueAt(track, step);
    if (now === "lit" || now === "done") return colours.run;
    if (now === "idle") colour = colours.line;
  }
  return colour;
}

/** The colour of a card that is too small for words. */
function farColour(card, state, step, colours) {
  if (!card.box) return opacity(card, state, step) ? colours.soft : null;
  const now = card.track ? valueAt(card.track, step) : null;
  if (!isPresent(now)) return null;
  if (now === "failed") return colours.bad;
  if (card.box.kind === "leaf") return colours.leaf;
  return { running: colours.run, ready: colours.run, ran: colours.gone, empty: colours.gone }[now] ?? colours.live;
}
