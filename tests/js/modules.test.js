import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import test from "node:test";

const web = new URL("../../gradreel/player/web/", import.meta.url);

/** Every module compiled and none run: most want a page. One process does them all. */
const COMPILE = `
import vm from "node:vm";
const modules = JSON.parse(await new Response(process.stdin).text());
for (const [name, text] of modules) {
  try {
    new vm.SourceTextModule(text);
  } catch (error) {
    console.log(name + ": " + error.message);
  }
}`;

/** What `gradreel/player/bundle.py` makes. */
const GENERATED = ["vis.js", "styles.js"];

/** The modules of the player by their paths. */
function modules() {
  const names = readdirSync(web, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  return names
    .filter((name) => name.endsWith(".js") && !name.startsWith("vendor/"))
    .map((name) => [name, readFileSync(new URL(name, web), "utf8")]);
}

test("every module of the player can be read by an engine", () => {
  const input = JSON.stringify(modules());
  const { stdout, status } = spawnSync(
    process.execPath,
    ["--experimental-vm-modules", "--no-warnings", "--input-type=module", "-e", COMPILE],
    { input, encoding: "utf8" },
  );
  assert.equal(status, 0);
  assert.equal(stdout, "");
});

/** The folders of the player, each of which knows those before it alone; the entries beside them know all. */
const LAYERS = "vendor lib scene stage editor timeline panels share player app pages .".split(" ");

test("a folder of the player imports from those below it alone, and nothing twice", () => {
  for (const [name, text] of modules()) {
    const imports = [...text.matchAll(/^import\s[^"]*"(\.[^"]+)"/gm)].map(([, path]) => path);
    assert.equal(new Set(imports).size, imports.length, name);
    for (const path of imports) {
      const target = posix.normalize(posix.join(posix.dirname(name), path));
      if (GENERATED.includes(target)) continue;
      const [from, to] = [name, target].map((each) => LAYERS.indexOf(posix.dirname(each)));
      assert.ok(to >= 0 && to <= from, `${name} imports ${target}`);
    }
  }
});
