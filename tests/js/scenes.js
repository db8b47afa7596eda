/** Scenes for the tests: some kept as they were, whose steps tests may name, and the goldens of the scene builder. */

import { readdirSync, readFileSync } from "node:fs";

const KEPT = new URL("../data/player/", import.meta.url);
const GOLDEN = new URL("../data/golden/", import.meta.url);

/** @returns {[string, any][]} every scene on disk with its name */
export function storedScenes() {
  const scenes = (folder, ending) => readdirSync(folder).filter((name) => name.endsWith(ending)).sort()
    .map((name) => [`${folder === KEPT ? "kept" : "golden"} ${name.slice(0, -ending.length)}`, read(folder, name)]);
  return [...scenes(KEPT, ".json"), ...scenes(GOLDEN, ".scene.json")];
}

/** @returns {[string, any, URL][]} the goldens: name, scene in rows, and the file of the same scene as it is sent */
export function goldens() {
  return readdirSync(GOLDEN).filter((name) => name.endsWith(".packed.json")).sort()
    .map((name) => [name.split(".")[0], read(GOLDEN, name.replace("packed", "scene")), new URL(name, GOLDEN)]);
}

/** @param {string} name */
export function stored(name) {
  return read(KEPT, name);
}

function read(folder, name) {
  return JSON.parse(readFileSync(new URL(name, folder), "utf8"));
}

/** The width of text in the mono font, near enough for tests. */
export const measure = (text, size) => text.length * size * 0.602;
