/** Which operators a search means. Pure. */

/** The operators in which every word of a search occurs; those whose name begins with it first.
 * @template {{name: string, node: string|null, family: string, ways: {formula: string}[], kept: {name: string}[]}} Operator
 * @param {Operator[]} items
 * @param {string} text
 * @returns {Operator[]}
 */
export function matching(items, text) {
  const words = text.toLowerCase().split(/\s+/);
  const within = ({ name, node, family, ways, kept }) =>
    [name, node ?? "", family, ...ways.map(({ formula }) => formula), ...kept.map((each) => `keeps ${each.name}`)].join(" ").toLowerCase();
  const rank = ({ name, node }) => {
    const names = [name.toLowerCase(), (node ?? "").toLowerCase()];
    if (names.includes(words[0]) || names[0].split(".")[0] === words[0]) return 0;
    if (names.some((each) => each.startsWith(words[0]))) return 1;
    return names.some((each) => each.includes(words[0])) ? 2 : 3;
  };
  return items.filter((item) => words.every((word) => within(item).includes(word))).map((item, i) => ({ item, i, rank: rank(item) }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i).map(({ item }) => item);
}
