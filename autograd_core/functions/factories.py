"""Making tensors from data and from sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..device import device
from ..state import ask_room, exposed, state
from ..storage import new_storage
from ..strides import PRESERVED, copied
from ..tensor import Tensor, plain
from ..unsupported import Unsupported
from ..warned import warn
from .choices import numpy_dtype, sizes_of
from .literals import from_data, need_forward

RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)
FROM_TENSOR = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)
INT_LEAF = "Only Tensors of floating point and complex dtype can require gradients"


def made(
    data: Any, op: str, requires_grad: bool = False, device: Any = None, inputs: tuple[Tensor, ...] = ()
) -> Tensor:
    """A tensor over `data`, told as made by the factory `op`, of the numbers of `inputs` if it copies tensors."""
    check_device(device)
    array = np.asarray(data)
    tensor = plain(array if array.ndim else array[()])
    if state.inference:
        tensor.as_inference()
    if requires_grad:
        if array.dtype.kind != "f":
            raise RuntimeError(INT_LEAF)
        tensor.own_meta().requires_grad = True
    if state.session is not None:
        state.session.made(tensor, op, inputs)
    return tensor


def check_device(given: Any) -> None:
    """Whether `given` is the one device there is.

    Raises:
        AssertionError: it is a graphics card.
        RuntimeError: it is no device.
    """
    if given is None:
        return
    kind = (given if isinstance(given, device) else device(given)).type
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind != "cpu":
        raise Unsupported(f"device {kind} is not supported: this engine runs on the cpu")


# ---- from data


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new leaf with a copy of `data`: numbers, nested sequences, arrays or tensors."""
    if isinstance(data, Tensor):
        warn(FROM_TENSOR.format("torch.tensor"))
    inputs = tensors_in(data) if state.session is not None else ()
    return made(np.array(from_data(data, dtype)), "tensor", requires_grad, device, inputs)


def tensors_in(data: Any) -> tuple[Tensor, ...]:
    """The tensors among `data`, whose numbers are copied."""
    if isinstance(data, Tensor):
        return (data,)
    if isinstance(data, list | tuple):
        return tuple(found for part in data if isinstance(part, Tensor | list | tuple) for found in tensors_in(part))
    return ()


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`data` itself where it is a tensor, over the same memory where it is an array."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or dtypes.to_numpy(dtype) == data.dtype):
        return from_numpy(data)
    return made(from_data(data, dtype), "as_tensor", False, device)


def from_numpy(ndarray: np.ndarray[Any, Any]) -> Tensor:
    """A tensor over the memory of an array."""
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        home = "numpy." if kind.__module__ == "numpy" else ""
        raise TypeError(f"expected np.ndarray (got {home}{kind.__name__})")
    need_forward(ndarray)
    dtypes.from_numpy(ndarray.dtype)
    exposed()
    result = plain(ndarray)
    result.storage_ = new_storage()
    if state.session is not None:
        state.session.made(result, "from_numpy", ())
    return result


# ---- from sizes


def floating(dtype: Any) -> np.dtype[Any]:
    return numpy_dtype(dtypes.get_default_dtype() if dtype is None else dtype)


def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return made(np.zeros(lengths(size, "zeros"), floating(dtype)), "zeros", requires_grad, device)


def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return made(np.ones(lengths(size, "ones"), floating(dtype)), "ones", requires_grad, device)


def empty(
    *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Zeros: what is in uninitialised memory would differ from run to run."""
    data = np.zeros(lengths(size, "empty"), floating(dtype))
    if memory_format == PRESERVED:
        raise RuntimeError("unsupported memory format Preserve")
    if memory_format is not None:
        data = copied(data, memory_format)
    return made(data, "empty", requires_grad, device)


def lengths(size: Sequence[Any], op: str = "empty") -> list[int]:
    """The sizes asked for by a call of `op`.

    Raises:
        TypeError: they are no whole numbers.
        RuntimeError: one is negative.
    """
    found = checked(sizes_of(size, op), op)
    ask_room(math.prod(found))
    return found


def checked(sizes: list[int], op: str = "empty") -> list[int]:
    """`sizes`, none of which is negative."""
    for n in sizes:
        if n < 0:
            text = f"Trying to create tensor with negative dimension {n}: [{', '.join(map(str, sizes))}]"
            raise RuntimeError("zeros: Dimension size must be non-negative." if op == "zeros" else text)
    return sizes


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    kind = dtypes.of_number(value) if dtype is None else dtype
    if not isinstance(size, tuple | list):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    target = numpy_dtype(kind)
    return made(
        np.full(lengths([list(size)], "full"), dtypes.fitting(value, target), target), "full", requires_grad, device
    )


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    if not isinstance(n, int):
        raise TypeError(f"eye(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    lengths([n, n if m is None else m], "eye")
    return made(np.eye(n, m, dtype=floating(dtype)), "eye", requires_grad, device)


def arange(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    first, last, by = (
        v.item() if isinstance(v, Tensor) else v for v in ((0, start, step) if end is None else (start, end, step))
    )
    check_steps(first, last, by)
    whole = all(isinstance(v, int) for v in (first, last, by))
    count = math.ceil((last - first) / by)
    lengths([count])
    values = np.arange(count) * by + first
    kind = (np.dtype(np.int64) if whole else floating(None)) if dtype is None else numpy_dtype(dtype)
    return made(values.astype(kind), "arange", requires_grad, device)


def check_steps(first: float, last: float, by: float) -> None:
    """Whether steps lead from `first` to `last`.

    Raises:
        RuntimeError: they do not.
    """
    if by == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"unsupported range: {first:g} -> {last:g}")
    if (last - first) * by < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def closed_range(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`torch.range`: the end is among the numbers if a step leads there.

    Raises:
        TypeError: without an end.
        RuntimeError: no step leads from `start` to `end`.
        NotImplementedError: of booleans.
    """
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warn(RANGE)
    first, last, by = (v.item() if isinstance(v, Tensor) else v for v in (start, end, step))
    check_steps(first, last, by)
    kind = floating(None) if dtype is None else numpy_dtype(dtype)
    if kind == np.bool_:
        raise NotImplementedError("\"range_cpu\" not implemented for 'Bool'")
    count = math.floor((last - first) / by) + 1
    lengths([count])
    return made((np.arange(count) * by + first).astype(kind), "range", requires_grad, device)


closed_range.__name__ = "range"


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Rows and columns of the elements on and above a diagonal, one below the other."""
    check_sides(row, col)
    ask_room(2 * row, col)
    return made(np.array(np.triu_indices(row, offset, col), places(dtype)), "triu_indices", False, device)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Rows and columns of the elements on and below a diagonal, one below the other."""
    check_sides(row, col)
    ask_room(2 * row, col)
    return made(np.array(np.tril_indices(row, offset, col), places(dtype)), "tril_indices", False, device)


def check_sides(row: int, col: int) -> None:
    """
    Raises:
        RuntimeError: a matrix has no such sides.
    """
    for name, n in (("row", row), ("col", col)):
        if n < 0:
            raise RuntimeError(f"{name} must be non-negative, got{n}")


def places(dtype: Any) -> np.dtype[Any]:
    return np.dtype(np.int64) if dtype is None else numpy_dtype(dtype)


def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    kind = floating(dtype)
    lengths([steps])
    return made(symmetric_line(float(start), float(end), steps, kind), "linspace", requires_grad, device)


def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`base` to the powers of a line."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    kind = floating(dtype)
    lengths([steps])
    line = symmetric_line(float(start), float(end), steps, np.dtype(np.float64))
    return made(np.power(float(base), line).astype(kind), "logspace", requires_grad, device)


def symmetric_line(start: float, end: float, steps: int, kind: np.dtype[Any]) -> Any:
    """Evenly spaced numbers, the upper half counted down from the end as torch does."""
    if steps == 1:
        return np.array([start], kind)
    if kind.kind != "f":
        return np.linspace(start, end, steps).astype(kind)
    one = kind.type
    step = (one(end) - one(start)) / one(steps - 1)
    at = np.arange(steps)
    low = one(start) + step * at.astype(kind)
    high = one(end) - step * (steps - at - 1).astype(kind)
    return np.where(at < steps // 2, low, high).astype(kind)
