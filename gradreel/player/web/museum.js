/** The gallery: every kind of error and of silent trouble, found by what PyTorch says of it. */

import { createBrowse } from "./browse.js";
import { element } from "./dom.js";
import { inline, prose } from "./prose.js";
import { createRanking } from "./ranking.js";

const MOST = 12;

/** @type {(root: HTMLElement, start: import("./places.js").Start) => import("./places.js").Place} */
export function createMuseum(root, start) {
  const items = start.page.exhibits.map((exhibit) => ({ ...exhibit, key: exhibit.slug, group: exhibit.room }));
  const rank = createRanking(items.map(({ message, title, words }) => ({ message, words: `${title} ${words}` })));
  return createBrowse(root, start, {
    items,
    one: "error",
    title: start.head.title,
    intro: start.head.intro,
    label: "Search by error message",
    placeholder: "Paste an error message, or a whole traceback",
    lines: 3,
    search: (text) => rank(text).slice(0, MOST).map(({ index }) => items[index]),
    nothing: "Nothing here says that. Try the last line of the traceback alone.",
    row: ({ title, message }) => [element("span", { text: title }), element("small", { text: message ? message.split("\n")[0] : "no error: it goes wrong silently" })],
    at: () => () => null,
    detail: ({ title, room, words, message, lesson }) => [
      element("p", { class: "gr-chapter", text: room }),
      element("h1", { text: title }),
      message ? element("blockquote", { class: "gr-said", text: message }) : element("p", { class: "gr-silent" }, "PyTorch says nothing: the program runs to its end, and the numbers are not what was meant."),
      ...prose(words),
      ...(lesson ? [element("p", {}, "The lesson on this: ", element("a", { href: `./Lessons#${lesson.slug}`, target: "_self" }, ...inline(lesson.title)))] : []),
    ],
  });
}
