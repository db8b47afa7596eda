/** A file for the person at the page, made in the page. */

import { element } from "../lib/dom.js";

/** @param {string} name @param {Blob} blob */
export function saveFile(name, blob) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
