/**
 * The player: a scene, a place in the page, and the parts that show one moment of it. Time moves here; everything else is
 * told which step it is.
 */

import { createClock } from "./clock.js";
import { createCodePane } from "./codepane.js";
import { createControls } from "./controls.js";
import { valuesAt } from "./inline.js";
import { foldedAtFirst, foldsAbove, groupTree, READABLE } from "./folding.js";
import { differs } from "./dom.js";
import { createFinder } from "./finder.js";
import { find } from "./finding.js";
import { holdingOf } from "./holding.js";
import { showInspector, showSum, sumTrack } from "./inspector.js";
import { bindKeys } from "./keys.js";
import { marksAt } from "./marking.js";
import { createMending } from "./mending.js";
import { createBookmarks } from "./bookmarks.js";
import { describe, indexed, namesAt } from "./moment.js";
import { showBare, showLeaves, showNames, showPrinted } from "./panels.js";
import { compose, rebind, sameShape } from "./picture.js";
import { beside } from "./ranges.js";
import { spokenOf } from "./selection.js";
import { build } from "./shell.js";
import { showSentence } from "./sentence.js";
import { drawingOf, pngOf, svgOf } from "./snapshot.js";
import { createStage } from "./stage.js";
import { createState } from "./state.js";
import { showStory } from "./story.js";
import { showTable } from "./table.js";
import { createTimeline } from "./timeline.js";

/** @typedef {{vis: any, onRun?: (source: string) => void, onStep?: (step: number) => void, theme?: "light"|"dark"|null,
 *             step?: number|null, source?: string, compact?: boolean, spread?: boolean, editor?: boolean, createEditor?: any}} Options
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
  const run = { step: 0, chosen: null, sideways: false, turned: new Set(), values: options.values ?? true };

  const clock = createClock({
    steps: () => run.state.last,
    step: () => run.step,
    onStep: (next) => go(next, true),
    range: () => marks.range(),
    onChange: (playing) => {
      controls.show(playing);
      parts.say.setAttribute("aria-live", playing ? "off" : "polite");
    },
  });
  const actions = {
    first: () => jump(0),
    last: () => jump(run.state.last),
    next: () => jump(run.step + 1),
    prev: () => jump(run.step - 1),
    nextLine: () => jump(near(run.lines, 1)),
    prevLine: () => jump(near(run.lines, -1)),
    nextCall: () => jump(near(run.calls, 1)),
    prevCall: () => jump(near(run.calls, -1)),
    nextMark: () => marks.all().length && jump(near(marks.all(), 1)),
    prevMark: () => marks.all().length && jump(near(marks.all(), -1)),
    bookmark: () => marks.toggle(run.step),
    loop: () => marks.toggleLoop(run.scene.stretches, run.step, run.state.last),
    find: () => finder.open(),
    fit: () => stage.fit(),
    turn: () => turn(),
    zoomIn: () => stage.zoom(1.25),
    zoomOut: () => stage.zoom(0.8),
    toggle: () => clock.toggle(),
    help: () => parts.sheet.toggle(),
    escape: () => parts.sheet.close() || leaveTable() || select(null),
    setSpeed: (speed) => clock.setSpeed(speed),
  };
  const controls = createControls(parts.controls, actions);
  const timeline = createTimeline(parts.time, { onSeek: (next) => seek(next), onPlay: (next) => (seek(next), clock.play()) });
  const marks = createBookmarks(timeline, controls);
  const stage = createStage(parts.stage, parts.corner, options.vis, {
    onPick: (id) => (!run.tree.groups.has(id) ? choose(id) : stage.isGone(id) ? turnOver(id) : fold(id)),
    onFollow: (follows) => parts.follow.setAttribute("aria-pressed", String(follows)),
  });
  const editor = (options.createEditor ?? createCodePane)(parts.editor, {
    source: options.source ?? firstScene.source,
    onRun: options.onRun,
    readOnly: options.editor === false,
  });
  const mending = createMending({
    source: () => run.scene.source,
    put: (source) => {
      editor.setSource(source);
      options.onRun(source);
    },
  });
  const finder = createFinder(parts.graph, {
    find: (query) => find(query, { ...run, names: namesAt(run.state, run.names, run.step) }),
    onGo: (id) => reveal(id),
    onClose: (before) => (root.contains(before) ? before : root).focus({ preventScroll: true }),
  });
  const unbind = bindKeys(root, actions);
  const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
  dark?.addEventListener("change", stage.recolour);
  parts.onTool({
    in: actions.zoomIn,
    out: actions.zoomOut,
    fit: actions.fit,
    find: actions.find,
    turn: actions.turn,
    follow: () => stage.follow(),
    groups: () => foldAll(run.folded.size === 0),
    table: () => showAsTable(parts.table.hidden),
    help: actions.help,
  });

  /** Show the nodes as a table, and go there; or take it away again. */
  function showAsTable(on) {
    parts.table.hidden = !on;
    parts.tableTool.setAttribute("aria-pressed", String(on));
    show();
    (on ? parts.table : parts.tableTool).focus({ preventScroll: true });
  }

  /** Whoever is in the table leaves it. */
  function leaveTable() {
    const within = parts.table.contains(root.getRootNode().activeElement);
    if (within) showAsTable(false);
    return within;
  }

  function load(next) {
    const state = createState(next);
    const scene = indexed(next, state);
    Object.assign(run, {
      state,
      scene,
      sums: sumTrack(state),
      names: state.keys("name:"),
      lines: state.track("program", "line")?.steps ?? [],
      calls: scene.calls.map((call) => call.from),
      loads: (run.loads ?? 0) + 1,
    });
    root.dataset.steps = String(state.last);
    root.dataset.outcome = scene.outcome.kind;
    timeline.setScene(scene, state);
  }

  /** A new program: everything is made anew. */
  function begin(next, at) {
    load(next);
    run.tree = groupTree(run.scene);
    run.step = clamp(at ?? run.state.last);
    run.folded = foldedAtFirst(run.tree, READABLE, run.scene.steps[run.step].focus);
    run.chosen = null;
    run.turned = new Set();
    if (options.spread) run.sideways = stage.isBroad();
    marks.clear();
    draw(null);
    show({ begin: true });
  }

  function draw(keep) {
    run.picture = compose(run.scene, run.state, run.tree, run.folded, stage.measure, run);
    stage.setPicture(run.picture, keep);
    parts.groups.hidden = run.tree.groups.size === 0;
    parts.nameGroups(run.folded.size ? "Unfold" : "Fold");
  }

  function clamp(next) {
    return Math.max(0, Math.min(run.state.last, Math.round(Number(next)) || 0));
  }

  const near = (steps, direction) => beside(steps, run.step, direction, run.state.last);

  /** Draw the graph from left to right, or from top to bottom again. */
  function turn() {
    run.sideways = !run.sideways;
    draw(null);
    show({ begin: true });
  }

  function go(next, ease) {
    const from = run.step;
    run.step = clamp(next);
    if (run.step === from) return;
    show({ ease: ease && run.step === from + 1, from });
    options.onStep?.(run.step);
  }

  function seek(next) {
    clock.pause();
    go(next, false);
  }

  function jump(next) {
    clock.pause();
    go(next, true);
  }

  function show({ ease = false, from = run.step, begin: first = false } = {}) {
    const { state, scene, tree, folded, step, turned } = run;
    const moment = { state, scene, tree, folded, step, turned, names: namesAt(state, run.names, step), selected: run.chosen ?? spokenOf(run) };
    const holding = run.chosen ? holdingOf(moment, run.chosen) : null;
    stage.show({ ...moment, selected: run.chosen, holding }, { from, ease, picture: run.picture, begin: first });
    root.dataset.step = String(step);
    timeline.show(step);
    marks.show(step);
    showSentence(parts, moment, holding);
    showNames(parts.names, moment, select);
    showLeaves(parts.leaves, moment, select);
    showPrinted(parts.printed, moment);
    showStory(parts.story, moment, { onSeek: seek, onMend: options.onRun && mending.mend, tried: mending.tried(), onBack: mending.back });
    showBare(parts.bare, moment, seek);
    parts.graph.parentElement.dataset.graph = moment.scene.boxes.length || moment.scene.unrun ? "some" : "none";
    showInspector(parts.chosenHead, parts.chosen, moment, { onSeek: seek, onFold: fold, onSelect: select });
    showSum(parts.sumHead, parts.sum, moment, run.sums);
    if (!parts.table.hidden) showTable(parts.table, moment, select);
    // Last, for the code scrolls to its line, and so has everything before it laid out.
    const told = [...marksAt(moment), ...(run.values ? valuesAt(moment).map((value) => ({ ...value, kind: "value" })) : [])];
    if (differs(parts.editor, [run.loads, told])) editor.setMarks(told);
  }

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

  /** Open what a box stands behind, and look at it. */
  function reveal(id) {
    const above = foldsAbove(run.tree, run.folded, id);
    for (const group of above) run.folded.delete(group);
    if (above.length) draw({ unit: above[0], boxes: run.tree.groups.get(above[0]).boxes });
    run.chosen = null;
    select(id);
  }

  /** Fold every group, or none. */
  function foldAll(folded) {
    run.folded = new Set(folded ? run.tree.groups.keys() : []);
    draw({ unit: run.picture.cards.at(-1)?.id, boxes: run.picture.cards.at(-1)?.boxes ?? [] });
    show();
  }

  /** A scene of the same program with other values keeps everything in its place; any other begins anew. */
  function update(next, { step = null } = {}) {
    if (!sameShape(run.scene, next)) {
      clock.pause();
      if (!options.createEditor) editor.setSource(next.source);
      begin(next, step);
      return;
    }
    load(next);
    run.picture = rebind(run.picture, run.scene, run.state);
    run.step = clamp(step ?? run.step);
    show();
  }

  function setTheme(name) {
    parts.setTheme(name);
    stage.recolour();
  }

  const player = {
    seek,
    play: clock.play,
    pause: clock.pause,
    turn,
    /** Where every card stands in the picture, by its id. */
    places: () => Object.fromEntries(run.picture.cards.map(({ id, rect }) => [id, { ...rect }])),
    bookmarks: () => [...marks.all()],
    state: () => ({ ...describe(run.state, run.scene, run.names, run.step), selected: run.chosen ?? spokenOf(run) }),
    select: (id) => {
      run.chosen = id;
      show();
    },
    fold,
    foldAll,
    /** Whether values stand after the lines that made them. @param {boolean} on */
    showValues: (on) => {
      run.values = on;
      show();
    },
    reveal,
    update,
    setTheme,
    view: stage.view,
    /** The graph as it stands, as a file. @param {"png"|"svg"} kind @returns {Promise<Blob>} */
    picture: async (kind) => {
      const frame = stage.frame();
      const drawing = drawingOf(frame);
      return kind === "png" ? pngOf(drawing, frame) : new Blob([svgOf(drawing, frame)], { type: "image/svg+xml" });
    },
    editor,
    destroy: () => {
      clock.pause();
      unbind();
      dark?.removeEventListener("change", stage.recolour);
      stage.destroy();
      editor.destroy?.();
      root.replaceChildren();
      root.classList.remove("gradreel");
      for (const name of ["testid", "step", "steps", "outcome", "theme"]) delete root.dataset[name];
      delete root.player;
    },
  };
  parts.setTheme(options.theme ?? null);
  root.player = player;
  begin(firstScene, options.step);
  return player;
}
