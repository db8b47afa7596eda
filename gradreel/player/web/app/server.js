/**
 * Requests to the server and its responses.
 *
 * Requests go one at a time. One made while another is on its way waits; of several that wait only the newest is sent,
 * so a slider that moves faster than the server answers never falls behind. An urgent one does not wait: what was asked
 * before it is given up.
 *
 * A response is one line of JSON that says what it is, then the scene as gzipped JSON, then perhaps a scene to stand
 * beside it, the data of the page itself (both gzipped JSON), or a file to save (`gradreel/player/response.py` writes
 * it).
 */

/** So many milliseconds an answer is waited for until the server has said how long its runs may take. */
const PATIENCE = 16_000;

/** @typedef {{kind: string, [more: string]: any}} PageRequest */

/**
 * @param {{send: (request: PageRequest & {request: number}) => void, onBusy?: (busy: boolean) => void, onSilence?: ()
 *   => void}} options
 */
export function createClient({ send, onBusy = () => {}, onSilence = () => {} }) {
  let count = Date.now();
  let pending = null;
  let next = null;
  /** The oldest request whose answer somebody still wants. */
  let oldest = 0;
  let timer = 0;
  let patience = PATIENCE;

  const go = (request) => {
    oldest = pending = ++count;
    onBusy(true);
    timer = setTimeout(() => {
      settle();
      onSilence();
    }, patience);
    send({ ...request, request: pending });
  };
  const settle = () => {
    clearTimeout(timer);
    pending = null;
    onBusy(false);
    const waiting = next;
    next = null;
    if (waiting) go(waiting);
  };

  return {
    /**
     * @param {PageRequest} request
     * @param {{urgent?: boolean}} [how]
     * @returns {number|null} its number, if it went off
     */
    ask(request, { urgent = false } = {}) {
      if (pending !== null && !urgent) {
        next = request;
        return null;
      }
      clearTimeout(timer);
      next = null;
      go(request);
      return pending;
    },
    /** An answer has come.
     * @param {number|null} request the request's number
     * @param {number} [milliseconds] how long answers may take from now on
     */
    settleRequest(request, milliseconds) {
      patience = milliseconds || patience;
      if (pending !== null && request === pending) settle();
    },
    /** No answer is waited for any more. The server hears of it by a request that costs nothing, whose answer is for
     * nobody.
     */
    giveUp() {
      clearTimeout(timer);
      pending = next = null;
      send({ kind: "nothing", source: "", request: ++count });
      oldest = count + 1;
      onBusy(false);
    },
    /** Whether an answer is for nobody: its request was given up, by another that was urgent too. It may have been on
     * its way.
     * @param {number|null} request
     */
    isStale: (request) => request !== null && request < oldest,
    waiting: () => pending !== null,
    stop: () => clearTimeout(timer),
  };
}

/**
 * @typedef {object} Head  what a response says of itself
 * @property {number|null} request  the request that it answers
 * @property {string} place  the page that it is for
 * @property {number} [patience]  the milliseconds that an answer may take
 * @property {number} scene  the lengths of its parts in bytes: the scene, that beside it, the data of the page
 * @property {number} [beside]
 * @property {number} [page]
 * @property {{name: string, type: string}|null} [file]
 * @property {string|null} [message]  a sentence instead of a scene
 * @property {boolean} [again]  whether what it says may be over by now
 * @property {string} [source]  the program that was run
 * @property {Record<string, any>|null} [values]  of the leaves of an expression
 * @property {string[]|null} [remarks]  sentences on what was pasted
 * @property {[number, number, string][]|null} [skipped]  the lines of it of which nothing is run, with the reason
 * @property {string[]|null} [offers]  formulas that may have been meant
 * @property {string} [home]
 * @property {string} [site]  of an exported file, where the Lab is
 * @property {string} [title]
 * @property {string} [intro]
 * @property {string} [step]  what the page opens with: a lesson, a comparison
 * @property {string} [item]  an operator, an exhibit
 * @property {{place: string, title: string, full: string, href: string}[]} [nav]
 * @property {{group: string, programs: {title: string, source: string}[]}[]} [examples]
 */

const PARTS = ["scene", "beside", "page"];

/**
 * @param {Uint8Array} bytes
 * @returns {{head: Head, scene: Uint8Array|null, beside: Uint8Array|null, page: Uint8Array|null, file:
 *   Uint8Array|null}}
 */
export function decodeResponse(bytes) {
  let at = bytes.indexOf(10) + 1;
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, at - 1)));
  const cut = (length) => (length ? bytes.subarray(at, (at += length)) : null);
  const [scene, beside, page] = PARTS.map((name) => cut(head[name] ?? 0));
  return { head, scene, beside, page, file: cut(bytes.length - at) };
}

/** A short name for bytes, by FNV-1a: enough to see that nothing has changed.
 * @param {Uint8Array|null} bytes
 * @returns {string}
 */
export function fingerprint(bytes) {
  if (!bytes) return "none";
  let hash = 2166136261;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at], 16777619) >>> 0;
  return `${hash}:${bytes.length}`;
}
