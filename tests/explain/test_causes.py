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
HARD = {
    "wrong_gradient_shape",
    "wrong_width",
    "state_with_retain",
    "std_of_one_sample",
    "hook_returns_wrong_shape",
    "custom_fn_no_backward",
    "grad_assign_wrong_shape",
    "bmm_needs_3d",
}
"""Programs whose mend is a matter of what their author meant."""


@pytest.mark.parametrize("case", TROUBLED, ids=lambda case: case.name)
def test_the_cause_is_told_with_its_lines_and_a_mend_that_ran_through(case: Case) -> None:
    pairs = mended(run(case.source), run)
    found = next((found for found, _ in pairs if found.kind == case.kind), None)
    assert found is not None
    assert {role: found.lines.get(role) for role in case.lines} == case.lines
    assert 1 <= len(found.story) <= 5 and found.cause
    for sentence in found.story:
        assert sentence[0].isupper() or sentence[0] in "`*0", sentence
        assert sentence.endswith(".") and "None of" not in sentence and "{" not in sentence.replace("{'", ""), sentence
    if case.name not in HARD:
        mends = [mend for _, mends in pairs for mend in mends]
        assert mends and run(mends[0].source).outcome.kind == "finished"


@pytest.mark.parametrize("case", FINE, ids=lambda case: case.name)
def test_nothing_is_told_of_a_program_that_is_fine(case: Case) -> None:
    trace = run(case.source)
    assert trace.outcome.kind == "finished"
    assert diagnose(trace) == []


def test_there_are_many_programs_and_half_of_them_are_blind() -> None:
    assert len(CASES) >= 300 and len({case.name for case in CASES}) == len(CASES)
