/**
 * What is chosen of a run: a node, a leaf, a tensor behind a name.
 */

/** @param {import("../scene/run.js").Run} run
 * @param {ReturnType<typeof import("../stage/stage_view.js").createStageView>} stage
 * @param {() => void} show
 */
export function createSelection(run, stage, show) {
  /** Select a box or a tensor; the same again selects nothing. */
  function choose(id) {
    run.chosen = id === run.chosen ? null : id;
    if (run.chosen) run.details = null;
    show();
  }

  /** Select, and open what it stands behind. */
  function select(id) {
    choose(id);
    if (!run.chosen) return;
    stage.reveal(run.scene.tensor.has(id) ? run.state.at(id, "box", run.step) : id);
  }

  return {
    choose,
    select,
    /** Open what a box stands behind, and select it. */
    reveal: (id) => {
      run.chosen = null;
      select(id);
    },
  };
}
