"""What is told of larger tensors."""

from __future__ import annotations

from base64 import b64decode

import numpy as np
import pytest

from autograd_core.events.snapshot import BINS, POOLED, SIDE, WHOLE, grid, plane, snapshot

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


MATRICES = {
    "float32": RANDOM.normal(size=(SIDE, SIDE)).astype(np.float32),
    "of very different sizes": (RANDOM.uniform(1, 10, (20, 30)) * 10.0 ** RANDOM.integers(-5, 3, (20, 30))),
    "huge": RANDOM.normal(size=(SIDE, 9)) * 1e300,
    "tiny": RANDOM.normal(size=(SIDE, 9)) * 1e-300,
    "zeros": np.zeros((17, 17)),
    "transposed": RANDOM.normal(size=(10, SIDE)).astype(np.float32).T,
    "int64": RANDOM.integers(-2047, 2048, (SIDE, SIDE)),
    "bool": RANDOM.integers(0, 2, (SIDE, SIDE)).astype(bool),
}


def read(cells: tuple[int, str] | None, shape: tuple[int, ...]) -> np.ndarray:
    assert cells is not None
    return np.ldexp(np.frombuffer(b64decode(cells[1]), "<f2").astype(np.float64), cells[0]).reshape(shape)


@pytest.mark.parametrize("name", MATRICES)
def test_the_cells_of_a_matrix_are_right_to_three_digits(name: str) -> None:
    matrix = MATRICES[name]
    found = read(snapshot(matrix).cells, matrix.shape)
    assert np.all(np.abs(found - matrix) <= np.abs(matrix.astype(np.float64)) * 2.0**-11)
    if matrix.dtype.kind in "ib":
        assert np.array_equal(found, matrix)


def test_cells_that_are_no_numbers_stay_so() -> None:
    matrix = MATRICES["float32"].copy()
    matrix[0, :3] = np.nan, np.inf, -np.inf
    found = read(snapshot(matrix).cells, matrix.shape)
    assert np.isnan(found[0, 0]) and list(found[0, 1:3]) == [np.inf, -np.inf]
    assert np.all(np.isfinite(found[1:])) and np.abs(found[1:]).max() > 1


def test_what_is_whole_has_no_cells_and_complex_numbers_have_those_of_their_size() -> None:
    assert snapshot(np.ones((3, 3))).cells is None
    turned = snapshot(np.full((SIDE, SIDE), 3 + 4j, np.complex64))
    assert turned.data[0] == 3 + 4j and turned.minimum == turned.maximum == 5.0
    assert turned.cells == snapshot(np.full((SIDE, SIDE), 5.0)).cells


@pytest.mark.parametrize(
    ("shape", "cells"),
    [
        ((SIDE + 1, SIDE), (11, 16)),
        ((64, 64), (16, 16)),
        ((300,), (9, 9)),
        ((8, 8, 8), (16, 8)),
        ((2, 3, 60, 1), (16, 1)),
        ((1, 5000), (1, 16)),
    ],
)
def test_cells_of_other_tensors_stand_for_parts_by_what_is_farthest_from_zero(
    shape: tuple[int, ...], cells: tuple[int, int]
) -> None:
    tensor = RANDOM.standard_normal(shape).astype(np.float32)
    assert grid(shape) == cells and max(cells) <= POOLED
    found = read(snapshot(tensor).cells, cells)
    rows, columns = plane(shape)
    laid = np.zeros((rows, columns))
    laid.reshape(-1)[: tensor.size] = tensor.reshape(-1)
    high, wide = -(-rows // cells[0]), -(-columns // cells[1])
    for row in range(cells[0]):
        for column in range(cells[1]):
            part = laid[row * high : (row + 1) * high, column * wide : (column + 1) * wide]
            farthest = part.flat[np.abs(part).argmax()]
            assert abs(found[row, column] - farthest) <= abs(farthest) * 2.0**-11
