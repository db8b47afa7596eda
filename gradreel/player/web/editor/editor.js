/**
 * The editor and the code pane in one: CodeMirror with lines that can be marked and hints that stand after a line. What
 * a mark means is told from outside; here it is a line, a kind out of a fixed set, and a text.
 */

import { withoutRange } from "../lib/format.js";
import { createNote } from "./annotations.js";

/**
 * @typedef {{line: number, kind?: string, text?: string, brief?: string, below?: string, note?: string[]}} Mark  kind
 *   out of KINDS; or "value", whose text is shortened to the room that its line leaves, so that no line is ever broken
 *   anew while values change. `brief`: what is said where there is no room for the text; `below`: what is said in a row
 *   of its own under the line; `note`: what is told of the line to whoever points at it or goes to it
 */

/** Pixels beside a line's text. */
const EDGES = 24;
/** How many of the smaller letters of a hint take the place of one of the program's. */
const FINER = 13 / 11.5;
/** In those letters: the gap before a hint, that between its parts, and the fewest of a shortened value that say
 * something.
 */
const BEFORE = 2.2;
const BETWEEN = "  ";
const LEAST = 7;
/** Rows out of sight by which a line is near still. */
const NEAR = 3;
/** Keys of who goes through a page, and of what goes with other keys. */
const PASSING = new Set(["Tab", "Shift", "Control", "Alt", "Meta"]);
/** Characters by which the rest of a long line stands further in than its beginning. */
const HANG = 2;

export const KINDS = new Set(["now", "bad", "born", "kill", "loop", "odd", "differs", "skipped"]);

/**
 * @param {any} codemirror the vendored bundle
 * @param {HTMLElement} host
 * @param {{source?: string, label?: string, readOnly?: boolean, placeholder?: string, onRun?: (source: string) => void,
 *   onChange?: (source: string) => void, complete?: (source: string, position: number, asked: boolean) => {from:
 *   number, options: any[]}|null}} options
 */
export function createEditor(codemirror, host, options = {}) {
  const { EditorView, EditorState } = codemirror;
  const columns = () => (view ? Math.floor((view.contentDOM.clientWidth - EDGES) / view.defaultCharacterWidth) : 0);
  const marks = markField(codemirror, columns, Boolean(options.readOnly));
  // Values are cut to a room that is known only once the page is laid out, and is another when its size changes.
  // Rows move as they are cut, and the line where the run is with them.
  const refit = () => requestAnimationFrame(() => view && columns() !== fittedTo && shown.length && mark(shown));
  const proposed = codemirror.completionKeymap.find(({ key }) => key === "Escape");
  const run = () => {
    proposed.run(view); // what was proposed is not wanted
    options.onRun?.(view.state.doc.toString());
    return true;
  };
  let shown = [];
  let fittedTo = 0;
  let working = false;
  const note = createNote(host);
  const view = new EditorView({
    parent: host,
    root: host.getRootNode(),
    state: EditorState.create({
      doc: options.source ?? "",
      extensions: [
        codemirror.Prec.highest(codemirror.keymap.of([{ key: "Mod-Enter", run }])),
        ...editorExtensions(codemirror, () => working),
        options.complete ? completionSource(codemirror, options.complete) : [],
        marks.field,
        hangingIndent(codemirror),
        EditorState.readOnly.of(Boolean(options.readOnly)),
        EditorView.editable.of(!options.readOnly),
        EditorView.contentAttributes.of({ "aria-label": options.label ?? "Program", spellcheck: "false" }),
        options.placeholder ? codemirror.placeholder(options.placeholder) : [],
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange?.(view.state.doc.toString());
          if (update.geometryChanged) refit();
          if (update.selectionSet && view.hasFocus) note.show(view.domAtPos(view.state.selection.main.head).node);
        }),
      ],
    }),
  });
  // Keys typed here are for the program: neither the player's shortcuts nor the page's may see them. Tab is one of them
  // once somebody is at work here; who only passes by, with Tab, goes on.
  host.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (!PASSING.has(event.key)) working = event.key !== "Escape";
  });
  for (const kind of ["pointerdown", "input"]) host.addEventListener(kind, () => (working = true));
  host.addEventListener("focusout", () => (working = false));

  const show = (list) => {
    fittedTo = columns();
    note.set(list);
    view.dispatch({ effects: marks.set.of(list) });
  };
  const mark = (list) => {
    show(list);
    const now = list.find(({ kind }) => kind === "now" || kind === "bad")?.line ?? 0;
    if (!(now >= 1 && now <= view.state.doc.lines)) return;
    reveal(view, now);
    // How high a line is with what stands below it is known once it is drawn.
    const again = () => now <= view.state.doc.lines && reveal(view, now);
    view.requestMeasure({ key: reveal, read: () => {}, write: again });
  };
  return {
    view,
    getSource: () => view.state.doc.toString(),
    focus: () => view.focus(),
    destroy: () => {
      note.destroy();
      view.destroy();
    },
    /** Put a program in, as one edit that can be undone. @param {string} text */
    setSource(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
    },
    /** Show these marks and no others, and bring the line where the run is into sight. @param {Mark[]} list */
    setMarks: (list) => mark((shown = list)),
    /** More texts after lines, beside those of the marks. @param {{line: number, text: string}[]} hints */
    setHints: (hints) => show([...shown, ...(hints ?? [])]),
  };
}

/** Scroll only the editor, or what it stands in where that scrolls, and the pane around where that is less high; and
 * only if the line is out of sight: the page stays where it is. A line far away comes to the middle, with what stands
 * around it; the next one to the rim. The line itself is seen even where what is said below it finds no room.
 */
export function reveal(view, line) {
  const { from } = view.state.doc.line(line);
  const [box, around] = [view.dom.parentElement, view.dom.closest(".pane")];
  for (const pane of [view.scrollDOM, box, box.clientHeight > around?.clientHeight ? around : null])
    if (pane && pane.scrollHeight > pane.clientHeight)
      revealIn(pane, view.lineBlockAt(from), view.documentTop - pane.getBoundingClientRect().top + pane.scrollTop);
}

/** @param {Element} pane @param {{top: number, bottom: number, height: number}} block @param {number} before  pixels of
 *   the pane before the program
 */
function revealIn(pane, block, before) {
  const { scrollTop, clientHeight } = pane;
  const [top, bottom] = [block.top + before, block.bottom + before];
  const [above, below] = [scrollTop - top, bottom - scrollTop - clientHeight];
  if (above <= 0 && below <= 0) return;
  const far = Math.max(above, below) > NEAR * block.height;
  const more = Math.min(block.height, Math.max(0, clientHeight - block.height));
  const rim = above > 0 ? top - more : bottom - clientHeight + more;
  pane.scrollTop = Math.max(0, Math.min(top, far ? (top + bottom - clientHeight) / 2 : rim));
}

/**
 * The decorations of the marked lines, as a field of the editor's state. A hint is drawn from an attribute of its line:
 * an element of its own would stand inside what can be typed in, and its text could end up in the program. Where
 * nothing can be typed there is no cursor to go to a line with, so a line with a note takes the focus itself.
 */
function markField({ StateEffect, StateField, Decoration, EditorView }, columns, readOnly) {
  const set = StateEffect.define();
  const decorate = (list, doc) => {
    const ranges = [];
    const texts = new Map();
    const values = new Map();
    const under = new Map();
    for (const { line, kind, text, brief = text, below, note } of list) {
      if (!(line >= 1 && line <= doc.lines)) continue;
      if (note)
        ranges.push(
          Decoration.line({ attributes: { "data-told": String(line), ...(readOnly && { tabindex: "0" }) } }).range(
            doc.line(line).from,
          ),
        );
      if (below) under.set(line, `\n${below}`);
      if (KINDS.has(kind)) ranges.push(Decoration.line({ class: `gr-line-${kind}` }).range(doc.line(line).from));
      if (kind === "value") values.set(line, text);
      else if (text) texts.set(line, (texts.get(line) ?? new Map()).set(text, brief));
    }
    for (const line of new Set([...texts.keys(), ...values.keys(), ...under.keys()])) {
      const { text } = doc.line(line);
      const [row, hang] = [columns(), indentOf(text) + HANG];
      const end = endOf(text, row, hang);
      const [full, short] = [[...(texts.get(line)?.keys() ?? [])], [...(texts.get(line)?.values() ?? [])]].map((list) =>
        list.join(" · "),
      );
      const said = end * FINER + BEFORE + full.length <= row * FINER ? full : short;
      const value = fitValue(values.get(line) ?? "", end * FINER, said.length, row * FINER, hang * FINER);
      const hint = [said, value].filter(Boolean).join(BETWEEN) + (under.get(line) ?? "");
      if (hint) ranges.push(Decoration.line({ attributes: { "data-hint": hint } }).range(doc.line(line).from));
    }
    return Decoration.set(ranges, true);
  };
  const field = StateField.define({
    create: () => Decoration.none,
    update(held, transaction) {
      let next = held.map(transaction.changes);
      for (const effect of transaction.effects)
        if (effect.is(set)) next = decorate(effect.value, transaction.state.doc);
      return next;
    },
    provide: (held) => EditorView.decorations.from(held),
  });
  return { set, field };
}

/** Lines that are too long for their row go on below their own beginning, so that an indent still says what belongs
 * where.
 */
function hangingIndent({ Decoration, EditorView, StateField }) {
  const hangingLine = ({ from, text }) =>
    Decoration.line({ attributes: { style: `--hang: ${indentOf(text) + HANG}ch` } }).range(from);
  const decorate = (doc) =>
    Decoration.set(Array.from({ length: doc.lines }, (_, at) => hangingLine(doc.line(at + 1))));
  return StateField.define({
    create: (state) => decorate(state.doc),
    update: (held, transaction) => (transaction.docChanged ? decorate(transaction.newDoc) : held),
    provide: (held) => EditorView.decorations.from(held),
  });
}

/** How many characters a line begins further in; sixteen at most, about half of a narrow row. */
const indentOf = (line) => Math.min(line.search(/\S|$/), 16);

/** Where in its last row a line of code ends, if it is broken between words and its rows after the first begin at
 * `hang`; all in characters. A word stands in a row together with the space after it.
 */
export function endOf(line, row, hang) {
  if (line.length <= row) return line.length;
  const room = Math.max(row - hang, 1);
  let at = 0;
  const words = line.match(/\s+|\S+/g);
  for (const [i, word] of words.entries()) {
    if (!word.trim()) at = Math.min(at + word.length, row);
    else if (at + word.length + (i < words.length - 1 ? 1 : 0) <= row) at += word.length;
    else if (word.length <= room) at = hang + word.length;
    else at = hang + (word.length % room);
  }
  return at;
}

/** A value in what code and what is said beside it leave of their last row, all in letters of a hint: it breaks no line
 * anew. Nothing where that is too little to say something. What is said goes on in a row that begins at `hang`.
 */
export function fitValue(text, code, said, row, hang = 0) {
  const end = (code % Math.max(row, 1) || Math.min(code, row)) + BEFORE + said;
  const used = end <= row ? end : said ? end - row + hang : row;
  const room = Math.floor(row - used - (said ? BETWEEN.length : 0));
  if (text.replace("\u2060", "").length <= room) return text;
  const brief = withoutRange(text, " tensor");
  if (brief.length <= room) return brief;
  const cut = withoutRange(text, "").slice(0, room - 1).replace(/[\s,…]+$/, "");
  return room < LEAST || !/= ?\S/.test(cut) ? "" : `${cut}…`;
}

/** Proposals while typing, and by ctrl+space. */
function completionSource(cm, complete) {
  const source = (context) => complete(context.state.doc.toString(), context.pos, context.explicit);
  return cm.autocompletion({ override: [source], icons: false, maxRenderedOptions: 40 });
}

/** What an editor for Python does, and how it looks: all colours are the page's own tokens.
 * @param {() => boolean} indents  whether Tab does
 */
function editorExtensions(cm, indents) {
  const { tags, indentWithTab } = cm;
  const tab = {
    ...indentWithTab,
    run: (view) => indents() && indentWithTab.run(view),
    shift: (view) => indents() && indentWithTab.shift(view),
  };
  return [
    cm.lineNumbers(),
    cm.history(),
    cm.drawSelection(),
    cm.indentOnInput(),
    cm.bracketMatching(),
    cm.closeBrackets(),
    cm.highlightSelectionMatches(),
    cm.search({ top: true }),
    cm.python(),
    cm.indentUnit.of("    "),
    cm.EditorState.tabSize.of(4),
    cm.EditorView.lineWrapping,
    cm.keymap.of([...cm.closeBracketsKeymap, ...cm.defaultKeymap, ...cm.historyKeymap, ...cm.searchKeymap, tab]),
    cm.syntaxHighlighting(
      cm.HighlightStyle.define([
        { tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null], color: "var(--code-keyword)" },
        { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
        { tag: tags.comment, color: "var(--soft)" },
      ]),
    ),
    cm.EditorView.theme({
      "&": { color: "var(--ink)", backgroundColor: "transparent", fontSize: "var(--code-size, 13px)", height: "100%" },
      "&.cm-focused": { outline: "none" },
      ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.75", overflow: "auto" },
      ".cm-content": { padding: "0", caretColor: "var(--ink)" },
      ".cm-line": { padding: "0 16px 0 calc(4px + var(--hang))", textIndent: "calc(-1 * var(--hang))" },
      ".cm-gutters": { backgroundColor: "transparent", color: "var(--soft)", border: "none" },
      ".cm-lineNumbers .cm-gutterElement": { minWidth: "36px", padding: "0 8px 0 6px" },
      ".cm-cursor": { borderLeftColor: "var(--ink)" },
      "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
        backgroundColor: "var(--live-bg)",
      },
      ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
        backgroundColor: "transparent",
        outline: "1px solid var(--gone)",
      },
      ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--run-bg)" },
      ".cm-panels": { backgroundColor: "var(--bg)", color: "var(--ink)", borderColor: "var(--line)" },
      ".cm-panel.cm-search": {
        padding: "8px 28px 8px 10px",
        display: "flex",
        flexWrap: "wrap",
        gap: "5px",
        alignItems: "center",
        font: "12px var(--sans)",
      },
      ".cm-panel.cm-search br": { flexBasis: "100%", content: "''", display: "block" },
      ".cm-panel.cm-search label": {
        display: "inline-flex",
        alignItems: "center",
        gap: "4px",
        margin: "0 6px 0 0",
        fontSize: "12px",
      },
      ".cm-panel.cm-search input": { margin: "0" },
      ".cm-textfield": {
        flex: "1 1 110px",
        minWidth: "0",
        font: "12px var(--mono)",
        color: "var(--ink)",
        backgroundColor: "var(--panel)",
        border: "1px solid var(--line)",
        borderRadius: "6px",
        padding: "4px 8px",
      },
      ".cm-button": {
        font: "600 12px var(--sans)",
        color: "var(--ink)",
        backgroundImage: "none",
        backgroundColor: "var(--panel)",
        border: "1px solid var(--line)",
        borderRadius: "6px",
        padding: "4px 8px",
        margin: "0",
      },
      ".cm-panel.cm-search [name=close]": {
        top: "4px",
        right: "4px",
        padding: "4px 8px",
        border: "0",
        background: "none",
        color: "var(--ink)",
      },
      ".cm-placeholder": { color: "var(--soft)" },
      ".cm-tooltip": {
        backgroundColor: "var(--panel)",
        color: "var(--ink)",
        border: "1px solid var(--line)",
        borderRadius: "8px",
        overflow: "hidden",
      },
      ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12px", maxHeight: "14em" },
      ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px" },
      ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--live-bg)", color: "var(--ink)" },
      ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
    }),
  ];
}
