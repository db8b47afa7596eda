/**
 * One program with everything around it: header, editor, leaves of an expression, player, and the way to whoever runs
 * programs. The Streamlit page, the lessons and the exported file are this, with more or less of it switched on.
 */

import * as codemirror from "./codemirror.js";
import { element } from "./dom.js";
import { createEditor } from "./editor.js";
import { createExpression } from "./expression.js";
import { createHeader } from "./header.js";
import { LONGEST_LINK, writeLink } from "./link.js";
import { createPlayer } from "./player.js";
import vis from "./vis.js";

/** @typedef {{text: string, values: Record<string, any>|null}} Program   what was run, as it was typed */

/**
 * @param {HTMLElement} root
 * @param {{head: any, scene: any, ask: ((question: any) => void)|null, theme: "light"|"dark", step?: number|null}} options
 */
export function createLab(root, { head, scene, ask, theme, step = null }) {
  /** @type {Program} */
  let program = { text: head.source ?? scene.source, values: head.values ?? null };
  const notice = element("div", { class: "gr-notice", role: "status", hidden: true });
  const expressionHost = element("div", { class: "gr-expression", "data-testid": "expression", hidden: true });
  const run = () => {
    program = { text: player.editor.getSource(), values: null };
    ask?.({ kind: "run", source: program.text });
  };
  const load = (source) => {
    player.editor.setSource(source);
    run();
  };
  const move = (values) => {
    program = { ...program, values };
    ask?.({ kind: "run", source: program.text, values });
  };

  const headerHost = element("header", { class: "gr-header" });
  const stage = element("div", { class: "gr-stage" });
  root.classList.add("gr-lab", `gr-${head.place}`);
  root.replaceChildren(...(head.place === "lesson" ? [] : [headerHost]), stage, notice);
  const expression = createExpression(expressionHost, { onValues: move });
  const player = createPlayer(stage, scene, {
    vis,
    theme,
    step,
    compact: head.place === "lesson",
    source: program.text,
    createEditor: (host, options) => {
      const made = createEditor(codemirror, host, { ...options, source: program.text, readOnly: ask === null, onRun: run });
      host.after(expressionHost);
      return made;
    },
    onRun: ask && load,
  });
  const header = head.place === "lesson" ? null : createHeader(headerHost, {
    here: head.place,
    home: head.home ?? "./",
    lessons: head.lessons ?? [],
    examples: examplesMenu(head.examples ?? [], load),
    exports: ask ? [
      { title: "Offline page", note: "one HTML file with the player", act: () => ask({ kind: "file", file: "html", source: program.text, values: program.values }) },
      { title: "Trace", note: "every event as JSON", act: () => ask({ kind: "file", file: "trace", source: program.text, values: program.values }) },
    ] : [],
    onCopyLink: copyLink,
    onRun: ask && run,
  });
  expression.show(scene.expression);

  async function copyLink() {
    const fragment = await writeLink({ source: program.text, step: player.state().step, values: program.values });
    if (fragment.length > LONGEST_LINK) return say("This program is too long for a link. Export it as an offline page instead.");
    const url = new URL(fragment, head.link ?? location.href).href;
    if (head.place === "lab") history.replaceState(history.state, "", fragment);
    try {
      await navigator.clipboard.writeText(url);
      say("Link copied: it opens this program at this step.");
    } catch {
      say("The link to this step is in the address bar now.");
    }
  }

  let quiet = 0;
  function say(text, lasting = false) {
    clearTimeout(quiet);
    notice.textContent = text ?? "";
    notice.hidden = !text;
    if (text && !lasting) quiet = setTimeout(() => (notice.hidden = true), 4000);
  }

  return {
    player,
    say,
    load,
    /** @param {boolean} busy */
    busy(busy) {
      root.toggleAttribute("data-busy", busy);
      header?.busy(busy);
    },
    /** Another scene: the answer to a run. @param {any} next @param {{step?: number|null}} [options] */
    show(next, { step: at = null } = {}) {
      expression.show(next.expression);
      player.update(next, { step: at });
    },
    /** Open what a link says: put the text in and run it as it was. @param {{source: string, values: any}} place */
    open({ source, values }) {
      player.editor.setSource(source);
      program = { text: source, values };
      ask?.({ kind: "run", source, values });
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
