"""Special functions in double precision, as torch computes them.

Torch's own numbers are exact to 1e-7 at worst (its Bessel functions J and Y, taken from approximations for single
precision, and its incomplete gammas): within that they must agree, and the others to 1e-11.
"""

import math
from typing import Any

import pytest

import autograd_core as torch

from .stored import load

STORED = load("special")
CLOSE = 1e-11
ROUGH = {"bessel_j0": 1e-7, "bessel_j1": 1e-7, "bessel_y0": 1e-7, "bessel_y1": 1e-7} | {
    name: 1e-8 for name in ("gammainc", "gammaincc")
}


def doubles(numbers: Any) -> Any:
    return torch.tensor(numbers, dtype=torch.float64)


def differing(got: Any, expected: Any, close: float) -> list[tuple[float, float]]:
    """The pairs of numbers that differ by more."""
    if isinstance(expected, list):
        return [pair for parts in zip(got, expected, strict=True) for pair in differing(*parts, close)]
    if math.isnan(expected):
        return [] if math.isnan(got) else [(got, expected)]
    return [] if math.isclose(got, expected, rel_tol=close, abs_tol=1e-13) else [(got, expected)]


@pytest.mark.parametrize("name", STORED["of one"]["values"])
def test_functions_of_one_number(name: str) -> None:
    got = getattr(torch.special, name)(doubles(STORED["of one"]["at"])).tolist()
    assert differing(got, STORED["of one"]["values"][name], ROUGH.get(name, CLOSE)) == []


@pytest.mark.parametrize("name", STORED["polynomials"]["values"])
def test_polynomials(name: str) -> None:
    given = STORED["polynomials"]
    got = getattr(torch.special, name)(doubles(given["x"])[:, None], doubles(given["n"])).tolist()
    assert differing(got, given["values"][name], CLOSE) == []


@pytest.mark.parametrize("name", STORED["gamma"]["values"])
def test_incomplete_gammas(name: str) -> None:
    given = STORED["gamma"]
    got = getattr(torch.special, name)(doubles(given["a"])[:, None], doubles(given["x"])).tolist()
    assert differing(got, given["values"][name], ROUGH[name]) == []


def test_zeta() -> None:
    given = STORED["zeta"]
    got = torch.special.zeta(doubles(given["s"])[:, None], doubles(given["q"])).tolist()
    assert differing(got, given["values"], CLOSE) == []


def test_xlog1py() -> None:
    given = STORED["xlog1py"]
    got = torch.special.xlog1py(doubles(given["x"])[:, None], doubles(given["y"])).tolist()
    assert differing(got, given["values"], CLOSE) == []


def test_the_next_number() -> None:
    given = STORED["nextafter"]
    numbers = torch.tensor(given["of"])
    got = torch.nextafter(numbers[:, None], numbers).tolist()
    assert differing(got, given["values"], 0.0) == []


def test_where_the_error_function_is_a_number() -> None:
    given = STORED["erfinv"]
    assert differing(torch.erfinv(doubles(given["y"])).tolist(), given["values"], CLOSE) == []
