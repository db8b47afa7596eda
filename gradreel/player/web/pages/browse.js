/**
 * A page to look things up in: a list with a search over it, what is to be read about the chosen one, and its program,
 * playing. What is chosen stands in the address behind the #; `#find=...` is a search.
 */

import { decodeHash } from "../app/link.js";
import { navigateToPart } from "../app/router.js";
import { element } from "../lib/dom.js";
import { createEmbeddedLab, createPageFrame, pageWithLab } from "./page_frame.js";

/** @import { Scene } from "../scene/types.js" */

const FIND = "find=";
const PAUSE = 60;
/** What puts in a whole message at once: what it finds opens by itself. */
const WHOLE = new Set(["insertFromPaste", "insertFromDrop"]);

/**
 * @template {{key: string, group: string, source: string}} Item
 * @typedef {{items: Item[], one: string, title: string, label: string, placeholder: string, lines: number, filters?:
 *   Record<string, (item: Item) => boolean>, search: (text: string) => Item[], row: (item: Item) => (Node|string)[],
 *   detail: (item: Item) => (Node|string)[], best?: (text: string) => Item|undefined, at: (item: Item) => (scene:
 *   Scene) => number|null, nothing: string, unsure?: () => Node[], intro: string}} Kind
 */

/**
 * @template {{key: string, group: string, source: string}} Item
 * @param {HTMLElement} root
 * @param {import("./page.js").Start} start
 * @param {Kind<Item>} kind
 */
export function createBrowse(root, { head, scene, ask, giveUp, theme }, kind) {
  const { items } = kind;
  const frame = createPageFrame(root, head, theme);
  root.classList.add("gr-page-browse");
  const find = element(kind.lines > 1 ? "textarea" : "input", {
    class: "gr-find",
    rows: kind.lines,
    type: kind.lines > 1 ? null : "search",
    "aria-label": kind.label,
    placeholder: kind.placeholder,
    spellcheck: "false",
    autocomplete: "off",
    "data-testid": "look-for",
  });
  const chips = element("div", { class: "gr-chips", role: "group", "aria-label": "show only", hidden: !kind.filters });
  const count = element("p", { class: "gr-count", role: "status", "data-testid": "count" });
  const list = element("ul", { class: "gr-list", "data-testid": "list" });
  const detail = element("article", { class: "gr-detail gr-prose", tabindex: -1, "data-testid": "detail" });
  const stage = element("div", { class: "gr-playing" });
  frame.body.append(
    element(
      "nav",
      { class: "gr-finder", "aria-label": kind.title },
      element(
        "div",
        { class: "gr-asked" },
        element("h1", { text: kind.title }),
        element("p", { text: kind.intro }),
        find,
        chips,
        count,
      ),
      list,
    ),
    element("div", { class: "gr-looked" }, detail, stage),
  );
  const playing = createEmbeddedLab(stage, {
    home: head.home,
    title: "Play it, change it, run it",
    ask,
    giveUp,
    theme,
  });
  let chosen = null;
  let only = null;
  let timer = 0;

  const askedKey = () => decodeHash(location.hash);
  const askedItem = () => items.find((item) => item.key === askedKey());

  function choose(item, { keep = true, run = true } = {}) {
    if (keep) navigateToPart(item.key, chosen?.key);
    frame.say(null);
    chosen = item;
    stage.hidden = false;
    if (run) playing.open(item.source, kind.at(item));
    detail.replaceChildren(...kind.detail(item));
    detail.parentElement.scrollTop = 0;
    for (const row of list.querySelectorAll("button"))
      row.toggleAttribute("aria-current", row.dataset.key === item.key);
  }

  /** Nothing fits what was asked: no one item, and no run of it, is shown as if it did. */
  function chooseNone() {
    chosen = null;
    stage.hidden = true;
    detail.replaceChildren(...kind.unsure());
    for (const row of list.querySelectorAll("button")) row.removeAttribute("aria-current");
  }

  function fill() {
    const text = find.value.trim();
    const keep = only ? kind.filters[only] : () => true;
    const found = (text ? kind.search(text) : items).filter(keep);
    const shown = found.length || !kind.best ? found : items.filter(keep);
    const ranked = text && found.length;
    /** @type {[string|null, Item[]][]} */
    const groups = ranked
      ? [[null, found]]
      : [...new Set(shown.map((item) => item.group))].map((group) => [
          group,
          shown.filter((item) => item.group === group),
        ]);
    list.replaceChildren(
      ...groups.flatMap(([group, all]) => [
        ...(group ? [element("li", { class: "gr-group", text: group })] : []),
        ...all.map((item) =>
          element(
            "li",
            {},
            element(
              "button",
              {
                type: "button",
                "data-key": item.key,
                "aria-current": item === chosen,
                onclick: () => {
                  choose(item);
                  bringUp();
                },
              },
              ...kind.row(item),
            ),
          ),
        ),
      ]),
    );
    count.textContent = found.length ? `${found.length} of ${items.length}` : kind.nothing;
    list.scrollTop = 0;
    return found;
  }

  /** Bring the chosen row into the middle of the list; the page itself stays where it is. */
  function showChosen() {
    const row = list.querySelector("[aria-current]")?.getBoundingClientRect();
    const frame = list.getBoundingClientRect();
    if (row) list.scrollTop += row.top + row.height / 2 - frame.top - frame.height / 2;
  }

  /** Where the list stands above what is to be read, that comes up: what was found is seen. */
  const bringUp = () => {
    if (detail.getBoundingClientRect().top > innerHeight * 0.4) detail.scrollIntoView({ behavior: "smooth" });
  };
  const pick = (name) => {
    only = only === name ? null : name;
    for (const chip of chips.children)
      chip.setAttribute("aria-pressed", String(chip.getAttribute("data-name") === only));
    fill();
  };
  chips.append(
    ...Object.keys(kind.filters ?? {}).map((name) =>
      element("button", {
        type: "button",
        class: "gr-chip",
        "data-name": name,
        "aria-pressed": "false",
        onclick: () => pick(name),
        text: name,
      }),
    ),
  );

  /** Search, and choose what is found first if that was asked for by a paste or a link; a link stays in the address as
   * it is.
   */
  function search({ best, keep = true }) {
    const found = fill();
    const text = find.value.trim();
    if (!best || !text) return;
    const item = kind.best ? kind.best(text) : found[0];
    if (item) choose(item, { keep });
    else if (kind.unsure) chooseNone();
    bringUp();
  }
  find.addEventListener("input", (/** @type {InputEvent} */ event) => {
    clearTimeout(timer);
    timer = setTimeout(() => search({ best: WHOLE.has(event.inputType) }), PAUSE);
  });
  find.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    search({ best: true });
  });

  function follow() {
    const here = askedKey();
    if (here.startsWith(FIND)) {
      find.value = here.slice(FIND.length);
      search({ best: true, keep: false });
      return;
    }
    const item = askedItem();
    if (!item) frame.unknown(kind.one, here);
    if (item && item !== chosen) choose(item, { keep: false });
  }

  const first = askedItem() ?? items.find((item) => item.key === head.item) ?? items[0];
  playing.expect(first.source, kind.at(first));
  const served = items.find((item) => item.source.trimEnd() === (head.source ?? "").trimEnd());
  if (served) playing.expect(served.source, kind.at(served));
  playing.show({ head, scene });
  fill();
  choose(first, { keep: false, run: first !== served });
  follow();
  showChosen();

  const page = pageWithLab(frame, playing);
  return {
    ...page,
    again: () => chosen && choose(chosen, { keep: false }),
    followAddress: follow,
    destroy() {
      clearTimeout(timer);
      page.destroy();
    },
  };
}
