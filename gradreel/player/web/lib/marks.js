/**
 * Text with two marks, `code` and **bold**, as pieces and as elements. User text reaches the page through textContent alone.
 */

const MARK = /`([^`]+)`|\*\*([^*]+)\*\*/g;

/** @param {string} text @returns {{kind: "text"|"code"|"bold", text: string}[]} */
export function pieces(text) {
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
export function plain(text) {
  return pieces(text ?? "").map((piece) => piece.text).join("");
}

/** Put marked text into an element, replacing what it held.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function write(element, text) {
  const tags = { code: "code", bold: "b" };
  element.replaceChildren(...pieces(text ?? "").map((piece) => {
    if (piece.kind === "text") return document.createTextNode(piece.text);
    const mark = document.createElement(tags[piece.kind]);
    mark.textContent = piece.text;
    return mark;
  }));
}
