/**
 * A sentence at the foot of the page: it goes by itself after a while, or stays until it is closed, and may offer something.
 */

import { element } from "../lib/dom.js";

/** Milliseconds for which a sentence stays. */
const READ = 4000;

export function createNotice() {
  const notice = element("div", { class: "gr-notice", role: "status", hidden: true });
  let quiet = 0;
  const hide = () => (notice.hidden = true);
  const button = (text, onclick, more = {}) => element("button", { class: "gr-offer", type: "button", text, onclick, ...more });
  return {
    element: notice,
    /**
     * @param {string|null} text
     * @param {{lasting?: boolean, offer?: {title: string, act: () => void}|null}} [how]
     */
    say(text, { lasting = false, offer = null } = {}) {
      clearTimeout(quiet);
      notice.textContent = text ?? "";
      notice.hidden = !text;
      const take = () => {
        hide();
        offer?.act();
      };
      if (offer) notice.append(" ", button(offer.title, take, { "data-testid": "offer" }));
      if (lasting) notice.append(" ", button("×", hide, { "aria-label": "close" }));
      else if (text) quiet = setTimeout(hide, READ);
    },
    destroy: () => clearTimeout(quiet),
  };
}
