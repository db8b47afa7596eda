/**
 * Columns: lists of alike things as the server writes them, small and quick to read. The forms are told in
 * `gradreel/scene/columns.py`, Note [Columns].
 */

/** The letter that stands for the least of integers that are told by letters. */
const FIRST = "#".charCodeAt(0);

/** The things in a column.
 * @param {any} column
 * @returns {any[]}
 */
export function read(column) {
  if (Array.isArray(column)) return column;
  for (const form of Object.keys(FORMS)) if (form in column) return FORMS[form](column);
  throw new TypeError("a column of no known form");
}

const FORMS = {
  all: ({ all, n }) => Array(n).fill(all),
  step: ({ step }) => {
    let number = 0;
    return read(step).map((by) => (by === null ? null : (number += by)));
  },
  from: ({ from, by, n }) => Array.from({ length: n }, (_, place) => from + by * place),
  letters: ({ letters, least }) => {
    const found = Array(letters.length);
    for (let i = 0; i < letters.length; i++) found[i] = letters.charCodeAt(i) - FIRST + least;
    return found;
  },
  turns: ({ turns }) => {
    const parts = turns.map(read);
    const found = [];
    for (let i = 0; i < parts[0].length; i++) for (const part of parts) found.push(part[i]);
    return found;
  },
  of: ({ of, at }) => {
    const things = read(of);
    return read(at).map((place) => things[place]);
  },
  text: texts,
  lengths: ({ lengths, items }) => {
    const found = read(items);
    let from = 0;
    return read(lengths).map((length) => found.slice(from, (from += length)));
  },
  rows,
  sorts: ({ sorts, at }) => {
    const found = sorts.map((sort) => read(sort)[Symbol.iterator]());
    return read(at).map((sort) => found[sort].next().value);
  },
};

/** Texts, put together of pieces and the numbers between them. */
function texts({ text, at, holes }) {
  const numbers = holes.map((places) => places.map(read));
  const next = text.map(() => 0);
  return read(at).map((sort) => {
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
  const found = names.map((name) => read(columns[name]));
  return Array.from({ length: found[0]?.length ?? 0 }, (_, row) => {
    const record = {};
    for (let i = 0; i < names.length; i++) record[names[i]] = found[i][row];
    return record;
  });
}
