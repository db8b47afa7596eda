"""SGD, Adam and their like: one step of one parameter each, in torch's order of operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..boxmuller import multiply_add
from ..tensor import Array, Tensor, plain
from .algorithm import (
    Algorithm,
    advance,
    at_least_zero,
    counter,
    lerp,
    mixed_square,
    plus,
    write,
    zeros_like,
)
from .differentiable import adagrad, adam, rmsprop, sgd
from .optimizer import Group

RATE = {"lr": "learning rate"}
EPSILON = {"eps": "epsilon value"}
DECAY = {"weight_decay": "weight_decay value"}


def decayed(grad: Array, param: Tensor, group: Group) -> Array:
    """The gradient with that of `weight_decay / 2 * param ** 2` added."""
    return plus(grad, param.data_, group["weight_decay"]) if group["weight_decay"] != 0 else grad


def decayed_apart(grad: Array, param: Tensor, group: Group, lr: float) -> Array:
    """The same; or the gradient as it is, and `param` made smaller in a step of its own, if the group asks for that."""
    if group["weight_decay"] == 0 or not group["decoupled_weight_decay"]:
        return decayed(grad, param, group)
    write(param, param.data_ * (1 - lr * group["weight_decay"]), "weight_decay")
    return grad


def number(value: Any) -> float:
    """A learning rate, which may be given as a tensor."""
    return float(value.data_) if isinstance(value, Tensor) else value


def check_betas(betas: Any) -> None:
    """Whether both are at least 0 and below 1.

    Raises:
        ValueError: one is not.
    """
    if isinstance(betas[0], Tensor) is not isinstance(betas[1], Tensor):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")


class SGD(Algorithm):
    """Against the gradient, or against a running mean of it (`momentum`)."""

    usual = {
        "lr": 1e-3, "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False, "maximize": False,
        "foreach": None, "differentiable": False, "fused": None,
    }  # fmt: skip
    places = ("lr", "momentum", "dampening", "weight_decay", "nesterov")
    limits = {**RATE, "momentum": "momentum value", **DECAY}
    later = {**{name: value for name, value in Algorithm.later.items() if name != "momentum"}, "fused": False}
    on_tensors = staticmethod(sgd)

    @staticmethod
    def at_least_zero(words: str, value: float) -> None:
        if value < 0.0:
            raise ValueError(f"Invalid {words}: {value}")

    def check(self, given: Group) -> None:
        super().check(given)
        if given["nesterov"] and (given["momentum"] <= 0 or given["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        momentum = group["momentum"]
        grad = decayed(grad, param, group)
        if momentum != 0:
            state = self.state[param]
            if state.get("momentum_buffer") is None:
                state["momentum_buffer"] = plain(np.array(grad))
                held = state["momentum_buffer"].data_
            else:
                held = plus(state["momentum_buffer"].data_ * momentum, grad, 1 - group["dampening"])
                held = advance(state, "momentum_buffer", held, writes=2)
            grad = plus(grad, held, momentum) if group["nesterov"] else held
        write(param, plus(param.data_, grad, -number(group["lr"])), "sgd_step")


class Adam(Algorithm):
    """Steps of even size: the mean of the gradient over the root of the mean of its square."""

    usual = {
        "lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "amsgrad": False, "maximize": False,
        "foreach": None, "capturable": False, "differentiable": False, "fused": None, "decoupled_weight_decay": False,
    }  # fmt: skip
    places = ("lr", "betas", "eps", "weight_decay", "amsgrad")
    limits = {**RATE, **EPSILON}
    on_tensors = staticmethod(adam)

    def check(self, given: Group) -> None:
        if isinstance(given["lr"], Tensor) and given["foreach"] and not given["capturable"]:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        super().check(given)
        check_betas(given["betas"])
        at_least_zero(DECAY["weight_decay"], given["weight_decay"])

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"] = counter()
        state["exp_avg"], state["exp_avg_sq"] = zeros_like(param), zeros_like(param)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        lr, (beta1, beta2) = number(group["lr"]), group["betas"]
        step = float(advance(state, "step", state["step"].data_ + 1))
        grad = decayed_apart(grad, param, group, lr)
        mean = advance(state, "exp_avg", lerp(state["exp_avg"].data_, grad, 1 - beta1))
        square = advance(state, "exp_avg_sq", mixed_square(state["exp_avg_sq"].data_, grad, beta2), writes=2)
        if group["amsgrad"]:
            square = advance(state, "max_exp_avg_sq", np.maximum(state["max_exp_avg_sq"].data_, square))
        scale = np.sqrt(square) / (1 - beta2**step) ** 0.5 + group["eps"]
        write(param, param.data_ + -(lr / (1 - beta1**step)) * mean / scale, "adam_step")


class AdamW(Adam):
    """Adam whose weight decay is a step of its own, not part of the gradient."""

    usual = {**Adam.usual, "weight_decay": 1e-2, "decoupled_weight_decay": True}
    settled = ("decoupled_weight_decay",)


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
    on_tensors = staticmethod(rmsprop)

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["square_avg"] = counter(), zeros_like(param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        alpha, lr = group["alpha"], number(group["lr"])
        advance(state, "step", state["step"].data_ + 1)
        grad = decayed(grad, param, group)
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
    on_tensors = staticmethod(adagrad)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for group in self.param_groups:
            for param in group["params"]:
                start = np.full(param.data_.shape, group["initial_accumulator_value"], param.data_.dtype)
                self.state[param].update(step=counter(), sum=plain(start))

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        step = float(advance(state, "step", state["step"].data_ + 1))
        grad = decayed(grad, param, group)
        rate = number(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        total = advance(state, "sum", multiply_add(grad, grad, state["sum"].data_))
        write(param, param.data_ + -rate * grad / (np.sqrt(total) + group["eps"]), "adagrad_step")
