"""gradcheck, autograd.functional, torch.func, forward mode: programs print and raise what they do in torch."""

from typing import Any

import pytest

import autograd_core
import autograd_core.func
import autograd_core.utils.checkpoint
from tests.autograd_core.naming import under_the_name_of_torch
from tests.autograd_core.programs import close, printed
from tests.autograd_core.stored import load

PROGRAMS = load("functional")
SNIPPETS = [run for run in load("runs") if run["name"].startswith("f_")]
"""Programs as people write them; tests/interpreter runs them through the interpreter."""


@pytest.mark.parametrize("program", PROGRAMS, ids=[program["name"] for program in PROGRAMS])
def test_programs_print_what_torch_prints(program: dict[str, str]) -> None:
    got = printed(program["code"])
    assert close(program["prints"], got), f"torch printed\n{program['prints']}\nhere\n{got}"


@pytest.mark.parametrize("run", SNIPPETS, ids=[run["name"] for run in SNIPPETS])
def test_snippets_run_with_the_engine_in_the_place_of_torch(run: dict[str, Any]) -> None:
    source, raised = run["source"], run["exceptions"]
    with under_the_name_of_torch(autograd_core):
        if not raised:
            assert close(run["stdout"], printed(source))
            return
        ((kind, message, line),) = raised
        assert close(run["stdout"], printed("\n".join(source.splitlines()[: line - 1])))
        with pytest.raises(Exception) as caught:
            printed(source)
    assert type(caught.value).__name__ == kind.rpartition(".")[2] and close(message, str(caught.value))


def test_there_are_programs_of_each_kind() -> None:
    assert {"gradcheck", "functional", "func_grad", "func_vmap", "forward_mode"} <= {p["name"] for p in PROGRAMS}
    assert len(SNIPPETS) >= 13
