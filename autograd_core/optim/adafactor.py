"""Adafactor: the running mean square of a matrix's gradient, kept as one number a row and one a column."""

from __future__ import annotations

import math
from operator import le
from typing import Any

import numpy as np

from ..tensor.tensor import Array, Tensor, plain
from .optimizer import Algorithm, advance, counter, lerp, plus, write, zeros_like
from .options import LESS, POWER, PRODUCT, Group


class Adafactor(Algorithm):
    """Steps as large as the parameter is, by the gradient in the unit of its factored mean square (Shazeer and Stern,
    2018)."""

    usual = {
        "lr": 1e-2, "beta2_decay": -0.8, "eps": (None, 1e-3), "d": 1.0, "weight_decay": 0.0, "foreach": None,
        "maximize": False,
    }  # fmt: skip
    places = ("lr", "beta2_decay", "eps", "d", "weight_decay")
    limits = {}
    messages = {"lr": LESS, "beta2_decay": POWER, "eps": LESS, "weight_decay": PRODUCT}

    def check(self, given: Group) -> None:
        super().check(given)
        first, second = given["eps"]
        asked: list[tuple[str, Any, bool]] = [
            ("Learning rate should be >= 0", given["lr"], le(0.0, given["lr"])),
            ("beta2_decay should be <= 0", given["beta2_decay"], given["beta2_decay"] <= 0),
            ("epsilon1 should be >= 0", first, first is None or le(0.0, first)),
            ("epsilon2 should be >= 0", second, le(0.0, second)),
            ("Clipping threshold d should be >= 1", given["d"], given["d"] >= 1),
            ("weight_decay should be >= 0", given["weight_decay"], le(0.0, given["weight_decay"])),
        ]
        for words, value, fits in asked:
            if not fits:
                raise ValueError(f"{words} but is: {value}")

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, rate, (first, second) = self.state[param], group["lr"], group["eps"]
        if not state:
            state.update(fresh(param))
        least = float(np.finfo(grad.dtype).eps) if first is None else first
        step = float(advance(state, "step", state["step"].data_ + 1))
        size = max(second, norm(param.data_) / math.sqrt(param.data_.size)) * min(rate, 1 / math.sqrt(step))
        if group["weight_decay"] != 0:
            write(param, param.data_ * (1 - rate * group["weight_decay"]), "weight_decay")
        square = np.maximum(mean_square(state, grad, step ** group["beta2_decay"], least), least * least)
        move = 1 / np.sqrt(square) * grad
        longest = max(1.0, norm(move) / (math.sqrt(move.size) * group["d"]))
        write(param, plus(param.data_, move, -size / longest), "adafactor_step")


def fresh(param: Tensor) -> dict[str, Tensor]:
    """The state of a parameter before its first step."""
    if param.data_.ndim < 2:
        return {"step": counter(), "variance": zeros_like(param)}
    *outer, rows, columns = param.data_.shape
    kind = param.data_.dtype
    by_row, by_column = np.zeros((*outer, rows, 1), kind), np.zeros((*outer, 1, columns), kind)
    return {"step": counter(), "row_var": plain(by_row), "col_var": plain(by_column)}


def norm(data: Array) -> float:
    return float(np.sqrt(np.sum(data * data)))


def mean_square(state: dict[str, Any], grad: Array, weight: float, least: float) -> Array:
    """The running mean square of each element; of a matrix, as its rows and columns tell it."""
    square = grad * grad
    if grad.ndim < 2:
        return advance(state, "variance", lerp(state["variance"].data_, square, weight))
    row = advance(state, "row_var", lerp(state["row_var"].data_, square.mean(-1, keepdims=True), weight))
    column = advance(state, "col_var", lerp(state["col_var"].data_, square.mean(-2, keepdims=True), weight))
    return np.matmul(row, column) / np.maximum(row.mean(-2, keepdims=True), least)
