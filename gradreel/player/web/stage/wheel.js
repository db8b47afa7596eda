/**
 * The wheel over a block asks for more or less detail: a closed one opens, the innermost open one around the pointer
 * closes. Where nothing can change, the page scrolls as it would.
 */

/** Pixels of turning that ask once. */
const TURN = 40;
/** Milliseconds after a change for which the rest of a turn is not for the page either. */
const REST = 350;
const LINE = 16;

/**
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
