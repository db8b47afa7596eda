/** The gallery: every kind of error and of silent trouble, found by what PyTorch says of it. */

import { element } from "../lib/dom.js";
import { renderInline, renderMarkdown } from "../lib/markdown.js";
import { createErrorSearch } from "../lib/search.js";
import { createBrowse } from "./browse.js";

const MOST = 12;
/** A message as alike as this is the exhibit's own, whatever its numbers; one that merely shares words is far below. */
const SURE = 0.4;

/** @type {(root: HTMLElement, start: import("./page.js").Start) => import("./page.js").PageView} */
export function createGallery(root, start) {
  const items = start.page.exhibits.map((exhibit) => ({ ...exhibit, key: exhibit.slug, group: exhibit.room }));
  const rank = createErrorSearch(items.map(({ message, title, words }) => ({ message, words: `${title} ${words}` })));
  return createBrowse(root, start, {
    items,
    one: "error",
    title: start.head.title,
    intro: start.head.intro,
    label: "Search by error message",
    placeholder: "Paste an error message, or a whole traceback",
    lines: 3,
    search: (text) =>
      rank(text)
        .slice(0, MOST)
        .map(({ index }) => items[index]),
    best: (text) =>
      rank(text)
        .filter(({ score }) => score >= SURE)
        .map(({ index }) => items[index])[0],
    nothing: "Nothing here says that. Try the last line of the traceback alone, or look through all of them:",
    unsure: () => [
      element("p", { class: "gr-chapter", text: "Looked for, not found" }),
      element("h1", { text: "No exhibit is about this message" }),
      element("p", {
        text:
          "The list has what comes nearest to it, or else all of them. The last line of a traceback tells most: " +
          "search for that alone.",
      }),
      element("p", { text: "Or paste the program that raises it into the Lab, and it is told from the run." }),
    ],
    row: ({ title, message }) => [
      element("span", { text: title }),
      element("small", { text: message ? message.split("\n")[0] : "no error: it goes wrong silently" }),
    ],
    at: () => () => null,
    detail: ({ title, room, words, message, lesson }) => [
      element("p", { class: "gr-chapter", text: room }),
      element("h1", { text: title }),
      message
        ? element("blockquote", { class: "gr-said", text: message })
        : element(
            "p",
            { class: "gr-silent" },
            "PyTorch says nothing: the program runs to its end, and the numbers are not what was meant.",
          ),
      ...renderMarkdown(words),
      ...(lesson
        ? [
            element(
              "p",
              {},
              "The lesson on this: ",
              element("a", { href: `./Lessons#${lesson.slug}`, target: "_self" }, ...renderInline(lesson.title)),
            ),
          ]
        : []),
    ],
  });
}
