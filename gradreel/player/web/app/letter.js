/**
 * What the server sends: one line of JSON that says what this is, then the scene as gzipped JSON, then perhaps a scene to stand
 * beside it, the data of the page itself (both gzipped JSON), or a file to save.
 */

import { unpacked } from "../scene/scene.js";

const LONGEST_SCENE = 200_000_000;

/** @typedef {{request: number|null, scene: number, beside?: number, page?: number, file?: {name: string, type: string}|null, message?: string|null,
 *            source?: string, [more: string]: any}} Head   the parts by their lengths in bytes */

const PARTS = ["scene", "beside", "page"];

/**
 * @param {Uint8Array} bytes
 * @returns {{head: Head, scene: Uint8Array|null, beside: Uint8Array|null, page: Uint8Array|null, file: Uint8Array|null}}
 */
export function open(bytes) {
  let at = bytes.indexOf(10) + 1;
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, at - 1)));
  const cut = (length) => (length ? bytes.subarray(at, (at += length)) : null);
  const [scene, beside, page] = PARTS.map((name) => cut(head[name] ?? 0));
  return { head, scene, beside, page, file: cut(bytes.length - at) };
}

/** The scene in an encoded one: gzipped JSON. @param {Uint8Array} bytes @returns {Promise<any>} */
export async function unzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(stream).text();
  if (text.length > LONGEST_SCENE) throw new RangeError("the scene is too large");
  return unpacked(JSON.parse(text));
}

/** A short name for bytes, by FNV-1a: enough to see that nothing has changed. @param {Uint8Array|null} bytes @returns {string} */
export function fingerprint(bytes) {
  if (!bytes) return "none";
  let hash = 2166136261;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at], 16777619) >>> 0;
  return `${hash}:${bytes.length}`;
}
