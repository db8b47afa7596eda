/**
 * The picture as a table: every node that is there now, for whoever reads better than looks.
 */

import { element, reconcile } from "../lib/dom.js";
import { formatShort, ordinal } from "../lib/format.js";
import { boxAt, isPresent } from "../scene/moment.js";

/** @import { Moment } from "../scene/types.js" */

const MOST = 500;

/** @param {HTMLElement} root
 * @param {Moment} moment
 * @param {(id: string) => void} onSelect
 */
export function showTable(root, { state, scene, step, selected }, onSelect) {
  const rows = [];
  let more = 0;
  for (const box of scene.boxes) {
    const now = boxAt(state, box, step);
    if (!isPresent(now.state)) continue;
    if (rows.length < MOST) rows.push(tableRow(box, now, scene, selected, onSelect));
    else more++;
  }
  const heads = ["node", "line", "state", "saved tensors", "gradient"];
  reconcile(root, element("table", {},
    element("caption", { text: `Nodes at step ${step}${more ? ` (the first ${MOST} of ${rows.length + more})` : ""}` }),
    element("thead", {}, element("tr", {}, ...heads.map((text) => element("th", { scope: "col", text })))),
    element("tbody", {}, ...rows)));
}

function tableRow(box, now, scene, selected, onSelect) {
  const name =
    box.kind === "leaf" ? `${box.name} ${now.variable ?? ""}` : `${box.name}${box.nr === null ? "" : ` #${box.nr}`}`;
  const slots = now.slots
    .filter((slot) => slot.state !== null)
    .map(({ slot, state }) => `${slot.name}: ${state}`)
    .join(", ");
  const grad = box.kind === "leaf" ? now.grad : now.gradIn;
  const cells = [
    box.line ?? "",
    now.hint || stateWord(now),
    slots || "nothing",
    grad === null ? "" : formatShort(scene.values[grad], 28),
  ];
  return element("tr", { "aria-selected": String(selected === box.id) },
    element("th", { scope: "row" }, element("button", { text: name, onclick: () => onSelect(box.id) })),
    ...cells.map((cell) => element("td", { text: String(cell) })));
}

/** In which state a box is, in a word or two. */
export function stateWord(now) {
  const ran = now.order ? `ran ${ordinal(now.order)}` : "ran";
  switch (now.state) {
    case "ran":
    case "freed":
      return ran;
    case "failed":
      return "stopped here";
    default:
      return now.state ?? "";
  }
}
