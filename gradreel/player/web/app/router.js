/**
 * The address, the browser's history and the title of the page.
 *
 * Only the app makes entries of the history: Streamlit adds the address of the page that it believes to have run, late
 * and perhaps of another than the one in sight, and who goes back would then stay where they are. It names the page
 * once more when it is ready, too, so the title is kept here and put back.
 */




const { pushState } = globalThis.History?.prototype ?? {};

/** A new entry. @param {string} url @param {any} [state] */
export const pushEntry = (url, state = null) => pushState.call(history, state, "", url);

/** From now on nobody else makes entries of addresses that are ours.
 * @param {(url: URL) => boolean} ours
 * @returns {() => void} an end to that
 */
export function guardHistory(ours) {
  history.pushState = (state, unused, url) => {
    if (!url || !ours(new URL(url, location.href))) pushState.call(history, state, unused, url);
  };
  return () => delete history.pushState;
}

let go = (href) => location.assign(href);

/** @param {string} href */
export const navigate = (href) => go(href);

/** From now on `how` takes people where they want to go. @param {(href: string) => void} how */
export const setNavigator = (how) => (go = how);

/** Another part of the same page: the address names it, and the way back leads to `before` even if that was shown
 * unasked.
 * @param {string} name @param {string} [before]
 */
export function navigateToPart(name, before) {
  if (before && !location.hash)
    history.replaceState(history.state, "", `${location.pathname}#${encodeURIComponent(before)}`);
  pushEntry(`${location.pathname}#${encodeURIComponent(name)}`, history.state);
}

let title = "";

/** @param {string} text */
export const setTitle = (text) => (document.title = title = text);

/** What it was called last. */
export const currentTitle = () => title || document.title;

export const restoreTitle = () => title && setTitle(title);
