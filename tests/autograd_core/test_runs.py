"""Whole programs run on the engine itself, with `import torch` meaning it, print and raise what they do in PyTorch.

The same recordings are played through the interpreter in tests/interpreter.
"""

import contextlib
import io
import warnings
from typing import Any

import pytest

import autograd_core
from autograd_core.engine.state import isolated
from autograd_core.random.generator import DEFAULT_SEED
from tests.autograd_core.naming import under_the_name_of_torch
from tests.autograd_core.stored import load
from tests.interpreter.recorded import programs
from tests.printing import same_text

SURVEYS = load("layers")
"""Longer ones that go through all variants of a kind of layer: values, graphs to the last saved name, refusals."""

LAYERS = {program.name: program for program in programs() if program.name[0] == "n" and program.name[1:3].isdigit()}


def outcome(source: str) -> tuple[str, str | None]:
    """What the program prints, and the error that ends it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    out = io.StringIO()
    before = autograd_core.get_default_dtype()
    try:
        with (
            under_the_name_of_torch(autograd_core),
            isolated(),
            contextlib.redirect_stdout(out),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            autograd_core.manual_seed(DEFAULT_SEED)
            exec(compile(source, "program", "exec"), names)  # the programs are our own
    except Exception as error:
        return out.getvalue(), type(error).__name__
    finally:
        autograd_core.set_default_dtype(before)
    return out.getvalue(), None


@pytest.mark.parametrize("name", LAYERS)
def test_a_program_prints_and_raises_what_pytorch_does(name: str) -> None:
    program = LAYERS[name]
    printed, error = outcome(program.source)
    assert error == (program.exceptions[0][0] if program.exceptions else None)
    assert same_text(program.stdout, printed, program.values), f"printed {printed!r}"


@pytest.mark.parametrize("survey", SURVEYS, ids=[survey["name"] for survey in SURVEYS])
def test_all_variants_do_what_they_do_in_pytorch(survey: dict[str, str]) -> None:
    printed, error = outcome(survey["source"])
    assert error is None
    for expected, found in zip(survey["prints"].splitlines(), printed.splitlines(), strict=False):
        assert same_text(expected, found), f"torch printed\n{expected}\nhere\n{found}"
    assert same_text(survey["prints"], printed)


def test_there_are_programs_for_what_others_do_not_use() -> None:
    sources = "\n".join(program.source for program in LAYERS.values())
    for piece in (
        "LSTM",
        "GRU",
        "RNN(",
        "MultiheadAttention",
        "LBFGS",
        "lr_scheduler",
        "Normal",
        "Categorical",
        "hook",
    ):
        assert piece in sources
