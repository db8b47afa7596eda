/** Where one Streamlit component leaves code for another: a promise on the global scope, made by whoever comes first. */

const KEY = Symbol.for("gradreel");

/** @returns {{main: Promise<Function>, give: (main: Function) => void}} */
export function shelf() {
  if (!globalThis[KEY]) {
    let give = () => {};
    const main = new Promise((resolve) => (give = resolve));
    globalThis[KEY] = { main, give };
  }
  return globalThis[KEY];
}
