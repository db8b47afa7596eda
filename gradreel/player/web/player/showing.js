/**
 * A moment of the run on the page: everything beside the stage is told what there is to show of it.
 */

import { differs } from "../lib/dom.js";
import { valuesAt } from "../editor/inline.js";
import { showInspector, showSum } from "../panels/inspector.js";
import { marksAt } from "../editor/annotations.js";
import { showBare, showLeaves, showNames, showPrinted } from "../panels/variables.js";
import { showSentence } from "../panels/caption.js";
import { showStory } from "../panels/explanation.js";
import { showTable } from "../panels/table.js";

/** @param {any} parts  of the shell @param {import("../scene/run.js").Run} run @param {any} moment @param {import("../scene/lifetime.js").Holding|null} holding
 * @param {{seek: (step: number) => void, select: (id: string|null) => void, fold: (id: string) => void, mending: any, mends: boolean, meaning?: () => void}} does
 */
export function showPanels(parts, run, moment, holding, { seek, select, fold, mending, mends, meaning }) {
  showSentence(parts, moment, holding);
  showNames(parts.names, moment, select);
  showLeaves(parts.leaves, moment, select);
  showPrinted(parts.printed, moment);
  showStory(parts.story, moment, { onSeek: seek, onMend: mends ? mending.mend : null, tried: mending.tried(), onBack: mending.back, onMeaning: meaning });
  showBare(parts.bare, moment, seek);
  parts.graph.parentElement.dataset.graph = moment.scene.boxes.length || moment.scene.unrun ? "some" : "none";
  showInspector(parts.chosenHead, parts.chosen, moment, { onSeek: seek, onFold: fold, onSelect: select });
  showSum(parts.sumHead, parts.sum, moment, run.sums);
  if (!parts.table.hidden) showTable(parts.table, moment, select);
}

/** The marks of a moment in the code: after all else, for the code scrolls to its line, and so has everything laid out.
 * @param {any} editor @param {any} parts @param {import("../scene/run.js").Run} run @param {any} moment
 */
export function showCode(editor, parts, run, moment) {
  const values = run.values ? valuesAt(moment).map((value) => ({ ...value, kind: "value" })) : [];
  const told = [...marksAt(moment), ...values];
  if (differs(parts.editor, [run.loads, told])) editor.setMarks(told);
}
