import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";

const web = new URL("../../gradreel/player/web/", import.meta.url);

/** Every module compiled and none run: most want a page. One process does them all. */
const COMPILE = `
const modules = JSON.parse(await new Response(process.stdin).text());
for (const [name, text] of modules) {
  try {
    new vm.SourceTextModule(text);
  } catch (error) {
    console.log(name + ": " + error.message);
  }
}`;

test("every module of the player can be read by an engine", () => {
  const names = readdirSync(web, { recursive: true }).filter((name) => name.endsWith(".js"));
  const input = JSON.stringify(names.map((name) => [name, readFileSync(new URL(name, web), "utf8")]));
  const { stdout, status } = spawnSync(process.execPath, ["--experimental-vm-modules", "--no-warnings", "--input-type=module", "-e", COMPILE], { input, encoding: "utf8" });
  assert.equal(status, 0);
  assert.equal(stdout, "");
  assert.ok(names.length > 80);
});
