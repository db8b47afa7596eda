"""Activations as modules: a table of names, functions and the arguments that a module keeps."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ..dispatch.schema.guard import guard
from ..namespace.type_names import binder
from ..ops.unary import sigmoid, tanh
from ..tensor.tensor import Tensor
from . import functional as F
from .init import constant_
from .linear import blank
from .module import Module


class Activation(Module):
    """A function of one tensor with arguments that are given once; see ACTIVATIONS."""

    function: ClassVar[Callable[..., Any]]
    fields: ClassVar[inspect.Signature]
    bind: Callable[..., dict[str, Any]]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        for name, value in self.bind(*args, **options).items():
            setattr(self, name, value)

    def forward(self, input: Any) -> Any:
        return type(self).function(input, **{name: getattr(self, name) for name in self.fields.parameters})

    def extra_repr(self) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name in self.fields.parameters if name != "inplace"]
        return ", ".join(shown + ["inplace=True"] * bool(getattr(self, "inplace", False)))


KINDS: dict[str, Any] = {
    "inplace": bool, "dim": int | None, "approximate": str, "weight": Tensor | None, "pos_weight": Tensor | None,
    "ignore_index": int, "full": bool, "log_input": bool, "log_target": bool, "swap": bool, "reduction": str,
}  # fmt: skip
"""What `inspect` says of some arguments; most others are floats."""
UNSAID = ("size_average", "reduce")


def describe_signature(parameters: Iterable[inspect.Parameter]) -> inspect.Signature:
    """What `inspect` says of a class with these arguments."""

    def kind(parameter: inspect.Parameter) -> Any:
        if parameter.name in UNSAID:
            return inspect.Parameter.empty
        return int if parameter.name == "dim" and parameter.default is not None else KINDS.get(parameter.name, float)

    return inspect.Signature([p.replace(annotation=kind(p)) for p in parameters], return_annotation=None)


def activation(
    name: str, function: Callable[..., Any], required: tuple[str, ...] = (), base: Any = Activation, **defaults: Any
) -> type[Activation]:
    """The module class `name` for `function`, whose arguments are `required` and those with `defaults`."""
    parameters = [
        inspect.Parameter(
            field, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=defaults.get(field, inspect.Parameter.empty)
        )
        for field in (*required, *defaults)
    ]
    fields = inspect.Signature(parameters)
    facts = {"function": staticmethod(function), "fields": fields, "bind": binder(f"{name}.__init__", fields)}
    return type(name, (base,), facts | {"__module__": __name__, "__signature__": describe_signature(parameters)})


ReLU = activation("ReLU", F.relu, inplace=False)
ReLU6 = activation("ReLU6", F.relu6, inplace=False)
LeakyReLU = activation("LeakyReLU", F.leaky_relu, negative_slope=0.01, inplace=False)
ELU = activation("ELU", F.elu, alpha=1.0, inplace=False)
SELU = activation("SELU", F.selu, inplace=False)
CELU = activation("CELU", F.celu, alpha=1.0, inplace=False)
GELU = activation("GELU", F.gelu, approximate="none")
SiLU = activation("SiLU", F.silu, inplace=False)
Mish = activation("Mish", F.mish, inplace=False)
Hardsigmoid = activation("Hardsigmoid", F.hardsigmoid, inplace=False)
Hardswish = activation("Hardswish", F.hardswish, inplace=False)
Softplus = activation("Softplus", F.softplus, beta=1.0, threshold=20.0)
Threshold = activation("Threshold", F.threshold, ("threshold", "value"), inplace=False)
Hardtanh = activation("Hardtanh", F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)
LogSigmoid = activation("LogSigmoid", F.logsigmoid)
Softsign = activation("Softsign", F.softsign)
Tanhshrink = activation("Tanhshrink", F.tanhshrink)
Tanh = activation("Tanh", guard("torch", "tanh", tanh))
Sigmoid = activation("Sigmoid", guard("torch", "sigmoid", sigmoid))
Softmax = activation("Softmax", F.softmax, dim=None)
LogSoftmax = activation("LogSoftmax", F.log_softmax, dim=None)
Softmin = activation("Softmin", F.softmin, dim=None)


class RReLU(activation("RReLU", F.rrelu, lower=1.0 / 8, upper=1.0 / 3, inplace=False)):  # type: ignore[misc]
    """leaky_relu with slopes drawn at random while training."""

    def forward(self, input: Any) -> Any:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


GLU = activation("GLU", F.glu, dim=-1)


class Shrink(Activation):
    """What prints its argument without a name."""

    def extra_repr(self) -> str:
        return str(self.lambd)


Softshrink = activation("Softshrink", F.softshrink, base=Shrink, lambd=0.5)
Hardshrink = activation("Hardshrink", F.hardshrink, base=Shrink, lambd=0.5)


class Softmax2d(Module):
    """softmax over the channels of an image."""

    def forward(self, input: Any) -> Any:
        rank = input.data_.ndim
        if rank not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {rank}D instead")
        return F.softmax(input, -3)


class PReLU(Module):
    """relu with a learned slope below zero, one for all channels or one for each."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = blank((num_parameters,), dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        constant_(self.weight, self.init)

    def forward(self, input: Any) -> Any:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
