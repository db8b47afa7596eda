"""Optimizers that are met less often than SGD and Adam, in torch's order of operations."""

from __future__ import annotations

from operator import lt

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
from .algorithms import DECAY, EPSILON, RATE, check_betas, decayed, decayed_apart, number
from .differentiable import adadelta, adamax, asgd, nadam, radam, rprop
from .optimizer import Group


class Adadelta(Algorithm):
    """The gradient in the unit of the steps: the root of their mean square over that of the gradient."""

    usual = {
        "lr": 1.0, "rho": 0.9, "eps": 1e-6, "weight_decay": 0, "maximize": False, "capturable": False, "foreach": None,
        "differentiable": False,
    }  # fmt: skip
    places = ("lr", "rho", "eps", "weight_decay", "foreach")
    accelerators = ()
    limits = {**RATE, **EPSILON, **DECAY}
    on_tensors = staticmethod(adadelta)

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
        grad = decayed(grad, param, group)
        square = advance(state, "square_avg", mixed_square(state["square_avg"].data_, grad, rho), writes=2)
        delta = np.sqrt(state["acc_delta"].data_ + eps) / np.sqrt(square + eps) * grad
        advance(state, "acc_delta", mixed_square(state["acc_delta"].data_, delta, rho), writes=2)
        write(param, plus(param.data_, delta, -number(group["lr"])), "adadelta_step")


class Adamax(Algorithm):
    """Adam with the largest of the lately seen gradients in place of the root of their mean square."""

    usual = {
        "lr": 2e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "foreach": None, "maximize": False,
        "differentiable": False, "capturable": False,
    }  # fmt: skip
    places = ("lr", "betas", "eps", "weight_decay", "foreach")
    limits = {**RATE, **EPSILON, **DECAY}
    on_tensors = staticmethod(adamax)

    def check(self, given: Group) -> None:
        super().check(given)
        check_betas(given["betas"])

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["exp_avg"], state["exp_inf"] = counter(), zeros_like(param), zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, (beta1, beta2) = self.state[param], group["betas"]
        step = float(advance(state, "step", state["step"].data_ + 1))
        grad = decayed(grad, param, group)
        mean = advance(state, "exp_avg", lerp(state["exp_avg"].data_, grad, 1 - beta1))
        largest = np.maximum(state["exp_inf"].data_ * beta2, np.abs(grad) + group["eps"])
        largest = advance(state, "exp_inf", largest, writes=2)
        write(param, param.data_ + -(number(group["lr"]) / (1 - beta1**step)) * mean / largest, "adamax_step")


class NAdam(Algorithm):
    """Adam with Nesterov's look ahead."""

    usual = {
        "lr": 2e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "momentum_decay": 4e-3,
        "decoupled_weight_decay": False, "maximize": False, "foreach": None, "capturable": False,
        "differentiable": False,
    }  # fmt: skip
    captured = "params, mu_products and state_steps"
    places = ("lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay")
    limits = {**RATE, **EPSILON}
    on_tensors = staticmethod(nadam)

    def check(self, given: Group) -> None:
        super().check(given)
        check_betas(given["betas"])
        at_least_zero(DECAY["weight_decay"], given["weight_decay"])
        at_least_zero("momentum_decay value", given["momentum_decay"])

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["mu_product"] = counter(), plain(np.ones((), np.float32))
        state["exp_avg"], state["exp_avg_sq"] = zeros_like(param), zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, lr, (beta1, beta2) = self.state[param], number(group["lr"]), group["betas"]
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
    limits = {**RATE, **EPSILON}
    on_tensors = staticmethod(radam)

    def check(self, given: Group) -> None:
        super().check(given)
        check_betas(given["betas"])
        at_least_zero(DECAY["weight_decay"], given["weight_decay"])

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["exp_avg"], state["exp_avg_sq"] = counter(), zeros_like(param), zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, lr, (beta1, beta2) = self.state[param], number(group["lr"]), group["betas"]
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


class Rprop(Algorithm):
    """By the sign of the gradient alone: steps grow while it stays, and shrink when it turns."""

    usual = {
        "lr": 1e-2, "etas": (0.5, 1.2), "step_sizes": (1e-6, 50), "foreach": None, "maximize": False,
        "differentiable": False, "capturable": False,
    }  # fmt: skip
    places = ("lr", "etas", "step_sizes")
    limits = {**RATE}
    on_tensors = staticmethod(rprop)

    def check(self, given: Group) -> None:
        super().check(given)
        if not 0.0 < given["etas"][0] < 1.0 < given["etas"][1]:
            raise ValueError(f"Invalid eta values: {given['etas'][0]}, {given['etas'][1]}")

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["prev"] = counter(), zeros_like(param)
        state["step_size"] = plain(np.full(param.data_.shape, number(group["lr"]), param.data_.dtype))

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, (less, more) = self.state[param], group["etas"]
        advance(state, "step", state["step"].data_ + 1)
        turned = grad * state["prev"].data_
        factor = np.where(turned > 0, more, np.where(turned < 0, less, 1)).astype(grad.dtype)
        sizes = np.clip(state["step_size"].data_ * factor, *group["step_sizes"]).astype(grad.dtype)
        sizes = advance(state, "step_size", sizes, writes=2)
        grad = np.where(turned < 0, grad.dtype.type(0), grad)
        write(param, multiply_add(-np.sign(grad), sizes, param.data_), "rprop_step")
        advance(state, "prev", grad)


class ASGD(Algorithm):
    """Descent whose parameters are averaged over the later steps, in `ax`."""

    usual = {
        "lr": 1e-2, "lambd": 1e-4, "alpha": 0.75, "t0": 1e6, "weight_decay": 0, "foreach": None, "maximize": False,
        "differentiable": False, "capturable": False,
    }  # fmt: skip
    captured = "params, mus, etas, and state_steps"
    places = ("lr", "lambd", "alpha", "t0", "weight_decay", "foreach", "maximize", "differentiable", "capturable")
    limits = {**RATE, **DECAY}
    on_tensors = staticmethod(asgd)

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["eta"] = counter(), plain(np.array(number(group["lr"]), np.float32)[()])
        state["mu"], state["ax"] = plain(np.ones((), np.float32)[()]), zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, lr, lambd = self.state[param], number(group["lr"]), group["lambd"]
        step = float(advance(state, "step", state["step"].data_ + 1))
        grad = decayed(grad, param, group)
        eta = float(state["eta"].data_)
        write(param, param.data_ * (1 - lambd * eta), "asgd_step")
        write(param, plus(param.data_, grad, -eta), "asgd_step")
        mu, average = float(state["mu"].data_), state["ax"].data_
        advance(state, "ax", param.data_.copy() if mu == 1 else average + (param.data_ - average) * mu)
        advance(state, "eta", np.float32(lr / (1 + lambd * lr * step) ** group["alpha"]))
        advance(state, "mu", np.float32(1 / max(1, step - group["t0"])))


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
        check_betas(given["betas"])

    def move(self, param: Tensor, grad: Tensor, group: Group) -> None:
        raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
