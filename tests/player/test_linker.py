"""The linker: which modules go along, in which order, and what may stand in a script element."""

import re
import subprocess
from graphlib import CycleError
from pathlib import Path

import pytest

from gradreel.player import bundle, linker

MODULES = {
    "main.js": 'import { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\nexport default () => b + c;\n',
    "b.js": 'export { c as b } from "./c.js";\n',
    "c.js": '/** @import { Kind } from "./kinds.js" */\n\nexport const c = 1;\n',
    "other.js": "export const other = 2;\n",
}

GIVING = {
    "five.js": """\
const five = 5, six = 6;
export class Seven {}
export function eight() { return 8; }
export { five as default, six };""",
    "again.js": 'export { six as ten } from "./five.js";\n',
    "near/deep/by.js": 'import { six } from "../../five.js";\nexport { ten } from "../../again.js";\nexport { six };\n',
    "near/words.json": '{"words": ["</script>", "\\u00e9"]}\n',
}


def carried(script: str) -> list[str]:
    """The modules inside a linked script, in the order in which they run."""
    return re.findall(r'^\$\["([\w./-]+)"\] = ', script, re.MULTILINE)


def test_a_module_comes_after_those_it_imports_and_others_stay_behind() -> None:
    assert carried(linker.link(MODULES, "main.js")) == ["c.js", "b.js", "main.js"]


def test_a_missing_module_is_named() -> None:
    with pytest.raises(KeyError, match="near/gone.js"):
        linker.link({"near/main.js": 'import "./gone.js";'}, "near/main.js")


def test_a_circle_is_refused() -> None:
    with pytest.raises(CycleError):
        linker.link({"a.js": 'import "./b.js";', "b.js": 'import "./a.js";'}, "a.js")


def test_nothing_in_a_module_can_end_the_script_element() -> None:
    script = linker.link({"main.js": "export const a = '</script><!--</SCRIPT >';"}, "main.js")
    assert r"'<\/script><\!--<\/SCRIPT >'" in script and "</script" not in script.lower() and "<!--" not in script


def test_an_export_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="export let"):
        linker.link({"main.js": "export let a = 1;\n"}, "main.js")


@pytest.mark.parametrize("entry", ["provide.js", "early.js", "shim.js", "standalone.js"])
def test_every_entry_of_the_player_links(entry: str, tmp_path: Path) -> None:
    names = carried(bundle.script(entry))
    assert names[-1] == entry and len(names) == len(set(names))
    (tmp_path / "linked.mjs").write_text(bundle.script(entry))
    assert said(tmp_path, "--check", "linked.mjs") == ""


def test_the_half_that_changes_is_small_and_the_other_carries_the_libraries() -> None:
    assert len(bundle.script("shim.js")) < 5_000
    assert {"vis.js", "vendor/codemirror.js", "player/player.js"} <= set(carried(bundle.script("provide.js")))


@pytest.mark.parametrize(
    ("source", "given"),
    [
        ("export default function main() { return 1; }\nmain.more = 2;", "main: 1"),
        ("export default async function main() { return 1; }", "main: {}"),
        ("const main = () => 3;\nexport default main;", "main: 3"),
        ("export default () => 4;", ": 4"),
        ('import five from "./five.js";\nexport default () => five;', ": 5"),
        (
            'import * as all from "./five.js";\nexport default () => [all.six, all.Seven.name, all.eight()].join();',
            ": 6,Seven,8",
        ),
        ('import { six as nine } from "./five.js";\nexport default () => nine;', ": 6"),
        ('import {\n  eight,\n  six,\n} from "./five.js";\nexport default () => eight() + six;', ": 14"),
        ('import five, { six, eight as ate } from "./five.js";\nexport default () => five + six + ate();', ": 19"),
        ('import { ten } from "./again.js";\nexport default () => ten;', ": 6"),
        ('import { six, ten } from "./near/deep/by.js";\nexport default () => six + ten;', ": 12"),
        (
            'import all from "./near/words.json" with { type: "json" };\nexport default () => all.words.join();',
            ": </script>,é",
        ),
        ('import all from "./near/../near/words.json";\nexport default () => all.words.length;', ": 2"),
    ],
)
def test_a_linked_script_does_what_its_modules_do(source: str, given: str, tmp_path: Path) -> None:
    (tmp_path / "linked.mjs").write_text(linker.link({"main.js": source, **GIVING}, "main.js"))
    (tmp_path / "run.mjs").write_text(
        'import main from "./linked.mjs"; const given = main();'
        "console.log(`${main.name.replace('$default', '')}: ${given instanceof Promise ? '{}' : given}`);"
    )
    assert said(tmp_path, "run.mjs") == given + "\n"


def said(folder: Path, *arguments: str) -> str:
    """What node prints."""
    done = subprocess.run(["node", *arguments], capture_output=True, text=True, timeout=60, cwd=folder)
    return done.stdout + done.stderr
