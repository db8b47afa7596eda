"""Torch-free programs do here what they do in Python itself: the same output, the same error on the same line."""

from __future__ import annotations

import contextlib
import io
import traceback
import warnings
from pathlib import Path

import pytest

from gradreel.program import run
from gradreel.trace.events import Printed, Raised

CASES = Path(__file__).with_name("cases.txt").read_text(encoding="utf-8").rstrip("\n").split("\n#####\n")


def in_python(source: str) -> tuple[str, tuple[str, str, int | None] | None]:
    """What the program prints, and what it raises, in the Python that runs this test."""
    out, raised = io.StringIO(), None
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "<case>", "exec"), {"__name__": "__main__"})
        except Exception as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<case>"]
            raised = (type(error).__name__, str(error), lines[-1])
    return out.getvalue(), raised


@pytest.mark.parametrize("source", CASES, ids=lambda source: source.split("\n")[0][:40])
def test_a_program_does_what_it_does_in_python(source: str) -> None:
    printed, raised = in_python(source)
    trace = run(source)
    uncaught = [e for e in trace.events if isinstance(e, Raised) and not e.caught]
    assert "".join(e.text for e in trace.events if isinstance(e, Printed)) == printed
    assert [(e.type, e.message, e.line) for e in uncaught] == ([raised] if raised else [])


TRANSCRIPT = """\
>>> x = 2
>>> x + 1
3
>>> None
>>> 1 / 0
Traceback (most recent call last):
ZeroDivisionError: division by zero
>>> for i in range(2):
...     i * 10
...
>>> print(x)
2
>>> [x, 'a']
"""


def test_a_transcript_echoes_and_goes_on_after_an_error() -> None:
    trace = run(TRANSCRIPT)
    assert trace.mode == "transcript" and trace.outcome.kind == "finished"
    assert "".join(e.text for e in trace.events if isinstance(e, Printed)) == "3\n0\n10\n2\n[2, 'a']\n"
    assert [(e.type, e.line) for e in trace.events if isinstance(e, Raised)] == [("ZeroDivisionError", 5)]


def test_a_header_makes_a_script_a_transcript_without_echo() -> None:
    trace = run("# record: transcript\n1 + 1\n[][0]\nprint('on')")
    assert [e.text for e in trace.events if isinstance(e, Printed)] == ["on\n"]
    assert trace.outcome.kind == "finished"


def test_a_script_ends_at_its_first_uncaught_error() -> None:
    trace = run("print(1)\nprint(missing_name)\nprint(2)")
    assert [e.text for e in trace.events if isinstance(e, Printed)] == ["1\n"]
    assert (trace.outcome.kind, trace.outcome.type, trace.outcome.line) == ("raised", "NameError", 2)


def test_a_name_error_suggests_a_near_name() -> None:
    assert run("total = 1\nprint(totl)").outcome.message == "name 'totl' is not defined. Did you mean: 'total'?"


def test_the_same_program_gives_the_same_trace() -> None:
    source = "import torch\nx = torch.rand(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad, id(x))"
    assert run(source).to_json() == run(source).to_json()
