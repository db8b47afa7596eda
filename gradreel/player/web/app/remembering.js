/**
 * The step somebody had gone to, kept while the tab is open: another page and back, or a reload, finds it again. The server
 * keeps nothing; a browser that refuses to keep anything is not bothered.
 */

const KEY = "gradreel.step";

/** @param {() => Storage} store gives the storage, or throws where there is none */
export function createMemory(store) {
  const quietly = (act) => {
    try {
      return act(store());
    } catch {
      return null;
    }
  };
  const read = () => quietly((storage) => JSON.parse(storage.getItem(KEY) ?? "null"));
  return {
    /** @param {string} source @param {number} step */
    keep: (source, step) => quietly((storage) => storage.setItem(KEY, JSON.stringify({ source: source.trimEnd(), step }))),
    /** The step of a program, or null. @param {string} source @returns {number|null} */
    of(source) {
      const held = read();
      return held?.source === source.trimEnd() && Number.isInteger(held.step) ? held.step : null;
    },
    /** Another program runs: what was kept of the last is over. @param {string} source */
    leave(source) {
      if (this.of(source) === null) quietly((storage) => storage.removeItem(KEY));
    },
  };
}
