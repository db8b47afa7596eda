/**
 * The small half of the Streamlit page: it waits for the code that `provide.js` brings and passes every call on. The
 * one leaves code for the other in a promise on the global scope, made by whoever comes first.
 */




export default function shim(call) {
  let leave = () => {};
  let left = false;
  registry().main.then((main) => {
    if (!left) leave = main(call);
  }).catch((error) => console.error(error));
  return () => {
    left = true;
    leave();
  };
}

const KEY = Symbol.for("gradreel");

/** @returns {{main: Promise<Function>, give: (main: Function) => void}} */
export function registry() {
  if (!globalThis[KEY]) {
    /** @type {(main: Function) => void} */
    let give = () => {};
    const main = new Promise((resolve) => (give = resolve));
    globalThis[KEY] = { main, give };
  }
  return globalThis[KEY];
}
