/** Reads fragments, a line of JSON each, and says what the decoder made of them: for tests/host/test_links.py. */

import { createInterface } from "node:readline";

import { DamagedLink, readAddress, readLink, writeLink } from "../../gradreel/player/web/app/link.js";

const WAYS = {
  hash: (text) => readLink(text),
  query: (text) => readAddress({ hash: "", search: text }),
  again: async (text) => readLink(await writeLink({ source: text, step: null })),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [way, text] = JSON.parse(line);
  let said;
  try {
    const place = await WAYS[way](text);
    said = place === null ? ["none"] : ["place", place.source, place.step];
  } catch (error) {
    said = [error instanceof DamagedLink ? "damaged" : "fault", String(error.message)];
  }
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
