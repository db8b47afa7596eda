/**
 * One program with everything around it: header, editor, leaves of an expression, player, and the way to whoever runs
 * programs. The Streamlit page, the lessons and the exported file are this, with more or less of it switched on.
 */

import { createCode } from "../editor/code_view.js";
import { complete as proposals } from "../editor/completion.js";
import words from "../editor/vocabulary.json" with { type: "json" };
import { element, saveFile } from "../lib/dom.js";
import { createExpression } from "../panels/expression.js";
import { createPlayer } from "../player/player.js";
import { blankScene } from "../scene/scene.js";
import * as codemirror from "../vendor/codemirror.js";
import vis from "../vis.js";
import { createFileOpener } from "./files.js";
import { createHeader, createLessonBar, PATIENCE } from "./header.js";
import { createLeafValues } from "./leaf_values.js";
import { createSharing, LONGEST_LINK, writeLink, writePair } from "./link.js";
import { createNotice, createRemarks } from "./messages.js";
import { createPreferences } from "./preferences.js";
import { navigate } from "./router.js";
import { createDraftStore, createStepStore } from "./storage.js";
import { createWelcome, meaningOf } from "./welcome.js";

/** @import { Head, PageRequest } from "./server.js" */
/** @import { Scene } from "../scene/types.js" */

const KEPT = "Of a program the server keeps nothing. What you type stays in this browser.";

/** Milliseconds without a key before a program runs by itself. */
const PAUSE = 700;
/** Milliseconds for which an editor may be empty before the stage is: what is pasted over a program comes sooner. */
const EMPTY = 500;

/** @typedef {{text: string, values: Record<string, any>|null}} Program   what was run, as it was typed */

/** @type {Program} */
const NOTHING = { text: "", values: null };

/**
 * @param {HTMLElement} root
 * @param {{head: Partial<Head>, scene: Scene, ask: ((request: PageRequest, how?: {urgent?: boolean}) => void)|null,
 *   giveUp?: (() => void)|null, theme: "light"|"dark"|null, step?: number|null}} options
 */
export function createLab(root, { head, scene, ask, giveUp = null, theme, step = null }) {
  /** @type {Program} */
  let program = { text: (head.source ?? scene.source).trimEnd(), values: head.values ?? null };
  /** The program that is on the stage: the one that was started may still be on its way. */
  let played = program;
  /** Whether the editor holds something else than what is on the stage, or a run that somebody waits for takes its
   * time.
   */
  const fresh = element("span", { class: "gr-edited", role: "status", "data-testid": "edited" });
  const compare = () => {
    const other = code.text().trimEnd() !== played.text.trimEnd();
    fresh.textContent = slow ? "running …" : other && !scene.unrun ? "edited since it ran" : "";
    remarks.ofAnother(other);
  };
  let slow = false;
  let waiting = 0;
  /** @type {ReturnType<typeof createCode>|null} */
  let code = null;
  /** @type {ReturnType<typeof createWelcome>|null} */
  let welcome = null;
  const notice = createNotice();
  const { say } = notice;
  const remarks = createRemarks({ onOffer: (source) => ask && load(source) });

  const choices = createPreferences(() => localStorage, { values: (on) => player.showValues(on) });
  let typing = 0;
  let emptying = 0;
  /** Something was typed: it is kept, and run by itself a moment later where that is wished. */
  const onEdit = () => {
    draft(false);
    clearTimeout(emptying);
    if (code.text().trim()) bringBack();
    else emptying = setTimeout(clearAway, EMPTY);
    compare();
    welcome?.onEdit(code.text());
    clearTimeout(typing);
    if (ask && choices.get("live"))
      typing = setTimeout(() => code.text().trim() && start({ text: code.text(), values: null }, {}), PAUSE);
  };
  const drafts = head.place === "lab" ? createDraftStore(() => sessionStorage, () => localStorage) : null;
  const draft = (ran) => drafts?.keep({ text: code.text(), ran });

  const steps = head.place === "lab" ? createStepStore(() => sessionStorage) : null;

  /** Whether an answer is waited for that a person asked for, and wants to see. */
  let wanted = false;
  /** Run a program. @param {Program} next @param {{urgent?: boolean}} [how] */
  const start = (next, how = { urgent: true }) => {
    program = next;
    values.begin(next.values);
    wanted = Boolean(how.urgent);
    say(null); // what was said of another program
    steps?.leave(next.text);
    welcome?.hide();
    if (code) draft(code.text().trimEnd() === next.text.trimEnd());
    if (next.text !== played.text) player.pause(); // what is shown is not what was asked for
    if (wanted) player.lookAtPicture();
    ask?.({ kind: "run", source: next.text, values: next.values }, how);
  };
  /** Run another program than the one that the address names, if it names one. */
  const depart = (text) => {
    if (drafts && (text !== program.text || program.values) && location.hash)
      history.replaceState(history.state, "", location.pathname + location.search);
    start({ text, values: null });
  };
  const run = () => {
    const text = code.text();
    if (!text.trim()) clearAway();
    if (!text.trim()) return say("There is no program yet, so there is nothing to run.", { offer: something() });
    depart(text);
  };
  /** Somebody has put an error message where a program belongs: the gallery tells what it means. */
  const lookUp = () => navigate(meaningOf(played.text, head.home ?? "./"));
  const offerMeaning = () =>
    say("This is an error message, and no program.", {
      lasting: true,
      offer: { title: "What does it mean?", act: lookUp },
    });
  const stop = () => {
    if (aside) set(aside.scene, aside.played, aside.step);
    program = played;
    wanted = false;
    giveUp();
    say("The run was given up. What is shown is what ran before.");
  };
  /** Put the run of a program on the stage. @param {Scene} next @param {Program} of @param {number|null} at */
  const set = (next, of, at) => {
    if (!next.unrun) aside = null;
    played = of;
    scene = next;
    code.setScene(scene);
    expression.show(scene.expression, values.isAhead(scene));
    compare();
    player.update(scene, { step: at });
  };
  /** What was on the stage when the editor was emptied: without its program no run is shown, and it comes back with it.
   */
  let aside = null;
  const clearAway = () => {
    if (code.text().trim() || scene.unrun) return;
    aside = { scene, played, step: player.state().step };
    set(blankScene(""), NOTHING, 0);
  };
  const bringBack = () => {
    if (code.text().trimEnd() === aside?.played.text.trimEnd()) set(aside.scene, aside.played, aside.step);
  };
  /** What can be run where there is nothing: what was here before, else an example. */
  const something = () => {
    if (aside) return { title: "Put back what was here", act: () => code.setText(aside.played.text) };
    const [example] = head.examples?.at(-1)?.programs ?? [];
    return example ? { title: "Take an example", act: () => load(example.source) } : null;
  };
  const load = (text) => {
    code.setText(text.trimEnd());
    depart(text.trimEnd());
  };
  /** A program and what a fix makes of it, side by side; beside this page, where it is part of another one. */
  const compareWith = async (...sources) => {
    const href = new URL(`Compare${await writePair(sources, null, "fix")}`, home()).href;
    if (head.place === "embed") open(href, "_blank", "noopener");
    else navigate(href);
  };
  const keepAsFile = () => saveFile("program.py", new Blob([code.text()], { type: "text/x-python" }));
  const picture = (kind) => async () => saveFile(`gradreel.${kind}`, await player.picture(kind));
  const save = (file) => () => ask?.({ kind: "file", file, site: home().href, ...place() });

  const bar = element("header", { class: "gr-header" });
  const stage = element("div", { class: "gr-stage" });
  const leaves = element("div", { class: "gr-expression", "data-testid": "expression", hidden: true });
  root.classList.add(`gr-${head.place}`);
  root.replaceChildren(bar, stage, notice.element);
  const player = createPlayer(stage, scene, {
    alone: true,
    vis,
    theme,
    step: step ?? steps?.of(program.text) ?? null,
    onStep: (at) => {
      steps?.keep(played.text, at);
      welcome?.onStep(at);
    },
    values: choices.get("values"),
    link: () => link(),
    compact: head.place === "lesson" || head.place === "embed",
    createEditor: (host) => {
      const complete = (text, at, asked) => proposals(text, at, words, asked);
      code = createCode(codemirror, host, {
        text: program.text,
        scene,
        readOnly: !ask,
        onRun: run,
        onEdit,
        complete,
      });
      if (head.place === "lab") host.after(choices.element);
      host.after(
        leaves,
        remarks.element,
        drafts ? element("p", { class: "gr-quiet", "data-testid": "kept", text: KEPT }) : "",
      );
      return code.pane;
    },
    onRun: ask && load,
    onMeaning: ask && lookUp,
    onLeaf: (name, value) => expression.change(name, value),
    onCompare: ask && compareWith,
  });
  const opening =
    head.place === "lab"
      ? createFileOpener(root, { onProgram: load, onTrouble: (sentence) => say(sentence, { lasting: true }) })
      : null;
  if (head.place === "lab" && ask) {
    welcome = createWelcome(root, {
      player,
      home: head.home ?? "./",
      examples: head.examples ?? [],
      store: () => localStorage,
      onProgram: load,
    });
  }
  const values = createLeafValues({
    show: (next, given) => {
      program = { ...program, values: given };
      set(next, program, null);
    },
    ask: (given) => start({ ...program, values: given }, {}),
    onRest: (given) => head.place === "lab" && keepInAddress(given),
  });
  const expression = createExpression(leaves, { onValues: values.change });
  expression.show(scene.expression);
  values.take(scene);
  remarks.show(head.remarks, head.offers);
  code.setSkipped(head.skipped);
  /** The address names what is on the stage, so that a page loaded anew, or handed on, has these values. */
  const keepInAddress = async (given) => {
    const { step, steps: last } = player.state();
    const fragment = await writeLink({ source: program.text, step: step === last ? null : step, values: given });
    if (fragment.length <= LONGEST_LINK && program.values === given) history.replaceState(history.state, "", fragment);
  };
  const home = () => new URL(head.home ?? "./", location.origin + location.pathname);
  const place = () => ({ source: aside ? "" : program.text, step: player.state().step, values: program.values });
  /** Where the present step can be seen by others; null where that is nowhere, or too long to be an address. */
  const link = async () => {
    if (head.place === "file" && !head.site) return fileLink(player.state().step);
    const fragment = await writeLink(place());
    const isShort = place().source.trim() && fragment.length <= LONGEST_LINK;
    return isShort ? new URL(fragment, head.site ?? home()).href : null;
  };
  /** The step that goes along to the Lab: of another program than the one played, and before it has begun, none. */
  const stepToTake = () => (code.text().trimEnd() === played.text.trimEnd() && player.state().step) || null;
  const sharing = createSharing({ place, home, keepAsFile, say });
  const header =
    head.place === "lesson" || head.place === "embed"
      ? createLessonBar(bar, {
          title: head.title ?? "Gradreel",
          apart: head.place === "embed",
          onRun: ask && run,
          onStop: giveUp && stop,
          labLink: async () => new URL(await writeLink({ source: code.text(), step: stepToTake() }), home()).href,
        })
      : createHeader(bar, {
          here: head.place,
          home: head.home ?? null,
          nav: head.nav ?? [],
          examples: ask ? examplesMenu(head.examples ?? [], load) : [],
          exports: exportsMenu({
            save: ask && save,
            picture,
            copyEmbed: head.place === "lab" ? sharing.copyEmbed : null,
            keepAsFile: ask && keepAsFile,
          }),
          onOpen: opening?.pick ?? null,
          onCopyLink: head.place === "lab" ? sharing.copyLink : null,
          onRun: ask && run,
          onStop: giveUp && stop,
        });
  stage.querySelector(".left h2").append(fresh);

  return {
    player,
    say,
    /** Run once more what was run last. */
    again: () => start(program),
    /** @param {boolean} busy */
    busy(busy) {
      root.toggleAttribute("data-busy", busy);
      header?.busy(busy);
      clearTimeout(waiting);
      slow = false;
      compare();
      if (!busy) return;
      waiting = setTimeout(() => {
        slow = wanted;
        compare();
      }, PATIENCE);
    },
    /** Another scene: the answer to a run. @param {Scene} next @param {number|null} [at] the step to go to
     * @param {{remarks?: string[], skipped?: [number, number, string][], offers?: string[]}} [pasted] sentences on what
     *   was pasted, the lines of it of which nothing is run, and formulas that may have been meant
     */
    show(next, at = null, { remarks: sentences, skipped, offers } = {}) {
      if (next.expression && values.isLate(next)) return;
      values.take(next);
      remarks.show(sentences, offers);
      const other = !next.expression && next.source.trimEnd() !== program.text.trimEnd();
      if (other && code.text().trimEnd() === program.text.trimEnd()) {
        // What was pasted had more around it than a program, and is shown without.
        program = { text: next.source.trimEnd(), values: null };
        code.setText(program.text);
        clearTimeout(typing); // it has just run
      }
      code.setSkipped(skipped);
      set(next, program, at ?? steps?.of(program.text) ?? null);
      clearAway(); // it may have been taken out of the editor meanwhile
      if (wanted && next.outcome.type === "ErrorMessage") offerMeaning();
      wanted = false;
    },
    /** Put a program in and run it as a link tells.
     * @param {{source: string, values?: Record<string, any>|null}} place
     */
    open({ source, values = null }) {
      const held = drafts?.read();
      code.setText(source);
      start({ text: source, values });
      if (!held || held.text.trimEnd() === source.trimEnd()) return;
      drafts.keep(held);
      say("You have a draft of your own, too.", {
        lasting: true,
        offer: { title: "Open it", act: () => load(held.text) },
      });
    },
    /** An empty page: no program, and nothing that has run. @param {Scene} nothing the scene of that */
    clear(nothing) {
      program = NOTHING;
      code.setText("");
      this.show(nothing);
    },
    /** Bring back what was being typed when the page was left; it runs if it had run. */
    resume() {
      const held = drafts?.read();
      if (!held || held.text.trimEnd() === program.text) return welcome?.open();
      if (held.ran) return load(held.text);
      code.setText(held.text);
      say("This is what you were typing. It was kept in this browser only.", {
        offer: { title: "Drop it", act: () => code.setText(program.text) },
      });
    },
    /** @param {"light"|"dark"} name */
    setTheme: (name) => player.setTheme(name),
    destroy() {
      notice.destroy();
      values.stop();
      clearTimeout(typing);
      clearTimeout(emptying);
      clearTimeout(waiting);
      header?.destroy();
      opening?.destroy();
      welcome?.destroy();
      player.destroy();
    },
  };
}

/** An exported file that knows no Lab has an address where it lies on a server; on a disk it has none for others. */
const fileLink = (step) => (location.protocol.startsWith("http") ? new URL(`#${step}`, location.href).href : null);

function examplesMenu(examples, load) {
  return examples.map(({ group, programs }) => ({
    group,
    entries: programs.map(({ title, source }) => ({ title, act: () => load(source) })),
  }));
}

/** What can be taken away of a run; `save` asks the server for a file, which not every page can.
 * @param {{save: ((file: "html"|"trace") => () => void)|null, picture: (kind: "png"|"svg") => () => void,
 *   copyEmbed: (() => void)|null, keepAsFile: (() => void)|null}} how
 */
function exportsMenu({ save, picture, copyEmbed, keepAsFile }) {
  const page = "one HTML file with the player in it, opening at this step";
  return [
    { title: "Offline page", note: page, act: save?.("html") },
    { title: "Picture, PNG", note: "the graph at this step", act: picture("png") },
    { title: "Picture, SVG", note: "the same, to be scaled and edited", act: picture("svg") },
    { title: "Embed", note: "HTML for a page of yours, copied to the clipboard", act: copyEmbed },
    { title: "Program", note: "what stands in the editor, as a .py file", act: keepAsFile },
    { title: "Trace", note: "every event of the run, as JSON", act: save?.("trace") },
  ].filter(({ act }) => act);
}
