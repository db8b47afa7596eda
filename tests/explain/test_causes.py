"""Causes of many small programs, and no alarm on those that are fine. Half of them were written as a blind check."""

from __future__ import annotations

import pytest

from gradreel.explain import diagnose
from gradreel.explain.mending import mended
from gradreel.program import run

from .causes import Case, cases

CASES = cases()
FINE = [case for case in CASES if case.kind == "fine"]
TROUBLED = [case for case in CASES if case.kind != "fine"]
HARD = {"wrong_gradient_shape", "wrong_width", "state_with_retain"}
"""Programs whose mend is a matter of what their author meant."""


@pytest.mark.parametrize("case", TROUBLED, ids=lambda case: case.name)
def test_the_cause_is_told_with_its_lines(case: Case) -> None:
    found = next((found for found in diagnose(run(case.source)) if found.kind == case.kind), None)
    assert found is not None
    assert {role: found.lines.get(role) for role in case.lines} == case.lines
    assert 1 <= len(found.story) <= 5 and found.cause
    for sentence in found.story:
        assert sentence[0].isupper() or sentence[0] in "`*", sentence
        assert sentence.endswith(".") and "None of" not in sentence and "{" not in sentence.replace("{'", ""), sentence


@pytest.mark.parametrize("case", FINE, ids=lambda case: case.name)
def test_nothing_is_told_of_a_program_that_is_fine(case: Case) -> None:
    trace = run(case.source)
    assert trace.outcome.kind == "finished"
    assert diagnose(trace) == []


@pytest.mark.parametrize("case", [case for case in TROUBLED if case.name not in HARD], ids=lambda case: case.name)
def test_a_mend_is_offered_that_ran_through(case: Case) -> None:
    mends = [mend for _, mends in mended(run(case.source), run) for mend in mends]
    assert mends
    assert run(mends[0].source).outcome.kind == "finished"


def test_there_are_many_programs_and_half_of_them_are_blind() -> None:
    assert len(CASES) >= 150 and len({case.name for case in CASES}) == len(CASES)
