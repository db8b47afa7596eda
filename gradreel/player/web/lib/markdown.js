/**
 * Words with a little Markdown as elements: paragraphs, lists, tables, `code`, **strong**, *stress* and
 * [links](./Somewhere) in our own texts, and `code` and **bold** alone in sentences about a run. All of it becomes
 * elements and text, never markup.
 */

import { element } from "./dom.js";

const INLINE = /`([^`]+)`|\*\*(.+?)\*\*|\*([^*\s][^*]*?)\*|\[([^\]]+)\]\(((?:\.\/|https:\/\/|#|mailto:)[^)\s]*)\)/g;

/** @typedef {{kind: "text"|"code"|"strong"|"stress"|"link", text: string, href?: string}} Span
 * @typedef {{kind: "paragraph"|"list"|"table"|"heading", items: string[], level?: number, rows?: string[][]}} Part
 */

/** The spans of a line. Stress holds plain text, strong may hold code. @param {string} text @returns {Span[]} */
export function parseSpans(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) found.push({ kind: "text", text: text.slice(end, match.index) });
    const [, code, strong, stress, link, href] = match;
    if (code !== undefined) found.push({ kind: "code", text: code });
    else if (strong !== undefined) found.push({ kind: "strong", text: strong });
    else if (stress !== undefined) found.push({ kind: "stress", text: stress });
    else found.push({ kind: "link", text: link, href });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ kind: "text", text: text.slice(end) });
  return found;
}

/** The parts of a text, divided by empty lines. @param {string} text @returns {Part[]} */
export function parseBlocks(text) {
  return text.split(/\n{2,}/).map((part) => part.trim()).filter(Boolean).map((part) => {
    const lines = part.split("\n");
    const heading = /^(#{2,3}) +(.+)$/.exec(part);
    if (heading) return { kind: "heading", level: heading[1].length, items: [heading[2]] };
    if (lines.every((line) => /^(\* | {2})/.test(line))) return { kind: "list", items: items(lines) };
    if (lines.length > 2 && lines.every((line) => line.startsWith("|")))
      return { kind: "table", items: [], rows: rows(lines) };
    return { kind: "paragraph", items: [lines.join(" ")] };
  });
}

/** List items; an indented line goes on with the one before. */
function items(lines) {
  const found = [];
  for (const line of lines) {
    if (line.startsWith("* ")) found.push(line.slice(2));
    else found.push(`${found.pop() ?? ""} ${line.trim()}`);
  }
  return found;
}

function rows(lines) {
  const cells = (line) => line.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  return lines.filter((line, i) => i !== 1).map(cells);
}

/** Text with its spans as elements. @param {string} text @returns {(Node|string)[]} */
export function renderInline(text) {
  return parseSpans(text).map(({ kind, text: inner, href }) => {
    if (kind === "text") return inner;
    if (kind === "code") return element("code", { text: inner });
    if (kind === "strong") return element("strong", {}, ...renderInline(inner));
    if (kind === "stress") return element("em", { text: inner });
    const outside = href.startsWith("https:");
    return element("a", { href, target: outside ? "_blank" : "_self", rel: outside ? "noopener" : null, text: inner });
  });
}

/** A text as elements. @param {string} text @returns {HTMLElement[]} */
export function renderMarkdown(text) {
  return parseBlocks(text).map(({ kind, level, items: texts, rows: cells }) => {
    if (kind === "heading") return element(level === 2 ? "h2" : "h3", {}, ...renderInline(texts[0]));
    if (kind === "list") return element("ul", {}, ...texts.map((each) => element("li", {}, ...renderInline(each))));
    if (kind === "table") return table(cells);
    return element("p", {}, ...renderInline(texts[0]));
  });
}

/** @param {string[][]} cells */
function table([head, ...body]) {
  const row = (tag) => (cells) => element("tr", {}, ...cells.map((cell) => element(tag, {}, ...renderInline(cell))));
  return element("table", {}, element("thead", {}, row("th")(head)), element("tbody", {}, ...body.map(row("td"))));
}

const MARK = /`([^`]+)`|\*\*([^*]+)\*\*/g;

/** @param {string} text @returns {{kind: "text"|"code"|"bold", text: string}[]} */
export function parseMarks(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(MARK)) {
    if (match.index > end) found.push({ kind: "text", text: text.slice(end, match.index) });
    found.push(match[1] === undefined ? { kind: "bold", text: match[2] } : { kind: "code", text: match[1] });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ kind: "text", text: text.slice(end) });
  return found;
}

/** @param {string} text @returns {string} the text without its marks */
export function stripMarks(text) {
  return parseMarks(text ?? "").map((piece) => piece.text).join("");
}

/** What a sentence says at first, without marks: what more there is to tell stands below a line break. */
export const openingOf = (/** @type {string} */ sentence) => stripMarks(sentence.split("\n", 1)[0]);

/** Put marked text into an element, replacing what it held.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function writeMarked(element, text) {
  const tags = { code: "code", bold: "b" };
  element.replaceChildren(...parseMarks(text ?? "").map((piece) => {
    if (piece.kind === "text") return document.createTextNode(piece.text);
    const mark = document.createElement(tags[piece.kind]);
    mark.textContent = piece.text;
    return mark;
  }));
}
