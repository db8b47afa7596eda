"""A formula of the table may name operators of other files; a name that nobody has is found here, not when it runs."""

import builtins
import dis
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

from autograd_core import ops
from autograd_core.dispatch import op

MODULES = [found.name for found in pkgutil.iter_modules(ops.__path__)]


def codes(code: CodeType) -> Iterator[CodeType]:
    """`code` and all that is written in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def unknown(source: str, known: set[str]) -> set[str]:
    asked = {
        step.argval
        for code in codes(compile(source, "source", "exec"))
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return asked - known - set(dir(builtins)) - op.GRAPH.keys()


@pytest.mark.parametrize("name", MODULES)
def test_every_name_is_of_its_module_or_of_the_table(name: str) -> None:
    module = importlib.import_module(f"{ops.__name__}.{name}")
    assert module.__file__ is not None
    assert not unknown(Path(module.__file__).read_text(encoding="utf-8"), set(vars(module)))


def test_a_name_that_nobody_has_is_found() -> None:
    assert unknown("f = lambda grad: mul(grad, forgotten(grad))", {"f"}) == {"forgotten"}
