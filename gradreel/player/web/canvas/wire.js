/**
 * Wires on the canvas: their shape, how a gradient is seen travelling, and the values written beside them.
 */

import { formatShort } from "../lib/format.js";
import { valueAt } from "../scene/state.js";
import { arrow, font } from "./pen.js";

const RANK = { lit: 3, done: 2, idle: 1, gone: 0 };

/** How a link stands at a step: the liveliest of its wires and the value that wire carries.
 * @returns {{step?: number, state: string|null, value: number|null}}
 */
export function linkAt(link, state, step) {
  if (link.seen?.step === step) return link.seen;
  let [best, wire] = [null, null];
  for (let i = 0; i < link.tracks.length; i++) {
    const now = valueAt(link.tracks[i], step);
    if (now !== null && (best === null || RANK[now] > RANK[best])) [best, wire] = [now, link.wires[i]];
  }
  return (link.seen = { step, state: best, value: wire ? state.at(wire.id, "value", step) : null });
}

/** The corners of a link joined smoothly: straight through the layers, swinging between them. */
export function trace(context, { points, sideways }) {
  context.moveTo(points[0][0], points[0][1]);
  for (let i = 1; i < points.length; i++) {
    const [x, y] = points[i];
    if (i % 2 === 1) context.lineTo(x, y);
    else swing(context, points[i - 1], points[i], sideways);
  }
}

function swing(context, [fromX, fromY], [x, y], sideways) {
  if (sideways) return context.bezierCurveTo((fromX + x) / 2, fromY, (fromX + x) / 2, y, x, y);
  const middle = (fromY + y) / 2;
  return context.bezierCurveTo(fromX, middle, x, middle, x, y);
}

/** The point at a fraction of the way along a link. */
export function along({ points, sideways }, fraction) {
  const legs = [];
  let length = 0;
  for (let i = 1; i < points.length; i++) {
    const leg = Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]);
    legs.push(leg);
    length += leg;
  }
  let rest = fraction * length;
  let i = 0;
  while (i < legs.length - 1 && rest > legs[i]) rest -= legs[i++];
  const part = legs[i] ? Math.min(1, rest / legs[i]) : 1;
  const [[x0, y0], [x1, y1]] = [points[i], points[i + 1]];
  if (i % 2 === 0) return [x0 + (x1 - x0) * part, y0 + (y1 - y0) * part];
  const ease = part * part * (3 - 2 * part);
  if (sideways) return [x0 + (x1 - x0) * part, y0 + (y1 - y0) * ease];
  return [x0 + (x1 - x0) * ease, y0 + (y1 - y0) * part];
}

/** One link in full: line, arrow head and, while a gradient passes, a dot on its way with the value that travels.
 * @param {CanvasRenderingContext2D} context
 * @param {{state: string, travel: number|null, value: any, dashed: boolean, holds: boolean}} how  `holds`: what keeps
 *   the selected node alive
 */
export function paintLink(context, link, how, colours) {
  const { points, long, sideways } = link.route;
  const lively = how.state === "lit" || how.state === "done";
  const colour = how.holds ? colours.ink : lively ? colours.run : colours.gone;
  context.beginPath();
  trace(context, link.route);
  context.strokeStyle = colour;
  context.lineWidth = how.state === "lit" || how.holds ? 2.75 : 2;
  const alpha = context.globalAlpha;
  if (long && !lively) context.globalAlpha = alpha * 0.45;
  if (how.dashed) context.setLineDash([4, 4]);
  context.stroke();
  context.setLineDash([]);
  const [x, y] = points.at(-1);
  arrow(context, x, y, sideways ? 0 : Math.PI / 2, 10, colour);
  context.globalAlpha = alpha;
  if (how.travel === null) return;
  const [dotX, dotY] = along(link.route, how.travel);
  context.beginPath();
  context.arc(dotX, dotY, 5, 0, 7);
  context.fillStyle = colours.run;
  context.fill();
  if (!how.value) return;
  context.font = font(11, true);
  context.fillStyle = colours.ink;
  context.fillText(formatShort(how.value, 20), dotX + 10, dotY + 4);
}

/** The values beside lively links, the newest first, where the rim does not cut them; one that finds no free place is
 * left to the inspector.
 * @param {CanvasRenderingContext2D} context
 * @param {{link: any, value: any, lit: boolean}[]} lively
 * @param {{x: number, y: number, width: number, height: number}[]} taken  places not to write on
 */
export function paintValues(context, lively, taken, { colours, measure, window }) {
  const size = 11;
  context.font = font(size);
  const queue = [...lively.filter((item) => item.lit), ...lively.filter((item) => !item.lit)];
  for (const { link, value, lit } of queue) {
    const label = formatShort(value, 20);
    const width = measure(label, size);
    const free = (link.route.sideways ? spotsBeside : spots)(link.route, width).filter((spot) =>
      taken.every((other) => !meets(spot, other)),
    );
    const place = free.find((spot) => spot.x > window.left && spot.x + width < window.right) ?? free[0];
    if (!place) continue;
    taken.push(place);
    context.fillStyle = colours.panel; // another wire that runs there passes behind
    context.fillRect(place.x - 2, place.y, width + 4, place.height);
    context.fillStyle = lit ? colours.ink : colours.soft;
    context.fillText(label, place.x, place.y + 10);
  }
}

/** Where the value of a wire may stand, best first: at its end, at its start, half way; clear of its own swing to the
 * side.
 */
function spots(route, width) {
  const { points } = route;
  const height = 13;
  const [endX, endY] = points.at(-1);
  const [startX, startY] = points[0];
  const turnTop = points.at(-3)?.[1] ?? startY;
  const comes = endX - (points.at(-3)?.[0] ?? endX);
  const leaves = (points[2]?.[0] ?? startX) - startX;
  const at = (x, y) => ({ x, y, width, height });
  const right = (x) => x + 10;
  const left = (x) => x - 10 - width;
  const middle = along(route, 0.5);
  if (Math.abs(comes) < 6)
    return [at(right(endX), (Math.max(turnTop, endY - 60) + endY) / 2 - 6), at(left(endX), endY - 24)];
  const [outer, inner] = comes > 0 ? [right, left] : [left, right];
  const [ahead, behind] = leaves > 0 ? [right, left] : [left, right];
  return [
    at(outer(endX), endY - 24),
    at(behind(startX), startY + 6),
    at(inner(endX), endY - 15),
    at(ahead(startX), startY + 1),
    ...(Math.abs(points.at(-3)[1] - points[2][1]) > 40
      ? [at(right(middle[0]), middle[1] - 6), at(left(middle[0]), middle[1] - 6)]
      : []),
  ];
}

/** The same where wires run to the right: above or below the wire, near its end, at its start, half way. */
function spotsBeside(route, width) {
  const height = 13;
  const [[startX, startY], [endX, endY]] = [route.points[0], route.points.at(-1)];
  const [middleX, middleY] = along(route, 0.5);
  const at = (x, y) => ({ x, y, width, height });
  return [
    at(endX - width - 12, endY - 17),
    at(endX - width - 12, endY + 5),
    at(startX + 6, startY - 17),
    at(startX + 6, startY + 5),
    at(middleX + 8, middleY - 17),
    at(middleX - width - 8, middleY + 5),
  ];
}

function meets(a, b) {
  return a.x < b.x + b.width + 4 && b.x < a.x + a.width + 4 && a.y < b.y + b.height && b.y < a.y + a.height;
}
