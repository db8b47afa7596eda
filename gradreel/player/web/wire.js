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
  let nobodys = null;
  let timer = 0;

  const go = (question) => {
    open = ++count;
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
    /** @param {Question} question @param {{urgent?: boolean}} [how] */
    ask(question, { urgent = false } = {}) {
      if (open !== null && !urgent) {
        next = question;
        return;
      }
      clearTimeout(timer);
      next = null;
      go(question);
    },
    /** An answer has come. @param {number|null} request the question's number */
    answered(request) {
      if (open !== null && request === open) settle();
    },
    /** No answer is waited for any more. The server hears of it by a question that costs nothing, whose answer is for nobody. */
    giveUp() {
      clearTimeout(timer);
      open = next = null;
      nobodys = ++count;
      send({ kind: "nothing", source: "", request: nobodys });
      onBusy(false);
    },
    /** Whether an answer is for nobody. @param {number|null} request */
    isNobodys: (request) => request !== null && request === nobodys,
    waiting: () => open !== null,
    stop: () => clearTimeout(timer),
  };
}
