"""Causes and mends of the corpus: small programs like those people post, each with what is recorded of it."""

from __future__ import annotations

from typing import Any

import pytest

from gradreel.explain import diagnose
from gradreel.explain.mending import mended
from gradreel.interpreter import run

from .corpus import OTHER, compared, stored

CASES = [record for record in stored() if record["cause"] is None or record["cause"]["kind"] != OTHER]
NAMED = [record for record in CASES if record["cause"] is not None]


@pytest.mark.parametrize("record", CASES, ids=lambda record: record["file"])
def test_the_cause_is_told_and_nothing_else(record: dict[str, Any]) -> None:
    assert compared(diagnose(run(record["source"])), record["cause"]) == []


@pytest.mark.parametrize("record", NAMED, ids=lambda record: record["file"])
def test_a_mend_is_offered_that_ran_through_and_left_no_trouble(record: dict[str, Any]) -> None:
    ((_, mends),) = mended(run(record["source"]), run)
    assert mends
    for mend in mends:
        again = run(mend.source)
        assert again.outcome.kind == "finished" and diagnose(again) == []
        assert mend.title and mend.cost and mend.diff


def test_a_run_without_trouble_has_no_mends() -> None:
    assert mended(run("print(1)"), run) == []
