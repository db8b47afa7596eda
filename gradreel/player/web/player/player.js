/**
 * The player: a scene, a place in the page, and the parts that show one moment of it. Here they are put together; each
 * has its idea in a module of its own.
 */

import { marksAt, valuesAt } from "../editor/annotations.js";
import { createCodePane } from "../editor/code_view.js";
import { activeIn, hasChanged } from "../lib/dom.js";
import { showBare, showSentence } from "../panels/caption.js";
import { showExplanation } from "../panels/explanation.js";
import { createExplore } from "../panels/explore.js";
import { createFinder, find } from "../panels/finder.js";
import { showInspector, showSum } from "../panels/inspector.js";
import { chainsAt, pathKey, showPaths } from "../panels/paths.js";
import { showTable } from "../panels/table.js";
import { showLeaves, showNames, showPrinted } from "../panels/variables.js";
import { holdingOf } from "../scene/lifetime.js";
import { describe } from "../scene/moment.js";
import { firstStepOf } from "../scene/diagnosis.js";
import { beginScene, clampStep, createRun, loadScene, momentOf, sameShape } from "../scene/run.js";
import { durationsOf } from "../stage/pace.js";
import { drawingOf, pngOf, svgOf } from "../stage/snapshot.js";
import { createStageView } from "../stage/stage_view.js";
import { createShareDialog } from "../share/share_dialog.js";
import { createBookmarks } from "../timeline/bookmarks.js";
import { createControls } from "../timeline/controls.js";
import { createPlayback } from "../timeline/playback.js";
import { createTimeline } from "../timeline/timeline.js";
import { bindKeys } from "./keyboard.js";
import { buildView } from "./player_view.js";
import { createPresentation } from "./presentation.js";
import { createSelection } from "./selection.js";

/** @import { Moment, Scene } from "../scene/types.js" */
/** @import { Vis } from "../vis.js" */

/**
 * @typedef {ReturnType<typeof createPlayer>} Player
 * @typedef {ReturnType<typeof createCodePane>} CodePane  what the editor answers to, too
 * @typedef {object} Parts  the parts of a player
 * @property {ReturnType<typeof buildView>} parts
 * @property {ReturnType<typeof createPlayback>} moves
 * @property {ReturnType<typeof createControls>} controls
 * @property {ReturnType<typeof createTimeline>} timeline
 * @property {ReturnType<typeof createBookmarks>} marks
 * @property {ReturnType<typeof createStageView>} stage
 * @property {ReturnType<typeof createSelection>} selection
 * @property {CodePane} editor
 * @property {ReturnType<typeof createFixTrial>} fixTrial
 * @property {ReturnType<typeof createFinder>} finder
 * @property {ReturnType<typeof createViews>} views
 * @property {ReturnType<typeof createExplore>} explore
 * @property {ReturnType<typeof createPresentation>} presentation
 * @property {ReturnType<typeof createShareDialog>} share
 * @property {() => void} toggleDetails
 * @property {() => void} unbind
 */

/**
 * @typedef {{vis?: Vis|Promise<Vis>, onRun?: (source: string) => void, onMeaning?: () => void, onStep?: (step: number)
 *   => void, theme?: "light"|"dark"|null, step?: number|null, source?: string, compact?: boolean, alone?: boolean,
 *   editor?: boolean, createEditor?: (host: HTMLElement, how?: any) => CodePane, values?: boolean, onLeaf?:
 *   (name: string, value: any) => void, link?: () => Promise<string|null>, onCompare?: Compare|null}} Options
 *   `createEditor` makes the code pane: the editor where one is wanted, else a plain list of lines; `onLeaf` hears
 *   that a leaf of an expression is to have another value; `link` is the address of the present step
 * @typedef {(source: string, fixed: string) => void} Compare  show two programs side by side
 */

/** Put a player into `root` and return it; `root.player` is the same.
 * @param {HTMLElement & {player?: any}} root
 * @param {Scene} firstScene  a scene as `gradreel.scene.encode` writes it
 * @param {Options} options
 */
export function createPlayer(root, firstScene, options) {
  const parts = buildView(root);
  root.toggleAttribute("data-compact", Boolean(options.compact));
  const run = createRun(options);
  const made = assemble(root, parts, run, show, firstScene, options);
  const { moves, marks, stage, timeline, controls, editor, selection, fixTrial, explore } = made;

  /** `stays`: the moment is the one that is shown, with something else told of it. */
  function show({ time = 0, first = false, stays = false } = {}) {
    const moment = momentOf(run);
    const holding = run.chosen ? holdingOf(moment, run.chosen) : null;
    const chains = run.chosen ? chainsAt(moment, run.paths) : null;
    const shown = chains?.found.paths.find((each) => pathKey(each) === run.paths.shown);
    const path = new Set(shown?.wires.map(({ id }) => id));
    stage.show({ ...moment, selected: run.chosen, holding, path }, { time, cut: first, stays });
    root.dataset.step = String(run.step);
    parts.openDetails(isTold(run) || Boolean(fixTrial.current()));
    if (run.seen !== null) run.seen = Math.max(run.seen, run.step);
    timeline.show(run.step, time, run.seen);
    marks.show(run.step);
    showPanels(parts, run, moment, holding, {
      select: selection.select,
      fold: stage.fold,
      // Whoever goes through time from beside the stage has it stay open.
      seek: (step) => {
        run.details = true;
        moves.seek(step);
      },
      back: moves.seek,
      fixTrial,
      canFix: Boolean(options.onRun),
      compare: options.onCompare,
      meaning: options.onMeaning,
    });
    showPaths(parts.pathsHead, parts.paths, moment, chains, {
      wish: run.paths,
      folded: stage.foldedIn,
      onRoot: (root) => selection.wish({ root, shown: null }),
      onPath: (shown) => selection.wish({ shown }),
      onUnfold: (ids) => ids.forEach(stage.reveal),
    });
    explore.show(moment);
    showCode(editor, parts, run, moment);
  }

  /** The run is another one, or the same with other values. */
  function showScene() {
    root.dataset.steps = String(run.state.last);
    root.dataset.outcome = run.scene.outcome.kind;
    root.toggleAttribute("data-prints", run.scene.output.length > 0);
    timeline.setScene(run.scene, run.state, run.durations);
    controls.enable(run.state.last > 0);
  }

  /** A new program: everything is made anew. */
  function beginWith(scene, at) {
    beginScene(run, scene, at);
    run.durations = durationsOf(stage.setScene(run.scene, run.state));
    showScene();
    marks.clear();
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
    loadScene(run, next);
    run.durations = durationsOf(stage.setScene(run.scene, run.state, { same: true }));
    showScene();
    const stays = clampStep(run, step ?? run.step) === run.step;
    run.step = clampStep(run, step ?? run.step);
    show({ stays });
  }

  const player = { ...createApi(root, parts, run, made, show), update };
  parts.setTheme(options.theme ?? null);
  root.player = player;
  beginWith(firstScene, options.step);
  return player;
}

/** The parts of a player, each told of those that it needs. The foot of the page comes before the stage, which takes
 * what room is left.
 */
function assemble(root, parts, run, show, firstScene, options) {
  const moves = createPlayback(run, {
    show,
    onStep: options.onStep,
    range: () => made.marks.range(),
    onPlay: (playing) => {
      controls.show(playing);
      parts.say.setAttribute("aria-live", playing ? "off" : "polite");
    },
  });
  const made = /** @type {Parts} */ ({ moves, parts });
  const actions = actionsOf(run, made);
  const controls = createControls(parts.controls, actions);
  made.controls = controls;
  made.timeline = createTimeline(parts.time, {
    onSeek: moves.seek,
    onPlay: (next) => (moves.seek(next), moves.clock.play()),
  });
  made.marks = createBookmarks(made.timeline, controls);
  made.presentation = createPresentation(root);
  made.stage = createStageView(parts.stage, parts.film, {
    onPick: (id, kind, more) => made.selection.pick(id, more),
    onSeek: moves.seek,
    onChange: options.onLeaf,
    zoomOf: made.presentation.zoom,
  });
  made.selection = createSelection(run, made.stage, show);
  made.editor = (options.createEditor ?? createCodePane)(parts.editor, {
    source: options.source ?? firstScene.source,
    onRun: options.onRun,
    readOnly: options.editor === false,
  });
  made.fixTrial = createFixTrial({
    source: () => run.scene.source,
    put: (source) => {
      made.editor.setSource(source);
      options.onRun(source);
    },
  });
  made.finder = createFinder(parts.graph, {
    find: (query) => find(query, { ...run, names: momentOf(run).names }),
    onGo: made.selection.reveal,
    onClose: (before) => (root.contains(before) ? before : root).focus({ preventScroll: true }),
  });
  made.views = createViews(root, parts, show);
  made.toggleDetails = () => {
    run.details = !isTold(run);
    show();
  };
  made.share = createShareDialog({
    moment: () => ({ setup: made.stage.setup(), step: run.step, seen: run.seen, durations: run.durations }),
    link: options.link,
  });
  root.append(made.share.root);
  made.explore = createExplore(parts.views.explore, options.vis, (id) => made.selection.choose(id));
  parts.onTool(actions);
  const unbind = [bindKeys(root, actions, Boolean(options.alone)), onDark(made.stage.recolour)];
  made.unbind = () => unbind.forEach((each) => each());
  return made;
}

/** What stands in the place of the stage: the nodes as a table, or as a network; shown, or taken away again.
 * @param {HTMLElement} root
 * @param {Parts["parts"]} parts
 * @param {() => void} show
 */
function createViews(root, { views, viewTools }, show) {
  const open = (name) => {
    for (const [each, view] of Object.entries(views)) {
      view.hidden = each !== name;
      viewTools[each].setAttribute("aria-pressed", String(!view.hidden));
    }
    show();
  };
  const toggle = (name, on = views[name].hidden) => {
    open(on ? name : null);
    (on && name === "table" ? views.table : viewTools[name]).focus({ preventScroll: true });
  };
  return {
    toggle: (name) => toggle(name),
    /** The stage itself again. */
    close: () => open(null),
    /** Whoever is in the table leaves it. @returns {boolean} whether anybody was */
    leave() {
      const within = views.table.contains(activeIn(root));
      if (within) toggle("table", false);
      return within;
    },
  };
}

/** Whether there is something beside the stage: what was chosen, what went wrong, or what a person asks for. */
function isTold({ details, chosen, scene, state, step }) {
  if (details !== null) return details;
  const ended = scene.outcome.kind !== "finished" && step >= state.last;
  return Boolean(chosen) || ended || !scene.boxes.length
    || scene.diagnoses.some((each) => step >= firstStepOf(each, state.last));
}

/** Be told when the page turns dark or light. @returns {() => void} no more */
function onDark(act) {
  const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
  dark?.addEventListener("change", act);
  return () => dark?.removeEventListener("change", act);
}

/** What a player offers to the page around it.
 * @param {HTMLElement & {player?: any}} root
 * @param {Parts["parts"]} parts
 * @param {import("../scene/run.js").Run} run
 * @param {Parts} made
 * @param {(how?: object) => void} show
 */
function createApi(root, parts, run, made, show) {
  const { moves, marks, stage, explore, editor, selection, presentation, share, unbind } = made;
  return {
    seek: moves.seek,
    play: moves.clock.play,
    pause: moves.clock.pause,
    playing: moves.clock.playing,
    /** Where the panes stand one below the other: up to the picture of a run. */
    lookAtPicture: () => {
      parts.program.close();
      root.querySelector(".frame").scrollTop = 0;
    },
    /** Where every thing on the stage stands, in its pixels, by what it is of: a node, a leaf's tensor, a fold. */
    places: stage.places,
    /** The present step at a share of its time, from 0 to 1, with everything in its place. */
    pose: stage.pose,
    /** What the stage shows, in numbers. */
    look: stage.look,
    /** The present step where it says most, as a picture of it would be. */
    still: stage.still,
    /** Whether what is ahead is told: what a question asks for is withheld until it is answered, or played.
     * @param {boolean} on
     */
    withhold: (on) => {
      run.seen = on ? run.step : null;
      show({ stays: true });
    },
    /** The milliseconds that each step plays, at speed 1. */
    durations: () => [...run.durations],
    calls: () => run.scene.calls.map(({ from, to }) => ({ from, to })),
    bookmarks: () => [...marks.all()],
    state: () => ({ ...describe(run.state, run.scene, run.names, run.step), selected: momentOf(run).selected }),
    select: (id) => {
      run.chosen = id;
      show();
    },
    /** Open a fold, or shut it. @type {(id: string) => void} */
    fold: stage.fold,
    reveal: selection.reveal,
    /** Whether values stand after the lines that made them. @param {boolean} on */
    showValues: (on) => {
      run.values = on;
      show();
    },
    setTheme: (name) => {
      parts.setTheme(name);
      stage.recolour();
    },
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
      share.close();
      presentation.destroy();
      stage.destroy();
      explore.destroy();
      editor.destroy?.();
      root.replaceChildren();
      root.classList.remove("gradreel");
      for (const name of ["testid", "step", "steps", "outcome", "prints", "theme"]) delete root.dataset[name];
      delete root.player;
    },
  };
}

/** What a person can do with keys, buttons and tools: a name for each thing, and what it does.
 * @param {import("../scene/run.js").Run} run
 * @param {Parts} made  the parts of the player: all of them are there when something is done
 */
function actionsOf(run, made) {
  const { moves, parts } = made;
  const toMark = (direction) => made.marks.all().length && moves.near(made.marks.all(), direction);
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
    details: () => made.toggleDetails(),
    more: () => made.stage.detail(1),
    less: () => made.stage.detail(-1),
    table: () => made.views.toggle("table"),
    explore: () => made.views.toggle("explore"),
    present: () => {
      made.views.close();
      made.presentation.toggle();
    },
    share: () => {
      moves.clock.pause();
      made.share.open();
    },
    help: () => parts.sheet.toggle(),
    escape: () =>
      [parts.sheet.close, made.share.close, made.views.leave, made.presentation.leave].some((leave) => leave())
      || made.selection.select(null),
  };
}

/** A moment of the run on the page: everything beside the stage is told what there is to show of it.
 * @param {ReturnType<typeof buildView>} parts  of the view
 * @param {import("../scene/run.js").Run} run
 * @param {Moment} moment
 * @param {import("../scene/lifetime.js").Holding|null} holding
 * @param {{seek: (step: number) => void, back: (step: number) => void, select: (id: string|null) => void, fold: (id:
 *   string) => void, fixTrial: Parts["fixTrial"], canFix: boolean, compare?: Compare|null, meaning?: () => void}} does
 *   `seek` from beside the stage, `back` from what stands in its place
 */
function showPanels(parts, run, moment, holding, does) {
  const { seek, back, select, fold, fixTrial, canFix, compare, meaning } = does;
  showSentence(parts, moment, holding);
  showNames(parts.names, moment, select);
  showLeaves(parts.leaves, moment, select);
  showPrinted(parts.printed, moment);
  showExplanation(parts.story, moment, {
    onSeek: seek,
    onFix: canFix ? fixTrial.apply : null,
    onCompare: compare && ((fix) => compare(moment.scene.source, fix.source)),
    tried: fixTrial.current(),
    onBack: fixTrial.back,
    onMeaning: meaning,
    withheld: run.seen !== null,
  });
  showBare(parts.bare, moment, back);
  parts.graph.parentElement.dataset.graph = moment.scene.boxes.length || moment.scene.unrun ? "some" : "none";
  showInspector(parts.chosenHead, parts.chosen, moment, { onSeek: seek, onFold: fold, onSelect: select });
  showSum(parts.sumHead, parts.sum, moment, run.sums);
  if (!parts.views.table.hidden) showTable(parts.views.table, moment, select);
}

/** The marks of a moment in the code: after all else, for the code scrolls to its line, and so has everything laid out.
 * @param {CodePane} editor
 * @param {ReturnType<typeof buildView>} parts
 * @param {import("../scene/run.js").Run} run
 * @param {Moment} moment
 */
function showCode(editor, parts, run, moment) {
  const values = run.values ? valuesAt(moment).map((value) => ({ ...value, kind: "value" })) : [];
  const marks = [...marksAt(moment), ...values];
  if (hasChanged(parts.editor, [run.loads, marks])) editor.setMarks(marks);
}

/** Trying a fix: the edited program takes the place of the one before it, which stays at hand while the edited one is
 * shown.
 * @param {{source: () => string, put: (source: string) => void}} program  what is shown, and how another is put in and
 *   run
 */
function createFixTrial({ source, put }) {
  let tried = null;
  return {
    /** @param {{source: string}} fix */
    apply: (fix) => {
      tried = { ...fix, before: source() };
      put(fix.source);
    },
    back: () => {
      const { before } = tried;
      tried = null;
      put(before);
    },
    /** The fix that is being tried, with the program before it; nothing once another program is shown. */
    current: () => (tried && source().trimEnd() === tried.source.trimEnd() ? tried : null),
  };
}
