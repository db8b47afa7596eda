/**
 * What all pages beside the Lab have around them: the header with the ways to the others, the body, and a place for sentences.
 */

import { element } from "../lib/dom.js";
import { createHeader } from "../app/header.js";

const QUIET = 5000;
/** Characters of a name that is not known. */
const LONGEST = 60;

/**
 * @param {HTMLElement} root
 * @param {any} head
 * @param {"light"|"dark"} theme
 * @param {Partial<Parameters<typeof createHeader>[1]>} [more] what else stands in the header
 */
export function createFrame(root, head, theme, more = {}) {
  const bar = element("header", { class: "gr-header" });
  const body = element("div", { class: "gr-body" });
  const notice = element("div", { class: "gr-notice", role: "status", hidden: true });
  root.classList.add("gr-page", `gr-page-${head.place}`);
  root.dataset.theme = theme;
  root.replaceChildren(bar, body, notice);
  const header = createHeader(bar, { here: head.place, home: head.home, nav: head.nav, ...more });
  // Streamlit takes some letters for its own shortcuts; what is typed here is not for it.
  const own = (event) => event.stopPropagation();
  root.addEventListener("keydown", own);
  let quiet = 0;
  return {
    body,
    /** An address names something that is not here. @param {string} what @param {string|null} name */
    unknown(what, name) {
      if (name) this.say(`There is no ${what} “${name.slice(0, LONGEST)}” here. Perhaps the link is old, or was cut.`, { lasting: true });
    },
    /** @param {string|null} text @param {{lasting?: boolean, offer?: {title: string, act: () => void}|null}} [how] */
    say(text, { lasting = false, offer = null } = {}) {
      clearTimeout(quiet);
      const hide = () => (notice.hidden = true);
      notice.replaceChildren(text ?? "");
      notice.hidden = !text;
      if (offer) notice.append(" ", element("button", { class: "gr-offer", type: "button", text: offer.title, onclick: () => (hide(), offer.act()) }));
      if (lasting) notice.append(" ", element("button", { class: "gr-offer", type: "button", "aria-label": "close", text: "×", onclick: hide }));
      else quiet = setTimeout(hide, QUIET);
    },
    /** @param {boolean} busy */
    busy(busy) {
      root.toggleAttribute("data-busy", busy);
      header.busy(busy);
    },
    /** @param {"light"|"dark"} name */
    setTheme: (name) => (root.dataset.theme = name),
    destroy() {
      clearTimeout(quiet);
      root.removeEventListener("keydown", own);
      header.destroy();
    },
  };
}
