"""Making tensors from data, from sizes, like another tensor, and over memory that is there already."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from ... import errors
from ...dispatch.registry import callbacks
from ...dispatch.schema.schema import composite
from ...engine.state import ask_room, mark_exposed, state
from ...engine.warnings import warn, warn_once
from ...errors import Unsupported
from ...functorch.batching_rules.factory import like as hidden_like
from ...functorch.batching_rules.factory import make_sized as hidden_sized
from ...tensor import dtypes
from ...tensor.bfloat16 import rounded
from ...tensor.device import device
from ...tensor.dtypes import default_kind, get_default_dtype, to_numpy
from ...tensor.size import Size
from ...tensor.storage import new_storage
from ...tensor.strides import PRESERVED, blank_like, copy_in_format
from ...tensor.tensor import Array, Tensor, bare, plain
from ...tensor.views import extent, laid_out
from .arguments import sizes_of

# ---- from what a program writes down as data


LIST_OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)

BACKWARD = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
    "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
)

MOST = 128
"""As many dimensions torch reads; a list that holds itself has more."""


def from_data(data: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """`data` as an array of the dtype asked for, or of the one that torch infers."""
    if isinstance(data, Tensor):
        array = np.asarray(data.data_)
    elif isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
        need_forward(array)
        dtypes.from_numpy(array.dtype)
    else:
        return from_sequence(data, None if dtype is None else dtypes.to_numpy(dtype))
    return array if dtype is None else array.astype(dtypes.to_numpy(dtype))


ORDER = (
    "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
    "currently not supported."
)


def need_forward(array: np.ndarray[Any, Any]) -> None:
    """Whether each stride of `array` goes forward, as those of tensors do, and its bytes lie as here.

    Raises:
        ValueError: one goes backward, or they do not.
    """
    if not array.dtype.isnative:
        raise ValueError(ORDER)
    if any(stride < 0 for stride in array.strides):
        raise ValueError(BACKWARD)


def from_sequence(data: Any, wanted: np.dtype[Any] | None = None) -> np.ndarray[Any, Any]:
    shape = () if data.__class__ in PLAIN else shape_of(data)
    if shape:
        ask_room(*shape)
    flat = plain_numbers(data, shape)
    if flat is None:
        flat = []
        flatten_into(flat, data, shape, 0, wanted)
    kind = wanted or inferred_dtype(flat)
    if kind.kind in "iu" and not (kind == np.int64 and are_int64(flat)):
        flat = [whole(value, kind) for value in flat]
    return np.array(flat, kind).reshape(shape) if shape else np.array(flat[0], kind)


PLAIN = {float, int}


def plain_numbers(data: Any, shape: tuple[int, ...]) -> list[Any] | None:
    """The floats and ints in lists of this shape, without a look at each; None if there is anything else in them."""
    flat = [data]
    for length in shape:
        if set(map(type, flat)) != {list} or set(map(len, flat)) != {length}:
            return None
        flat = list(chain.from_iterable(flat))
    return flat if PLAIN.issuperset(map(type, flat)) else None


def are_int64(flat: list[Any]) -> bool:
    return set(map(type, flat)) == {int} and min(flat) >= -(2**63) and max(flat) < 2**63


def whole(value: Any, kind: np.dtype[Any]) -> int:
    """`value` without its fraction.

    Raises:
        ValueError: not even 64 bits hold it.
        RuntimeError: `kind` does not hold it.
    """
    if isinstance(value, float | np.floating) and not isinstance(value, int):
        return int(dtypes.fitting(float(value), kind, kind.name))
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise ValueError("Overflow when unpacking long long")
    limits = np.iinfo(kind)
    if not limits.min - (limits.max + 1 if kind.kind == "u" else 0) <= number <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow")
    return number % 256 if kind.kind == "u" else number


def is_sequence(data: Any) -> bool:
    return isinstance(data, list | tuple | range | deque) or (isinstance(data, np.ndarray) and data.ndim > 0)


def shape_of(data: Any) -> tuple[int, ...]:
    """The shape of nested sequences, read along their first elements."""
    shape: list[int] = []
    while is_sequence(data):
        shape.append(len(data))
        if len(shape) > MOST:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if len(data) == 0:
            break
        data = data[0]
    if shape and isinstance(data, str):  # torch takes it for one more sequence
        raise ValueError("too many dimensions 'str'")
    return tuple(shape)


def flatten_into(flat: list[Any], data: Any, shape: tuple[int, ...], depth: int, wanted: np.dtype[Any] | None) -> None:
    """Append the numbers of `data` to `flat`, which are to become `wanted`.

    Raises:
        ValueError: the sequences are ragged.
        TypeError: something in it is no number.
    """
    if depth == len(shape):
        flat.append(as_number(data, depth, wanted))
        return
    if not is_sequence(data):
        raise TypeError(f"not a sequence at dim {depth}")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    for part in data:
        if isinstance(part, np.ndarray) and not isinstance(data, np.ndarray):
            warn_once("list of arrays", LIST_OF_ARRAYS)
        flatten_into(flat, part, shape, depth + 1, wanted)


def as_number(value: Any, depth: int, wanted: np.dtype[Any] | None) -> Any:
    if isinstance(value, Tensor):
        if value.data_.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if value.requires_grad:
            warn_once("scalar", errors.TO_SCALAR)
        return np.asarray(value.data_).reshape(())[()]
    if isinstance(value, np.generic | bool | int | float) or (isinstance(value, complex) and takes_complex(wanted)):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    if wanted is not None and (depth or not isinstance(value, str)):
        kind = type(value).__name__
        if wanted.kind == "f":
            raise TypeError(f"must be real number, not {kind}")
        raise TypeError(f"'{kind}' object cannot be interpreted as an integer")
    if depth == 0:
        if value is None:
            raise RuntimeError("Could not infer dtype of NoneType")
        if not isinstance(value, str):
            raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(value, str):
        raise TypeError("new(): invalid data type 'str'")
    if is_sequence(value):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")


def takes_complex(wanted: np.dtype[Any] | None) -> bool:
    return wanted is None or wanted.kind == "c"


def inferred_dtype(flat: Sequence[Any]) -> np.dtype[Any]:
    """bool < int64 < the default float; numpy scalars and tensors bring their own."""
    if not flat:
        return dtypes.to_numpy(dtypes.get_default_dtype())
    kinds = {type(value) for value in flat}
    found = None
    for kind in kinds:
        own = np.dtype(kind) if issubclass(kind, np.generic) else dtypes.to_numpy(dtypes.of_number(kind()))
        found = (
            own
            if found is None
            else dtypes.to_numpy(dtypes.promote_types(dtypes.from_numpy(found), dtypes.from_numpy(own)))
        )
    assert found is not None
    return found


# ---- from sizes


RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)
FROM_TENSOR = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)
INT_LEAF = "Only Tensors of floating point and complex dtype can require gradients"


def make_tensor(
    data: Any, op: str, requires_grad: bool = False, device: Any = None, inputs: tuple[Tensor, ...] = ()
) -> Tensor:
    """A tensor over `data`, told as made by the factory `op`, of the numbers of `inputs` if it copies tensors."""
    check_device(device)
    array = np.asarray(data)
    tensor = plain(bare(array) if array.dtype.isnative else rounded(array))
    if state.inference:
        tensor.as_inference()
    if requires_grad:
        if array.dtype.kind not in "fc":
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


@composite("""
    tensor(object data, *, ScalarType dtype=None, Device? device=None, bool pin_memory=False, bool \
        requires_grad=False) -> Tensor: function
    """)
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new leaf with a copy of `data`: numbers, nested sequences, arrays or tensors."""
    if isinstance(data, Tensor):
        warn(FROM_TENSOR.format("torch.tensor"))
    inputs = tensors_in(data) if state.session is not None else ()
    return make_tensor(np.array(from_data(data, dtype)), "tensor", requires_grad, device, inputs)


def tensors_in(data: Any) -> tuple[Tensor, ...]:
    """The tensors among `data`, whose numbers are copied."""
    if isinstance(data, Tensor):
        return (data,)
    if isinstance(data, list | tuple):
        return tuple(found for part in data if isinstance(part, Tensor | list | tuple) for found in tensors_in(part))
    return ()


@composite("as_tensor(object data, *, ScalarType dtype=None, Device? device=None) -> Tensor: function")
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`data` itself where it is a tensor, over the same memory where it is an array."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or dtypes.to_numpy(dtype) == data.dtype):
        return from_numpy(data)
    return make_tensor(from_data(data, dtype), "as_tensor", False, device)


def from_numpy(ndarray: np.ndarray[Any, Any]) -> Tensor:
    """A tensor over the memory of an array."""
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        home = "numpy." if kind.__module__ == "numpy" else ""
        raise TypeError(f"expected np.ndarray (got {home}{kind.__name__})")
    need_forward(ndarray)
    dtypes.from_numpy(ndarray.dtype)
    mark_exposed()
    result = plain(ndarray)
    result.storage_ = new_storage()
    if state.session is not None:
        state.session.made(result, "from_numpy", ())
    return result


# ---- from sizes


def floating(dtype: Any) -> np.dtype[Any]:
    return to_numpy(dtypes.get_default_dtype() if dtype is None else dtype)


@composite("""
    zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) \
        -> Tensor: function out
    """)
def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return make_tensor(np.zeros(lengths(size, "zeros"), floating(dtype)), "zeros", requires_grad, device)


@composite("""
    ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) \
        -> Tensor: function out
    """)
def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return make_tensor(np.ones(lengths(size, "ones"), floating(dtype)), "ones", requires_grad, device)


@composite("""
    empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function out
    """)
def empty(
    *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Zeros: what is in uninitialised memory would differ from run to run."""
    data = np.zeros(lengths(size, "empty"), floating(dtype))
    if memory_format == PRESERVED:
        raise RuntimeError("unsupported memory format Preserve")
    if memory_format is not None:
        data = copy_in_format(data, memory_format)
    return make_tensor(data, "empty", requires_grad, device)


def lengths(size: Sequence[Any], op: str = "empty") -> list[int]:
    """The sizes asked for by a call of `op`.

    Raises:
        TypeError: they are no whole numbers.
        RuntimeError: one is negative.
    """
    found = check_sizes(sizes_of(size, op), op)
    ask_room(*found)
    return found


def check_sizes(sizes: list[int], op: str = "empty") -> list[int]:
    """`sizes`, none of which is negative."""
    for n in sizes:
        if n < 0:
            text = f"Trying to create tensor with negative dimension {n}: [{', '.join(map(str, sizes))}]"
            raise RuntimeError("zeros: Dimension size must be non-negative." if op == "zeros" else text)
    return sizes


@composite("""
    full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None) -> Tensor: function out
    """)
def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    kind = dtypes.of_number(value) if dtype is None else dtype
    if not isinstance(size, tuple | list):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    target = to_numpy(kind)
    return make_tensor(
        np.full(lengths([list(size)], "full"), dtypes.fitting(value, target), target), "full", requires_grad, device
    )


@composite("""
    eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> \
        Tensor: function out
    eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None) -> Tensor: function out
    """)
def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    if not isinstance(n, int):
        raise TypeError(f"eye(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    lengths([n, n if m is None else m], "eye")
    return make_tensor(np.eye(n, m, dtype=floating(dtype)), "eye", requires_grad, device)


@composite("""
    arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> \
        Tensor: function out
    arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None) -> Tensor: function
    arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, \
        Device? device=None, bool? pin_memory=None) -> Tensor: function out
    """)
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
    kind = (np.dtype(np.int64) if whole else floating(None)) if dtype is None else to_numpy(dtype)
    if kind.kind == "c":
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{errors.type_name(kind)}'")
    return make_tensor(values.astype(kind), "arange", requires_grad, device)


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
    kind = floating(None) if dtype is None else to_numpy(dtype)
    if kind == np.bool_:
        raise NotImplementedError("\"range_cpu\" not implemented for 'Bool'")
    count = math.floor((last - first) / by) + 1
    lengths([count])
    return make_tensor((np.arange(count) * by + first).astype(kind), "range", requires_grad, device)


closed_range.__name__ = "range"


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Rows and columns of the elements on and above a diagonal, one below the other."""
    check_sides(row, col)
    ask_room(2 * row, col)
    return make_tensor(np.array(np.triu_indices(row, offset, col), places(dtype)), "triu_indices", False, device)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Rows and columns of the elements on and below a diagonal, one below the other."""
    check_sides(row, col)
    ask_room(2 * row, col)
    return make_tensor(np.array(np.tril_indices(row, offset, col), places(dtype)), "tril_indices", False, device)


def check_sides(row: int, col: int) -> None:
    """
    Raises:
        RuntimeError: a matrix has no such sides.
    """
    for name, n in (("row", row), ("col", col)):
        if n < 0:
            raise RuntimeError(f"{name} must be non-negative, got{n}")


def places(dtype: Any) -> np.dtype[Any]:
    return np.dtype(np.int64) if dtype is None else to_numpy(dtype)


@composite("""
    linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, \
        Device? device=None, bool? pin_memory=None) -> Tensor: function out
    linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, \
        Device? device=None, bool? pin_memory=None) -> Tensor: function out
    linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, \
        Device? device=None, bool? pin_memory=None) -> Tensor: function out
    linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None) -> Tensor: function out
    """)
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    kind = floating(dtype)
    lengths([steps])
    return make_tensor(symmetric_line(float(start), float(end), steps, kind), "linspace", requires_grad, device)


@composite("""
    logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, \
        Device? device=None, bool? pin_memory=None) -> Tensor: function out
    """)
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
    return make_tensor(np.power(float(base), line).astype(kind), "logspace", requires_grad, device)


def symmetric_line(start: float, end: float, steps: int, kind: np.dtype[Any]) -> Any:
    """Evenly spaced numbers, the upper half counted down from the end as torch does."""
    if steps == 1:
        return np.array([start], kind)
    if kind.kind != "f":
        return np.linspace(start, end, steps).astype(kind)
    one = kind.type
    step = (one(end) - one(start)) / one(steps - 1)
    step = step if kind.isnative else one(rounded(step))
    at = np.arange(steps)
    low = one(start) + step * at.astype(kind)
    high = one(end) - step * (steps - at - 1).astype(kind)
    return np.where(at < steps // 2, low, high).astype(kind)


# ---- like another tensor


def like(input: Tensor, dtype: Any) -> np.dtype[Any]:
    return input.data_.dtype if dtype is None else to_numpy(dtype)


def filled_like(input: Tensor, dtype: Any, value: Any, memory_format: str | None) -> Any:
    """An array that lies as that of `input`, or in the format that is named, full of one value."""
    data = blank_like(input.data_, like(input, dtype), memory_format)
    data[...] = value
    return data


@composite("""
    zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    """)
@hidden_like
def zeros_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    return make_tensor(filled_like(input, dtype, 0, memory_format), "zeros_like", requires_grad, device)


@composite("""
    ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    """)
@hidden_like
def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    return make_tensor(filled_like(input, dtype, 1, memory_format), "ones_like", requires_grad, device)


empty_like = zeros_like


@composite("""
    full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \
        bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    """)
@hidden_like
def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:  # fmt: skip
    return make_tensor(filled_like(input, dtype, fill_value, memory_format), "full_like", requires_grad, device)


@composite("""
    new_tensor(Tensor self, object data, *, ScalarType dtype=None, Device? device=None, bool requires_grad=False) -> \
        Tensor: method
    """)
def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    if isinstance(data, Tensor):
        warn(FROM_TENSOR.format("tensor.new_tensor"))
        data = data.data_
    return tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@composite("""
    new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None) -> Tensor: method
    """)
@hidden_sized
def new_zeros(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    lengths = check_sizes(sizes_of(size, "new_zeros"))
    return zeros(lengths, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@composite("""
    new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None) -> Tensor: method
    """)
@hidden_sized
def new_ones(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return ones(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@composite("""
    new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None) -> Tensor: method
    """)
@hidden_sized
def new_empty(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return empty(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@composite("""
    new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None) -> Tensor: method
    """)
@hidden_sized
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    return full(size, fill_value, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


# ---- by strides


@composite("""
    empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None) -> Tensor: function
    """)
def empty_strided(
    size: Sequence[int], stride: Sequence[int], *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    kind = to_numpy(dtypes.get_default_dtype() if dtype is None else dtype)
    check_sizes(list(size))
    if 0 not in size and any(n > 1 and step < 0 for n, step in zip(size, stride, strict=True)):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={errors.sizes(size)} and strides={errors.sizes(stride)}"
        )
    stride = [max(step, 0) for step in stride]
    ask_room(*size)
    ask_room(extent(size, stride))
    data = laid_out(size, stride, kind)
    return make_tensor(data, "empty_strided", requires_grad, device)


@composite("""
    new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, \
        Device? device=None, bool? pin_memory=None) -> Tensor: method
    """)
def new_empty_strided(
    self: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    return empty_strided(size, stride, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


# ---- torch.Tensor(...)


def construct(data: tuple[Any, ...]) -> Tensor:
    """`torch.Tensor(*data)`: of numbers, or of zeros with the lengths that are given."""
    if len(data) == 1 and isinstance(data[0], Size):
        data = tuple(data[0])
    if len(data) == 1 and isinstance(data[0], list | tuple) and tensors_in(data[0]):
        return tensor(data[0], dtype=get_default_dtype())
    if len(data) == 1 and (not isinstance(data[0], int) or data[0] is True or data[0] is False):
        if isinstance(data[0], str):
            raise TypeError("new(): invalid data type 'str'")
        return plain(data[0].data_ if isinstance(data[0], Tensor) else of_numbers(data[0], default_kind()))
    sizes = check_sizes(sizes_of(data, "new"))
    ask_room(*sizes)
    return plain(np.zeros(sizes if data else 0, default_kind()))


def of_numbers(data: Any, kind: np.dtype[Any]) -> Array:
    """A new array of an array, or of nested sequences of numbers.

    Raises:
        TypeError: it is neither, or something in it is no number.
    """
    if isinstance(data, np.ndarray):
        return data.astype(kind)
    if not isinstance(data, list | tuple | range):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    return from_sequence(data, kind)


callbacks.construct = construct
