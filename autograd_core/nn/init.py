"""How the numbers of fresh parameters are drawn: torch's ways, from torch's stream of random numbers.

Every function writes over its tensor without a trace in the graph, counts one write, and returns the tensor.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.state import ask_room
from ..events import session as tell
from ..random import generator as streams
from ..random.generator import Generator
from ..tensor.tensor import Tensor
from .parameter import need_size

GAINS: dict[str, float] = {
    "linear": 1,
    "conv1d": 1,
    "conv2d": 1,
    "conv3d": 1,
    "conv_transpose1d": 1,
    "conv_transpose2d": 1,
    "conv_transpose3d": 1,
    "sigmoid": 1,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a nonlinearity wants its weights larger."""
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, int | float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def _write(tensor: Tensor, values: Any, *names: str) -> Tensor:
    """`tensor` with these values, written by the operators `names` one after the other."""
    need_size(tensor, names[0])
    tensor.overwrite(np.reshape(values, tensor.data_.shape))
    for name in names:
        tensor.bump()
        tell.emit_write(tensor, name)
    return tensor


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    need_size(tensor, "uniform_")
    return _write(tensor, streams.uniform(tensor.data_.size, tensor.data_.dtype, a, b, generator), "uniform_")


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    need_size(tensor, "normal_")
    return _write(tensor, streams.normal(tensor.data_.size, tensor.data_.dtype, mean, std, generator), "normal_")


def constant_(tensor: Tensor, val: float) -> Tensor:
    need_size(tensor, "fill_")
    return _write(tensor, np.full(tensor.data_.shape, val, tensor.data_.dtype), "fill_")


def ones_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    need_size(tensor, "zero_")
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    need_size(tensor, "ndimension")
    if tensor.data_.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _write(tensor, np.eye(*tensor.data_.shape), "eye_")


# ---- by the size of the layer


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many inputs and outputs a weight connects: (fan_in, fan_out)."""
    need_size(tensor, "dim")
    shape = tensor.data_.shape
    if len(shape) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(fans(tensor)))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    if _empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    if _empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan = fans(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _empty(tensor: Tensor) -> bool:
    need_size(tensor, "shape")
    if 0 in tensor.data_.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


# ---- rarer ones


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Rows (or columns, if there are more rows) at right angles to one another: Q of a random matrix."""
    need_size(tensor, "ndimension")
    shape = tensor.data_.shape
    if len(shape) < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.data_.size == 0:
        return tensor
    rows, columns = shape[0], tensor.data_.size // shape[0]
    drawn = streams.normal(tensor.data_.size, tensor.data_.dtype, 0, 1, generator).reshape(rows, columns)
    q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
    q = q * np.sign(np.diag(r))  # otherwise some would come up more often than others
    return _write(tensor, (q.T if rows < columns else q) * tensor.data_.dtype.type(gain), "copy_", "mul_")


ANEW = 1 << 15
"""To draw anew what was not kept takes as long as so many numbers; with strange bounds none is ever kept."""


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Normal numbers, those outside [a, b] drawn again; where most would be, uniform ones that are kept as often as
    the density says."""
    need_size(tensor, "is_meta")
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=1,
        )
    n, kind = tensor.data_.size, tensor.data_.dtype
    inside = (math.erf((b - mean) / std / math.sqrt(2.0)) - math.erf((a - mean) / std / math.sqrt(2.0))) / 2.0
    if inside > 0.3:
        values, names = streams.normal(n, kind, mean, std, generator), ["normal_"]
        while (outside := (values < kind.type(a)) | (values > kind.type(b))).any():
            ask_room(ANEW)
            values = np.where(outside, streams.normal(n, kind, mean, std, generator), values)
            names = ["normal_", "copy_"]
        return _write(tensor, values, *names)
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    values, pending = streams.uniform(n, kind, a, b, generator), np.ones(n, bool)
    drawn, names = values, ["uniform_"]
    while True:
        ask_room(ANEW)
        density = ((drawn - kind.type(mean)) / kind.type(std)) ** 2 * kind.type(-0.5) - kind.type(peak)
        with np.errstate(divide="ignore"):
            pending = pending & (np.log(streams.uniform(n, kind, 0.0, 1.0, generator)) > density)
        if not pending.any():
            return _write(tensor, values, *names)
        drawn = streams.uniform(n, kind, a, b, generator)
        values, names = np.where(pending, drawn, values), ["uniform_", "copy_"]


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """The kernel of a convolution that hands its input on."""
    need_size(tensor, "ndimension")
    shape = tensor.data_.shape
    if len(shape) not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    values, each = np.zeros(shape, tensor.data_.dtype), shape[0] // groups
    channels = min(each, shape[1])
    for channel in range(channels):
        values[(slice(channel, None, each), channel, *(size // 2 for size in shape[2:]))] = 1
    return _write(tensor, values, "zero_", *["copy_"] * (groups * channels))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Normal numbers, a part `sparsity` of each column zero."""
    need_size(tensor, "ndimension")
    if tensor.data_.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.data_.shape
    values = streams.normal(rows * columns, tensor.data_.dtype, 0, std, generator).reshape(rows, columns)
    for column in range(columns):
        values[streams.permutation(rows)[: math.ceil(sparsity * rows)], column] = 0
    return _write(tensor, values, "normal_", *["index_put_"] * columns)


# ---- as they were called before PyTorch 0.4


def name_as_before(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function under its older name, which is deprecated."""
    name = function.__name__.removesuffix("_")

    def older(*args: Any, **kwargs: Any) -> Tensor:
        text = f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`."
        warnings.warn(text, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    older.__name__ = name
    return older


uniform = name_as_before(uniform_)
normal = name_as_before(normal_)
constant = name_as_before(constant_)
eye = name_as_before(eye_)
dirac = name_as_before(dirac_)
xavier_uniform = name_as_before(xavier_uniform_)
xavier_normal = name_as_before(xavier_normal_)
kaiming_uniform = name_as_before(kaiming_uniform_)
kaiming_normal = name_as_before(kaiming_normal_)
orthogonal = name_as_before(orthogonal_)
sparse = name_as_before(sparse_)
