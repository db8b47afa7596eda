/**
 * Rows of things side by side: ordered so that few lines between them cross, and set near what each is tied to without
 * overlap. The same functions serve columns, where a thing's place is its height. Pure.
 */

/** @typedef {Map<any, any[]>} Ties   what each thing is tied to */

/** Order the things of each row by the mean place of what they are tied to, in sweeps up and down.
 * @param {any[][]} rows  changed in place
 * @param {Ties} ties @param {(thing: any) => number} ageOf  decides between equals
 */
export function orderRows(rows, ties, ageOf) {
  const place = new Map();
  const rowOf = new Map();
  const number = (row) => row.forEach((thing, i) => place.set(thing, i - (row.length - 1) / 2));
  rows.forEach((row, at) => {
    row.sort((a, b) => ageOf(a) - ageOf(b));
    row.forEach((thing) => rowOf.set(thing, at));
    number(row);
  });
  for (let sweep = 0; sweep < 8; sweep++) {
    const up = sweep % 2 === 1;
    for (const at of sweeping(rows, up)) {
      const mean = new Map(rows[at].map((thing) => {
        const near = (ties.get(thing) ?? []).filter((each) => (up ? rowOf.get(each) < at : rowOf.get(each) > at));
        return [thing, near.length ? meanOf(near.map((each) => place.get(each))) : place.get(thing)];
      }));
      rows[at].sort((a, b) => mean.get(a) - mean.get(b) || ageOf(a) - ageOf(b));
      number(rows[at]);
    }
  }
}

const sweeping = (rows, up) => (up ? [...rows.keys()] : [...rows.keys()].reverse());

export const meanOf = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** The places of the things of all rows, each towards the mean of what it is tied to.
 * @param {any[][]} rows @param {Ties} ties
 * @param {{before: (thing: any) => number, after: (thing: any) => number, gap: number}} room  what a thing takes
 * @returns {Map<any, number>}
 */
export function placeRows(rows, ties, room) {
  const places = new Map();
  for (const row of rows) {
    const offsets = offsetsOf(row, room);
    const middle = row.length ? (offsets.at(-1) + room.after(row.at(-1)) - room.before(row[0])) / 2 : 0;
    row.forEach((thing, i) => places.set(thing, offsets[i] - middle));
  }
  for (let sweep = 0; sweep < 10; sweep++)
    for (const at of sweeping(rows, sweep % 2 === 1)) {
      const wanted = rows[at].map((thing) => {
        const near = (ties.get(thing) ?? []).filter((each) => places.has(each));
        return near.length ? meanOf(near.map((each) => places.get(each))) : places.get(thing);
      });
      setApart(rows[at], wanted, room).forEach((place, i) => places.set(rows[at][i], place));
    }
  return places;
}

function offsetsOf(row, { before, after, gap }) {
  const offsets = [];
  row.forEach((thing, i) => offsets.push(i ? offsets[i - 1] + after(row[i - 1]) + gap + before(thing) : 0));
  return offsets;
}

/** The places nearest to the wanted ones at which nothing of a row overlaps (pool adjacent violators).
 * @param {any[]} row @param {number[]} wanted
 * @param {{before: (thing: any) => number, after: (thing: any) => number, gap: number}} room
 * @returns {number[]}
 */
export function setApart(row, wanted, room) {
  const offsets = offsetsOf(row, room);
  const pools = [];
  wanted.forEach((want, i) => {
    let pool = { sum: want - offsets[i], count: 1 };
    while (pools.length && pools.at(-1).sum / pools.at(-1).count > pool.sum / pool.count) {
      const last = pools.pop();
      pool = { sum: last.sum + pool.sum, count: last.count + pool.count };
    }
    pools.push(pool);
  });
  const starts = pools.flatMap(({ sum, count }) => Array(count).fill(sum / count));
  return starts.map((start, i) => start + offsets[i]);
}

/** Move what lies beyond bounds to within them, and what is in its way, as far as there is room.
 * @param {number[]} places @param {any[]} row @param {number} low @param {number} high
 * @param {{before: (thing: any) => number, after: (thing: any) => number, gap: number}} room
 */
export function within(places, row, low, high, room) {
  const { before, after } = room;
  const offsets = offsetsOf(row, room);
  const found = [...places];
  for (let i = row.length - 1; i >= 0; i--) {
    const most = i + 1 < row.length ? found[i + 1] - (offsets[i + 1] - offsets[i]) : high - after(row[i]);
    found[i] = Math.min(found[i], most);
  }
  for (let i = 0; i < row.length; i++)
    found[i] = Math.max(found[i], i ? found[i - 1] + offsets[i] - offsets[i - 1] : low + before(row[0]));
  return found;
}
