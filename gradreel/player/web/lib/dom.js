/**
 * Elements in one line, and new content for an element that keeps what a person does in the old. Text always goes
 * through textContent, so nothing a program says becomes markup.
 */

/** Whether something is to stand in an element.
 * @param {Node|string|null|undefined|false} child
 * @returns {child is Node|string}
 */
const isContent = (child) => child !== null && child !== undefined && child !== false;

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [properties]  class, text, on* listeners, data-* and other attributes
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter(isContent));
  return made;
}

const shown = new WeakMap();

/** Whether something else is to stand in an element than what was last put there: what does not change is not made
 * anew.
 * @param {Element} root @param {any} content  data that says all that will be seen
 */
export function hasChanged(root, content) {
  const text = JSON.stringify(content);
  if (shown.get(root) === text) return false;
  shown.set(root, text);
  return true;
}

/** A file for the person at the page. @param {string} name @param {Blob} blob */
export function saveFile(name, blob) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** An icon drawn from one path in a box of 12. @param {string} path */
export function icon(path) {
  const svg = svgElement("svg", { width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" });
  svg.append(svgElement("path", { d: path, fill: "currentColor" }));
  return svg;
}

/** @param {string} tag @param {Record<string, any>} [attributes] @returns {any} */
export function svgElement(tag, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const FOCUSABLE = "button, summary, a[href], input, select, [tabindex='0']";
const SCROLLS = ".heat";

/** Put new content into an element: the focus stays on what says the same, what was opened stays open, what was
 * scrolled stays scrolled. Where what had the focus has gone, it lands on what says that it may (`data-lands`), else on
 * what stands in the same place.
 * @param {HTMLElement} root @param {...(Node|string)} children
 */
export function reconcile(root, ...children) {
  const focused = focusIn(root);
  const opened = new Map([...root.querySelectorAll("details")].map((each) => [wordsOf(each), each.open]));
  const scrolled = [...root.querySelectorAll(SCROLLS)].map(({ scrollLeft, scrollTop }) => ({ scrollLeft, scrollTop }));
  root.replaceChildren(...children);
  for (const each of root.querySelectorAll("details")) each.open = opened.get(wordsOf(each)) ?? each.open;
  [...root.querySelectorAll(SCROLLS)].forEach((each, i) => Object.assign(each, scrolled[i]));
  if (focused) giveFocus(root, focused);
}

/** What something is called: its first words, what follows them may change. */
const wordsOf = (each) => each.getAttribute("aria-label") ?? (each.firstElementChild ?? each).textContent;

/** What has the focus in the tree that an element stands in. @param {Element} root @returns {Element|null} */
export const activeIn = (root) => /** @type {Document|ShadowRoot} */ (root.getRootNode()).activeElement;

/** What has the focus: its words, and its place among what could have it. */
function focusIn(root) {
  const active = activeIn(root);
  if (!active || active === root || !root.contains(active)) return null;
  return { text: wordsOf(active), place: [...root.querySelectorAll(FOCUSABLE)].indexOf(active) };
}

function giveFocus(root, { text, place }) {
  const all = [...root.querySelectorAll(FOCUSABLE)];
  const next =
    all.find((each) => wordsOf(each) === text) ??
    root.querySelector("[data-lands]") ??
    all[Math.min(place, all.length - 1)] ??
    root.closest("[tabindex='0']");
  next?.focus({ preventScroll: true });
}
