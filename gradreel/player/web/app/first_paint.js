/**
 * The moment when a person sees the page. What is not needed for that waits for it: vis-network, and Streamlit's own
 * page. The frame that the server drew goes, for the page is there now.
 */

/** Milliseconds after which a picture counts as seen where none is painted, as in a tab behind others. */
const UNPAINTED = 300;

let tell = () => {};

/** @type {Promise<void>} settled when the page is seen */
export const firstPaint = new Promise((resolve) => (tell = resolve));

/** The page is there: what was drawn for it goes, and after the next picture begins what waited. */
export function announcePage() {
  document.querySelector("#gr-first")?.remove();
  nextPaint().then(startDeferred);
}

/** What waited begins, whether there is something to see or not. */
export function startDeferred() {
  dispatchEvent(new Event("gradreel-seen"));
  tell();
}

function nextPaint() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, UNPAINTED);
  });
}
