/**
 * What is kept in a person's own browser: the draft they were typing, the step they had gone to, their answers to
 * lessons. The server keeps nothing. A browser may refuse to keep anything (a private window, a full disk, a page
 * inside another): then nothing is kept, and nobody is bothered.
 */

const DRAFT = "gradreel.draft";
const LONGEST_DRAFT = 100_000;

/** @typedef {{text: string, ran: boolean}} Draft   `ran`: it was run as it stands */

/**
 * @param {...() => Storage} stores each gives a storage, or throws where there is none. All of them keep; the first
 *   that holds a draft is read: that of the tab before that of all tabs, so that none of them takes the text of another
 */
export function createDraftStore(...stores) {
  const quietly = (act, store) => {
    try {
      return act(store());
    } catch {
      return null;
    }
  };
  const everywhere = (act) => stores.forEach((store) => quietly(act, store));
  return {
    /** @param {Draft} draft */
    keep({ text, ran }) {
      if (text.length > LONGEST_DRAFT || !text.trim()) return everywhere((storage) => storage.removeItem(DRAFT));
      everywhere((storage) => storage.setItem(DRAFT, JSON.stringify({ text, ran })));
    },
    forget: () => everywhere((storage) => storage.removeItem(DRAFT)),
    /** @returns {Draft|null} */
    read: () => stores.reduce((found, store) => found ?? quietly(readDraft, store), null),
  };
}

/** @param {Storage} storage @returns {Draft|null} */
function readDraft(storage) {
  const held = JSON.parse(storage.getItem(DRAFT) ?? "null");
  const usable = typeof held?.text === "string" && held.text.length <= LONGEST_DRAFT;
  return usable ? { text: held.text, ran: held.ran === true } : null;
}

const STEP = "gradreel.step";

/** @param {() => Storage} store gives the storage, or throws where there is none */
export function createStepStore(store) {
  const quietly = (act) => {
    try {
      return act(store());
    } catch {
      return null;
    }
  };
  const read = () => quietly((storage) => JSON.parse(storage.getItem(STEP) ?? "null"));
  return {
    /** @param {string} source @param {number} step */
    keep: (source, step) =>
      quietly((storage) => storage.setItem(STEP, JSON.stringify({ source: source.trimEnd(), step }))),
    /** The step of a program, or null. @param {string} source @returns {number|null} */
    of(source) {
      const held = read();
      return held?.source === source.trimEnd() && Number.isInteger(held.step) ? held.step : null;
    },
    /** Another program runs: what was kept of the last is over. @param {string} source */
    leave(source) {
      if (this.of(source) === null) quietly((storage) => storage.removeItem(STEP));
    },
  };
}

const ANSWERS = "gradreel.lessons";

/** @typedef {Record<string, number>} Answers   the choice that was picked last, by lesson */

/** @param {() => Storage} store gives the storage, or throws where there is none */
export function createAnswerStore(store) {
  let answers = readAnswers(store);
  const keep = () => {
    try {
      store().setItem(ANSWERS, JSON.stringify(answers));
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
function readAnswers(store) {
  try {
    const kept = JSON.parse(store().getItem(ANSWERS) ?? "{}");
    return Object.fromEntries(Object.entries(kept).filter(([, choice]) => Number.isInteger(choice) && choice >= 0));
  } catch {
    return {};
  }
}
