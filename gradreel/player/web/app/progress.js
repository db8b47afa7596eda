/**
 * What somebody has answered in the course, kept in their own browser. Where a browser keeps nothing, it lasts as long as the page.
 */

const KEY = "gradreel.lessons";

/** @typedef {Record<string, number>} Answers   the choice that was picked last, by lesson */

/** @param {() => Storage} store gives the storage, or throws where there is none */
export function createProgress(store) {
  let answers = read(store);
  const keep = () => {
    try {
      store().setItem(KEY, JSON.stringify(answers));
    } catch {
      // A browser may refuse to keep anything; then this lasts as long as the page.
    }
  };
  return {
    /** @param {string} slug @returns {number|null} */
    of: (slug) => answers[slug] ?? null,
    /** @param {string} slug @param {number} choice */
    answer(slug, choice) {
      answers = { ...answers, [slug]: choice };
      keep();
    },
    forget() {
      answers = {};
      keep();
    },
    count: () => Object.keys(answers).length,
  };
}

/** What was kept; anything that is no such record counts as nothing. @returns {Answers} */
function read(store) {
  try {
    const kept = JSON.parse(store().getItem(KEY) ?? "{}");
    return Object.fromEntries(Object.entries(kept).filter(([, choice]) => Number.isInteger(choice) && choice >= 0));
  } catch {
    return {};
  }
}
