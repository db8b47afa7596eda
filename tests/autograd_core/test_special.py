"""Special functions in double precision, as torch computes them: they agree to 1e-11."""

import math
from typing import Any

import autograd_core as torch

from .stored import load

STORED = load("special")
CLOSE = 1e-11


def doubles(numbers: Any) -> Any:
    return torch.tensor(numbers, dtype=torch.float64)


def differing(got: Any, expected: Any, close: float) -> list[tuple[float, float]]:
    """The pairs of numbers that differ by more."""
    if isinstance(expected, list):
        return [pair for parts in zip(got, expected, strict=True) for pair in differing(*parts, close)]
    if math.isnan(expected):
        return [] if math.isnan(got) else [(got, expected)]
    return [] if math.isclose(got, expected, rel_tol=close, abs_tol=1e-13) else [(got, expected)]


def test_the_slope_of_i0() -> None:
    given = STORED["i1"]
    assert differing(torch.special.i1(doubles(given["at"])).tolist(), given["values"], CLOSE) == []


def test_where_the_error_function_is_a_number() -> None:
    given = STORED["erfinv"]
    assert differing(torch.erfinv(doubles(given["y"])).tolist(), given["values"], CLOSE) == []
