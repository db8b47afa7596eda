/**
 * What the server sends: one line of JSON that says what this is, then the scene as gzipped JSON, then perhaps a file to save.
 */

import { unpacked } from "./scene.js";

const LONGEST_SCENE = 200_000_000;

/** @typedef {{request: number|null, scene: number, file?: {name: string, type: string}|null, message?: string|null,
 *            source?: string, [more: string]: any}} Head   `scene` is the length of the scene in bytes */

/**
 * @param {Uint8Array} bytes
 * @returns {{head: Head, scene: Uint8Array|null, file: Uint8Array|null}}
 */
export function open(bytes) {
  const end = bytes.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const scene = bytes.subarray(end + 1, end + 1 + head.scene);
  const file = bytes.subarray(end + 1 + head.scene);
  return { head, scene: scene.length ? scene : null, file: file.length ? file : null };
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
