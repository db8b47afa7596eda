/**
 * What the pages beside the Lab share: the header with the ways to the others, the body, a place for sentences, and a
 * small Lab inside, with a program that plays where it is spoken of, can be changed there and run again.
 */

import { createHeader } from "../app/header.js";
import { createLab } from "../app/lab.js";
import { element } from "../lib/dom.js";
import { blankScene } from "../scene/scene.js";

/** @import { Head, PageRequest } from "../app/server.js" */
/** @import { Scene } from "../scene/types.js" */

const QUIET = 5000;
/** Characters of a name that is not known. */
const LONGEST = 60;

/**
 * @param {HTMLElement} root
 * @param {Head} head
 * @param {"light"|"dark"} theme
 * @param {Partial<Parameters<typeof createHeader>[1]>} [more] what else stands in the header
 */
export function createPageFrame(root, head, theme, more = {}) {
  const bar = element("header", { class: "gr-header" });
  const body = element("div", { class: "gr-body" });
  const notice = element("div", { class: "gr-notice", role: "status", hidden: true });
  root.classList.add("gr-page", `gr-page-${head.place}`);
  root.dataset.theme = theme;
  root.replaceChildren(bar, body, notice);
  const header = createHeader(bar, { here: head.place, home: head.home, nav: head.nav, ...more });
  // Streamlit takes some letters for its own shortcuts; what is typed here is not for it.
  const own = (event) => event.stopPropagation();
  root.addEventListener("keydown", own);
  let quiet = 0;
  return {
    body,
    /** An address names something that is not here. @param {string} what @param {string|null} name */
    unknown(what, name) {
      if (name)
        this.say(`There is no ${what} “${name.slice(0, LONGEST)}” here. Perhaps the link is old, or was cut.`, {
          lasting: true,
        });
    },
    /** @param {string|null} text @param {{lasting?: boolean, offer?: {title: string, act: () => void}|null}} [how] */
    say(text, { lasting = false, offer = null } = {}) {
      clearTimeout(quiet);
      const hide = () => (notice.hidden = true);
      notice.replaceChildren(text ?? "");
      notice.hidden = !text;
      if (offer)
        notice.append(
          " ",
          element("button", {
            class: "gr-offer",
            type: "button",
            text: offer.title,
            onclick: () => (hide(), offer.act()),
          }),
        );
      if (lasting)
        notice.append(
          " ",
          element("button", { class: "gr-offer", type: "button", "aria-label": "close", text: "×", onclick: hide }),
        );
      else quiet = setTimeout(hide, QUIET);
    },
    /** @param {boolean} busy */
    busy(busy) {
      root.toggleAttribute("data-busy", busy);
      header.busy(busy);
    },
    /** @param {"light"|"dark"} name */
    setTheme: (name) => (root.dataset.theme = name),
    destroy() {
      clearTimeout(quiet);
      root.removeEventListener("keydown", own);
      header.destroy();
    },
  };
}

/**
 * @param {HTMLElement} host
 * @param {{home: string, title: string, ask: (request: PageRequest, how?: {urgent?: boolean}) => void, giveUp: () =>
 *   void, theme: "light"|"dark"}} options
 */
export function createEmbeddedLab(host, { home, title, ask, giveUp, theme }) {
  let lab = null;
  /** The program that was asked for, and at which step it is to open; null for its end. */
  let wanted = { source: "", at: null };
  let withheld = false;

  return {
    /** Put a program in and run it.
     * @param {string} program
     * @param {((scene: Scene) => number|null)|null} [at] the step to open at
     */
    open(program, at = null) {
      const source = program.trimEnd();
      wanted = { source, at };
      if (lab) lab.open({ source, values: null });
      else ask({ kind: "run", source, values: null }, { urgent: true });
    },
    /** The answer to a run. @param {{head: Head, scene: Scene|null}} answer */
    show({ head, scene }) {
      const next = scene ?? blankScene(head.source ?? wanted.source);
      const step = (head.source ?? "").trimEnd() === wanted.source.trimEnd() ? wanted.at?.(next) ?? null : null;
      if (lab) {
        if (scene) lab.show(next, step);
        if (scene && step !== null) lab.player.still();
        return;
      }
      lab = createLab(host, {
        head: { place: "lesson", home, title, source: head.source ?? wanted.source },
        scene: next,
        ask,
        giveUp,
        theme,
        step,
      });
      if (withheld) lab.player.withhold(true);
      if (step !== null) lab.player.still();
    },
    /** Whether nothing is told of what has not been played. @param {boolean} on */
    withhold(on) {
      if (withheld === on) return;
      withheld = on;
      lab?.player.withhold(on);
    },
    /** What it opens with: the program of the first answer.
     * @param {string} source
     * @param {((scene: Scene) => number|null)|null} [at]
     */
    expect: (source, at = null) => (wanted = { source, at }),
    player: () => lab?.player ?? null,
    /** Nobody looks at it now. */
    rest: () => lab?.player.pause(),
    /** Whether the program that plays is `source`, unchanged. @param {string} source */
    plays: (source) => lab?.player.editor.getSource().trimEnd() === source.trimEnd(),
    /** @param {boolean} busy */
    busy: (busy) => lab?.busy(busy),
    /** @param {"light"|"dark"} name */
    setTheme: (name) => {
      theme = name;
      lab?.setTheme(name);
    },
    destroy: () => lab?.destroy(),
  };
}

/**
 * A page that has one such program in its frame: what concerns both is told to both.
 * @param {ReturnType<typeof import("./page_frame.js").createPageFrame>} frame
 * @param {ReturnType<typeof createEmbeddedLab>} playing
 */
export function pageWithLab(frame, playing) {
  return {
    ...frame,
    show: (answer) => playing.show(answer),
    rest: () => playing.rest(),
    busy(busy) {
      frame.busy(busy);
      playing.busy(busy);
    },
    setTheme(name) {
      frame.setTheme(name);
      playing.setTheme(name);
    },
    destroy() {
      playing.destroy();
      frame.destroy();
    },
  };
}
