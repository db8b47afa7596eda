/**
 * Sentences for the person at the page. A notice stands at its foot: it goes by itself after a while, or stays until it
 * is closed, and may offer something. Remarks stand below the editor: what was made of pasted text, and how the outputs
 * posted with it compare.
 */

import { element } from "../lib/dom.js";
import { writeMarked } from "../lib/markdown.js";

/** Milliseconds for which a sentence stays. */
const READ = 4000;

export function createNotice() {
  const notice = element("div", { class: "gr-notice", role: "status", hidden: true });
  let quiet = 0;
  const hide = () => (notice.hidden = true);
  const button = (text, onclick, more = {}) =>
    element("button", { class: "gr-offer", type: "button", text, onclick, ...more });
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

/** @param {{onOffer: (source: string) => void}} how  what becomes of a formula that may have been meant */
export function createRemarks({ onOffer }) {
  const remarks = element("div", { class: "gr-remarks", "data-testid": "remarks", hidden: true });
  return {
    element: remarks,
    /** Whether they speak of another text than the one in the editor. @param {boolean} other */
    ofAnother: (other) => remarks.toggleAttribute("data-other", other),
    /** @param {string[]|null|undefined} sentences @param {string[]|null} [offers] */
    show(sentences, offers) {
      remarks.hidden = !sentences?.length && !offers?.length;
      const chip = (source) => element("button", {
        type: "button", class: "gr-chip", "data-testid": "meant", title: "run this instead", text: source,
        onclick: () => onOffer(source),
      });
      remarks.replaceChildren(...(sentences ?? []).map((sentence) => {
        const line = element("p");
        writeMarked(line, sentence);
        return line;
      }), offers?.length ? element("div", { class: "gr-chips" }, ...offers.map(chip)) : "");
    },
  };
}
