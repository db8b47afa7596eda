/**
 * Columns: lists of alike things as the server writes them, small and quick to read. The forms are told in
 * `gradreel/scene/columns.py`, Note [Columns].
 */

/** The letter that stands for zero where integers are told by letters, and how many letters there are. */
const FIRST = "#".charCodeAt(0);
const LETTERS = "\\".charCodeAt(0) - FIRST;

/** The things in a column.
 * @param {any} column
 * @returns {any[]}
 */
export function readColumn(column) {
  if (Array.isArray(column)) return column;
  for (const form of Object.keys(FORMS)) if (form in column) return FORMS[form](column);
  throw new TypeError("a column of no known form");
}

const FORMS = {
  all: ({ all, n }) => Array(n).fill(all),
  step: ({ step, first }) => {
    const steps = readColumn(step);
    const found = Array(steps.length + 1);
    found[0] = first;
    for (let i = 0; i < steps.length; i++) found[i + 1] = found[i] + steps[i];
    return found;
  },
  from: ({ from, by, n }) => {
    const found = Array(n);
    for (let i = 0; i < n; i++) found[i] = from + by * i;
    return found;
  },
  letters: ({ letters, least }) => {
    const found = Array(letters[0].length).fill(0);
    for (const digits of letters)
      for (let i = 0; i < digits.length; i++) found[i] = found[i] * LETTERS + digits.charCodeAt(i) - FIRST;
    for (let i = 0; i < found.length; i++) found[i] += least;
    return found;
  },
  turns: ({ turns }) => {
    const parts = turns.map(readColumn);
    const found = [];
    for (let i = 0; i < parts[0].length; i++) for (const part of parts) found.push(part[i]);
    return found;
  },
  of: ({ of, at }) => {
    const things = readColumn(of);
    return readColumn(at).map((place) => things[place]);
  },
  text: texts,
  lengths: ({ lengths, items }) => {
    const found = readColumn(items);
    let from = 0;
    return readColumn(lengths).map((length) => found.slice(from, (from += length)));
  },
  rows,
  sorts: ({ sorts, at }) => {
    const found = sorts.map(readColumn);
    const next = sorts.map(() => 0);
    return readColumn(at).map((sort) => found[sort][next[sort]++]);
  },
  digits: ({ digits, tens }) => {
    const powers = readColumn(tens);
    return readColumn(digits).map((digit, i) => decimal(digit, powers[i] >> 1) * (powers[i] & 1 ? -1 : 1));
  },
  nested: ({ nested, shape }) => {
    const items = readColumn(nested);
    let from = 0;
    const tensor = (/** @type {number[]} */ [length, ...inner]) =>
      length === undefined ? items[from++] : Array.from({ length }, () => tensor(inner));
    return readColumn(shape).map(tensor);
  },
};

/** The powers of ten that are exact. */
const POWERS = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

/** An integer times a power of ten, as the text of both would be read. */
function decimal(digits, ten) {
  if (Math.abs(ten) >= POWERS.length) return Number(`${digits}e${ten}`);
  return ten < 0 ? digits / POWERS[-ten] : digits * POWERS[ten];
}

/** Texts, put together of pieces and the numbers between them. */
function texts({ text, at, holes }) {
  const numbers = holes.map((places) => places.map(readColumn));
  const next = text.map(() => 0);
  return readColumn(at).map((sort) => {
    const pieces = text[sort];
    const row = next[sort]++;
    let whole = pieces[0];
    for (let i = 1; i < pieces.length; i++) whole += numbers[sort][i - 1][row] + pieces[i];
    return whole;
  });
}

/** Records; names of fields are those of the scene, none a person's. */
function rows({ rows: columns }) {
  const names = Object.keys(columns);
  const found = names.map((name) => readColumn(columns[name]));
  return Array.from({ length: found[0]?.length ?? 0 }, (_, row) => {
    const record = {};
    for (let i = 0; i < names.length; i++) record[names[i]] = found[i][row];
    return record;
  });
}
