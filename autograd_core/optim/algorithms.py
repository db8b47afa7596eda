"""SGD, Adam, AdamW, RMSprop and Adagrad: one step of one parameter each, in torch's order of operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..boxmuller import multiply_add
from ..tensor import Array, Tensor, plain
from .optimizer import (
    Algorithm,
    Group,
    advance,
    at_least_zero,
    counter,
    lerp,
    mixed_square,
    plus,
    write,
    zeros_like,
)


class SGD(Algorithm):
    """Against the gradient, or against a running mean of it (`momentum`)."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        at_least_zero("learning rate", lr)
        at_least_zero("momentum value", momentum)
        at_least_zero("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

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
                held = advance(state, "momentum_buffer", held)
            grad = plus(grad, held, momentum) if group["nesterov"] else held
        write(param, plus(param.data_, grad, -number(group["lr"])), "sgd_step")


def decayed(grad: Array, param: Tensor, group: Group) -> Array:
    """The gradient with that of `weight_decay / 2 * param ** 2` added."""
    return plus(grad, param.data_, group["weight_decay"]) if group["weight_decay"] != 0 else grad


def number(value: Any) -> float:
    """A learning rate, which may be given as a tensor."""
    return float(value.data_) if isinstance(value, Tensor) else value


class Adam(Algorithm):
    """Steps of even size: the mean of the gradient over the root of the mean of its square."""

    decoupled = False

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        at_least_zero("learning rate", lr)
        at_least_zero("epsilon value", eps)
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        at_least_zero("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state["step"] = counter()
            state["exp_avg"], state["exp_avg_sq"] = zeros_like(param), zeros_like(param)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros_like(param)
        lr, (beta1, beta2) = number(group["lr"]), group["betas"]
        step = float(advance(state, "step", state["step"].data_ + 1))
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                write(param, param.data_ * (1 - lr * group["weight_decay"]), "weight_decay")
            else:
                grad = decayed(grad, param, group)
        mean = advance(state, "exp_avg", lerp(state["exp_avg"].data_, grad, 1 - beta1))
        square = advance(state, "exp_avg_sq", mixed_square(state["exp_avg_sq"].data_, grad, beta2))
        if group["amsgrad"]:
            square = advance(state, "max_exp_avg_sq", np.maximum(state["max_exp_avg_sq"].data_, square))
        scale = np.sqrt(square) / (1 - beta2**step) ** 0.5 + group["eps"]
        write(param, param.data_ + -(lr / (1 - beta1**step)) * mean / scale, "adam_step")


class AdamW(Adam):
    """Adam whose weight decay is a step of its own, not part of the gradient."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options, decoupled_weight_decay=True)


class RMSprop(Algorithm):
    """The gradient over the root of the running mean of its square."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        at_least_zero("learning rate", lr)
        at_least_zero("epsilon value", eps)
        at_least_zero("momentum value", momentum)
        at_least_zero("weight_decay value", weight_decay)
        at_least_zero("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state["step"], state["square_avg"] = counter(), zeros_like(param)
            if group["momentum"] > 0:
                state["momentum_buffer"] = zeros_like(param)
            if group["centered"]:
                state["grad_avg"] = zeros_like(param)
        alpha, lr = group["alpha"], number(group["lr"])
        advance(state, "step", state["step"].data_ + 1)
        grad = decayed(grad, param, group)
        square = advance(state, "square_avg", mixed_square(state["square_avg"].data_, grad, alpha))
        if group["centered"]:
            mean = advance(state, "grad_avg", lerp(state["grad_avg"].data_, grad, 1 - alpha))
            square = multiply_add(-mean, mean, square)
        scale = np.sqrt(square) + group["eps"]
        if group["momentum"] > 0:
            moving = advance(
                state, "momentum_buffer", state["momentum_buffer"].data_ * group["momentum"] + grad / scale
            )
            write(param, plus(param.data_, moving, -lr), "rmsprop_step")
        else:
            write(param, param.data_ + -lr * grad / scale, "rmsprop_step")


class Adagrad(Algorithm):
    """The gradient over the root of the sum of all its squares so far."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        at_least_zero("learning rate", lr)
        at_least_zero("lr_decay value", lr_decay)
        at_least_zero("weight_decay value", weight_decay)
        at_least_zero("initial_accumulator_value value", initial_accumulator_value)
        at_least_zero("epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
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
