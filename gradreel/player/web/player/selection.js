/**
 * What is chosen of a run, and what stands open: nodes and names are selected, groups fold into one card, turns that
 * are gone open in their place.
 */

import { foldsAbove } from "../scene/grouping.js";

/** @param {import("../scene/run.js").Run} run
 * @param {ReturnType<typeof import("../canvas/canvas_view.js").createCanvasView>} stage
 * @param {{draw: (keep: {unit: string, boxes: string[]}|null) => void, show: () => void}} page  the picture made anew,
 *   and shown
 */
export function createSelection(run, stage, { draw, show }) {
  /** Select a box, a tensor or a group; the same again selects nothing. */
  function choose(id) {
    run.chosen = id === run.chosen ? null : id;
    show();
  }

  /** Select, and bring what is selected into view. */
  function select(id) {
    choose(id);
    if (!run.chosen) return;
    const box = run.scene.tensor.has(run.chosen) ? run.state.at(run.chosen, "box", run.step) : run.chosen;
    const card = run.picture.card.get(run.picture.unitOf.get(box) ?? box);
    if (!card) return;
    const turn = stage.behind(card.id);
    if (turn) turnOver(turn);
    stage.lookAt(card);
  }

  function fold(id) {
    const group = run.tree.groups.get(id);
    if (!group) return;
    if (!run.folded.delete(id)) run.folded.add(id);
    draw({ unit: id, boxes: group.boxes });
    show();
  }

  /** Open the card of a graph that is gone in its place, or shut it. */
  function turnOver(id) {
    if (!run.turned.delete(id)) run.turned.add(id);
    show();
  }

  return {
    choose,
    select,
    fold,
    /** What a click on something in the picture does. */
    pick: (id) => (!run.tree.groups.has(id) ? choose(id) : stage.isGone(id) ? turnOver(id) : fold(id)),
    /** Open what a box stands behind, and look at it. */
    reveal(id) {
      const above = foldsAbove(run.tree, run.folded, id);
      for (const group of above) run.folded.delete(group);
      if (above.length) draw({ unit: above[0], boxes: run.tree.groups.get(above[0]).boxes });
      run.chosen = null;
      select(id);
    },
    /** Fold every group, or none. @param {boolean} folded */
    foldAll(folded) {
      run.folded = new Set(folded ? run.tree.groups.keys() : []);
      draw({ unit: run.picture.cards.at(-1)?.id, boxes: run.picture.cards.at(-1)?.boxes ?? [] });
      show();
    },
  };
}
