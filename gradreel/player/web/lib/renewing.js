/**
 * Putting new content into an element without taking away what a person does in the old: the focus stays on what says the same,
 * what was opened stays open, what was scrolled stays scrolled. Where what had the focus has gone, it lands on what says that it
 * may (`data-lands`), else on what stands in the same place.
 */

const FOCUSABLE = "button, summary, a[href], input, select, [tabindex='0']";
const SCROLLS = ".heat";

/** @param {HTMLElement} root @param {...(Node|string)} children */
export function renew(root, ...children) {
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

/** What has the focus: its words, and its place among what could have it. */
function focusIn(root) {
  const active = root.getRootNode().activeElement;
  if (!active || active === root || !root.contains(active)) return null;
  return { text: wordsOf(active), place: [...root.querySelectorAll(FOCUSABLE)].indexOf(active) };
}

function giveFocus(root, { text, place }) {
  const all = [...root.querySelectorAll(FOCUSABLE)];
  const next = all.find((each) => wordsOf(each) === text) ?? root.querySelector("[data-lands]") ?? all[Math.min(place, all.length - 1)] ?? root.closest("[tabindex='0']");
  next?.focus({ preventScroll: true });
}
