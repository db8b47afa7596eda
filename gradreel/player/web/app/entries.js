/**
 * Entries of the browser's history. Only the site makes them: Streamlit adds the address of the page that it believes to have
 * run, late and perhaps of another than the one in sight, and who goes back would then stay where they are.
 */

const { pushState } = globalThis.History?.prototype ?? {};

/** A new entry. @param {string} url @param {any} [state] */
export const enter = (url, state = null) => pushState.call(history, state, "", url);

/** From now on nobody else makes entries of addresses that are ours. @param {(url: URL) => boolean} ours @returns {() => void} an end to that */
export function guard(ours) {
  history.pushState = (state, unused, url) => {
    if (!url || !ours(new URL(url, location.href))) pushState.call(history, state, unused, url);
  };
  return () => delete history.pushState;
}
