/**
 * What was made of pasted text, and how the outputs posted with it compare: sentences below the editor.
 */

import { element } from "../lib/dom.js";
import { write } from "../lib/marks.js";

export function createRemarks() {
  const remarks = element("div", { class: "gr-remarks", "data-testid": "remarks", hidden: true });
  return {
    element: remarks,
    /** Whether they speak of another text than the one in the editor. @param {boolean} other */
    ofAnother: (other) => remarks.toggleAttribute("data-other", other),
    /** @param {string[]|null|undefined} sentences */
    show(sentences) {
      remarks.hidden = !sentences?.length;
      remarks.replaceChildren(...(sentences ?? []).map((sentence) => {
        const line = element("p");
        write(line, sentence);
        return line;
      }));
    },
  };
}
