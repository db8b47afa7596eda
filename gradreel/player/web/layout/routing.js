/**
 * The way of a gradient from a folded card to a leaf that many use, seen only while it is taken: down past the rows of
 * other leaves, through the gaps between them, so that it does not run behind cards.
 */

/** Room beside a card for a way to pass it. */
const BESIDE = 14;
/** Room above a card for the head of the arrow. */
const HEAD = 12;
/** Above the leaves, where ways swing over to where they go; and below a card, where they swing to its side. */
const SWING = 58;
const ASIDE = 24;

/** @typedef {{x: number, y: number, width: number, height: number}} Rect */

/** @param {Rect} from
 * @param {Rect} to
 * @param {{leaves: Rect[], others: Rect[]}} cards  that may stand in the way
 * @param {boolean} sideways
 * @returns {import("./layout.js").Route}
 */
export function fleeting(from, to, { leaves, others }, sideways) {
  if (!sideways) return { points: descent(from, to, leaves, others), long: true };
  const points = descent(turn(from), turn(to), leaves.map(turn), others.map(turn)).map(([x, y]) => [y, x]);
  return { points, long: true, sideways };
}

const turn = ({ x, y, width, height }) => ({ x: y, y: x, width: height, height: width });

function descent(from, to, leaves, others) {
  const [x, foot] = [from.x + from.width / 2, from.y + from.height];
  const goal = to.x + to.width / 2;
  const rows = rowsBetween(foot, to.y, leaves);
  const end = Math.max(foot, topOf(rows[0] ?? [to]) - SWING);
  const lane = laneFrom(from, foot, end, others);
  const points =
    lane === x
      ? [
          [x, foot],
          [x, end],
        ]
      : [
          [x, foot],
          [x, foot],
          [lane, Math.min(foot + ASIDE, end)],
          [lane, end],
        ];
  for (const row of rows) {
    const gap = nearest(gapsOf(row), goal);
    points.push([gap, topOf(row) - 2], [gap, Math.max(...row.map((rect) => rect.y + rect.height)) + 2]);
  }
  return [...points, [goal, to.y - HEAD], [goal, to.y]];
}

const topOf = (row) => Math.min(...row.map((rect) => rect.y));

/** Where a way may go straight down: from the middle of its card, else beside it, if no other card stands there. */
function laneFrom(from, foot, end, others) {
  const middle = from.x + from.width / 2;
  const free = (x) =>
    others.every((rect) => x <= rect.x || x >= rect.x + rect.width || rect.y >= end || rect.y + rect.height <= foot);
  return [middle, from.x + from.width + BESIDE, from.x - BESIDE].find(free) ?? middle;
}

/** The leaves that lie between two heights, row by row from above. @returns {Rect[][]} */
function rowsBetween(top, bottom, leaves) {
  const rows = [];
  const between = leaves.filter((rect) => rect.y >= top && rect.y + rect.height <= bottom);
  for (const rect of between.sort((a, b) => a.y - b.y)) {
    const last = rows.at(-1);
    if (last?.some((other) => rect.y < other.y + other.height)) last.push(rect);
    else rows.push([rect]);
  }
  return rows;
}

/** The middles of the gaps beside and between the leaves of a row. */
function gapsOf(row) {
  const sorted = row.toSorted((a, b) => a.x - b.x);
  const found = [sorted[0].x - BESIDE];
  let right = sorted[0].x + sorted[0].width;
  for (const rect of sorted.slice(1)) {
    if (rect.x - right >= BESIDE) found.push((rect.x + right) / 2);
    right = Math.max(right, rect.x + rect.width);
  }
  return [...found, right + BESIDE];
}

const nearest = (places, goal) =>
  places.reduce((best, at) => (Math.abs(at - goal) < Math.abs(best - goal) ? at : best));
