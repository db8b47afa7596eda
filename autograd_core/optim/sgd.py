"""SGD, its average over steps, and steps by signs alone."""

from __future__ import annotations

import numpy as np

from ..random.box_muller import multiply_add
from ..tensor.dtypes import REAL
from ..tensor.tensor import Array, Tensor, plain
from .differentiable import sgd
from .optimizer import DECAY, POWER, RATE, SCALED, Algorithm, Group, advance, counter, decay, plus, write, zeros_like


class SGD(Algorithm):
    """Against the gradient, or against a running mean of it (`momentum`)."""

    usual = {
        "lr": 1e-3, "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False, "maximize": False,
        "foreach": None, "differentiable": False, "fused": None,
    }  # fmt: skip
    places = ("lr", "momentum", "dampening", "weight_decay", "nesterov")
    limits = {**RATE, "momentum": "momentum value", **DECAY}
    later = {**{name: value for name, value in Algorithm.later.items() if name != "momentum"}, "fused": False}
    on_tensors = in_steps = staticmethod(sgd)

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
        grad = decay(grad, param, group)
        if momentum != 0:
            state = self.state[param]
            if state.get("momentum_buffer") is None:
                state["momentum_buffer"] = plain(np.array(grad))
                held = state["momentum_buffer"].data_
            else:
                held = plus(state["momentum_buffer"].data_ * momentum, grad, 1 - group["dampening"])
                held = advance(state, "momentum_buffer", held, writes=2)
            grad = plus(grad, held, momentum) if group["nesterov"] else held
        write(param, plus(param.data_, grad, -group["lr"]), "sgd_step")


class Rprop(Algorithm):
    """By the sign of the gradient alone: steps grow while it stays, and shrink when it turns."""

    usual = {
        "lr": 1e-2, "etas": (0.5, 1.2), "step_sizes": (1e-6, 50), "foreach": None, "maximize": False,
        "differentiable": False, "capturable": False,
    }  # fmt: skip
    places = ("lr", "etas", "step_sizes")
    limits = {**RATE}
    messages = {
        "lr": "full_like(): argument 'fill_value' (position 2) must be Number, not {}",
        "etas": "can't assign a {} to a torch.FloatTensor",
    }

    def check(self, given: Group) -> None:
        super().check(given)
        if not 0.0 < given["etas"][0] < 1.0 < given["etas"][1]:
            raise ValueError(f"Invalid eta values: {given['etas'][0]}, {given['etas'][1]}")

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["prev"] = counter(), zeros_like(param)
        first = complex(group["lr"], group["lr"]) if param.data_.dtype.kind == "c" else group["lr"]
        state["step_size"] = plain(np.full(param.data_.shape, first, param.data_.dtype))

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
    messages = {
        "lr": REAL,
        "lambd": SCALED,
        "alpha": POWER,
        "t0": "unsupported operand type(s) for -: 'float' and '{}'",
    }

    def begin(self, param: Tensor, group: Group) -> None:
        state = self.state[param]
        state["step"], state["eta"] = counter(), plain(np.array(group["lr"], np.float32)[()])
        state["mu"], state["ax"] = plain(np.ones((), np.float32)[()]), zeros_like(param)

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, lr, lambd = self.state[param], group["lr"], group["lambd"]
        step = float(advance(state, "step", state["step"].data_ + 1))
        grad = decay(grad, param, group)
        eta = float(state["eta"].data_)
        write(param, param.data_ * (1 - lambd * eta), "asgd_step")
        write(param, plus(param.data_, grad, -eta), "asgd_step")
        mu, average = float(state["mu"].data_), state["ax"].data_
        advance(state, "ax", param.data_.copy() if mu == 1 else average + (param.data_ - average) * mu)
        advance(state, "eta", np.float32(lr / (1 + lambd * lr * step) ** group["alpha"]))
        advance(state, "mu", np.float32(1 / max(1, step - group["t0"])))
