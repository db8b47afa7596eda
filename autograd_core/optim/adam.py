"""Adam and its like, in torch's order of operations."""

from __future__ import annotations

from operator import lt

import numpy as np

from ..tensor.tensor import Array, Tensor, plain
from .differentiable import adam, adam_in_steps
from .optimizer import (
    BETAS,
    DECAY,
    DIFFERENCE,
    EPSILON,
    MULTIPLIED,
    PRODUCT,
    QUOTIENT,
    RATE,
    SCALED,
    Algorithm,
    Group,
    advance,
    check_betas,
    counter,
    decay,
    decayed_apart,
    lerp,
    mixed_square,
    plus,
    write,
    zeros_like,
)


class Adam(Algorithm):
    """Steps of even size: the mean of the gradient over the root of the mean of its square."""

    usual = {
        "lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "amsgrad": False, "maximize": False,
        "foreach": None, "capturable": False, "differentiable": False, "fused": None, "decoupled_weight_decay": False,
    }  # fmt: skip
    places = ("lr", "betas", "eps", "weight_decay", "amsgrad")
    limits = {**RATE, **EPSILON, **BETAS, **DECAY}
    messages = {"lr": QUOTIENT, "betas": (DIFFERENCE, MULTIPLIED)}
    on_tensors = staticmethod(adam)
    in_steps = staticmethod(adam_in_steps)

    def check(self, given: Group) -> None:
        if isinstance(given["lr"], Tensor) and given["foreach"] and not given["capturable"]:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        super().check(given)

    def check_limits(self, given: Group) -> None:
        super().check_limits(given)
        first, second = given["betas"][0], given["betas"][1]
        if not any(isinstance(first, kind) and isinstance(second, kind) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"] = counter()
        state["exp_avg"], state["exp_avg_sq"] = zeros_like(param), zeros_like(param)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        lr, (beta1, beta2) = group["lr"], group["betas"]
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
    messages = {**Adam.messages, "lr": SCALED, "weight_decay": PRODUCT}


class Adamax(Algorithm):
    """Adam with the largest of the lately seen gradients in place of the root of their mean square."""

    usual = {
        "lr": 2e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "foreach": None, "maximize": False,
        "differentiable": False, "capturable": False,
    }  # fmt: skip
    places = ("lr", "betas", "eps", "weight_decay", "foreach")
    limits = {**RATE, **EPSILON, **BETAS, **DECAY}
    messages = {"lr": QUOTIENT, "betas": (DIFFERENCE, MULTIPLIED)}

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["exp_avg"], state["exp_inf"] = counter(), zeros_like(param), zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, (beta1, beta2) = self.state[param], group["betas"]
        step = float(advance(state, "step", state["step"].data_ + 1))
        grad = decay(grad, param, group)
        mean = advance(state, "exp_avg", lerp(state["exp_avg"].data_, grad, 1 - beta1))
        largest = np.maximum(state["exp_inf"].data_ * beta2, np.abs(grad) + group["eps"])
        largest = advance(state, "exp_inf", largest, writes=2)
        write(param, param.data_ + -(group["lr"] / (1 - beta1**step)) * mean / largest, "adamax_step")


class NAdam(Algorithm):
    """Adam with Nesterov's look ahead."""

    usual = {
        "lr": 2e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "momentum_decay": 4e-3,
        "decoupled_weight_decay": False, "maximize": False, "foreach": None, "capturable": False,
        "differentiable": False,
    }  # fmt: skip
    captured = "params, mu_products and state_steps"
    places = ("lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay")
    limits = {**RATE, **EPSILON, **BETAS, **DECAY, "momentum_decay": "momentum_decay value"}
    messages = {"betas": (SCALED, "unsupported operand type(s) for ** or pow(): '{}' and 'float'")}

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["mu_product"] = counter(), plain(np.ones((), np.float32))
        state["exp_avg"], state["exp_avg_sq"] = zeros_like(param), zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, lr, (beta1, beta2) = self.state[param], group["lr"], group["betas"]
        step = float(advance(state, "step", state["step"].data_ + 1))
        grad = decayed_apart(grad, param, group, lr)
        now, ahead = (beta1 * (1 - 0.5 * 0.96 ** (at * group["momentum_decay"])) for at in (step, step + 1))
        product = float(advance(state, "mu_product", state["mu_product"].data_ * now))
        mean = advance(state, "exp_avg", lerp(state["exp_avg"].data_, grad, 1 - beta1))
        square = advance(state, "exp_avg_sq", mixed_square(state["exp_avg_sq"].data_, grad, beta2), writes=2)
        scale = np.sqrt(square / (1 - beta2**step)) + group["eps"]
        write(param, param.data_ + (-lr * (1 - now) / (1 - product)) * grad / scale, "nadam_step")
        write(param, param.data_ + (-lr * ahead / (1 - product * ahead)) * mean / scale, "nadam_step")


class RAdam(Algorithm):
    """Adam that waits until it has seen enough to trust the size of its steps."""

    usual = {
        "lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "maximize": False, "foreach": None,
        "capturable": False, "decoupled_weight_decay": False, "differentiable": False,
    }  # fmt: skip
    places = ("lr", "betas", "eps", "weight_decay", "decoupled_weight_decay")
    limits = {**RATE, **EPSILON, **BETAS, **DECAY}
    messages = {"lr": "unsupported operand type(s) for *: 'Tensor' and '{}'", "betas": (DIFFERENCE, MULTIPLIED)}

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["exp_avg"], state["exp_avg_sq"] = counter(), zeros_like(param), zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, lr, (beta1, beta2) = self.state[param], group["lr"], group["betas"]
        step = float(advance(state, "step", state["step"].data_ + 1))
        grad = decayed_apart(grad, param, group, lr)
        mean = advance(state, "exp_avg", lerp(state["exp_avg"].data_, grad, 1 - beta1))
        square = advance(state, "exp_avg_sq", mixed_square(state["exp_avg_sq"].data_, grad, beta2), writes=2)
        way = mean / (1 - beta1**step) * lr
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / (1 - beta2**step)
        if length > 5.0:
            way = way * ((1 - beta2**step) ** 0.5 / (np.sqrt(square) + group["eps"]))
            trust = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            way = way * trust**0.5
        write(param, plus(param.data_, way, -1.0), "radam_step")


class SparseAdam(Algorithm):
    """Adam that moves the rows alone which a sparse gradient has: of those that are dense it wants to know nothing."""

    usual = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "maximize": False}
    places = tuple(usual)
    limits = {}

    def check(self, given: Group) -> None:
        super().check(given)
        for words, name in (("learning rate", "lr"), ("epsilon value", "eps")):
            if not lt(0.0, given[name]):
                raise ValueError(f"Invalid {words}: {given[name]}")
        check_betas(BETAS["betas"], given["betas"])

    def move(self, param: Tensor, grad: Tensor, group: Group) -> None:
        raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
