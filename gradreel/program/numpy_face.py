"""A small numpy for programs: arrays of numbers, a few functions, numpy's own random streams.

An array is made only of what we have checked to be numbers in a rectangle; no method of ndarray is reached but through
the table here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .calls import listed
from .engine import torch
from .machine import Machine
from .values import Attribute, Builtin, Namespace, Type, Value
from .words import words

Array = np.ndarray[Any, Any]
ARRAY_TYPES: tuple[type, ...] = (np.float64, np.float32, np.int64, np.int32, np.bool_)

DTYPES = {name: getattr(np, name) for name in ("float64", "float32", "int64", "int32", "bool_")}
OF_PYTHON = {"float": np.float64, "int": np.int64, "bool": np.bool_}


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
    if isinstance(given, str) and given in DTYPES:
        return DTYPES[given]
    if isinstance(given, np.dtype) and given.kind in "fib":
        return given
    raise TypeError("data type not understood")


def numbers(machine: Machine, given: Value) -> Any:
    """`given` as numpy may see it: numbers, or nested lists of them; tensors become arrays."""
    if isinstance(given, (bool, int, float, np.ndarray, *ARRAY_TYPES)):
        if isinstance(given, int) and given.bit_length() > 63:
            raise OverflowError("Python int too large to convert to C long")
        return given
    if isinstance(given, torch.Tensor):
        return given.numpy()
    if isinstance(given, (list, tuple, range)):
        return [numbers(machine, part) for part in listed(machine, given)]
    raise TypeError("only numbers and lists of numbers can become an array here")


def array(machine: Machine, given: Value, dtype: Value = None) -> Array:
    made = np.array(numbers(machine, given), dtype=dtype_of(dtype))
    if made.dtype.kind not in "fib":
        raise TypeError("only numbers and lists of numbers can become an array here")
    return made


def shape_of(machine: Machine, given: Value) -> tuple[int, ...]:
    shape = (given,) if isinstance(given, int) else tuple(listed(machine, given))
    if not all(isinstance(size, int) for size in shape):
        raise TypeError("a shape is a whole number or several")
    machine.meter.elements(math.prod(shape))
    return shape


def filled(way: Callable[..., Array]) -> Callable[..., Array]:
    return lambda machine, shape, dtype=None: way(shape_of(machine, shape), dtype=dtype_of(dtype) or np.float64)


def elementwise(way: Callable[..., Any]) -> Callable[..., Any]:
    def run(machine: Machine, *given: Value) -> Any:
        parts = [np.asarray(numbers(machine, part)) for part in given]
        machine.meter.elements(math.prod(np.broadcast_shapes(*(part.shape for part in parts))))
        return way(*parts)

    return run


def reduced(way: Callable[..., Any]) -> Callable[..., Any]:
    def run(machine: Machine, given: Value, axis: Value = None, keepdims: bool = False) -> Any:
        found = np.asarray(numbers(machine, given))
        machine.meter.elements(found.size)
        return way(found, axis=axis, keepdims=bool(keepdims))

    return run


def allclose(machine: Machine, a: Value, b: Value, rtol: float = 1e-05, atol: float = 1e-08) -> bool:
    return bool(np.allclose(numbers(machine, a), numbers(machine, b), rtol=rtol, atol=atol))


def linspace(machine: Machine, start: float, stop: float, num: int = 50) -> Array:
    machine.meter.elements(num)
    return np.linspace(start, stop, num)


def arange(machine: Machine, *given: Value) -> Array:
    bounds = [numbers(machine, part) for part in given]
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    machine.meter.elements(int(max(0, (stop - start) / step)))
    return np.arange(*bounds)


def finfo(machine: Machine, kind: Value) -> Namespace:
    found = np.finfo(dtype_of(kind))
    words = {"eps": found.eps, "max": found.max, "min": found.min, "tiny": found.tiny}
    return Namespace("finfo", words)


# ---- random: numpy's global stream, one for each run


def stream(machine: Machine) -> np.random.RandomState:
    if machine.random is None:
        machine.random = np.random.RandomState(0)
    found: np.random.RandomState = machine.random
    return found


def seed(machine: Machine, number: int | None = None) -> None:
    machine.random = np.random.RandomState(number or 0)


def drawn(way: Callable[..., Any], before: int) -> Callable[..., Any]:
    """A draw whose first `before` arguments are numbers and whose next one is the size."""

    def run(machine: Machine, *given: Value, size: Value = None, **named: Value) -> Any:
        values = [numbers(machine, part) for part in given[:before]]
        named = {name: numbers(machine, part) for name, part in named.items()}
        wanted = given[before] if len(given) > before else size
        return way(stream(machine), *values, **named, size=None if wanted is None else shape_of(machine, wanted))

    return run


def drawn_by_sizes(way: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, *sizes: way(stream(machine), *shape_of(machine, sizes))


RANDOM = {
    "seed": seed,
    "uniform": drawn(np.random.RandomState.uniform, 2),
    "normal": drawn(np.random.RandomState.normal, 2),
    "randint": drawn(np.random.RandomState.randint, 2),
    "random": drawn(np.random.RandomState.random_sample, 0),
    "rand": drawn_by_sizes(np.random.RandomState.rand),
    "randn": drawn_by_sizes(np.random.RandomState.randn),
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "array": array,
    "asarray": array,
    "zeros": filled(np.zeros),
    "ones": filled(np.ones),
    "linspace": linspace,
    "arange": arange,
    "allclose": allclose,
    "finfo": finfo,
    **{name: elementwise(getattr(np, name)) for name in words("abs exp log sqrt sin cos tan tanh maximum minimum")},
    **{name: reduced(getattr(np, name)) for name in words("sum mean max min std var prod")},
}


def _reshape(machine: Machine, this: Array, *shape: Value) -> Array:
    wanted = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    return this.reshape(tuple(listed(machine, wanted)))


def _astype(machine: Machine, this: Array, kind: Value) -> Array:
    return this.astype(dtype_of(kind))


METHODS: dict[str, Callable[..., Any]] = {
    "reshape": _reshape,
    "astype": _astype,
    "copy": lambda machine, this: this.copy(),
    "tolist": lambda machine, this: this.tolist(),
    "item": lambda machine, this: this.item(),
    "flatten": lambda machine, this: this.flatten(),
    **{name: reduced(getattr(np, name)) for name in words("sum mean max min std var prod")},
}


READS: dict[str, Callable[[Any], Any]] = {
    "shape": lambda this: this.shape,
    "ndim": lambda this: this.ndim,
    "size": lambda this: this.size,
    "dtype": lambda this: this.dtype,
    "T": lambda this: this.T,
}

ARRAY_METHODS: dict[str, Any] = {name: Builtin(name, way, machine=True) for name, way in METHODS.items()} | {
    name: Attribute(way) for name, way in READS.items()
}


def scalar(name: str, kind: Callable[[Any], Any]) -> Type:
    make = Builtin(name, lambda machine, value=0: kind(numbers(machine, value)), machine=True)
    return Type(name, (DTYPES[name],), make, f"numpy.{name}")


SCALARS = {name: scalar(name, kind) for name, kind in DTYPES.items()}

NUMPY = Namespace(
    "numpy",
    {name: Builtin(name, way, machine=True) for name, way in FUNCTIONS.items()}
    | SCALARS
    | {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None}
    | {
        "ndarray": Type("ndarray", (np.ndarray,), None, "numpy.ndarray"),
        "random": Namespace("numpy.random", {name: Builtin(name, way, machine=True) for name, way in RANDOM.items()}),
    },
)
"""numpy, as programs import it."""
