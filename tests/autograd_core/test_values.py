"""What is told of larger tensors."""

from __future__ import annotations

import numpy as np
import pytest

from autograd_core.values import BINS, WHOLE, snapshot

LARGE = WHOLE * 5
RANDOM = np.random.default_rng(0)
ARRAYS = {
    "float32": RANDOM.normal(size=(5, WHOLE)).astype(np.float32),
    "float64": RANDOM.normal(size=LARGE),
    "float16": RANDOM.normal(size=LARGE).astype(np.float16),
    "int64": RANDOM.integers(-50, 50, LARGE),
    "bool": RANDOM.integers(0, 2, LARGE).astype(bool),
    "transposed": RANDOM.normal(size=(5, WHOLE)).astype(np.float32).T,
}


@pytest.mark.parametrize("name", ARRAYS)
def test_a_summary_counts_every_element(name: str) -> None:
    array = ARRAYS[name]
    for _ in range(2):  # the second time from what is remembered
        told = snapshot(array)
        numbers = array.astype(np.float64).reshape(-1)
        places = (numbers - numbers.min()) * (BINS / (numbers.max() - numbers.min()))
        expected = np.bincount(np.minimum(places.astype(int), BINS - 1), minlength=BINS)
        assert told.bins == tuple(expected.tolist())
        assert (told.minimum, told.maximum) == (numbers.min(), numbers.max())
        assert told.mean == pytest.approx(numbers.mean())
        assert told.data == array.reshape(-1)[: WHOLE // 16].tolist() and not told.whole


def test_tensors_that_come_to_the_same_are_told_apart() -> None:
    """0, 2, 2, 2 and 1, 1, 1, 3 have the same sum, and the same sum of squares."""
    ends = np.repeat([0.0, 3.0], LARGE)
    one, other = (np.r_[ends, np.tile(part, LARGE)].astype(np.float32) for part in ([0.0, 2, 2, 2], [1.0, 1, 1, 3]))
    assert (one.sum(), np.dot(one, one)) == (other.sum(), np.dot(other, other))
    assert snapshot(one).bins != snapshot(other).bins


def test_what_cannot_be_counted_says_so() -> None:
    assert snapshot(np.full(LARGE, 3.0)).bins == (LARGE, *(0,) * (BINS - 1))
    assert snapshot(np.r_[np.zeros(LARGE), np.inf]).bins is None
    assert snapshot(np.r_[np.zeros(LARGE), np.nan]).bins is None
