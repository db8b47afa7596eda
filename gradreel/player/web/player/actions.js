/**
 * What a person can do with keys, buttons and tools: a name for each thing, and what it does.
 */

/** @param {import("../scene/run.js").Run} run
 * @param {Record<string, any>} made  the parts of the player: all of them are there when something is done
 */
export function actionsOf(run, made) {
  const { moves, parts } = made;
  const toMark = (direction) => made.marks.all().length && moves.near(made.marks.all(), direction);
  const [larger, smaller] = [() => made.stage.zoom(1.25), () => made.stage.zoom(0.8)];
  return {
    first: () => moves.jump(0),
    last: () => moves.jump(run.state.last),
    next: () => moves.jump(run.step + 1),
    prev: () => moves.jump(run.step - 1),
    nextLine: () => moves.near(run.lines, 1),
    prevLine: () => moves.near(run.lines, -1),
    nextCall: () => moves.near(run.calls, 1),
    prevCall: () => moves.near(run.calls, -1),
    nextMark: () => toMark(1),
    prevMark: () => toMark(-1),
    bookmark: () => made.marks.toggle(run.step),
    loop: () => made.marks.toggleLoop(run.scene.stretches, run.step, run.state.last),
    toggle: () => moves.clock.toggle(),
    setSpeed: (speed) => moves.clock.setSpeed(speed),
    find: () => made.finder.open(),
    fit: () => made.stage.fit(),
    follow: () => made.stage.follow(),
    turn: () => made.turn(),
    zoomIn: larger,
    zoomOut: smaller,
    in: larger,
    out: smaller,
    groups: () => made.choosing.foldAll(run.folded.size === 0),
    table: () => made.table.toggle(),
    help: () => parts.sheet.toggle(),
    escape: () => parts.sheet.close() || made.table.leave() || made.choosing.select(null),
  };
}
