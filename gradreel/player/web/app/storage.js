/**
 * What is kept in a person's own browser: the draft they were typing, the step they had gone to, their answers to
 * lessons. The server keeps nothing. A browser may refuse to keep anything (a private window, a full disk, a page
 * inside another): then nothing is kept, and nobody is bothered.
 */

/** @typedef {() => Storage} Store  gives a storage, or throws where there is none: it is asked anew each time */

/** What `act` gives with a storage; null where the browser refuses it.
 * @template T
 * @param {Store} store
 * @param {(storage: Storage) => T} act
 * @returns {T|null}
 */
export function quietly(store, act) {
  try {
    return act(store());
  } catch {
    return null;
  }
}

/** What is kept under a key as JSON; null where nothing is, or nothing that can be read. @param {Store} store */
export const readKept = (store, key) => quietly(store, (storage) => JSON.parse(storage.getItem(key) ?? "null"));

/** @param {Store} store @param {string} key @param {any} value */
export const keep = (store, key, value) => quietly(store, (storage) => storage.setItem(key, JSON.stringify(value)));

const DRAFT = "gradreel.draft";
const LONGEST_DRAFT = 100_000;

/** @typedef {{text: string, ran: boolean}} Draft  `ran`: it was run as it stands */

/**
 * @param {...Store} stores  All of them keep; the first that holds a draft is read: that of the tab before that of all
 *   tabs, so that none of them takes the text of another
 */
export function createDraftStore(...stores) {
  const forget = () => stores.forEach((store) => quietly(store, (storage) => storage.removeItem(DRAFT)));
  return {
    /** @param {Draft} draft */
    keep({ text, ran }) {
      if (text.length > LONGEST_DRAFT || !text.trim()) forget();
      else stores.forEach((store) => keep(store, DRAFT, { text, ran }));
    },
    forget,
    /** @returns {Draft|null} */
    read: () => stores.map(readDraft).find(Boolean) ?? null,
  };
}

/** @param {Store} store @returns {Draft|null} */
function readDraft(store) {
  const held = readKept(store, DRAFT);
  const usable = typeof held?.text === "string" && held.text.length <= LONGEST_DRAFT;
  return usable ? { text: held.text, ran: held.ran === true } : null;
}

const STEP = "gradreel.step";

/** @param {Store} store */
export function createStepStore(store) {
  return {
    /** @param {string} source @param {number} step */
    keep: (source, step) => keep(store, STEP, { source: source.trimEnd(), step }),
    /** The step of a program, or null. @param {string} source @returns {number|null} */
    of(source) {
      const held = readKept(store, STEP);
      return held?.source === source.trimEnd() && Number.isInteger(held.step) ? held.step : null;
    },
    /** Another program runs: what was kept of the last is over. @param {string} source */
    leave(source) {
      if (this.of(source) === null) quietly(store, (storage) => storage.removeItem(STEP));
    },
  };
}

const ANSWERS = "gradreel.lessons";

/** @typedef {Record<string, number>} Answers  the choice that was picked last, by lesson */

/** The answers to lessons; where a browser keeps nothing, they last as long as the page. @param {Store} store */
export function createAnswerStore(store) {
  let answers = readAnswers(store);
  const change = (next) => {
    answers = next;
    keep(store, ANSWERS, answers);
  };
  return {
    /** @param {string} slug @returns {number|null} */
    of: (slug) => answers[slug] ?? null,
    /** @param {string} slug @param {number} choice */
    answer: (slug, choice) => change({ ...answers, [slug]: choice }),
    forget: () => change({}),
    count: () => Object.keys(answers).length,
  };
}

/** What was kept; anything that is no such record counts as nothing. @param {Store} store @returns {Answers} */
function readAnswers(store) {
  const kept = Object.entries(readKept(store, ANSWERS) ?? {});
  return Object.fromEntries(kept.filter(([, choice]) => Number.isInteger(choice) && choice >= 0));
}
