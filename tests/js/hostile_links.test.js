import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";

import { DamagedLink, readLink } from "../../gradreel/player/web/app/link.js";

const data = (name) => readFileSync(new URL(`../data/${name}`, import.meta.url));
const entries = JSON.parse(gunzipSync(data("hostile.json.gz"))).filter((entry) => entry.kind === "link");

/** What those hold that can be read. What such a program may do, tests/host/test_hostile.py asks. */
const texts = JSON.parse(data("links.json"));

test("there are links to try, and each text belongs to one", () => {
  assert.equal(entries.length, 24);
  for (const id of Object.keys(texts)) assert.ok(entries.some((entry) => entry.id === id), id);
});

for (const { id, program, why, must } of entries) {
  test(`${id}: ${why}`, async () => {
    if (program === "") return assert.equal(await readLink(program), null);
    const reading = readLink(`#g1.7.${program}`);
    if (id in texts) return assert.deepEqual(await reading, { source: texts[id], step: 7, values: null });
    assert.equal(must, "reject");
    await assert.rejects(reading, (error) => error instanceof DamagedLink && /^This link .*\.$/.test(error.message));
  });
}
