/** About: what this is, what it is not, how it is checked, and what is kept of a visitor's program. */

import { element } from "../lib/dom.js";
import { parseBlocks, renderMarkdown } from "../lib/markdown.js";
import { createPageFrame } from "./page_frame.js";

/** @type {(root: HTMLElement, start: import("./page.js").Start) => import("./page.js").PageView} */
export function createAbout(root, { head, page, theme }) {
  const frame = createPageFrame(root, head, theme);
  const [title, ...rest] = page.text.split("\n");
  const headings = parseBlocks(rest.join("\n")).filter(({ kind }) => kind === "heading").map(({ items }) => items[0]);
  const body = renderMarkdown(rest.join("\n"));
  const anchors = body.filter((each) => each.tagName === "H2");
  anchors.forEach((each, i) => (each.id = slugOf(headings[i])));
  const show = (id) => anchors.find((each) => each.id === id)?.scrollIntoView();
  frame.body.append(
    element(
      "nav",
      { class: "gr-aside", "aria-label": "On this page" },
      ...headings.map((text) =>
        element("a", {
          class: "gr-way",
          href: `#${slugOf(text)}`,
          target: "_self",
          text,
          onclick: () => show(slugOf(text)),
        }),
      ),
    ),
    element(
      "article",
      { class: "gr-about gr-prose", tabindex: 0, "data-testid": "about" },
      element("h1", { text: title.replace(/^# /, "") }),
      ...body,
    ),
  );
  const followAddress = () => show(location.hash.slice(1));
  followAddress();
  return { ...frame, show: () => {}, again: () => {}, followAddress, rest: () => {} };
}

function slugOf(text) {
  return text.toLowerCase().replace(/[^a-z]+/g, "-");
}
