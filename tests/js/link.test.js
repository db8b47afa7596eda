import assert from "node:assert/strict";
import test from "node:test";
import { deflateRawSync } from "node:zlib";

import {
  DamagedLink, embedAddress, isEmbedded, readAddress, readLink, stepAsked, writeLink,
} from "../../gradreel/player/web/app/link.js";

const PROGRAM = "import torch\nx = torch.ones(2)  # ünïcode ≠ ascii 🎞\n";

const FIRST = { source: "import torch\nx = torch.ones(2)\n", step: 4, values: null };

test("a link gives back the program, the step and the values", async () => {
  const place = { source: PROGRAM, step: 41, values: { x: [[1, 2], [3, 4]], y: -0.5 } };
  const link = await writeLink(place);
  assert.match(link, /^#g1\.41\.[\w-]+\.[\w-]+$/);
  assert.deepEqual(await readLink(link), place);
});

test("a link without a step opens where a program opens", async () => {
  assert.deepEqual(await readLink(await writeLink({ source: "", step: null })), {
    source: "",
    step: null,
    values: null,
  });
});

test("a fragment of another kind is no link", async () => {
  for (const fragment of ["", "#", "#why-the-second-backward-fails", "#12"])
    assert.equal(await readLink(fragment), null);
});

test("a link that was made by the first version opens as it did", async () => {
  const made = "#g1.4.y8wtyC8qUSjJL0rO4KpQsIWw9PLzUos1jDS5AA";
  assert.deepEqual(await readLink(made), FIRST);
});

test("a page that loses fragments is named its program in the query", async () => {
  const place = { source: PROGRAM, step: 3, values: null };
  const link = await writeLink(place);
  const search = `?${new URLSearchParams({ embed: "true", p: link.slice(1) })}`;
  assert.deepEqual(await readAddress({ hash: "", search }), place);
  assert.deepEqual(await readAddress({ hash: await writeLink({ ...place, step: 9 }), search }), { ...place, step: 9 });
  assert.equal(await readAddress({ hash: "", search: "?embed=true" }), null);
  for (const p of ["", "x = 1", "g1", "g1.1.%%", "__proto__"])
    await assert.rejects(readAddress({ hash: "", search: `?${new URLSearchParams({ p })}` }), DamagedLink, p);
});

const packed = (bytes) => deflateRawSync(bytes).toString("base64url");
for (const [what, fragment] of [
  ["of a later version", `#g2.1.${packed("x")}`],
  ["of a version that never was", `#g0.1.${packed("x")}`],
  ["with a step that is none", `#g1.-1.${packed("x")}`],
  ["without a program", "#g1.1."],
  ["with letters that are none", "#g1.1.%%%%"],
  ["cut short", `#g1.1.${packed(PROGRAM).slice(0, -6)}`],
  ["that is not UTF-8", `#g1.1.${packed(Buffer.from([0xff, 0xfe]))}`],
  ["that unfolds without end", `#g1.1.${packed("a".repeat(5_000_000))}`],
  ["with values that are no JSON", `#g1.1.${packed("x")}.${packed("{")}`],
  ["with too many parts", `#g1.1.${packed("x")}.${packed("{}")}.x`],
]) {
  test(`a link ${what} is refused with a sentence`, async () => {
    await assert.rejects(
      readLink(fragment),
      (error) => error instanceof DamagedLink && /^This link .*\.$/.test(error.message),
    );
  });
}

test("an embedded page is named its program and its step in the query", async () => {
  const place = { source: PROGRAM, step: 7, values: null };
  const { hash, search, pathname } = new URL(embedAddress(await writeLink(place), "https://example.org/lab/?x=1#old"));
  assert.equal(isEmbedded({ search }), true);
  assert.deepEqual([hash, pathname], ["", "/lab/"]);
  assert.deepEqual(await readAddress({ hash, search }), place);
  assert.deepEqual(await readAddress({ hash, search: `${search}&step=31` }), { ...place, step: 31 });
  for (const search of ["?step=x", "?step=-1", "?step=12345678", ""]) assert.equal(stepAsked({ search }), null);
});
