/**
 * What somebody was typing, kept in their own browser so that a reload does not lose it. The server keeps nothing.
 *
 * A browser may refuse to keep anything (a private window, a full disk, a page inside another): then nothing is kept, and
 * nobody is bothered.
 */

const KEY = "gradreel.draft";
const LONGEST = 100_000;

/** @typedef {{text: string, ran: boolean}} Draft   `ran`: it was run as it stands */

/** @param {() => Storage} store gives the storage, or throws where there is none */
export function createDrafts(store) {
  const quietly = (act) => {
    try {
      return act(store());
    } catch {
      return null;
    }
  };
  return {
    /** @param {Draft} draft */
    keep({ text, ran }) {
      if (text.length > LONGEST || !text.trim()) return quietly((storage) => storage.removeItem(KEY));
      quietly((storage) => storage.setItem(KEY, JSON.stringify({ text, ran })));
    },
    forget: () => quietly((storage) => storage.removeItem(KEY)),
    /** @returns {Draft|null} */
    read: () => quietly((storage) => {
      const held = JSON.parse(storage.getItem(KEY) ?? "null");
      const usable = typeof held?.text === "string" && held.text.length <= LONGEST;
      return usable ? { text: held.text, ran: held.ran === true } : null;
    }),
  };
}
