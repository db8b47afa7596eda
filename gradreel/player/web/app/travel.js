/** The way to another page of the house: without loading it anew where there is a site that can show it, else as any link goes. */

import { enter } from "./entries.js";

let go = (href) => location.assign(href);

/** @param {string} href */
export const travel = (href) => go(href);

/** From now on `how` takes people where they want to go. @param {(href: string) => void} how */
export const travelBy = (how) => (go = how);

/** Another part of the same page: the address names it, and the way back leads to `before` even if that was shown unasked.
 * @param {string} name @param {string} [before]
 */
export function turnTo(name, before) {
  if (before && !location.hash) history.replaceState(history.state, "", `${location.pathname}#${encodeURIComponent(before)}`);
  enter(`${location.pathname}#${encodeURIComponent(name)}`, history.state);
}
