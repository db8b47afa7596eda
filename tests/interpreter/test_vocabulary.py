"""What the editor proposes is what programs may use: the page's list is the interpreter's."""

import json
import os
import textwrap
from inspect import ismodule
from pathlib import Path

from gradreel.interpreter.library import vocabulary
from gradreel.interpreter.torch_module.namespace import SPACES

FILE = Path(__file__).parents[2] / "gradreel" / "player" / "web" / "editor" / "vocabulary.json"


def expected() -> str:
    """The list as JSON, its lines as wide as those of code."""
    return (
        "{\n" + ",\n".join(f"{json.dumps(owner)}: [{lines(names)}]" for owner, names in vocabulary().items()) + "\n}\n"
    )


def lines(names: list[str]) -> str:
    text = ", ".join(map(json.dumps, names))
    if not text:
        return ""
    return "\n" + textwrap.fill(text, 118, initial_indent="  ", subsequent_indent="  ") + "\n"


def test_the_page_proposes_what_programs_may_use() -> None:
    if os.environ.get("FIX_GOLDEN"):
        FILE.write_text(expected(), encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == expected(), "run this test with FIX_GOLDEN=1 and read the change"


def test_no_module_of_the_engine_is_handed_to_programs() -> None:
    found = [(path, name) for path, space in SPACES.items() for name, thing in space.table.items() if ismodule(thing)]
    assert not found
    assert set(SPACES) == {path for path in SPACES if path.partition(".")[0] == "torch"}


def test_names_belong_where_torch_has_them() -> None:
    words = vocabulary()
    assert {"tensor", "zeros", "nn", "no_grad"} <= set(words["torch"])
    assert {"Linear", "Module", "functional"} <= set(words["torch.nn"])
    assert {"backward", "retain_grad", "detach_"} <= set(words["Tensor"])
    assert {"print", "len"} <= set(words[""]) and not {"eval", "exec", "compile", "__import__"} & set(words[""])
