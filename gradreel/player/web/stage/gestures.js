/**
 * What a hand does on the stage beside pressing: it drags the numbers of leaves, and turns the wheel over blocks.
 */

import { leafSpot } from "./places.js";
import { gridOf, tileSize } from "./values.js";

/** @import { Frame, Leaf } from "./types.js" */

/** What a pixel adds, at least, and with the shift key; of large numbers a part of them. */
const [STEP, FINE, PART] = [0.02, 0.002, 1 / 400];
/** Pixels within which a press is a click. */
const STILL = 3;
const MOST = 1e6;

/** @typedef {{leaf: Leaf, value: any, path: number[], number: number}} Handle  a number of a leaf, and its indices */

/** Changing a leaf of an expression by its tile: what is dragged to the right grows, to the left it shrinks; of a
 * vector or a matrix the number under the pointer.
 * @param {HTMLElement} host
 * @param {{frame: () => Frame|null, pointOf: (event: MouseEvent) => number[], onChange: (name: string, value: any) =>
 *   void}} wiring  `pointOf`: where an event is on the stage
 * @returns {{at: (event: MouseEvent) => Handle|null, wasDragged: () => boolean}}  `wasDragged`: whether the press that
 *   has just ended was no click
 */
export function createDragging(host, { frame, pointOf, onChange }) {
  /** @type {(Handle & {x: number, moved: boolean, last: number})|null} */
  let drag = null;
  let dragged = false;

  const at = (event) => {
    const now = frame();
    return now?.layout && now.model.scene.expression ? handleAt(now, pointOf(event)) : null;
  };
  const move = (event) => {
    if (!drag) return;
    const by = event.clientX - drag.x;
    drag.moved ||= Math.abs(by) > STILL;
    if (!drag.moved) return;
    const next = dragNumber(drag.number, by, event.shiftKey);
    if (next === drag.last) return;
    drag.last = next;
    onChange(drag.leaf.name, withNumberAt(drag.value, drag.path, next));
  };
  const end = () => {
    dragged = Boolean(drag?.moved);
    drag = null;
  };
  host.addEventListener("pointerdown", (event) => {
    dragged = false;
    const handle = event.button ? null : at(event);
    if (!handle) return;
    drag = { ...handle, x: event.clientX, moved: false, last: handle.number };
    host.setPointerCapture(event.pointerId);
  });
  host.addEventListener("pointermove", move);
  host.addEventListener("pointerup", end);
  host.addEventListener("pointercancel", end);
  return { at, wasDragged: () => dragged };
}

/** The number of a leaf at a point of the stage. @param {Frame} frame @param {number[]} point @returns {Handle|null} */
function handleAt(frame, [x, y]) {
  const { scene, leaves } = frame.model;
  for (const leaf of leaves) {
    const given = scene.expression.leaves.find(({ name }) => name === leaf.name);
    const spot = given && leafSpot(frame, leaf, "value");
    if (!spot) continue;
    const value = scene.values[frame.model.state.at(leaf.tensor, "value", frame.moment.step)];
    const path = value ? cellAt(value, x - spot.x, y - spot.y, spot.size) : null;
    if (path) return { leaf, value: given.value, path, number: path.reduce((part, i) => part[i], given.value) };
  }
  return null;
}

/** Which number of a tile is at a point, from its middle: the indices of it; null beside the tile, and where a tile
 * does not show numbers as they stand.
 * @returns {number[]|null}
 */
function cellAt(value, x, y, size) {
  const [w, h] = tileSize(value, size - 4);
  if (Math.abs(x) > w / 2 || Math.abs(y) > h / 2) return null;
  const { shape } = value;
  if (!shape.length) return [];
  const grid = gridOf(value);
  if (shape.length > 2 || !grid || !("rows" in grid)) return null;
  const [rows, columns] = [grid.rows.length, grid.rows[0].length];
  if (columns !== shape.at(-1) || rows !== (shape.length === 1 ? 1 : shape[0])) return null;
  const index = (share, many) => Math.min(many - 1, Math.max(0, Math.floor(share * many)));
  const [i, j] = [index(y / h + 0.5, rows), index(x / w + 0.5, columns)];
  return shape.length === 1 ? [j] : [i, j];
}

/** A number dragged so many pixels to the right. @param {number} number @param {number} pixels @param {boolean} fine */
export function dragNumber(number, pixels, fine) {
  const step = Math.max(fine ? FINE : STEP, Math.abs(number) * PART * (fine ? 0.1 : 1));
  const places = fine ? 3 : 2;
  return Math.max(-MOST, Math.min(MOST, Number((number + pixels * step).toFixed(places))));
}

/** Nested lists with another number at a place. @param {any} value @param {number[]} path @param {number} number */
function withNumberAt(value, path, number) {
  if (!path.length) return number;
  return value.with(path[0], withNumberAt(value[path[0]], path.slice(1), number));
}

/** Pixels of turning that ask once. */
const TURN = 40;
/** Milliseconds after a change for which the rest of a turn is not for the page either. */
const REST = 350;
const LINE = 16;

/** The wheel over a block asks for more or less detail: a closed one opens, the innermost open one around the pointer
 * closes. Where nothing can change, the page scrolls as it would.
 * @param {HTMLElement} host
 * @param {{find: (event: WheelEvent, more: boolean) => string|null, change: (id: string, more: boolean) => boolean}}
 *   wiring  `find`: which fold a turn is about; `change`: open or shut it, and whether that made a difference
 */
export function listenToWheel(host, { find, change }) {
  let turned = 0;
  let rested = 0;
  host.addEventListener("wheel", (event) => {
    const { deltaX, deltaY, deltaMode, ctrlKey, timeStamp } = event;
    if (ctrlKey || Math.abs(deltaX) > Math.abs(deltaY)) return;
    if (timeStamp < rested) return event.preventDefault();
    const delta = deltaMode ? deltaY * LINE : deltaY;
    const id = find(event, delta < 0);
    if (id === null) return void (turned = 0);
    turned = Math.sign(turned) === Math.sign(delta) ? turned + delta : delta;
    if (Math.abs(turned) < TURN) return event.preventDefault();
    turned = 0;
    if (!change(id, delta < 0)) return undefined;
    rested = timeStamp + REST;
    return event.preventDefault();
  }, { passive: false });
}
