/**
 * Trying a mend: the edited program takes the place of the one before it, which stays at hand while the edited one is shown.
 */

/** @param {{source: () => string, put: (source: string) => void}} program  what is shown, and how another is put in and run */
export function createMending({ source, put }) {
  let tried = null;
  return {
    /** @param {{source: string}} mend */
    mend: (mend) => {
      tried = { ...mend, before: source() };
      put(mend.source);
    },
    back: () => {
      const { before } = tried;
      tried = null;
      put(before);
    },
    /** The mend that is being tried, with the program before it; nothing once another program is shown. */
    tried: () => (tried && source().trimEnd() === tried.source.trimEnd() ? tried : null),
  };
}
