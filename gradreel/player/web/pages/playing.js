/**
 * A small Lab inside a page: a program that plays where it is spoken of, can be changed there and run again.
 */

import { blank } from "../scene/blank.js";
import { createLab } from "../app/lab.js";

/**
 * @param {HTMLElement} host
 * @param {{home: string, title: string, ask: (question: any, how?: {urgent?: boolean}) => void, giveUp: () => void, theme: "light"|"dark"}} options
 */
export function createPlaying(host, { home, title, ask, giveUp, theme }) {
  let lab = null;
  /** The program that was asked for, and at which step it is to open; null for its end. */
  let wanted = { source: "", at: null };

  return {
    /** Put a program in and run it. @param {string} program @param {((scene: any) => number|null)|null} [at] the step to open at */
    open(program, at = null) {
      const source = program.trimEnd();
      wanted = { source, at };
      if (lab) lab.open({ source, values: null });
      else ask({ kind: "run", source, values: null }, { urgent: true });
    },
    /** The answer to a run. @param {{head: any, scene: any}} answer */
    show({ head, scene }) {
      const next = scene ?? blank(head.source ?? wanted.source);
      const step = (head.source ?? "").trimEnd() === wanted.source.trimEnd() ? wanted.at?.(next) ?? null : null;
      if (lab) {
        if (scene) lab.show(next, step);
        return;
      }
      lab = createLab(host, { head: { place: "lesson", home, title, source: head.source ?? wanted.source }, scene: next, ask, giveUp, theme, step });
    },
    /** What it opens with: the program of the first answer. @param {string} source @param {((scene: any) => number|null)|null} [at] */
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
 * @param {ReturnType<typeof import("./page_frame.js").createFrame>} frame
 * @param {ReturnType<typeof createPlaying>} playing
 */
export function pageOf(frame, playing) {
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
