/**
 * What is chosen of a run: a node, a leaf, a tensor behind a name.
 */

import { leafBoxes } from "../scene/paths.js";
import { momentOf } from "../scene/run.js";

/** @param {import("../scene/run.js").Run} run
 * @param {ReturnType<typeof import("../stage/stage_view.js").createStageView>} stage
 * @param {() => void} show
 */
export function createSelection(run, stage, show) {
  /** Select a box or a tensor; the same again selects nothing. */
  function choose(id) {
    run.chosen = id === run.chosen ? null : id;
    run.paths.shown = null;
    if (run.chosen) run.details = null;
    show();
  }

  /** Select, and open what it stands behind. */
  function select(id) {
    choose(id);
    if (!run.chosen) return;
    stage.reveal(run.scene.tensor.has(id) ? run.state.at(id, "box", run.step) : id);
  }

  /** @param {Partial<import("../scene/paths.js").Wish>} wish */
  function wish(wish) {
    run.paths = { ...run.paths, ...wish };
    show();
  }

  return {
    choose,
    select,
    wish,
    /** A press on the stage; with the shift key, while a leaf is selected, it says where paths to it begin.
     * @param {string|null} id @param {boolean} more
     */
    pick(id, more) {
      const leaf = run.chosen !== null && leafBoxes(momentOf(run), run.chosen).length > 0;
      if (more && leaf && run.scene.box.get(id)?.kind === "node") wish({ root: id, shown: null });
      else choose(id);
    },
    /** Open what a box stands behind, and select it. */
    reveal: (id) => {
      run.chosen = null;
      select(id);
    },
  };
}
