/**
 * The lessons: on one side what is to be read and a question, on the other the program that answers it. Where the
 * person is stands in the address, what was answered stays in the browser.
 */

import { decodeHash } from "../app/link.js";
import { navigateToPart, setTitle } from "../app/router.js";
import { createAnswerStore } from "../app/storage.js";
import { element } from "../lib/dom.js";
import { renderInline, renderMarkdown } from "../lib/markdown.js";
import { stepOf } from "../scene/scene.js";
import { createEmbeddedLab, createPageFrame, pageWithLab } from "./page_frame.js";

const TITLE = "Play it, change it, run it";
const LETTERS = "ABCDEF";

/** @type {(root: HTMLElement, start: import("./page.js").Start) => import("./page.js").PageView} */
export function createLessons(root, { head, page, scene, ask, giveUp, theme }) {
  const { lessons } = page;
  const progress = createAnswerStore(() => localStorage);
  const frame = createPageFrame(root, head, theme);
  const contents = element("nav", {
    class: "gr-contents",
    "aria-label": "Contents",
    "data-testid": "contents",
    hidden: true,
  });
  const reading = element("article", { class: "gr-reading", tabindex: -1, "data-testid": "lesson" });
  const stage = element("div", { class: "gr-playing" });
  frame.body.append(element("div", { class: "gr-column" }, contents, reading), stage);
  const playing = createEmbeddedLab(stage, { home: head.home, title: TITLE, ask, giveUp, theme });
  let here =
    lessons.find((lesson) => lesson.slug === askedLesson()) ?? lessons.find((lesson) => lesson.slug === head.step);

  /** The lesson that the address names: behind its #, else as `?step=`. */
  function askedLesson() {
    return decodeHash(location.hash) || new URLSearchParams(location.search).get("step");
  }

  function go(lesson, { keep = true } = {}) {
    if (keep) navigateToPart(lesson.slug, here.slug);
    frame.say(null);
    here = lesson;
    playing.open(lesson.source, opening(lesson));
    draw();
    reading.scrollTop = root.scrollTop = 0;
    reading.focus({ preventScroll: true });
  }

  function follow() {
    const lesson = lessons.find((each) => each.slug === askedLesson());
    if (!lesson) frame.unknown("lesson", askedLesson());
    if (lesson && lesson !== here) go(lesson, { keep: false });
  }

  /** Go to the step that shows the answer; in a program that was changed there may be none, so it is put back first. */
  function showAnswer() {
    const at = (of) => stepOf(of, here.show);
    const player = playing.player();
    if (!player) return;
    if (playing.plays(here.source)) {
      player.seek(at(current) ?? player.state().step);
      player.still();
    } else playing.open(here.source, at);
    if (stage.getBoundingClientRect().top > innerHeight * 0.7)
      stage.scrollIntoView({ behavior: "smooth", block: "start" });
  }

  function draw() {
    const index = lessons.indexOf(here);
    const [before, after] = [lessons[index - 1], lessons[index + 1]];
    contents.replaceChildren(...table(lessons, here, progress, (lesson) => {
      contents.hidden = true;
      go(lesson);
    }, () => {
      progress.forget();
      draw();
    }));
    const picked = progress.of(here.slug);
    playing.withhold(picked === null);
    setTitle(`${here.title} · Gradreel`);
    reading.replaceChildren(
      element(
        "div",
        { class: "gr-steps" },
        step("‹", before, "the lesson before", go),
        element(
          "button",
          {
            class: "gr-button gr-where",
            type: "button",
            "data-testid": "toc",
            "aria-expanded": String(!contents.hidden),
            onclick: () => (contents.hidden = !contents.hidden),
          },
          `Lesson ${index + 1} of ${lessons.length} ▾`,
        ),
        step("›", after, "the next lesson", go),
        bar(lessons, here, progress),
      ),
      element("p", { class: "gr-chapter", text: here.chapter }),
      element("h1", { text: here.title }),
      ...renderMarkdown(here.prose),
      question(
        here,
        picked,
        (choice) => {
          progress.answer(here.slug, choice);
          draw();
          showAnswer();
        },
        showAnswer,
      ),
      picked !== null && here.more.length > 0
        ? element(
            "p",
            { class: "gr-more" },
            "Go on. ",
            ...here.more.flatMap(({ title, href }, i) => [
              i ? " · " : "",
              element("a", { href, target: "_self", text: title }),
            ]),
          )
        : "",
      element(
        "div",
        { class: "gr-ends" },
        before
          ? element(
              "button",
              { class: "gr-button", type: "button", "data-testid": "before", onclick: () => go(before) },
              "‹ ",
              before.title,
            )
          : "",
        after
          ? element(
              "button",
              {
                class: `gr-button ${picked === null ? "" : "gr-main"}`,
                type: "button",
                "data-testid": "after",
                onclick: () => go(after),
              },
              after.title,
              " ›",
            )
          : element("span", { class: "gr-done", text: "This was the last lesson." }),
      ),
    );
  }

  let current = scene;
  playing.expect(head.source, opening(lessons.find(({ slug }) => slug === head.step)));
  playing.show({ head, scene });
  draw();
  if (here.slug !== head.step) go(here, { keep: false });
  follow();

  const both = pageWithLab(frame, playing);
  return {
    ...both,
    show(answer) {
      if (answer.scene) current = answer.scene;
      both.show(answer);
    },
    again: () => go(here, { keep: false }),
    followAddress: follow,
  };
}

/** The step that a lesson opens at: a picture of what it teaches. */
const opening = (lesson) => (scene) => (lesson && stepOf(scene, lesson.open)) ?? 0;

/** A question with its choices; once one is picked, each says why it is right or wrong. */
function question(lesson, picked, onPick, onShow) {
  const choices = lesson.choices.map((choice, i) => {
    const revealed = picked !== null && (choice.right || i === picked);
    const mark = picked === null ? LETTERS[i] : choice.right ? "✓" : i === picked ? "✗" : LETTERS[i];
    const state = picked === null ? null : choice.right ? "right" : i === picked ? "wrong" : "other";
    const button = element(
      "button",
      {
        type: "button",
        class: "gr-choice",
        "data-testid": "choice",
        "data-state": state,
        "aria-pressed": String(i === picked),
        onclick: () => onPick(i),
      },
      element("b", { class: "gr-letter", text: mark }),
      element("span", {}, ...renderInline(choice.text)),
    );
    const why = revealed
      ? element("p", { class: "gr-why" }, ...renderInline(choice.why))
      : picked === null
        ? ""
        : element(
            "details",
            { class: "gr-why" },
            element("summary", { text: "why not?" }),
            element("p", {}, ...renderInline(choice.why)),
          );
    return element("li", {}, button, why);
  });
  const verdict =
    picked === null
      ? "Predict, then pick. The player shows the answer."
      : lesson.choices[picked].right
        ? "Right."
        : "Not so. Look:";
  return element(
    "section",
    { class: "gr-question", "data-testid": "question" },
    element("h2", {}, ...renderInline(lesson.question)),
    element("ul", {}, ...choices),
    element(
      "p",
      { class: "gr-verdict", role: "status", "data-testid": "verdict" },
      verdict,
      picked === null
        ? ""
        : element("button", {
            class: "gr-button",
            type: "button",
            "data-testid": "show-answer",
            onclick: onShow,
            text: "Show me in the run",
          }),
    ),
  );
}

function step(sign, lesson, title, go) {
  return element(
    "button",
    {
      class: "gr-button gr-step",
      type: "button",
      "aria-label": title,
      title,
      disabled: !lesson,
      onclick: () => go(lesson),
    },
    sign,
  );
}

/** A stroke for each lesson: answered, to be answered, here. */
function bar(lessons, here, progress) {
  const strokes = lessons.map((lesson) =>
    element("i", { "data-state": stateOf(lesson, progress), "aria-hidden": true, "data-here": lesson === here }),
  );
  return element(
    "span",
    { class: "gr-strokes", role: "img", "aria-label": `${progress.count()} of ${lessons.length} answered` },
    ...strokes,
  );
}

function stateOf(lesson, progress) {
  const picked = progress.of(lesson.slug);
  if (picked === null) return "open";
  return lesson.choices[picked]?.right ? "right" : "wrong";
}

const SIGNS = { right: "✓", wrong: "✗", open: "" };

function table(lessons, here, progress, go, forget) {
  const chapters = [...new Set(lessons.map((lesson) => lesson.chapter))];
  const row = (lesson) =>
    element(
      "li",
      {},
      element(
        "button",
        { type: "button", "aria-current": lesson === here && "step", onclick: () => go(lesson) },
        element("span", { class: "gr-nr", text: String(lessons.indexOf(lesson) + 1) }),
        element("span", { text: lesson.title }),
        element("b", { "data-state": stateOf(lesson, progress), text: SIGNS[stateOf(lesson, progress)] }),
      ),
    );
  return [
    ...chapters.map((chapter) =>
      element(
        "section",
        {},
        element("h2", { text: chapter }),
        element("ol", {}, ...lessons.filter((lesson) => lesson.chapter === chapter).map(row)),
      ),
    ),
    element(
      "p",
      { class: "gr-quiet" },
      `${progress.count()} of ${lessons.length} answered, kept in this browser only. `,
      progress.count()
        ? element("button", { class: "gr-offer", type: "button", onclick: forget, text: "Forget them" })
        : "",
    ),
  ];
}
