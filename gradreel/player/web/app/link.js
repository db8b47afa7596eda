/**
 * A program and a step as a link's fragment, `#g1.<step>.<program>[.<values>]`, where no step means the one a program
 * opens at: raw deflate, base64url. A fragment stays in the browser: no server and no log ever sees it. For embedding,
 * where a fragment is lost, the same text may stand in the query as `?p=g1...`. What comes out of a link is a
 * stranger's: its length is capped both packed and unpacked. At the end: the ways to hand a step to somebody else, as a
 * link or as HTML.
 */




const VERSION = "g1";

/** How to read what follows the version; a link, once made, opens for good, so a version that was in use stays here. */
const READERS = { g1: readFirst };

export const LONGEST_LINK = 8000;
const LONGEST_TEXT = 100_000;

/** @typedef {{source: string, step: number|null, values?: Record<string, any>|null}} Place */

/** A link that cannot be read; its message is for the person who opened it. */
export class DamagedLink extends Error {}

/** What stands behind the # of an address; as it is, where a cut or a stranger's hand left it without a meaning.
 * @param {string} hash
 */
export function decodeHash(hash) {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return hash.slice(1);
  }
}

/** What a page is asked to open with: behind the #, else as `?step=`; null for a program, and where nothing is.
 * @param {{hash: string, search: string}} address
 */
export function placeAsked({ hash, search }) {
  const asked = decodeHash(hash) || new URLSearchParams(search).get("step");
  return asked && !/^g\d+\.|^find=/.test(asked) ? asked.replace(/@\d+$/, "") : null;
}

/** @param {Place} place @returns {Promise<string>} the fragment, with its # */
export async function writeLink({ source, step, values = null }) {
  const parts = [VERSION, step === null ? "" : String(step), await pack(source)];
  if (values) parts.push(await pack(JSON.stringify(values)));
  return `#${parts.join(".")}`;
}

/** Whether the page is to be part of another page, by `?embed=true`. @param {{search: string}} address */
export const isEmbedded = ({ search }) => new URLSearchParams(search).get("embed") === "true";

/** What stands between two programs in an address, and before what else is said of them. */
export const BETWEEN = "~";

/** Two programs as what stands behind the # of the page that compares them.
 * @param {string[]} sources @param {number|null} moment @param {string} [kind]
 */
export async function writePair(sources, moment, kind) {
  const packed = await Promise.all(sources.map((source) => writeLink({ source, step: moment })));
  return `#${[...packed.map((each) => each.slice(1)), kind].filter(Boolean).join(BETWEEN)}`;
}

/** The step that `?step=` asks for, whatever program there is.
 * @param {{search: string}} address
 * @returns {number|null}
 */
export function stepAsked({ search }) {
  const step = new URLSearchParams(search).get("step") ?? "";
  return /^\d{1,7}$/.test(step) ? Number(step) : null;
}

/**
 * @param {{hash: string, search: string}} address
 * @returns {Promise<Place|null>} null where the address names no program
 */
export async function readAddress({ hash, search }) {
  const place = await readLink(hash);
  if (place) return place;
  const asked = new URLSearchParams(search).get("p");
  if (asked === null) return null;
  const found = await readLink(asked);
  if (!found) throw new DamagedLink("This link is damaged: its ?p= holds no program.");
  return { ...found, step: stepAsked({ search }) ?? found.step };
}

/** The address of a page that shows one program at one step inside another page; it travels in the query, for there are
 * hosts that lose fragments.
 * @param {string} fragment  as `writeLink` gives it
 * @param {string} home
 */
export function embedAddress(fragment, home) {
  const address = new URL(home);
  address.hash = "";
  address.search = new URLSearchParams({ embed: "true", p: fragment.slice(1) }).toString();
  return address.href;
}

/**
 * @param {string} fragment
 * @returns {Promise<Place|null>} null where the fragment is no link of ours
 */
export async function readLink(fragment) {
  const [version, ...parts] = fragment.replace(/^#/, "").split(".");
  if (!/^g\d+$/.test(version)) return null;
  if (fragment.length > 8 * LONGEST_LINK) throw new DamagedLink("This link is too long to be a program.");
  if (!Object.hasOwn(READERS, version)) throw new DamagedLink("This link was made by a newer Gradreel.");
  return READERS[version](parts);
}

/** @param {string[]} parts @returns {Promise<Place>} */
async function readFirst([step, packed, values, ...more]) {
  if (!/^\d{0,7}$/.test(step ?? "") || !packed || more.length) throw new DamagedLink("This link is damaged.");
  const source = await unpack(packed);
  return { source, step: step === "" ? null : Number(step), values: values ? parseValues(await unpack(values)) : null };
}

function parseValues(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new DamagedLink("This link is damaged.");
  }
}

async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(packed) {
  try {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    if (await isWhole(bytes.subarray(0, -1))) throw new RangeError("something follows the program");
    return await inflate(bytes);
  } catch {
    throw new DamagedLink("This link is damaged: it does not hold a program.");
  }
}

/** Whether `bytes` hold a whole program: one that ends sooner has more behind it, which not every stream minds. */
const isWhole = (bytes) => inflate(bytes).then(() => true, () => false);

async function inflate(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    if (text.length > LONGEST_TEXT) throw new RangeError("too much text");
    if (done) return text;
  }
}

/**
 * @param {{place: () => {source: string, step: number, values: any}, home: () => URL, keepAsFile: () => void, say:
 *   (text: string, how?: {lasting?: boolean, offer?: {title: string, act: () => void}}) => void}} lab  `place` is what
 *   a link names; `keepAsFile` helps where a link cannot.
 */
export function createSharing({ place, home, keepAsFile, say }) {
  /** The link to this step; nothing, and a sentence, where the program is too long for one. */
  async function linkHere() {
    const here = place();
    if (!here.source.trim()) return void say("There is no program to hand on yet.");
    const fragment = await writeLink(here);
    if (fragment.length <= LONGEST_LINK) return fragment;
    return void say("This program is too long for a link. A file of it can be opened here again.",
      { lasting: true, offer: { title: "Save the file", act: keepAsFile } });
  }

  return {
    async copyEmbed() {
      const fragment = await linkHere();
      if (!fragment) return;
      const address = embedAddress(fragment, home().href);
      const size = 'width="100%" height="640" style="border: 0"';
      const html = `<iframe src="${address}" ${size} title="Gradreel"></iframe>`;
      try {
        await navigator.clipboard.writeText(html);
        say("Copied. Paste it into the HTML of your page: it shows this program at this step.");
      } catch {
        say(html, { lasting: true });
      }
    },
    async copyLink() {
      const fragment = await linkHere();
      if (!fragment) return;
      history.replaceState(history.state, "", fragment);
      try {
        await navigator.clipboard.writeText(new URL(fragment, location.href).href);
        say("Link copied. It opens this program at this step.");
      } catch {
        say("The link to this step is in the address bar now.");
      }
    },
  };
}
