import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";

import { createClient, decodeResponse, fingerprint } from "../../gradreel/player/web/app/server.js";
import { formatList, parseList, shapeOf } from "../../gradreel/player/web/panels/expression.js";
import { decodePayload } from "../../gradreel/player/web/scene/scene.js";

test("a letter opens into its head, its scene and its file", async () => {
  const scene = gzipSync(JSON.stringify({ steps: [] }));
  const file = Buffer.from("a\nfile");
  const letter = decodeResponse(
    Buffer.concat([Buffer.from(`${JSON.stringify({ request: 7, scene: scene.length })}\n`), scene, file]),
  );
  assert.equal(letter.head.request, 7);
  assert.deepEqual(await decodePayload(letter.scene), { steps: [] });
  assert.equal(Buffer.from(letter.file).toString(), "a\nfile");
});

test("a letter without a scene has none", () => {
  const { scene, file } = decodeResponse(Buffer.from('{"scene":0}\n'));
  assert.deepEqual([scene, file], [null, null]);
});

test("bytes that differ in one place have another fingerprint", () => {
  const bytes = new Uint8Array(50_000);
  const other = bytes.slice();
  other[31_415] = 1;
  assert.notEqual(fingerprint(bytes), fingerprint(other));
  assert.equal(fingerprint(bytes), fingerprint(bytes.slice()));
});

test("of questions that wait only the newest is asked, and busy ends with the last answer", () => {
  const sent = [];
  const busy = [];
  const wire = createClient({ send: (question) => sent.push(question), onBusy: (now) => busy.push(now) });
  for (const values of [1, 2, 3]) wire.ask({ kind: "run", values });
  assert.deepEqual(sent.map((question) => question.values), [1]);
  wire.settleRequest(sent[0].request);
  assert.deepEqual(sent.map((question) => question.values), [1, 3]);
  wire.settleRequest(sent[0].request);
  assert.equal(wire.waiting(), true);
  wire.settleRequest(sent[1].request);
  assert.equal(wire.waiting(), false);
  assert.deepEqual([busy.at(-1), new Set(sent.map((question) => question.request)).size], [false, 2]);
});

test("who gives up waits for nothing, and what was on its way then is for nobody", () => {
  const sent = [];
  const busy = [];
  const wire = createClient({ send: (question) => sent.push(question), onBusy: (now) => busy.push(now) });
  wire.ask({ kind: "run", values: 1 });
  wire.ask({ kind: "run", values: 2 });
  wire.giveUp();
  assert.deepEqual([wire.waiting(), busy.at(-1), sent.map(({ kind }) => kind)], [false, false, ["run", "nothing"]]);
  assert.deepEqual(sent.map(({ request }) => wire.isStale(request)), [true, true]);
  wire.ask({ kind: "run", values: 3 });
  assert.equal(wire.isStale(sent[2].request), false);
  assert.equal(wire.isStale(null), false);
  wire.stop();
});

test("the answer to a question that an urgent one has overtaken is for nobody", () => {
  const sent = [];
  const wire = createClient({ send: (question) => sent.push(question) });
  const numbers = [{}, { urgent: true }].map((how) => wire.ask({ kind: "run" }, how));
  assert.deepEqual(sent.map(({ request }) => request), numbers);
  assert.deepEqual(numbers.map(wire.isStale), [true, false]);
  wire.settleRequest(numbers[1]);
  assert.equal(wire.isStale(numbers[1]), false, "it may come twice");
  wire.stop();
});

test("an answer is waited for as long as the server says that its runs may take", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let silent = 0;
  const sent = [];
  const wire = createClient({ send: (question) => sent.push(question), onSilence: () => (silent += 1) });
  wire.ask({ kind: "run", values: 1 });
  wire.settleRequest(sent[0].request, 180_000);
  wire.ask({ kind: "run", values: 2 });
  context.mock.timers.tick(179_000);
  assert.deepEqual([silent, wire.waiting()], [0, true]);
  context.mock.timers.tick(1_000);
  assert.deepEqual([silent, wire.waiting()], [1, false]);
});

test("a question that is never answered does not block those after it", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let silences = 0;
  const sent = [];
  const wire = createClient({ send: (question) => sent.push(question), onSilence: () => (silences += 1) });
  wire.ask({ kind: "run" });
  context.mock.timers.tick(60_000);
  wire.ask({ kind: "run" });
  assert.deepEqual([silences, sent.length], [1, 2]);
  wire.stop();
});

for (const [text, value] of [
  ["2", 2],
  ["-0.5", -0.5],
  [".5", 0.5],
  ["2.", 2],
  ["1e-3", 0.001],
  ["[1, 2.]", [1, 2]],
  [
    "[[1, 2], [3, 4]]",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["", null],
  ["x", null],
  ["[1, [2]]", null],
  ["[[1], [2, 3]]", null],
  ["[]", null],
  ['"2"', null],
  ["[true]", null],
]) {
  test(`the value of "${text}" is ${JSON.stringify(value)}`, () => assert.deepEqual(parseList(text), value));
}

test("a value that is written can be read again", () => {
  for (const value of [0, -1.25, [1, 2], [[1], [2]], 1e21, 5e-324])
    assert.deepEqual(parseList(formatList(value)), value);
});

test("the shape of even lists is known, that of uneven ones is none", () => {
  assert.deepEqual([shapeOf(3), shapeOf([[1, 2, 3], [4, 5, 6]]), shapeOf([[1], [2, 3]])], [[], [2, 3], null]);
});
