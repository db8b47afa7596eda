"""The linker: which modules go along, in which order, and what may stand in a script element."""

import json
import re
import subprocess
from graphlib import CycleError
from pathlib import Path

import pytest

from gradreel.player import bundle, linker

MODULES = {
    "main.js": 'import { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\nexport default () => b + c;\n',
    "b.js": 'export { c as b } from "./c.js";\n',
    "c.js": "export const c = 1;\n",
    "other.js": "export const other = 2;\n",
}


def carried(script: str) -> list[tuple[str, str]]:
    """The modules inside a linked script, in the order in which they are loaded."""
    found = re.search(r"of (\[\[.*\]\])\) \{", script)
    assert found
    return [(name, source) for name, source in json.loads(found[1])]


def test_a_module_comes_after_those_it_imports() -> None:
    assert [name for name, _ in carried(linker.link(MODULES, "main.js"))] == ["c.js", "b.js", "main.js"]


def test_sources_travel_unchanged() -> None:
    assert dict(carried(linker.link(MODULES, "main.js"))) == {
        name: MODULES[name] for name in ("main.js", "b.js", "c.js")
    }


def test_a_missing_module_is_named() -> None:
    with pytest.raises(KeyError, match="gone.js"):
        linker.link({"main.js": 'import "./gone.js";'}, "main.js")


def test_a_circle_is_refused() -> None:
    with pytest.raises(CycleError):
        linker.link({"a.js": 'import "./b.js";', "b.js": 'import "./a.js";'}, "a.js")


def test_nothing_in_a_module_can_end_the_script_element() -> None:
    script = linker.link({"main.js": "const a = '</script><!--\u2028\u2029&';"}, "main.js")
    carrying = next(line for line in script.splitlines() if "main.js" in line)
    assert not set("\u2028\u2029") & set(script)
    assert "</script" not in carrying and "<!--" not in carrying


@pytest.mark.parametrize("entry", ["provide.js", "shim.js", "standalone.js"])
def test_every_entry_of_the_player_links(entry: str) -> None:
    names = [name for name, _ in carried(bundle.script(entry))]
    assert names[-1] == entry and len(names) == len(set(names))


def test_the_half_that_changes_is_small_and_the_other_carries_the_libraries() -> None:
    assert len(bundle.script("shim.js")) < 5_000
    assert {"vis.js", "codemirror.js", "player.js"} <= {name for name, _ in carried(bundle.script("provide.js"))}


def test_a_linked_script_gives_the_default_export_of_its_entry(tmp_path: Path) -> None:
    """Node knows blob URLs but does not import from them, so they stand in as data URLs here."""
    stand_in = """
    const texts = new Map();
    globalThis.Blob = class { constructor(parts) { this.text = parts.join(""); } };
    URL.createObjectURL = (blob) => `data:text/javascript,${encodeURIComponent(blob.text)}`;
    """
    (tmp_path / "stand_in.mjs").write_text(stand_in)
    (tmp_path / "linked.mjs").write_text(linker.link(MODULES, "main.js"))
    (tmp_path / "run.mjs").write_text(
        'import "./stand_in.mjs"; const { default: main } = await import("./linked.mjs"); console.log(main());'
    )
    done = subprocess.run(["node", tmp_path / "run.mjs"], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("2\n", "")
