"""Causes and mends of the corpus: small programs like those people post, each with what is recorded of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from gradreel.explain import diagnose
from gradreel.explain.fixes import find_fixes
from gradreel.interpreter import run

from .corpus import OTHER, compared, stored

CASES = [record for record in stored() if record["cause"] is None or record["cause"]["kind"] != OTHER]


@pytest.mark.parametrize("record", CASES, ids=lambda record: record["file"])
def test_the_cause_is_told_and_nothing_else_with_mends_that_leave_no_trouble(record: dict[str, Any]) -> None:
    run_once = cache(run)
    pairs = find_fixes(run(record["source"]), run_once)
    assert compared([found for found, _ in pairs], record["cause"]) == []
    if record["cause"] is None:
        return
    ((_, mends),) = pairs
    assert mends
    for mend in mends:
        again = run_once(mend.source)
        assert again.outcome.kind == "finished" and diagnose(again) == []
        assert mend.title and mend.cost and mend.diff


def test_a_run_without_trouble_has_no_mends() -> None:
    assert find_fixes(run("print(1)"), run) == []
