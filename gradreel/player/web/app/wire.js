/**
 * Questions to the server, one at a time. One asked while another is on its way waits; of several that wait only the newest
 * is sent, so a slider that moves faster than the server answers never falls behind. An urgent one does not wait: what was
 * asked before it is given up.
 */

const PATIENCE = 16_000;

/** @typedef {{kind: string, [more: string]: any}} Question */

/**
 * @param {{send: (question: Question & {request: number}) => void, onBusy?: (busy: boolean) => void, onSilence?: () => void}} options
 */
export function createWire({ send, onBusy = () => {}, onSilence = () => {} }) {
  let count = Date.now();
  let open = null;
  let next = null;
  /** The oldest question whose answer somebody still wants. */
  let oldest = 0;
  let timer = 0;

  const go = (question) => {
    oldest = open = ++count;
    onBusy(true);
    timer = setTimeout(() => {
      settle();
      onSilence();
    }, PATIENCE);
    send({ ...question, request: open });
  };
  const settle = () => {
    clearTimeout(timer);
    open = null;
    onBusy(false);
    const waiting = next;
    next = null;
    if (waiting) go(waiting);
  };

  return {
    /** @param {Question} question @param {{urgent?: boolean}} [how] @returns {number|null} its number, if it went off */
    ask(question, { urgent = false } = {}) {
      if (open !== null && !urgent) {
        next = question;
        return null;
      }
      clearTimeout(timer);
      next = null;
      go(question);
      return open;
    },
    /** An answer has come. @param {number|null} request the question's number */
    answered(request) {
      if (open !== null && request === open) settle();
    },
    /** No answer is waited for any more. The server hears of it by a question that costs nothing, whose answer is for nobody. */
    giveUp() {
      clearTimeout(timer);
      open = next = null;
      send({ kind: "nothing", source: "", request: ++count });
      oldest = count + 1;
      onBusy(false);
    },
    /** Whether an answer is for nobody: its question was given up, by another that was urgent too. It may have been on its way.
     * @param {number|null} request */
    isNobodys: (request) => request !== null && request < oldest,
    waiting: () => open !== null,
    stop: () => clearTimeout(timer),
  };
}
