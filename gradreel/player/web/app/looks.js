/**
 * Light or dark: as the system has it, until somebody chooses. A projector may want the other one. The choice stays in the browser.
 */

const KEY = "gradreel.looks";
const OTHER = { light: "dark", dark: "light" };

/** @typedef {"light"|"dark"} Looks */

let turn = () => {};

/** The button for it was pressed. */
export const turnLooks = () => turn();

/**
 * @param {Looks} system  how the system has it
 * @param {(looks: Looks) => void} onChange
 */
export function createLooks(system, onChange) {
  let chosen = read();
  const now = () => chosen ?? system;
  const change = (act) => {
    const before = now();
    act();
    if (now() !== before) onChange(now());
  };
  turn = () => change(() => keep((chosen = OTHER[now()])));
  return {
    now,
    /** @param {Looks} looks */
    system: (looks) => change(() => (system = looks)),
  };
}

/** @returns {Looks|null} */
function read() {
  try {
    const kept = localStorage.getItem(KEY) ?? "";
    return kept in OTHER ? /** @type {Looks} */ (kept) : null;
  } catch {
    return null;
  }
}

function keep(looks) {
  try {
    localStorage.setItem(KEY, looks);
  } catch {
    // Where nothing can be kept, the choice holds until the page is left.
  }
}
