/**
 * One program with everything around it: header, editor, leaves of an expression, player, and the way to whoever runs
 * programs. The Streamlit page, the lessons and the exported file are this, with more or less of it switched on.
 */

import { createCode } from "./code.js";
import * as codemirror from "./codemirror.js";
import { element } from "./dom.js";
import { createExpression } from "./expression.js";
import { createHeader, createLessonBar } from "./header.js";
import { LONGEST_LINK, writeLink } from "./link.js";
import { createPlayer } from "./player.js";
import vis from "./vis.js";

/** @typedef {{text: string, values: Record<string, any>|null}} Program   what was run, as it was typed */

/**
 * @param {HTMLElement} root
 * @param {{head: any, scene: any, ask: ((question: any, how?: {urgent?: boolean}) => void)|null, theme: "light"|"dark"|null, step?: number|null}} options
 */
export function createLab(root, { head, scene, ask, theme, step = null }) {
  /** @type {Program} */
  let program = { text: (head.source ?? scene.source).trimEnd(), values: head.values ?? null };
  let code = null;
  let quiet = 0;

  const start = (next, how = { urgent: true }) => {
    program = next;
    ask?.({ kind: "run", source: next.text, values: next.values }, how);
  };
  const run = () => start({ text: code.text(), values: null });
  const load = (text) => {
    code.setText(text.trimEnd());
    start({ text: text.trimEnd(), values: null });
  };
  const save = (file) => () => ask?.({ kind: "file", file, source: program.text, values: program.values });

  const bar = element("header", { class: "gr-header" });
  const stage = element("div", { class: "gr-stage" });
  const notice = element("div", { class: "gr-notice", role: "status", hidden: true });
  const leaves = element("div", { class: "gr-expression", "data-testid": "expression", hidden: true });
  root.classList.add(`gr-${head.place}`);
  root.replaceChildren(bar, stage, notice);
  const player = createPlayer(stage, scene, {
    vis,
    theme,
    step,
    compact: head.place === "lesson",
    createEditor: (host) => {
      code = createCode(codemirror, host, { text: program.text, scene, readOnly: !ask, onRun: run });
      host.after(leaves);
      return code.pane;
    },
    onRun: ask && load,
  });
  const expression = createExpression(leaves, { onValues: (values) => start({ ...program, values }, {}) });
  expression.show(scene.expression);
  const header = head.place === "lesson" ? createLessonBar(bar, {
    title: head.title,
    onRun: ask && run,
    labLink: async () => new URL(await writeLink({ source: code.text(), step: null }), new URL(head.home, location.href)).href,
  }) : createHeader(bar, {
    here: head.place,
    home: head.home ?? null,
    lessons: head.lessons ?? [],
    examples: ask ? examplesMenu(head.examples ?? [], load) : [],
    exports: ask ? [
      { title: "Offline page", note: "one HTML file with the player in it", act: save("html") },
      { title: "Trace", note: "every event of the run, as JSON", act: save("trace") },
    ] : [],
    onCopyLink: head.place === "lab" ? copyLink : null,
    onRun: ask && run,
  });

  async function copyLink() {
    const fragment = await writeLink({ source: program.text, step: player.state().step, values: program.values });
    if (fragment.length > LONGEST_LINK) return say("This program is too long for a link. Export it as an offline page instead.");
    history.replaceState(history.state, "", fragment);
    try {
      await navigator.clipboard.writeText(new URL(fragment, location.href).href);
      say("Link copied. It opens this program at this step.");
    } catch {
      say("The link to this step is in the address bar now.");
    }
  }

  function say(text, lasting = false) {
    clearTimeout(quiet);
    notice.textContent = text ?? "";
    notice.hidden = !text;
    if (text && !lasting) quiet = setTimeout(() => (notice.hidden = true), 4000);
  }

  return {
    player,
    say,
    /** @param {boolean} busy */
    busy(busy) {
      root.toggleAttribute("data-busy", busy);
      header?.busy(busy);
    },
    /** Another scene: the answer to a run. @param {any} next @param {number|null} [at] the step to go to */
    show(next, at = null) {
      code.setScene(next);
      expression.show(next.expression);
      player.update(next, { step: at });
    },
    /** Put a program in and run it as a link tells. @param {{source: string, values: any}} place */
    open({ source, values }) {
      code.setText(source);
      start({ text: source, values });
    },
    /** @param {"light"|"dark"} name */
    setTheme: (name) => player.setTheme(name),
    destroy() {
      clearTimeout(quiet);
      header?.destroy();
      player.destroy();
    },
  };
}

function examplesMenu(examples, load) {
  return examples.map(({ group, programs }) => ({
    group,
    entries: programs.map(({ title, source }) => ({ title, act: () => load(source) })),
  }));
}
