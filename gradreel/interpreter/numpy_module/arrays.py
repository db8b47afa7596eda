"""A small numpy for programs: arrays of numbers and the functions over them.

An array is made only of what we have checked to be numbers in a rectangle; no method of ndarray is reached but through
the tables here. What a function may make is charged before it is made.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.ma  # np.unique imports it when first called, and a locked-down process could not

from ..builtins.iteration import collect_items
from ..engine.cost_model import product_weight
from ..engine.engine import torch
from ..limits import extent
from ..machine import Machine
from ..runtime.allowed_types import check_array
from ..runtime.type_names import kind_name
from ..runtime.values import Type, Value
from .result_sizes import broadcast_size, einsum_size, pad_size, size_of, sizes_in
from .sharing import mirror_tensor

Array = np.ndarray[Any, Any]
ARRAY_TYPES: tuple[type, ...] = (
    np.float64,
    np.float32,
    np.float16,
    np.int64,
    np.int32,
    np.int16,
    np.int8,
    np.uint8,
    np.bool_,
    np.complex64,
    np.complex128,
)
KINDS = "fiubc"

DTYPES = {name: getattr(np, name) for name in (kind.__name__ for kind in ARRAY_TYPES) if hasattr(np, name)}
DTYPES |= {"bool_": np.bool_, "bool": np.bool_}
OF_PYTHON = {"float": np.float64, "int": np.int64, "bool": np.bool_, "complex": np.complex128}


def dtype_of(given: Value) -> Any:
    """numpy's dtype for what a program may say as one."""
    if given is None:
        return None
    if isinstance(given, Type):
        name = given.name
        if name in OF_PYTHON:
            return OF_PYTHON[name]
        if name in DTYPES:
            return DTYPES[name]
    if isinstance(given, str) and given in (*DTYPES, *OF_PYTHON, "f", "d", "i"):
        return np.dtype(given).type
    if isinstance(given, np.dtype) and given.kind in KINDS:
        return given
    raise TypeError(
        f"Cannot interpret '{given}' as a data type" if isinstance(given, str) else "data type not understood"
    )


SEQUENCES = (list, tuple, range, deque)


def numbers(machine: Machine, given: Value) -> Any:
    """`given` as numpy may see it: numbers, or nested lists of them; tensors become arrays."""
    if isinstance(given, SEQUENCES):
        made = to_lists(machine, given)
        machine.meter.elements(volume(made))
        return made
    if isinstance(given, (bool, int, float, complex, np.ndarray, *ARRAY_TYPES)):
        if isinstance(given, int) and given.bit_length() > 63:
            raise OverflowError("Python int too large to convert to C long")
        return given
    if isinstance(given, torch.Tensor):
        return given.numpy()
    raise TypeError(f"only numbers and lists of numbers can become an array here, not {kind_name(given)}")


def to_lists(machine: Machine, given: Value) -> list[Any]:
    return [
        to_lists(machine, part) if isinstance(part, SEQUENCES) else numbers(machine, part)
        for part in collect_items(machine, given)
    ]


def volume(made: list[Any]) -> int:
    """The numbers in a list, in its lists and in its arrays."""
    return sum(
        volume(part) if isinstance(part, list) else extent(part.shape) if isinstance(part, np.ndarray) else 1
        for part in made
    )


def array(machine: Machine, given: Value, dtype: Value = None, copy: Value = True, ndmin: int = 0) -> Array:
    of_tensor = isinstance(given, torch.Tensor)
    source = given if of_tensor else numbers(machine, given)  # numpy warns of tensors that are copied
    made: Array = check_array(np.array(source, dtype=dtype_of(dtype), copy=copy, ndmin=ndmin))
    if of_tensor and made.base is not None:
        mirror_tensor(machine, given)
    return made


def asarray(machine: Machine, given: Value, dtype: Value = None, copy: Value = None) -> Array:
    """`np.asarray`: what is an array already stays itself, and one over a tensor shows its memory."""
    return array(machine, given, dtype, copy)


def shape_of(machine: Machine, given: Value) -> tuple[int, ...]:
    shape = (given,) if isinstance(given, (int, np.integer)) else tuple(collect_items(machine, given))
    if not all(isinstance(size, (int, np.integer)) for size in shape):
        raise TypeError("a shape is a whole number or several")
    machine.meter.elements(extent(shape))
    return shape


def make_filling(way: Callable[..., Array]) -> Callable[..., Array]:
    return lambda machine, shape, dtype=None: way(shape_of(machine, shape), dtype=dtype_of(dtype) or np.float64)


def full(machine: Machine, shape: Value, fill_value: Value, dtype: Value = None) -> Array:
    return np.full(shape_of(machine, shape), numbers(machine, fill_value), dtype=dtype_of(dtype))


def ndarray(machine: Machine, shape: Value, dtype: Value = None, buffer: Value = None) -> Array:
    """Over the memory of `buffer`, or over zeros: what lies in fresh memory is not a program's business."""
    sizes, kind = shape_of(machine, shape), dtype_of(dtype) or np.float64
    if buffer is None:
        return np.zeros(sizes, kind)
    if not isinstance(buffer, np.ndarray):
        raise TypeError(f"a bytes-like object is required, not '{kind_name(buffer)}'")
    return np.ndarray(sizes, kind, buffer)


def alike(way: Callable[..., Array]) -> Callable[..., Array]:
    def run(machine: Machine, given: Value, dtype: Value = None) -> Array:
        found = np.asarray(numbers(machine, given))
        machine.meter.elements(size_of(found))
        return way(found, dtype=dtype_of(dtype))

    return run


def square(way: Callable[..., Array]) -> Callable[..., Array]:
    def run(machine: Machine, n: int, m: int | None = None, dtype: Value = None) -> Array:
        shape_of(machine, (n, n if m is None else m))
        rest = (m,) if way is np.eye else ()
        return way(n, *rest, dtype=dtype_of(dtype) or np.float64)

    return run


def diagonal(machine: Machine, given: Value, k: int = 0) -> Array:
    found = np.asarray(numbers(machine, given))
    machine.meter.elements((found.size + abs(k)) ** 2 if found.ndim == 1 else size_of(found))
    return np.diag(found, k)


def meshgrid(machine: Machine, *axes: Value, indexing: str = "xy") -> Any:
    parts = [np.asarray(numbers(machine, axis)) for axis in axes]
    machine.meter.elements(math.prod(map(size_of, parts)) * len(parts))
    return np.meshgrid(*parts, indexing="ij" if indexing == "ij" else "xy")


SLOWLY = 16
"""For numpy goes through three and more arrays number by number, and multiplies matrices so much quicker."""


def einsum(machine: Machine, formula: Value, *operands: Value) -> Any:
    if not isinstance(formula, str):
        raise TypeError(f"the subscripts of einsum must be a str here, not {kind_name(formula)}")
    formula = str.__str__(formula)
    parts = [np.asarray(numbers(machine, part)) for part in operands]
    made, multiplications = einsum_size(formula, [part.shape for part in parts])
    machine.meter.work(multiplications * (SLOWLY if len(parts) > 2 else product_weight(tuple(parts))))
    machine.meter.elements(made)
    return np.einsum(formula, *parts)


def convolve(machine: Machine, one: Value, other: Value, mode: Value = "full") -> Array:
    if not isinstance(mode, str):
        raise TypeError(f"mode must be a str, not {kind_name(mode)}")
    first, second = (np.asarray(numbers(machine, part)) for part in (one, other))
    machine.meter.work(first.size * second.size * product_weight((first, second)))
    machine.meter.elements(first.size + second.size)
    way: Any = np.convolve
    made: Array = way(first, second, mode=str.__str__(mode))
    return made


def interpolate(
    machine: Machine, x: Value, xp: Value, fp: Value, left: Value = None, right: Value = None, period: Value = None
) -> Any:
    at, places, values = (np.asarray(numbers(machine, part)) for part in (x, xp, fp))
    machine.meter.elements(at.size + places.size)
    ends = [None if part is None else numbers(machine, part) for part in (left, right, period)]
    return np.interp(at, places, values, *ends)


PADDINGS = "constant edge linear_ramp maximum mean median minimum reflect symmetric wrap empty".split()


def pad(machine: Machine, given: Value, width: Value, mode: str = "constant", constant_values: Value = 0) -> Array:
    found = np.asarray(numbers(machine, given))
    if mode not in PADDINGS:
        raise ValueError(f"mode '{mode}' is not supported")
    machine.meter.elements(pad_size(found.shape, numbers(machine, width)))
    more = {"constant_values": numbers(machine, constant_values)} if mode == "constant" else {}
    way: Any = np.pad
    mode = "constant" if mode == "empty" else mode  # what lies in fresh memory is not a program's business
    made: Array = way(found, numbers(machine, width), mode=mode, **more)
    return made


def linspace(
    machine: Machine,
    start: Value,
    stop: Value,
    num: int = 50,
    endpoint: Value = True,
    retstep: Value = False,
    dtype: Value = None,
) -> Any:
    first, last = between(machine, start, stop, num)
    way: Any = np.linspace
    return way(first, last, num, endpoint=bool(endpoint), retstep=bool(retstep), dtype=dtype_of(dtype))


def join_along(machine: Machine, given: Value, values: Value, axis: Value = None) -> Array:
    parts = [np.asarray(numbers(machine, part)) for part in (given, values)]
    machine.meter.elements(sum(map(size_of, parts)))
    way: Any = np.append
    made: Array = way(*parts, None if axis is None else int(axis))
    return made


def histogram(machine: Machine, given: Value, bins: Value = 10, range: Value = None, density: Value = False) -> Any:
    found, parts = np.asarray(numbers(machine, given)), numbers(machine, bins)
    machine.meter.elements(found.size + (size_of(parts) if sizes_in(parts) else int(parts)))
    limits = None if range is None else tuple(numbers(machine, range))
    return np.histogram(found, parts, limits, density=bool(density))


def bincount(machine: Machine, x: Value, weights: Value = None, minlength: int = 0) -> Array:
    found = np.asarray(numbers(machine, x))
    machine.meter.elements(max(int(found.max(initial=0)) + 1, minlength))
    return np.bincount(found, None if weights is None else numbers(machine, weights), minlength)


def full_like(machine: Machine, given: Value, fill_value: Value, dtype: Value = None) -> Array:
    found = np.asarray(numbers(machine, given))
    machine.meter.elements(size_of(found))
    return np.full_like(found, numbers(machine, fill_value), dtype=dtype_of(dtype))


def logspace(machine: Machine, start: Value, stop: Value, num: int = 50) -> Array:
    way: Any = np.logspace
    made: Array = way(*between(machine, start, stop, num), num)
    return made


def between(machine: Machine, start: Value, stop: Value, num: int) -> tuple[Any, Any]:
    """The ends of a row of `num` numbers, which may be arrays: how far they are apart numpy computes for no row too."""
    ends = numbers(machine, start), numbers(machine, stop)
    machine.meter.elements(broadcast_size(ends, {}) * max(int(num), 1))
    return ends


def arange(machine: Machine, *given: Value, dtype: Value = None) -> Array:
    bounds = [numbers(machine, part) for part in given]
    if any(np.ndim(bound) and np.size(bound) != 1 for bound in bounds):
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    machine.meter.elements(int(max(0, (stop - start) / step)) if step else 0)
    return np.arange(*bounds, dtype=dtype_of(dtype))


SHOWN = ("precision", "suppress", "threshold", "linewidth", "edgeitems")


def options(machine: Machine, /, **given: Value) -> None:
    """`set_printoptions`, for this run."""
    machine.shown |= {name: value for name, value in given.items() if name in SHOWN and isinstance(value, (int, bool))}
    for name, most in (("linewidth", 1000), ("precision", 100)):
        if name in machine.shown:
            machine.shown[name] = min(int(machine.shown[name]), most)
