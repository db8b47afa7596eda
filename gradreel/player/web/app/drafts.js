/**
 * What somebody was typing, kept in their own browser so that a reload does not lose it. The server keeps nothing.
 *
 * A browser may refuse to keep anything (a private window, a full disk, a page inside another): then nothing is kept, and
 * nobody is bothered.
 */

const KEY = "gradreel.draft";
const LONGEST = 100_000;

/** @typedef {{text: string, ran: boolean}} Draft   `ran`: it was run as it stands */

/**
 * @param {...() => Storage} stores each gives a storage, or throws where there is none. All of them keep; the first that holds a
 *  draft is read: that of the tab before that of all tabs, so that none of them takes the text of another
 */
export function createDrafts(...stores) {
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
      if (text.length > LONGEST || !text.trim()) return everywhere((storage) => storage.removeItem(KEY));
      everywhere((storage) => storage.setItem(KEY, JSON.stringify({ text, ran })));
    },
    forget: () => everywhere((storage) => storage.removeItem(KEY)),
    /** @returns {Draft|null} */
    read: () => stores.reduce((found, store) => found ?? quietly(heldIn, store), null),
  };
}

/** @param {Storage} storage @returns {Draft|null} */
function heldIn(storage) {
  const held = JSON.parse(storage.getItem(KEY) ?? "null");
  const usable = typeof held?.text === "string" && held.text.length <= LONGEST;
  return usable ? { text: held.text, ran: held.ran === true } : null;
}
