/**
 * A program out of a file, picked or dropped on the page. What is opened is read here, in the browser, and not sent as
 * a file: a notebook gives the text of its code cells, anything else is the program itself.
 */

import { element } from "../lib/dom.js";

const LARGEST = 5_000_000;
const KINDS = ".py,.ipynb,.txt";

/** A file that holds no program; its message is for the person who opened it. */
export class NoProgram extends Error {}

/**
 * @param {string} name
 * @param {string} text
 * @returns {string} the program
 */
export function programOf(name, text) {
  if (text.includes("\u0000")) throw new NoProgram(`${name} is no text: open a .py or .ipynb file.`);
  return /\.ipynb$/i.test(name) ? cellsOf(name, text) : text.replace(/^\uFEFF/, "");
}

/** The code cells of a notebook, one after the other, without what was printed beneath them. */
function cellsOf(name, text) {
  let notebook;
  try {
    notebook = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new NoProgram(`${name} is damaged: a notebook is JSON, and this is none.`);
  }
  const cells = notebook?.cells ?? notebook?.worksheets?.[0]?.cells;
  if (!Array.isArray(cells)) throw new NoProgram(`${name} holds no cells.`);
  const code = cells.filter((cell) => cell?.cell_type === "code").map((cell) => cellText(cell.source ?? cell.input));
  const programs = code.map((source) => source.trimEnd()).filter(Boolean);
  if (!programs.length) throw new NoProgram(`${name} holds no code.`);
  return `${programs.join("\n\n")}\n`;
}

/** Text of a cell: one string, or a list of lines. */
function cellText(source) {
  return Array.isArray(source)
    ? source.filter((line) => typeof line === "string").join("")
    : typeof source === "string"
      ? source
      : "";
}

/**
 * @param {HTMLElement} root takes what is dropped on it
 * @param {{onProgram: (text: string) => void, onTrouble: (sentence: string) => void}} options
 */
export function createFileOpener(root, { onProgram, onTrouble }) {
  const input = element("input", {
    type: "file",
    accept: KINDS,
    hidden: true,
    "data-testid": "file",
    "aria-label": "a file with a program",
  });
  root.append(input);
  const read = async (file) => {
    if (!file) return;
    try {
      if (file.size > LARGEST) throw new NoProgram(`${file.name} is too large to be a program.`);
      onProgram(programOf(file.name, await file.text()));
    } catch (error) {
      onTrouble(error instanceof NoProgram ? error.message : `${file.name} cannot be read.`);
    }
  };
  input.addEventListener("change", () => {
    read(input.files[0]);
    input.value = "";
  });
  const carriesFile = (event) => event.dataTransfer?.types.includes("Files");
  const over = (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    root.toggleAttribute("data-dropping", event.type === "dragover");
    if (event.type !== "drop") return;
    event.stopPropagation();
    read(event.dataTransfer.files[0]);
  };
  const leave = (event) => root.contains(event.relatedTarget) || root.removeAttribute("data-dropping");
  // Before the editor sees it, which would put the file's text in where the mouse is.
  for (const kind of ["dragover", "drop"]) root.addEventListener(kind, over, true);
  root.addEventListener("dragleave", leave);
  return {
    pick: () => input.click(),
    destroy() {
      for (const kind of ["dragover", "drop"]) root.removeEventListener(kind, over, true);
      root.removeEventListener("dragleave", leave);
      input.remove();
    },
  };
}
