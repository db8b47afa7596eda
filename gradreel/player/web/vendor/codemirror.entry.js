export { Decoration, EditorView, WidgetType, drawSelection, highlightSpecialChars, keymap, lineNumbers, placeholder } from "@codemirror/view";
export { Compartment, EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export { python, pythonLanguage } from "@codemirror/lang-python";
export { tags } from "@lezer/highlight";
