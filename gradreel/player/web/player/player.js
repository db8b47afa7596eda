/**
 * The player: a scene, a place in the page, and the parts that show one moment of it. Here they are put together; each has its
 * idea in a module of its own.
 */

import { actionsOf } from "./actions.js";
import { createBookmarks } from "../timeline/bookmarks.js";
import { createChoosing } from "./selection.js";
import { createCodePane } from "../editor/codepane.js";
import { createControls } from "../timeline/controls.js";
import { createFinder } from "../panels/finder.js";
import { find } from "../panels/finding.js";
import { holdingOf } from "../scene/lifetime.js";
import { bindKeys } from "./keyboard.js";
import { createMending } from "./mending.js";
import { describe } from "../scene/moment.js";
import { createMoves } from "../timeline/moves.js";
import { compose, rebind, sameShape } from "../canvas/picture.js";
import { begin, clamped, createRun, load, momentOf } from "../scene/run.js";
import { build } from "./player_view.js";
import { showCode, showPanels } from "./showing.js";
import { drawingOf, pngOf, svgOf } from "../canvas/snapshot.js";
import { createStage } from "../canvas/canvas_view.js";
import { createTimeline } from "../timeline/timeline.js";

/** @typedef {{vis: any, onRun?: (source: string) => void, onMeaning?: () => void, onStep?: (step: number) => void, theme?: "light"|"dark"|null,
 *             step?: number|null, source?: string, compact?: boolean, alone?: boolean, spread?: boolean, editor?: boolean, createEditor?: any}} Options
 *  `createEditor` makes the code pane: the editor where one is wanted, else a plain list of lines. With `spread` a graph is drawn
 *  from left to right where the stage is broad and low. */

/** Put a player into `root` and return it; `root.player` is the same.
 * @param {HTMLElement & {player?: any}} root
 * @param {any} firstScene  a scene as `gradreel.scene.encode` writes it
 * @param {Options} options
 */
export function createPlayer(root, firstScene, options) {
  const parts = build(root);
  root.toggleAttribute("data-compact", Boolean(options.compact));
  const run = createRun(options);
  const made = assemble(root, parts, run, { show, draw }, firstScene, options);
  const { moves, marks, stage, timeline, controls, editor, choosing, mending } = made;

  function show({ ease = false, from = run.step, first = false } = {}) {
    const moment = momentOf(run);
    const holding = run.chosen ? holdingOf(moment, run.chosen) : null;
    stage.show({ ...moment, selected: run.chosen, holding }, { from, ease, picture: run.picture, begin: first });
    root.dataset.step = String(run.step);
    timeline.show(run.step);
    marks.show(run.step);
    showPanels(parts, run, moment, holding, { ...choosing, seek: moves.seek, mending, mends: Boolean(options.onRun), meaning: options.onMeaning });
    showCode(editor, parts, run, moment);
  }

  function draw(keep) {
    run.picture = compose(run.scene, run.state, run.tree, run.folded, stage.measure, run);
    stage.setPicture(run.picture, keep);
    parts.groups.hidden = run.tree.groups.size === 0;
    parts.nameGroups(run.folded.size ? "Unfold" : "Fold");
  }

  /** The run is another one, or the same with other values. */
  function loaded() {
    root.dataset.steps = String(run.state.last);
    root.dataset.outcome = run.scene.outcome.kind;
    root.toggleAttribute("data-prints", run.scene.output.length > 0);
    timeline.setScene(run.scene, run.state);
    controls.enable(run.state.last > 0);
  }

  /** A new program: everything is made anew. */
  function beginWith(scene, at) {
    begin(run, scene, at);
    loaded();
    if (options.spread) run.sideways = stage.isBroad();
    marks.clear();
    draw(null);
    show({ first: true });
  }

  /** A scene of the same program with other values keeps everything in its place; any other begins anew. */
  function update(next, { step = null } = {}) {
    if (!sameShape(run.scene, next)) {
      moves.clock.pause();
      if (!options.createEditor) editor.setSource(next.source);
      beginWith(next, step);
      return;
    }
    load(run, next);
    loaded();
    run.picture = rebind(run.picture, run.scene, run.state);
    run.step = clamped(run, step ?? run.step);
    show();
  }

  const player = { ...faceOf(root, parts, run, made, show), update };
  parts.setTheme(options.theme ?? null);
  root.player = player;
  beginWith(firstScene, options.step);
  return player;
}

/** The parts of a player, each told of those that it needs. The foot of the page comes before the stage, which takes what room is left. */
function assemble(root, parts, run, { show, draw }, firstScene, options) {
  const moves = createMoves(run, {
    show,
    onStep: options.onStep,
    range: () => made.marks.range(),
    onPlay: (playing) => {
      controls.show(playing);
      parts.say.setAttribute("aria-live", playing ? "off" : "polite");
    },
  });
  /** @type {Record<string, any>} */
  const made = { moves, parts };
  const actions = actionsOf(run, made);
  const controls = createControls(parts.controls, actions);
  made.controls = controls;
  made.timeline = createTimeline(parts.time, { onSeek: moves.seek, onPlay: (next) => (moves.seek(next), moves.clock.play()) });
  made.marks = createBookmarks(made.timeline, controls);
  made.stage = createStage(parts.stage, parts.corner, options.vis, {
    onPick: (id) => made.choosing.pick(id),
    onFollow: (follows) => parts.follow.setAttribute("aria-pressed", String(follows)),
  });
  made.choosing = createChoosing(run, made.stage, { draw, show });
  made.editor = (options.createEditor ?? createCodePane)(parts.editor, {
    source: options.source ?? firstScene.source,
    onRun: options.onRun,
    readOnly: options.editor === false,
  });
  made.mending = createMending({
    source: () => run.scene.source,
    put: (source) => {
      made.editor.setSource(source);
      options.onRun(source);
    },
  });
  made.finder = createFinder(parts.graph, {
    find: (query) => find(query, { ...run, names: momentOf(run).names }),
    onGo: made.choosing.reveal,
    onClose: (before) => (root.contains(before) ? before : root).focus({ preventScroll: true }),
  });
  made.table = createTableView(root, parts, show);
  /** Draw the graph from left to right, or from top to bottom again. */
  made.turn = () => {
    run.sideways = !run.sideways;
    draw(null);
    show({ first: true });
  };
  parts.onTool(actions);
  const unbind = [bindKeys(root, actions, Boolean(options.alone)), onDark(made.stage.recolour)];
  made.unbind = () => unbind.forEach((each) => each());
  return made;
}

/** The nodes as a table in the place of the graph: shown and gone to, or left and taken away again. */
function createTableView(root, parts, show) {
  const toggle = (on = parts.table.hidden) => {
    parts.table.hidden = !on;
    parts.tableTool.setAttribute("aria-pressed", String(on));
    show();
    (on ? parts.table : parts.tableTool).focus({ preventScroll: true });
  };
  return {
    toggle: () => toggle(),
    /** Whoever is in the table leaves it. @returns {boolean} whether anybody was */
    leave() {
      const within = parts.table.contains(root.getRootNode().activeElement);
      if (within) toggle(false);
      return within;
    },
  };
}

/** Be told when the page turns dark or light. @returns {() => void} no more */
function onDark(act) {
  const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
  dark?.addEventListener("change", act);
  return () => dark?.removeEventListener("change", act);
}

/** What a player offers to the page around it. */
function faceOf(root, parts, run, { moves, marks, stage, editor, choosing, turn, unbind }, show) {
  return {
    seek: moves.seek,
    play: moves.clock.play,
    pause: moves.clock.pause,
    playing: moves.clock.playing,
    turn,
    /** Where the panes stand one below the other: up to the picture of a run. */
    lookAtPicture: () => {
      parts.program.close();
      root.querySelector(".frame").scrollTop = 0;
    },
    /** Where every card stands in the picture, by its id. */
    places: () => Object.fromEntries(run.picture.cards.map(({ id, rect }) => [id, { ...rect }])),
    bookmarks: () => [...marks.all()],
    state: () => ({ ...describe(run.state, run.scene, run.names, run.step), selected: momentOf(run).selected }),
    select: (id) => {
      run.chosen = id;
      show();
    },
    fold: choosing.fold,
    foldAll: choosing.foldAll,
    reveal: choosing.reveal,
    /** Whether values stand after the lines that made them. @param {boolean} on */
    showValues: (on) => {
      run.values = on;
      show();
    },
    setTheme: (name) => {
      parts.setTheme(name);
      stage.recolour();
    },
    view: stage.view,
    /** The graph as it stands, as a file. @param {"png"|"svg"} kind @returns {Promise<Blob>} */
    picture: async (kind) => {
      const frame = stage.frame();
      const drawing = drawingOf(frame);
      return kind === "png" ? pngOf(drawing, frame) : new Blob([svgOf(drawing, frame)], { type: "image/svg+xml" });
    },
    editor,
    destroy: () => {
      moves.clock.pause();
      unbind();
      stage.destroy();
      editor.destroy?.();
      root.replaceChildren();
      root.classList.remove("gradreel");
      for (const name of ["testid", "step", "steps", "outcome", "prints", "theme"]) delete root.dataset[name];
      delete root.player;
    },
  };
}
