"""A post-mortem for every message that PyTorch is recorded to give: for each a program that meets it in a function, a
method or a loop, away from where the fault was made. What torch 2.13 did with each is stored beside them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from gradreel.explain import diagnose
from gradreel.interpreter import run
from gradreel.trace import Trace
from gradreel.trace import events as e

from .causes import Case, cases, check_told

DATA = Path(__file__).parent.parent / "data"
MESSAGES = json.loads(gzip.decompress((DATA / "messages.json.gz").read_bytes()))["messages"]
MET = json.loads(gzip.decompress((DATA / "messages_met.json.gz").read_bytes()))
CASES = cases(("causes_messages.txt",))
OWN = re.compile(r"-?\d+(?:\.\d+)?|'[^']*'|\w+Backward\b|^\w+\(\)|\[[\d, ]*\]")
"""What differs between two messages of one kind: numbers, names, shapes."""


def kind(message: str | None) -> str:
    return OWN.sub("#", message or "")[:60]


def test_no_message_is_without_its_program() -> None:
    assert [case.name for case in CASES] == list(MESSAGES)
    assert list(MET) == list(MESSAGES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_program_meets_the_message_and_its_cause_is_told(case: Case) -> None:
    trace, met = run(case.source), MET[case.name]
    raised = next((event for event in trace.events if isinstance(event, e.Raised) and not event.caught), None)
    assert (None if raised is None else [raised.type, raised.message, raised.line]) == met["raised"]
    assert printed(trace) == met["printed"]
    if raised is not None:
        assert kind(raised.message) == kind(MESSAGES[case.name]["message"])
    if case.kind == "fine":
        assert diagnose(trace) == []
    else:
        check_told(case, trace)


def printed(trace: Trace) -> str:
    return "".join(event.text for event in trace.events if isinstance(event, e.Printed))
