"""What the library written in Python has for itself: no program can import it, nor find it in a module."""

from __future__ import annotations

import pytest

from gradreel.interpreter import run
from gradreel.interpreter.library import MODULES, SOURCES, is_private
from gradreel.interpreter.stdlib.files import DISK
from gradreel.trace.events import Printed

PRIVATE = sorted(name for name in MODULES if is_private(name))


def said(source: str) -> str:
    trace = run(source)
    assert trace.outcome.kind == "finished", trace.outcome
    return "".join(event.text for event in trace.events if isinstance(event, Printed))


def test_there_are_private_modules() -> None:
    assert {"_disk", "_patterns"} <= set(PRIVATE) and "__future__" not in PRIVATE


@pytest.mark.parametrize("name", PRIVATE)
def test_no_program_imports_them(name: str) -> None:
    for source in (f"import {name}", f"from {name} import *", f"import {name} as a", "import _disc"):
        outcome = run(source).outcome
        assert outcome.kind == "refused" and f"`{name}`" not in str(outcome.message).partition("possible")[2]
    assert said(f"try: import {name}\nexcept ImportError as e: print(e)") == f"No module named '{name}'\n"


def test_no_module_offers_what_it_has_of_them() -> None:
    public = sorted(name for name in SOURCES if not is_private(name) and name != "torch.ops")  # has any name there is
    tries = [f"import {name} as m{nr}" for nr, name in enumerate(public)]
    tries += [f"print([name for name in {sorted(DISK.table)} if hasattr(m{nr}, name)])" for nr in range(len(public))]
    assert said("\n".join(tries)).splitlines() == ["[]"] * len(public)
    for name in public:
        assert run(f"from {name} import *\nkey, refuse, texts").outcome.type == "NameError"
