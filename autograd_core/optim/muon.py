"""Muon: steps along the momentum of a matrix, brought near to what has orthogonal rows."""

from __future__ import annotations

import math
from operator import le
from typing import Any

import numpy as np

from ..tensor.size import Size
from ..tensor.tensor import Array, Tensor
from .optimizer import Algorithm, advance, lerp, plus, write, zeros_like
from .options import DIFFERENCE, PRODUCT, SCALED, Group

MOST_STEPS = 100
WAYS = (None, "original", "match_rms_adamw")


class Muon(Algorithm):
    """For matrices alone: a few steps of a polynomial take their momentum near to an orthogonal matrix (Jordan, 2024).

    Those are computed in bfloat16: in the dtype float32, rounded to 8 bits after each operation.
    """

    usual = {
        "lr": 1e-3, "weight_decay": 0.1, "momentum": 0.95, "nesterov": True,
        "ns_coefficients": (3.4445, -4.775, 2.0315), "eps": 1e-7, "ns_steps": 5, "adjust_lr_fn": None,
    }  # fmt: skip
    places = tuple(usual)
    limits = {}
    messages = {"lr": SCALED, "weight_decay": PRODUCT, "momentum": DIFFERENCE}

    def check(self, given: Group) -> None:
        super().check(given)
        for words, name in (("Learning rate", "lr"), ("momentum", "momentum"), ("weight decay", "weight_decay")):
            if not le(0.0, given[name]):
                raise ValueError(f"{words} should be >= 0 but is: {given[name]}")
        if given["adjust_lr_fn"] not in WAYS:
            raise ValueError(f"Adjust learning rate function {given['adjust_lr_fn']} is not supported")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for group in self.param_groups:
            for param in group["params"]:
                if param.data_.ndim != 2:
                    size = Size(param.data_.shape)
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {size}")

    def begin(self, param: Tensor, group: Group) -> None:
        self.state[param]["momentum_buffer"] = zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, keep, rate = self.state[param], group["momentum"], group["lr"]
        mean = advance(state, "momentum_buffer", lerp(state["momentum_buffer"].data_, grad, 1 - keep))
        way = near_orthogonal(lerp(grad, mean, keep) if group["nesterov"] else mean, group)
        write(param, param.data_ * param.data_.dtype.type(1 - rate * group["weight_decay"]), "weight_decay")
        write(param, plus(param.data_, way.astype(param.data_.dtype), -adjust(rate, param, group)), "muon_step")


def adjust(rate: float, param: Tensor, group: Group) -> float:
    """The rate for a parameter of this shape."""
    rows, columns = param.data_.shape
    if group["adjust_lr_fn"] == "match_rms_adamw":
        return rate * 0.2 * math.sqrt(max(rows, columns))
    return rate * math.sqrt(max(1, rows / columns))


def near_orthogonal(matrix: Array, group: Group) -> Array:
    """`matrix` after some steps of Newton and Schulz, which take its singular values near to 1.

    Raises:
        ValueError: there would be too many, or the polynomial has not three coefficients.
    """
    if group["ns_steps"] >= MOST_STEPS:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(group["ns_coefficients"]) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = group["ns_coefficients"]
    x = in_bfloat16(matrix)
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = in_bfloat16(x / max(in_bfloat16(np.sqrt(np.sum(x * x))), in_bfloat16(np.float32(group["eps"]))))
    for _ in range(group["ns_steps"]):
        square = in_bfloat16(x @ x.T)
        turn = in_bfloat16(np.float32(b) * square + np.float32(c) * (square @ square))
        x = in_bfloat16(np.float32(a) * x + turn @ x)
    return x.T if tall else x


def in_bfloat16(data: Array) -> Any:
    """`data` rounded to the numbers of bfloat16, of which the even one is nearer where two are equally near."""
    bits = np.asarray(data, np.float32).view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)).view(
        np.float32
    )[()]
