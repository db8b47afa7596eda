"""Every error in the tests here is shown to all rules of a level: no two of them may know it."""

from __future__ import annotations

from importlib import import_module

import pytest

from gradreel.explain import Diagnosis, World
from gradreel.explain.diagnostics.diagnosis import Failure
from gradreel.explain.diagnostics.order import ERRORS
from gradreel.explain.diagnostics.registry import RULES


def by_levels(world: World, failure: Failure) -> Diagnosis | None:
    for level in ERRORS:
        answers = {name: found for name in level if (found := RULES[name](world, failure)) is not None}
        assert len(answers) <= 1, f"of one level, {list(answers)} know: {failure.raised.message}"
        if answers:
            return next(iter(answers.values()))
    return None


@pytest.fixture(autouse=True)
def one_rule_of_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("gradreel.explain.diagnostics.diagnose"), "error_rules", lambda: (by_levels,))
