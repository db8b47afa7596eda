/**
 * Two programs side by side on one clock. What differs is marked in the code and listed below: names, gradients, bytes.
 * Programs of one's own can be typed into both sides; the link carries both.
 */

import { BETWEEN, LONGEST_LINK, readLink, writePair } from "../app/link.js";
import { navigateToPart, setTitle } from "../app/router.js";
import { createCode } from "../editor/code_view.js";
import { element } from "../lib/dom.js";
import { renderMarkdown } from "../lib/markdown.js";
import { bindKeys } from "../player/keyboard.js";
import { createPlayer } from "../player/player.js";
import { indexScene } from "../scene/moment.js";
import { differences, lineRows, momentAt, momentsOf } from "../scene/run_diff.js";
import { blankScene } from "../scene/scene.js";
import { createState } from "../scene/state.js";
import { createControls } from "../timeline/controls.js";
import { createClock } from "../timeline/playback.js";
import * as codemirror from "../vendor/codemirror.js";
import vis from "../vis.js";
import { createPageFrame } from "./page_frame.js";

const SIDES = ["left", "right"];
/** Milliseconds that both stand at a moment while they play. */
const PLAYED = 450;
/** What an address names, and after an @ the moment. */
const ADDRESS = /^(.*?)(?:@(\d{1,7}))?$/;
const OWN = {
  slug: "own",
  title: "Two programs of your own",
  words: "Type or paste a program into each side and run both.",
};
/** A program and what a fix makes of it: two of one's own that a player has put there. */
const FIX = {
  ...OWN,
  kind: "fix",
  title: "Before and after",
  words: "On the left the program as it was, on the right with the fix. Both play on one clock.",
  left: { title: "before" },
  right: { title: "after" },
};

/** @type {(root: HTMLElement, start: import("./page.js").Start) => import("./page.js").PageView} */
export function createComparison(root, { head, page, scene, beside, ask, giveUp, theme }) {
  const { comparisons } = page;
  const frame = createPageFrame(root, head, theme, {
    copyTitle: "Copy link to this moment",
    onCopyLink: copyLink,
    onRun: run,
    onStop: stop,
  });
  const choice = element(
    "select",
    { class: "gr-select", "aria-label": "what to compare", "data-testid": "choice", onchange: () => go(choice.value) },
    ...[...comparisons, OWN].map(({ slug, title }) => element("option", { value: slug, text: title })),
  );
  const words = element("div", { class: "gr-prose gr-compared" });
  const table = element("div", { class: "gr-differences", "data-testid": "differences" });
  const controls = element("div", { class: "controls" });
  const scrub = element("input", {
    type: "range",
    min: 0,
    value: 0,
    "aria-label": "moment of both runs",
    "data-testid": "together",
  });
  const count = element("span", { class: "gr-count", "data-testid": "moment" });
  const sides = SIDES.map((side) => createSide(side));
  frame.body.append(
    element(
      "div",
      { class: "gr-topic" },
      element("h1", { class: "gr-unseen", text: "Two programs side by side" }),
      choice,
      words,
    ),
    element("div", { class: "gr-sides" }, ...sides.map((side) => side.element)),
    element("div", { class: "gr-together gradreel" }, controls, scrub, count, table),
  );
  let here = comparisons.find(({ slug }) => slug === head.step) ?? comparisons[0];
  /** @type {import("../scene/run_diff.js").Moment[]} */
  let moments = [[0, 0]];
  let now = 0;
  let leading = false;
  /** The moment that a link names, until what it names is there. */
  let opening = null;
  /** Whether what is asked for plays from its start once it is there. */
  let isToPlay = false;

  const clock = createClock({
    steps: () => moments.length - 1,
    step: () => now,
    timeOf: () => PLAYED,
    onStep: show,
    onChange: (playing) => buttons.show(playing),
  });
  const jump = (to) => {
    clock.pause();
    show(to);
  };
  const actions = {
    first: () => jump(0),
    last: () => jump(moments.length - 1),
    next: () => jump(now + 1),
    prev: () => jump(now - 1),
    toggle: () => clock.toggle(),
    setSpeed: clock.setSpeed,
  };
  const buttons = createControls(controls, actions);
  const unbind = bindKeys(frame.body, actions, true);
  scrub.addEventListener("input", () => jump(Number(scrub.value)));

  /** One of the two: its title, its program, its player. */
  function createSide(side) {
    const title = element("span");
    const fresh = element("span", { class: "gr-edited", role: "status", "data-testid": "edited" });
    const stage = element("div", { class: "gr-stage" });
    const made = {
      element: element(
        "section",
        { class: "gr-side", "aria-label": side, "data-testid": `side-${side}` },
        element("h2", { class: "gr-side-title" }, title, fresh),
        stage,
      ),
      title,
      player: null,
      code: null,
      run: null,
      marks: [],
    };
    const compare = () => {
      const { scene } = made.run;
      fresh.textContent =
        scene.unrun || made.code.text().trimEnd() === scene.source.trimEnd() ? "" : "edited since it ran";
    };
    made.show = (next) => {
      const state = createState(next);
      made.run = { scene: indexScene(next, state), state, names: state.keys("name:") };
      if (made.player) {
        made.code.setScene(next);
        made.player.update(next, { step: null });
        compare();
        return;
      }
      made.player = createPlayer(stage, next, {
        vis, theme, compact: true,
        createEditor: (host) => {
          made.code = createCode(codemirror, host, {
            text: next.source.trimEnd(),
            scene: next,
            readOnly: false,
            onRun: run,
            onEdit: compare,
          });
          return { ...made.code.pane, setMarks: (list) => made.code.pane.setMarks([...made.marks, ...list]) };
        },
        onStep: (step) => !leading && jump(momentAt(moments, side === "left" ? 0 : 1, step, now)),
      });
      for (const part of stage.querySelectorAll("section[aria-label]"))
        part.setAttribute("aria-label", `${part.getAttribute("aria-label")}, ${side}`);
    };
    return made;
  }

  /** Both runs at a moment. */
  function show(to) {
    now = Math.max(0, Math.min(moments.length - 1, to));
    leading = true;
    sides.forEach(({ player }, i) => player.seek(moments[now][i]));
    leading = false;
    scrub.value = String(now);
    count.textContent = `Moment ${now} of ${moments.length - 1}`;
    root.dataset.moment = String(now);
    const found = differences(sides[0].run, sides[1].run, moments[now]);
    table.replaceChildren(
      found.length
        ? differenceTable(found)
        : element("p", { class: "gr-quiet", text: "At this moment nothing differs." }),
    );
  }

  function take(answer) {
    clock.pause();
    const scenes = [answer.scene, answer.beside].map((each, i) => {
      const text = sides[i].code?.text();
      return text?.trim() === "" ? blankScene("") : each ?? blankScene(text ?? "");
    });
    const rows = lineRows(scenes[0].source, scenes[1].source);
    leading = true;
    sides.forEach((side, i) => {
      side.marks = rows
        .filter((row) => !row.same && row[SIDES[i]] !== null)
        .map((row) => ({
          line: row[SIDES[i]],
          kind: "differs",
          text: row[SIDES[1 - i]] === null ? "only here" : "differs",
        }));
      side.show(scenes[i]);
    });
    leading = false;
    moments = momentsOf(scenes[0], scenes[1]);
    scrub.max = String(moments.length - 1);
    root.dataset.moments = String(moments.length - 1);
    show(isToPlay ? 0 : opening ?? moments.length - 1);
    if (isToPlay) clock.play();
    opening = null;
    isToPlay = false;
  }

  function run() {
    const [source, other] = sides.map((side) => side.code.text());
    const empty = sides.filter((side) => !side.code.text().trim());
    if (empty.length) {
      take({ scene: sides[0].run.scene, beside: sides[1].run.scene });
      const where = empty.length > 1 ? "left or the right" : SIDES[sides.indexOf(empty[0])];
      return frame.say(`There is nothing to run on the ${where}: type or paste a program, or choose two above.`);
    }
    ask({ kind: "run", source, values: null, beside: other }, { urgent: true });
    const same = comparisons.find(
      (each) => each.left.source.trimEnd() === source.trimEnd() && each.right.source.trimEnd() === other.trimEnd(),
    );
    if (!same && here.slug !== OWN.slug) name(OWN);
  }

  function stop() {
    isToPlay = false;
    giveUp();
    frame.say("The run was given up. What is shown is what ran before.");
  }

  function name(comparison) {
    here = comparison;
    choice.value = comparison.slug;
    setTitle(`${comparison.title} · Gradreel`);
    words.replaceChildren(
      ...renderMarkdown(comparison.words),
      ...(comparison.lesson
        ? [
            element(
              "p",
              {},
              element("a", { href: `./Lessons#${comparison.lesson}`, target: "_self", text: "The lesson on this" }),
            ),
          ]
        : []),
    );
    sides.forEach((side, i) => (side.title.textContent = comparison[SIDES[i]]?.title ?? (i ? "right" : "left")));
  }

  function go(slug, { keep = true } = {}) {
    isToPlay = false;
    const comparison = comparisons.find((each) => each.slug === slug) ?? OWN;
    if (keep) navigateToPart(comparison.slug, here.slug);
    frame.say(null);
    name(comparison);
    if (comparison !== OWN) put(comparison.left.source, comparison.right.source);
  }

  function put(left, right) {
    [left, right].forEach((source, i) => sides[i].code.setText(source.trimEnd()));
    ask({ kind: "run", source: left.trimEnd(), values: null, beside: right.trimEnd() }, { urgent: true });
  }

  async function copyLink() {
    let fragment = `#${here.slug}@${now}`;
    if (here.slug === OWN.slug) fragment = await writePair(sides.map((side) => side.code.text()), now, here.kind);
    if (fragment.length > LONGEST_LINK) return frame.say("These programs are too long for a link.");
    history.replaceState(history.state, "", fragment);
    try {
      await navigator.clipboard.writeText(location.href);
      frame.say("Link copied. It opens these two programs at this moment.");
    } catch {
      frame.say("The link is in the address bar now.");
    }
  }

  /** Open what the address names: a comparison, or two packed programs. */
  async function follow() {
    const fragment = location.hash.slice(1);
    const [one, other, kind] = fragment.split(BETWEEN);
    if (other !== undefined) {
      try {
        const [left, right] = await Promise.all([one, other].map((each) => readLink(each)));
        if (!left || !right) return;
        name(kind === FIX.kind ? FIX : OWN);
        opening = left.step;
        isToPlay = here === FIX && opening === null && !matchMedia("(prefers-reduced-motion: reduce)").matches;
        put(left.source, right.source);
      } catch (error) {
        frame.say(error.message, { lasting: true });
      }
      return;
    }
    const [, slug, moment] = fragment.match(ADDRESS);
    const at = moment === undefined ? null : Number(moment);
    if (slug === here.slug) return at !== null && jump(at);
    if (slug !== OWN.slug && !comparisons.some((each) => each.slug === slug)) return frame.unknown("comparison", slug);
    if (slug !== OWN.slug) opening = at;
    go(slug, { keep: false });
  }

  name(here);
  take({ scene, beside });
  follow();

  return {
    ...frame,
    show: (answer) => answer.scene && answer.beside && take(answer),
    again: run,
    followAddress: follow,
    rest: () => clock.pause(),
    setTheme(name) {
      frame.setTheme(name);
      sides.forEach((side) => side.player?.setTheme(name));
    },
    destroy() {
      clock.pause();
      unbind();
      sides.forEach((side) => side.player?.destroy());
      frame.destroy();
    },
  };
}

function differenceTable(found) {
  const row = ({ what, left, right }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("code", { text: what })),
      element("td", { text: left }),
      element("td", { text: right }),
    );
  return element(
    "table",
    {},
    element("caption", { text: "What differs now" }),
    element(
      "thead",
      {},
      element("tr", {}, ...["what", "left", "right"].map((text) => element("th", { scope: "col", text }))),
    ),
    element("tbody", {}, ...found.map(row)),
  );
}
