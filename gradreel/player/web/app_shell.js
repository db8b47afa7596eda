/**
 * All pages in one element: a page for each that was visited, one of them in sight. To go from one to another loads
 * nothing anew: the server is asked for its first response once, and who comes back finds a page as it was left.
 *
 * Every page has an address of its own all the same. Streamlit watches the address too, and would run the page's script
 * in a fresh state; so the app hears of every move first, and keeps those to itself that lead to a page it can show.
 */

import { placeAsked } from "./app/link.js";
import { createTheme } from "./app/preferences.js";
import { currentTitle, guardHistory, pushEntry, restoreTitle, setNavigator, setTitle } from "./app/router.js";
import { createClient, decodeResponse } from "./app/server.js";
import { element } from "./lib/dom.js";
import { createPage } from "./pages/page.js";

/** @import { Head, PageRequest } from "./app/server.js" */

const MOVES = ["popstate", "hashchange"];

/**
 * @param {HTMLElement} root
 * @param {{theme?: "light"|"dark", onShow?: () => void, onLeave?: () => void}} [how]  what is to be done when there is
 *   something to see
 */
export function createAppShell(root, { theme = "light", onShow = () => {}, onLeave = () => {} } = {}) {
  /** @type {Map<string, any>} what was visited: its element, its page, its title and where it was left */
  const visited = new Map();
  /** @type {Map<string, {place: string, title: string}>|null} the pages by their paths */
  let pages = null;
  let here = null;
  /** The page that was asked for and has not come, and the number of the last such request. */
  let wanted = null;
  let visit = null;
  let send = null;
  /** A request from before there was anybody to send it to. */
  let early = null;
  let turn = Promise.resolve();
  /** Whether the element was taken away: responses that are being read then are for nobody. */
  let gone = false;
  /** The last address that was of our own making, or a visitor's. */
  let address = location.href;

  /** Whether an answer is waited for, and how many are being put on the page. */
  let asked = false;
  let showing = 0;

  const currentPage = () => visited.get(here)?.page;
  const themes = createTheme(theme, (now) => currentPage()?.setTheme(now));
  const busy = () => {
    root.toggleAttribute("data-busy", asked || showing > 0);
    currentPage()?.busy(asked || showing > 0);
  };
  const client = createClient({
    send: (request) => (send ? send(request) : (early = request)),
    onBusy: (now) => {
      asked = now;
      busy();
    },
    onSilence: () => {
      if (wanted) return location.reload();
      currentPage()?.say("No answer came. The page is still here: run it again.", { lasting: true });
    },
  });

  async function take(bytes) {
    if (gone) return;
    const response = decodeResponse(bytes);
    const { head } = response;
    if (client.isStale(head.request)) return;
    pages ??= pagesByPath(head);
    client.settleRequest(head.request, head.patience);
    keepAddress();
    const known = visited.get(head.place);
    if (known) {
      // A first response is for a page that has not been made; this one is past that. Streamlit sends one of its own
      // accord, too, and sooner than that which was asked for.
      if (head.request !== null && head.request !== visit) await known.page.take(response);
      return;
    }
    if (here !== null && head.place !== wanted) return;
    const ask = (request, how) => client.ask({ place: head.place, ...request }, how);
    const make = await createPage(response, { ask, giveUp: client.giveUp });
    if (here !== null && head.place !== wanted) return;
    const home = element("div", { class: "gr-root" });
    visited.set(head.place, { home, title: currentTitle() });
    if (here === null) onShow();
    leave();
    appear(head.place);
    setTitle([...pages.values()].find(({ place }) => place === head.place).title);
    visited.get(head.place).page = make(home, themes.now());
  }

  /** Streamlit may put the address of the page that it has run itself into the bar; that is not the page in sight. */
  function keepAddress() {
    if (here === null) return;
    if (pages.get(location.pathname)?.place === (wanted ?? here)) address = location.href;
    else history.replaceState(null, "", address);
  }

  /** The page in sight goes: where it is, and how far it was scrolled, is kept for who comes back. */
  function leave() {
    const old = visited.get(here);
    if (!old) return;
    old.page.rest();
    old.page.busy(false);
    old.title = currentTitle();
    old.scrolled = [...old.home.querySelectorAll("*")].filter((each) => each.scrollTop || each.scrollLeft)
      .map((each) => [each, each.scrollTop, each.scrollLeft]);
  }

  function appear(place) {
    here = place;
    wanted = null;
    const { home, title, scrolled = [] } = visited.get(place);
    root.replaceChildren(home);
    setTitle(title);
    for (const [each, top, left] of scrolled) each.scrollTo(left, top);
  }

  /** Go where the address says. */
  function follow() {
    address = location.href;
    const page = pages?.get(location.pathname);
    if (!page) return location.reload();
    const { place } = page;
    const known = visited.get(place);
    if (!known) {
      wanted = place;
      visit = client.ask({ kind: "visit", place, at: placeAsked(location) }, { urgent: true });
      return;
    }
    if (place !== here) {
      leave();
      appear(place);
      known.page.setTheme(themes.now());
      if (location.href === known.address) return;
    }
    wanted = null;
    known.page.followAddress();
  }

  /** @param {string} href */
  function go(href) {
    const url = new URL(href, location.href);
    const page = url.origin === location.origin ? pages?.get(url.pathname) : null;
    if (!page) return location.assign(url);
    const bare = !url.hash && !url.search;
    if (bare && page.place === here && !wanted) return;
    const left = visited.get(here);
    if (left && pages.get(location.pathname)?.place === here) left.address = location.href;
    const target = bare ? visited.get(page.place)?.address ?? url.href : url.href;
    if (target !== location.href) pushEntry(target);
    follow();
  }

  const onMove = (event) => {
    if (!pages?.has(location.pathname)) return;
    event.stopImmediatePropagation();
    const left = visited.get(here);
    if (left && pages.get(location.pathname).place !== here) left.address = null;
    follow();
  };

  const onClick = (event) => {
    const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement);
    if (!link?.href || link.target === "_blank" || link.hasAttribute("download")) return;
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
      return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || !pages?.has(url.pathname)) return;
    event.preventDefault();
    go(url.href);
  };

  root.addEventListener("click", onClick);
  for (const kind of MOVES) addEventListener(kind, onMove, { capture: true });
  setNavigator(go);
  const unguard = guardHistory((url) => url.origin === location.origin && Boolean(pages?.has(url.pathname)));

  return {
    /** Who answers from now on, and how the system has it.
     * @param {(request: PageRequest) => void} how
     * @param {"light"|"dark"} theme
     */
    connect(how, theme) {
      send = how;
      restoreTitle();
      themes.system(theme);
      if (early) send(early);
      early = null;
    },
    /** @param {Uint8Array} data a response */
    receive(data) {
      showing++;
      turn = turn.then(() => take(data)).catch((error) => gone || console.error(error)).then(() => {
        showing--;
        busy();
      });
    },
    leave() {
      gone = true;
      unguard();
      for (const kind of MOVES) removeEventListener(kind, onMove, { capture: true });
      root.removeEventListener("click", onClick);
      client.stop();
      for (const { page } of visited.values()) page?.destroy();
      onLeave();
    },
  };
}

/** The pages by their paths; the one that was opened by the path it was opened at, too.
 * @param {Head} head
 * @returns {Map<string, {place: string, title: string}>}
 */
function pagesByPath({ nav, place }) {
  /** @type {[string, {place: string, title: string}][]} */
  const pages = nav.map((page) => [
    new URL(page.href, location.href).pathname,
    { place: page.place, title: page.full },
  ]);
  const title = pages.find(([, page]) => page.place === place)?.[1].title ?? document.title;
  return new Map([[location.pathname, { place, title }], ...pages]);
}
