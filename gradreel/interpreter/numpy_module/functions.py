"""Ways to call numpy for a program: its values in, its limits asked first, and no argument dropped in silence."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_core.errors import Unsupported

from ..builtins.iteration import collect_items
from ..builtins.operators import WARNING
from ..engine.cost_model import product_weight
from ..engine.engine import torch
from ..machine import Machine
from ..runtime.values import Value
from .arrays import Array, numbers
from .result_sizes import (
    BY_SVD,
    broadcast_size,
    charge,
    contraction_size,
    decomposition_size,
    repeat_size,
    size_of,
    sizes_in,
    tile_size,
)
from .sharing import emit_write


def pass_warnings(way: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What `way` gives, with numpy's warnings of numbers that are none."""
    with np.errstate(**WARNING):
        return way(*args, **named)


def elementwise(way: Callable[..., Any]) -> Callable[..., Any]:
    def run(machine: Machine, /, *given: Value, out: Value = None, **named: Value) -> Any:
        parts = [plain(machine, part) for part in given]
        more = by_name(machine, way, named, ALLOWED)
        machine.meter.elements(broadcast_size(tuple(parts), more))
        made = pass_warnings(way, *parts, **more)
        if isinstance(out, np.ndarray):
            np.copyto(out, made, casting="same_kind")
            emit_write(machine, out)
            return out
        return made

    return run


def plain(machine: Machine, given: Value) -> Any:
    """A number as it is, which takes the dtype of what it is combined with; anything else as an operand."""
    return given if isinstance(given, (bool, int, float, complex)) and not too_long(given) else operand(machine, given)


def too_long(given: Any) -> bool:
    """Whether it is a number that no array can hold, which `numbers` refuses."""
    return isinstance(given, int) and given.bit_length() > 63


def operand(machine: Machine, given: Value) -> Any:
    """What numpy is to work on, as an array; a tensor as it is, for numpy asks it first what it does itself."""
    return given if isinstance(given, torch.Tensor) else np.asarray(numbers(machine, given))


ALLOWED = frozenset(
    {"decimals", "rtol", "atol", "equal_nan", "a_min", "a_max", "min", "max", "nan", "posinf", "neginf"}
)
REDUCING = frozenset({"keepdims", "ddof", "weights"})


def by_name(
    machine: Machine, way: Callable[..., Any], named: dict[str, Value], allowed: frozenset[str]
) -> dict[str, Any]:
    """What is given by name, as numpy takes it.

    Raises:
        TypeError: one of them is not `allowed`.
    """
    for name in named:
        if name not in allowed:
            raise unknown_argument(way, name)
    return as_numbers(machine, named)


OF_UFUNCS = frozenset("where dtype casting order subok signature axes axis".split())


def unknown_argument(way: Callable[..., Any], name: str) -> Exception:
    """What is said of an argument that is not here: by numpy where it has none of that name, else by us."""
    known = OF_UFUNCS if isinstance(way, np.ufunc) else inspect.signature(way).parameters
    if name in known:
        return Unsupported(f"np.{way.__name__} with `{name}` is not supported")
    return TypeError(f"{way.__name__}() got an unexpected keyword argument '{name}'")


def as_numbers(machine: Machine, named: dict[str, Value]) -> dict[str, Any]:
    """What is given by name, without None."""
    given = {name: value for name, value in named.items() if value is not None}
    return {name: v if isinstance(v, str) else _axes(numbers(machine, v)) for name, v in given.items()}


def make_reduction(way: Callable[..., Any]) -> Callable[..., Any]:
    def run(machine: Machine, /, given: Value, axis: Value = None, **named: Value) -> Any:
        found = operand(machine, given)
        more = by_name(machine, way, named, REDUCING)
        machine.meter.elements(broadcast_size((found,), more))
        if axis is not None:
            more["axis"] = tuple(axis) if isinstance(axis, (list, tuple)) else int(axis)
        return pass_warnings(way, found, **more)

    return run


NAMED = frozenset("axis axes return_counts return_index return_inverse k n offset side right kind".split())


def make_reshaping(way: Callable[..., Any], most: int = 3) -> Callable[..., Any]:
    """A function of one array and whole numbers, that makes nothing larger than it was given."""

    def run(machine: Machine, /, given: Value, *rest: Value, **named: Value) -> Any:
        found = operand(machine, given)
        for name in named.keys() - NAMED:
            raise unknown_argument(way, name)
        if len(rest) > most:
            raise Unsupported(f"np.{way.__name__} with so many arguments is not supported")
        more = [numbers(machine, part) for part in rest]
        charge(machine, way.__name__, (found, *more), named)
        return pass_warnings(way, found, *more, **{k: _axes(v) for k, v in named.items()})

    return run


def _axes(given: Value) -> Any:
    return tuple(given) if isinstance(given, list) else given


def joining(way: Callable[..., Array]) -> Callable[..., Array]:
    def run(machine: Machine, given: Value, axis: Value = None) -> Array:
        parts = [np.asarray(numbers(machine, part)) for part in collect_items(machine, given)]
        machine.meter.elements(sum(map(size_of, parts)))
        return way(parts) if axis is None else way(parts, axis=int(axis))

    return run


def make_product(way: Callable[..., Any]) -> Callable[..., Any]:
    def run(machine: Machine, a: Value, b: Value) -> Any:
        left, right = (operand(machine, part) for part in (a, b))
        made, multiplications = contraction_size(way.__name__, sizes_in(left), sizes_in(right))
        machine.meter.elements(max(made, size_of(left), size_of(right)))
        machine.meter.work(multiplications * product_weight((left, right)))
        return pass_warnings(way, left, right)

    return run


def make_solver(way: Callable[..., Any]) -> Callable[..., Any]:
    """Linear algebra: as many multiplications as the cube of the side."""

    signature = inspect.signature(way)
    first = next(iter(signature.parameters))

    def run(machine: Machine, /, *given: Value, **named: Value) -> Any:
        try:
            bound = signature.bind(*given, **named).arguments
        except TypeError as error:
            raise TypeError(f"{way.__name__}() {error}") from None
        found = operand(machine, bound.pop(first))
        more = as_numbers(machine, bound)
        made, multiplications = decomposition_size(way.__name__, sizes_in(found), more)
        machine.meter.elements(made)
        machine.meter.work(multiplications)
        if way.__name__ in BY_SVD and multiplications and not np.all(np.isfinite(np.asarray(found))):
            raise np.linalg.LinAlgError("SVD did not converge")  # LAPACK may try for ever
        return pass_warnings(way, found, **more)

    return run


def make_repetition(way: Callable[..., Array]) -> Callable[..., Array]:
    def run(machine: Machine, given: Value, times: Value, axis: Value = None) -> Array:
        found, counts = np.asarray(numbers(machine, given)), numbers(machine, times)
        machine.meter.elements(
            tile_size(found.shape, counts) if way is np.tile else repeat_size(found.shape, counts, axis)
        )
        return way(found, counts) if axis is None else way(found, counts, axis)

    return run
