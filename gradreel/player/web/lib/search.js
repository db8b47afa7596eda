/**
 * Searches. Which operators a few words mean; and error messages in pasted text: what a paste is, a program, an error
 * message or a traceback, or both, as in a post that shows code and what it said; and which of many texts it means.
 * Numbers, shapes, paths and addresses in it say nothing; what is left are words and pairs of words, and the rarer they
 * are among all texts, the more they count. Pure.
 */




const ERROR = /^(?:\S*\.)?([A-Z]\w*(?:Error|Warning|Exception))\b:?\s*(.*)$/;
const WORDS = 0.4;
const LEAST = 0.06;

/** @typedef {{message: string|null, words: string}} Text  what PyTorch says, and what is said of it
 * @typedef {{index: number, score: number}} Found
 */

/** The error that a paste ends with: of a whole traceback its last line and what follows it; anything else as it is.
 * @param {string} paste
 * @returns {{type: string|null, text: string}}
 */
export function errorOf(paste) {
  const lines = paste.replaceAll("\r", "").split("\n").map((line) => line.replace(/^\s*(?:[E>|#]+\s+)?/, "").trimEnd());
  const at = lines.findLastIndex((line) => ERROR.test(line));
  if (at < 0) return { type: null, text: paste };
  const [, type, first] = ERROR.exec(lines[at]);
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.trim());
  return { type, text: [first, ...(end < 0 ? rest : rest.slice(0, end))].join(" ") };
}

/** The words that tell a message from others. @param {string} text @returns {string[]} */
export function wordsOf(text) {
  return text
    .replace(/\(Triggered internally[^)]*\)?/g, " ")
    .replace(/https?:\/\/\S+|0x[0-9a-f]+|(?:[A-Za-z]:)?(?:[\\/][\w.+-]+){2,}/gi, " ")
    .replace(/torch\.(?:cuda\.)?(?:Long|Int|Short|Byte|Char|Bool)Tensor\b/g, " sometensor of_whole_numbers ")
    .replace(/torch\.(?:cuda\.|\w+\.)*(\w+?)Tensor\b/g, " sometensor ")
    .replace(/\b(\w+?)Backward\d*\b/g, " $1 ")
    .replace(/\[[\d\s,:x]*\]|\bsize\(\[[^\]]*\]\)/gi, " ")
    .toLowerCase()
    .match(/[a-z_]{2,}/g) ?? [];
}

/** Words and pairs of neighbours. */
function features(text) {
  const words = wordsOf(text);
  return new Set([...words, ...words.slice(1).map((word, i) => `${words[i]} ${word}`)]);
}

/**
 * A search over texts.
 * @param {Text[]} texts
 * @returns {(paste: string) => Found[]} the texts that have something of the paste, the likeliest first
 */
export function createErrorSearch(texts) {
  const messages = texts.map(({ message }) => index(message ?? ""));
  const words = texts.map(({ words: said }) => index(said));
  const weigh = weights([...messages, ...words].map(({ all }) => all));
  const sizes = [messages, words].map((all) => all.map(({ all: each }) => length(each, weigh)));
  return (paste) => {
    const { type, text } = errorOf(paste);
    const asked = features(text);
    const size = length(asked, weigh);
    if (!size) return [];
    const alike = (found, own) => (own ? common(asked, found, weigh) / (size * own) : 0);
    const score = (i) => {
      const byMessage = alike(messages[i].all, sizes[0][i]);
      const byWords = alike(words[i].all, sizes[1][i]);
      return (
        Math.max(byMessage, WORDS * byWords) +
        0.1 * Math.min(byMessage, byWords) +
        (type && byMessage && messages[i].type === type ? 0.03 : 0)
      );
    };
    return texts
      .map((_, i) => ({ index: i, score: score(i) }))
      .filter(({ score: each }) => each >= LEAST)
      .sort((a, b) => b.score - a.score);
  };
}

function index(text) {
  const { type, text: inner } = errorOf(text);
  return { type, all: features(inner) };
}

/** The weight of a feature: the rarer, the more; one that no text has counts as rare as can be. */
function weights(documents) {
  const counts = new Map();
  for (const document of documents) for (const each of document) counts.set(each, (counts.get(each) ?? 0) + 1);
  return (each) =>
    Math.log(1 + documents.length / (counts.get(each) ?? 1)) *
    (each.includes(" ") ? 0.7 : 1) *
    (counts.has(each) ? 1 : 0.35);
}

function common(asked, found, weigh) {
  let sum = 0;
  for (const each of asked) if (found.has(each)) sum += weigh(each) ** 2;
  return sum;
}

function length(all, weigh) {
  let sum = 0;
  for (const each of all) sum += weigh(each) ** 2;
  return Math.sqrt(sum);
}

const FRAME = /^\s*File "[^"]*", line \d+/;
const HEAD = /^\s*(?:Traceback \(most recent call last\)|[-=_]{5,}|During handling of|The above exception was)/;
/** The beginning of a line of code: behind a prompt or not, a keyword, an assignment, or a call of what is trained. */
const STATEMENT = new RegExp(
  [
    String.raw`^\s*(?:(?:>>>|\.\.\.|In \[\d+\]:)\s*)?(?:`,
    String.raw`import \w|from [\w.]+ import|def \w+\(|class \w|for .+ in .+:|with .+:|if .+:|print\(|`,
    String.raw`[A-Za-z_][\w.]*(?:\[[^\]]*\])?(?:\s*,\s*\w+)*\s*(?:[-+*/@]|\/\/|\*\*)?=(?!=)\s*\S|`,
    String.raw`[A-Za-z_][\w.]*\.(?:backward|step|zero_grad|sum|retain_grad)\(`,
    ")",
  ].join(""),
);

/** @typedef {"program"|"error"|"both"} Kind */

/** @param {string} text @returns {Kind} */
export function kindOf(text) {
  const error = errorOf(text).type !== null || HEAD.test(text.trimStart().split("\n")[0]);
  const code = codeOf(text) !== null;
  if (error) return code ? "both" : "error";
  return code || (text.trim().split("\n").length === 1 && !/\w+ \w+ \w+ \w+/.test(text))
    ? "program"
    : wordy(text)
      ? "error"
      : "program";
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
  const fenced = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)]
    .map((match) => match[1])
    .filter((block) => STATEMENT.test(firstStatement(block)));
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
  return found.length >= 2 || (found.length === 1 && kept.filter((line) => line.trim()).length === 1)
    ? kept.join("\n").trim() + "\n"
    : null;
}

const firstStatement = (block) => block.split("\n").find((line) => STATEMENT.test(line)) ?? "";

/** @typedef {{name: string, node: string|null, family: string, ways: {formula: string}[], kept: {name: string}[]}}
 *   Searchable
 */

/** The operators in which every word of a search occurs; those whose name begins with it first.
 * @template {Searchable} Operator
 * @param {Operator[]} items
 * @param {string} text
 * @returns {Operator[]}
 */
export function searchOperators(items, text) {
  const words = text.toLowerCase().split(/\s+/);
  const within = ({ name, node, family, ways, kept }) =>
    [name, node ?? "", family, ...ways.map(({ formula }) => formula), ...kept.map((each) => `saves ${each.name}`)]
      .join(" ")
      .toLowerCase();
  const rank = ({ name, node }) => {
    const names = [name.toLowerCase(), (node ?? "").toLowerCase()];
    if (names.includes(words[0]) || names[0].split(".")[0] === words[0]) return 0;
    if (names.some((each) => each.startsWith(words[0]))) return 1;
    return names.some((each) => each.includes(words[0])) ? 2 : 3;
  };
  return items
    .filter((item) => words.every((word) => within(item).includes(word)))
    .map((item, i) => ({ item, i, rank: rank(item) }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map(({ item }) => item);
}
