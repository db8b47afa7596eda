/**
 * What a pasted text is: a program, an error message or a traceback, or both, as in a post that shows code and what it said.
 */

import { errorOf } from "./error_search.js";

const FRAME = /^\s*File "[^"]*", line \d+/;
const HEAD = /^\s*(?:Traceback \(most recent call last\)|[-=_]{5,}|During handling of|The above exception was)/;
const STATEMENT = /^\s*(?:(?:>>>|\.\.\.|In \[\d+\]:)\s*)?(?:import \w|from [\w.]+ import|def \w+\(|class \w|for .+ in .+:|with .+:|if .+:|print\(|[A-Za-z_][\w.]*(?:\[[^\]]*\])?(?:\s*,\s*\w+)*\s*(?:[-+*/@]|\/\/|\*\*)?=(?!=)\s*\S|[A-Za-z_][\w.]*\.(?:backward|step|zero_grad|sum|retain_grad)\()/;

/** @typedef {"program"|"error"|"both"} Kind */

/** @param {string} text @returns {Kind} */
export function kindOf(text) {
  const error = errorOf(text).type !== null || HEAD.test(text.trimStart().split("\n")[0]);
  const code = codeOf(text) !== null;
  if (error) return code ? "both" : "error";
  return code || text.trim().split("\n").length === 1 && !/\w+ \w+ \w+ \w+/.test(text) ? "program" : wordy(text) ? "error" : "program";
}

/** Sentences rather than code. */
function wordy(text) {
  return text.trim().split(/\s+/).length > 3 && !/[=(]\s*\S/.test(text.split("\n")[0]);
}

/** The code in a paste, without tracebacks and what was said between; null where there is none worth running.
 * @param {string} text
 * @returns {string|null}
 */
export function codeOf(text) {
  const fenced = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map((match) => match[1]).filter((block) => STATEMENT.test(firstStatement(block)));
  if (fenced.length) return fenced.join("\n");
  const kept = [];
  let within = false;
  for (const line of text.replaceAll("\r", "").split("\n")) {
    if (HEAD.test(line) || FRAME.test(line)) within = true;
    if (within) {
      if (errorOf(line).type !== null) within = false;
      continue;
    }
    if (errorOf(line).type === null) kept.push(line);
  }
  const found = kept.filter((line) => STATEMENT.test(line));
  return found.length >= 2 || (found.length === 1 && kept.filter((line) => line.trim()).length === 1) ? kept.join("\n").trim() + "\n" : null;
}

const firstStatement = (block) => block.split("\n").find((line) => STATEMENT.test(line)) ?? "";
