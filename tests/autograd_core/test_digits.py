"""The last digit: sums add up in torch's order, and the functions of float32 round as its kernels do, almost always."""

import math
from typing import Any

import numpy as np
import pytest

import autograd_core as torch
from autograd_core.tensor import arithmetic

from .stored import array, load

RECORD = load("digits")


def spread(count: int, width: float, dtype: Any) -> Any:
    """`count` numbers all over `(-width / 2, width / 2)`."""
    places = np.arange(count, dtype=np.float64) * 0.6180339887498949
    return torch.from_numpy(((places % 1 - 0.5) * width).astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_and_means_are_torch_s_to_the_last_digit(dtype: str) -> None:
    for shape, dim, kind, summed, mean in RECORD["sums"]:
        if kind == dtype:
            x = spread(math.prod(shape), 3, dtype).reshape(shape)
            over = () if dim is None else (tuple(dim) if isinstance(dim, list) else dim,)
            for got, expected in ((x.sum(*over), summed), (x.mean(*over), mean)):
                assert np.array_equal(got.numpy(), array(expected)), f"{shape} over {dim}"


SAME = {"sin": 0.93, "cos": 0.93, "exp": 0.98, "tanh": 0.97, "sigmoid": 0.95, "pow 0.5": 0.98, "sqrt": 0.98}
"""The share of results that must be the same to the last bit, 0.97 where nothing is said."""


@pytest.mark.parametrize("name", RECORD["functions"])
def test_functions_of_float32_round_as_in_torch(name: str) -> None:
    x = spread(500, 8, np.float32)
    expected = array(RECORD["functions"][name])
    if name.startswith("pow"):
        got = (x.abs() + 0.01) ** float(name.split()[1])
    else:
        got = getattr(torch, name)(x.abs() + 0.01 if name.startswith("log") or name == "sqrt" else x)
    steps = np.abs(got.numpy().view(np.int32).astype(np.int64) - expected.view(np.int32))
    assert (steps == 0).mean() >= SAME.get(name, 0.97)
    assert steps.max() <= 3


@pytest.mark.parametrize("name", ["tanh", "exp", "log1p"])
def test_large_tensors_are_left_to_numpy_and_small_ones_are_not(name: str) -> None:
    large = spread(arithmetic.LARGE, 8, np.float32).abs()
    function = getattr(torch, name)
    whole, exact = function(large).numpy(), function(large.double()).numpy().astype(np.float32)
    assert not np.array_equal(whole, exact)
    assert np.abs(whole.view(np.int32).astype(np.int64) - exact.view(np.int32)).max() <= 4
    apart = np.concatenate([function(part).numpy() for part in large.chunk(2)])
    assert (apart == exact).mean() > 0.95


def test_a_single_number_rounds_as_an_array_of_it() -> None:
    x = spread(200, 8, np.float32)
    for name in ("exp", "sin", "tanh", "log1p"):
        many = getattr(torch, name)(x.abs())
        assert [getattr(torch, name)(v).item() for v in x.abs()] == many.tolist()


# ---- zeros


def test_a_large_product_of_a_column_and_a_row_keeps_the_sign_of_zeros() -> None:
    column, row = torch.full((256, 1), -1.0), torch.linspace(0, 1, 256).reshape(1, 256)
    assert np.signbit(np.asarray((column @ row).data_)).all()
    other = torch.linspace(-3, 5, 256).reshape(256, 1)
    assert np.array_equal(np.asarray((other @ (row + 0.5)).data_), np.asarray((other * (row + 0.5)).data_))


def test_both_zeros_stay_apart_as_factors() -> None:
    ones = torch.ones(3)
    assert [bool(np.signbit(np.asarray((ones * zero).data_)).all()) for zero in (0.0, -0.0, 0.0)] == [
        False,
        True,
        False,
    ]
