"""Torch-free programs do here what they do in Python itself: the same output, the same error on the same line."""

from __future__ import annotations

import pytest

from gradreel.interpreter import run
from gradreel.trace.events import Printed, Raised
from tests.printing import ADDRESS

from .python import cases, stored

EVERY = stored()


@pytest.mark.parametrize("case", EVERY, ids=lambda case: f"{case[0]}: {case[1].split(chr(10))[0][:40]}")
def test_a_program_does_what_it_does_in_python(case: tuple[str, str, str, list[object] | None]) -> None:
    _, source, printed, raised = case
    trace = run(source)
    uncaught = [e for e in trace.events if isinstance(e, Raised) and not e.caught]
    assert ADDRESS.sub("0x...", "".join(e.text for e in trace.events if isinstance(e, Printed))) == printed
    assert [[e.type.rpartition(".")[2], e.message, e.line] for e in uncaught] == ([raised] if raised else [])
    assert trace.outcome.kind == ("raised" if raised else "finished"), trace.outcome.message


def test_the_programs_are_those_that_were_recorded() -> None:
    assert [(file, source) for file, sources in cases().items() for source in sources] == [row[:2] for row in EVERY]


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
