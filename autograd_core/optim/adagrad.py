"""Adagrad, RMSprop and Adadelta: steps in the unit of the root of mean squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..random.box_muller import multiply_add
from ..tensor.tensor import Array, Tensor, plain
from .optimizer import (
    DECAY,
    EPSILON,
    MORE,
    QUOTIENT,
    RATE,
    Algorithm,
    Group,
    advance,
    counter,
    decay,
    lerp,
    mixed_square,
    plus,
    write,
    zeros_like,
)


class RMSprop(Algorithm):
    """The gradient over the root of the running mean of its square."""

    usual = {
        "lr": 1e-2, "momentum": 0, "alpha": 0.99, "eps": 1e-8, "centered": False, "weight_decay": 0,
        "capturable": False, "foreach": None, "maximize": False, "differentiable": False,
    }  # fmt: skip
    places = (
        "lr", "alpha", "eps", "weight_decay", "momentum", "centered", "capturable", "foreach", "maximize",
        "differentiable",
    )  # fmt: skip
    limits = {**RATE, **EPSILON, "momentum": "momentum value", **DECAY, "alpha": "alpha value"}
    messages = {"momentum": MORE}

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["square_avg"] = counter(), zeros_like(param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        alpha, lr = group["alpha"], group["lr"]
        advance(state, "step", state["step"].data_ + 1)
        grad = decay(grad, param, group)
        square = advance(state, "square_avg", mixed_square(state["square_avg"].data_, grad, alpha), writes=2)
        if group["centered"]:
            mean = advance(state, "grad_avg", lerp(state["grad_avg"].data_, grad, 1 - alpha))
            square = multiply_add(-mean, mean, square)
        scale = np.sqrt(square) + group["eps"]
        if group["momentum"] > 0:
            moving = state["momentum_buffer"].data_ * group["momentum"] + grad / scale
            moving = advance(state, "momentum_buffer", moving, writes=2)
            write(param, plus(param.data_, moving, -lr), "rmsprop_step")
        else:
            write(param, param.data_ + -lr * grad / scale, "rmsprop_step")


class Adagrad(Algorithm):
    """The gradient over the root of the sum of all its squares so far."""

    usual = {
        "lr": 1e-2, "lr_decay": 0, "eps": 1e-10, "weight_decay": 0, "initial_accumulator_value": 0, "foreach": None,
        "maximize": False, "differentiable": False, "fused": None,
    }  # fmt: skip
    places = ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps", "foreach")
    limits = {
        **RATE, "lr_decay": "lr_decay value", **DECAY, "initial_accumulator_value": "initial_accumulator_value value",
        **EPSILON,
    }  # fmt: skip
    messages = {"lr": QUOTIENT}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for group in self.param_groups:
            for param in group["params"]:
                start = np.full(param.data_.shape, group["initial_accumulator_value"], param.data_.dtype)
                self.state[param].update(step=counter(), sum=plain(start))

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        step = float(advance(state, "step", state["step"].data_ + 1))
        grad = decay(grad, param, group)
        rate = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        total = advance(state, "sum", multiply_add(grad, grad, state["sum"].data_))
        write(param, param.data_ + -rate * grad / (np.sqrt(total) + group["eps"]), "adagrad_step")


class Adadelta(Algorithm):
    """The gradient in the unit of the steps: the root of their mean square over that of the gradient."""

    usual = {
        "lr": 1.0, "rho": 0.9, "eps": 1e-6, "weight_decay": 0, "maximize": False, "capturable": False, "foreach": None,
        "differentiable": False,
    }  # fmt: skip
    places = ("lr", "rho", "eps", "weight_decay", "foreach")
    accelerators = ()
    limits = {**RATE, **EPSILON, **DECAY}

    def check(self, given: Group) -> None:
        super().check(given)
        if not 0.0 <= given["rho"] <= 1.0:
            raise ValueError(f"Invalid rho value: {given['rho']}")

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["square_avg"], state["acc_delta"] = counter(), zeros_like(param), zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, rho, eps = self.state[param], group["rho"], group["eps"]
        advance(state, "step", state["step"].data_ + 1)
        grad = decay(grad, param, group)
        square = advance(state, "square_avg", mixed_square(state["square_avg"].data_, grad, rho), writes=2)
        delta = np.sqrt(state["acc_delta"].data_ + eps) / np.sqrt(square + eps) * grad
        advance(state, "acc_delta", mixed_square(state["acc_delta"].data_, delta, rho), writes=2)
        write(param, plus(param.data_, delta, -group["lr"]), "adadelta_step")
