"""`run(source, isolated=True)` gives the trace that `run(source)` gives, made in a process that is locked down."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

import gradreel.interpreter.runner
from gradreel import Limits, explain, run
from gradreel.trace.events import Printed

from .test_notebook import TWICE

PROGRAMS = {
    "finishes": "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)",
    "raises": TWICE,
    "is refused": "import socket",
    "is no Python": "x = = 1",
    "spends a budget": "x = [0] * 10**9",
    "is a transcript": ">>> 1 + 1\n2\n>>> x\n",
    "is no text": "print('\\ud800')",
    "is a line that the page would make a program of": "sin(x * y)",
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_the_trace_is_the_same(source: str) -> None:
    assert run(source, isolated=True) == run(source, limits=Limits())


def test_mode_and_lower_limits_are_taken_along() -> None:
    few = Limits(steps=1000)
    for mode in ("script", "transcript"):
        assert run("1 / 0\nwhile True: 1", mode=mode, limits=few, isolated=True) == run(
            "1 / 0\nwhile True: 1", mode=mode, limits=few
        )


@pytest.fixture
def nothing_runs_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No program runs in this process."""
    run("print(1)", isolated=True)  # the warm process is there

    def refuse(*given: object) -> None:
        raise AssertionError("a program runs here")

    monkeypatch.setattr(gradreel.interpreter.runner, "execute", refuse)
    yield


def test_programs_and_their_edited_forms_run_elsewhere(nothing_runs_here: None) -> None:
    with pytest.raises(AssertionError):
        run(TWICE)
    [found] = explain(run(TWICE, isolated=True), isolated=True)
    assert "retain_graph=True" in found["mends"][0]["source"]


def test_texts_have_the_same_hash_in_every_process() -> None:
    program = "print(hash('a'), hash(('b', 1)), hash(frozenset('de')))"
    said = subprocess.run([sys.executable, "-c", program], env={"PYTHONHASHSEED": "0"}, capture_output=True, text=True)
    assert [event.text for event in run(program, isolated=True).events if isinstance(event, Printed)] == [said.stdout]
