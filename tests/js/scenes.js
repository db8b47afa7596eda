/** Scenes for the tests: those stored with the repository, and some made to measure. */

import { readdirSync, readFileSync } from "node:fs";

const FOLDER = new URL("../data/golden/", import.meta.url);

/** @returns {[string, any][]} every stored scene with its name */
export function storedScenes() {
  return readdirSync(FOLDER).filter((name) => name.endsWith(".scene.json")).sort().map((name) => [name, stored(name)]);
}

/** @param {string} name */
export function stored(name) {
  return JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
}

/** The width of text in the mono font, near enough for tests. */
export const measure = (text, size) => text.length * size * 0.602;
