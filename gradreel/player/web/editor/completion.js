/**
 * What may come next at a place in a program: names of torch after a dot, and names of Python, torch and the program
 * itself elsewhere. It reads the text alone, so it works while a line is half typed. Pure.
 */

const KEYWORDS = (
  "and as assert break class continue def del elif else except False finally for from global if import in is " +
  "lambda None nonlocal not or pass raise return True try while with yield"
).split(" ");
const VALUE = ["Tensor"];
/** What is known of a value by the way it was made. @type {[RegExp, string[]][]} */
const MADE_BY = [
  [/^(?:[\w.]*\.)?(?:SGD|AdamW?|RMSprop|Adagrad|LBFGS)\(/, ["Optimizer"]],
  [
    /^(?:[\w.]*\.)?(?:Linear|Sequential|ModuleList|Conv\dd|LSTM|GRU|RNN|Embedding|LayerNorm|BatchNorm\dd)\(/,
    ["Module"],
  ],
];

/** @typedef {{label: string, type: string}} Option */

/** The modules that names stand for: `torch`, `nn`, `F` ... by what the program imports.
 * @param {string} source @param {Record<string, string[]>} words
 * @returns {Map<string, string>}
 */
export function modulesOf(source, words) {
  const found = new Map();
  for (const [, list] of source.matchAll(/^[ \t>.]*import[ \t]+(.+)$/gm)) {
    for (const part of list.split(",")) {
      const [, path, alias] = /^\s*([\w.]+)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? [];
      if (path) found.set(alias ?? path.split(".")[0], alias ? path : path.split(".")[0]);
    }
  }
  for (const [, path, list] of source.matchAll(/^[ \t>.]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(.+)$/gm)) {
    for (const part of list.replace(/[()]/g, "").split(",")) {
      const [, name, alias] = /^\s*(\w+)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? [];
      if (name && words[`${path}.${name}`]) found.set(alias ?? name, `${path}.${name}`);
    }
  }
  return found;
}

/** The names that a program gives to things. @param {string} source @returns {Set<string>} */
export function namesIn(source) {
  const found = new Set();
  for (const [, list] of source.matchAll(/^[ \t>.]*([A-Za-z_][\w, \t*]*?)[ \t]*(?::[^=\n]+)?=(?!=)/gm))
    for (const name of list.match(/[A-Za-z_]\w*/g)) found.add(name);
  for (const [, name] of source.matchAll(/\b(?:def|class|for|as)[ \t]+([A-Za-z_]\w*)/g)) found.add(name);
  for (const [, list] of source.matchAll(/\bimport[ \t]+(.+)$/gm))
    for (const part of list.split(",")) found.add(/([A-Za-z_]\w*)\s*\)?\s*$/.exec(part)?.[1] ?? "");
  found.delete("");
  return found;
}

/**
 * @param {string} source @param {number} position
 * @param {Record<string, string[]>} words  names by module or type, those of Python under ""
 * @param {boolean} [asked]  whether the person asked for a list, with nothing typed yet
 * @returns {{from: number, options: Option[]}|null}
 */
export function complete(source, position, words, asked = false) {
  const line = source.slice(source.lastIndexOf("\n", position - 1) + 1, position);
  if (isInsideText(line)) return null;
  const [, path = "", dot = "", typed] = /(?:([A-Za-z_][\w.]*|\)|\])(\.))?([A-Za-z_]\w*|)$/.exec(line);
  if (!dot && !typed && !asked) return null;
  const from = position - typed.length;
  const options = dot
    ? attributeProposals(source, path, words)
    : globalProposals(source.slice(0, from) + source.slice(position), words);
  const wanted = typed.toLowerCase();
  const fits = options.filter(({ label }) => label !== typed && label.toLowerCase().startsWith(wanted));
  return fits.length ? { from, options: fits } : null;
}

/** Whether the end of a line is inside a comment or a text, where nothing is proposed. */
function isInsideText(line) {
  let quote = null;
  for (let at = 0; at < line.length; at++) {
    if (quote) {
      if (line[at] === "\\") at++;
      else if (line[at] === quote) quote = null;
    } else if (line[at] === "#") return true;
    else if (line[at] === '"' || line[at] === "'") quote = line[at];
  }
  return quote !== null;
}

function attributeProposals(source, path, words) {
  const [first, ...rest] = path.split(".");
  const module = modulesOf(source, words).get(first);
  if (module) return list(words[[module, ...rest].join(".")] ?? VALUE.flatMap((kind) => words[kind] ?? []), "function");
  const made =
    source.match(new RegExp(`^[ \\t>.]*${first.replace(/\W/g, "\\$&")}[ \\t]*=[ \\t]*(.+)$`, "m"))?.[1] ?? "";
  const kinds = rest.length ? VALUE : MADE_BY.find(([pattern]) => pattern.test(made))?.[1] ?? VALUE;
  return list(kinds.flatMap((kind) => words[kind] ?? []), "method");
}

function globalProposals(source, words) {
  return [
    ...list([...namesIn(source)], "variable"),
    ...list(words[""] ?? [], "function"),
    ...list(KEYWORDS, "keyword"),
  ];
}

/** Names as proposals; those with an underscore come last. */
function list(names, type) {
  return [...new Set(names)].map((label) => ({ label, type, ...(label.startsWith("_") && { boost: -1 }) }));
}
