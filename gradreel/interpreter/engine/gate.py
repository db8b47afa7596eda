"""The gate before numpy: it sees exact numbers, arrays and tensors, and lists of these, nothing else.

numpy asks any other object for an array, a length, items, a number; what answers then may be the program's to choose.
Two places call the gate: `calls` before a function that computes (the whole numpy of programs; of the engine what no
signature of torch guards), and the operators where one side is numpy's.
"""

from __future__ import annotations

import inspect
import types
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from ..runtime.allowed_types import holds_objects
from ..runtime.type_names import kind_name
from ..runtime.values import Bound, Builtin, Class, ExceptionType, Foreign, Function, Type, Value
from .bridge import FUNCTIONS, PLAIN, Callback
from .engine import STORAGES, TENSORS, torch

NUMBERS = frozenset(np.dtype(code).type for code in "?bBhHiIlLqQefdFD")
"""numpy's numbers. Those that are objects, or as long as they like, are none."""

EXACT: frozenset[type] = frozenset(
    {
        *PLAIN,
        range,
        *TENSORS,
        *NUMBERS,
        *(type(np.dtype(kind)) for kind in NUMBERS),
        *(complex, torch.device, torch.layout, torch.memory_format),
    }
)
"""Types of which nothing is to be feared."""

LISTS = (list, tuple, deque, set, frozenset)

STREAMS: tuple[type, ...] = (np.random.RandomState, np.random.Generator, torch.Generator, *STORAGES)
CALLED: tuple[type, ...] = (
    *(Function, Bound, Builtin, Foreign, Class, Type, ExceptionType),
    *(Callback, type, partial, types.BuiltinFunctionType, types.MethodType, *FUNCTIONS),
)
"""Functions and types: numpy meets them nowhere but in the place of a dtype, which is looked at there."""
PASSING = (*STREAMS, *CALLED, torch.nn.UninitializedParameter, torch.nn.UninitializedBuffer)


def unsafe_part(value: Value, seen: set[int] | None = None) -> Any:
    """What numpy must not see of `value`: itself, or what it holds; None if there is no such thing.

    `seen` are the lists that were looked at: one may be there many times.
    """
    kind = type(value)
    if kind in EXACT or value is None:
        return None
    if kind is np.ndarray:
        return value if holds_objects(value) else None
    if isinstance(value, (*LISTS, dict)):
        seen = set() if seen is None else seen
        if id(value) in seen:
            return None
        seen.add(id(value))
        return first_unsafe_part(value.values() if isinstance(value, dict) else value, seen)
    if kind is slice:
        return first_unsafe_part((value.start, value.stop, value.step), seen)
    return None if isinstance(value, (*PASSING, bool, int, float, str)) else value


def first_unsafe_part(values: Iterable[Value], seen: set[int] | None = None) -> Any:
    for value in values:
        found = None if type(value) in EXACT else unsafe_part(value, seen)
        if found is not None:
            return found
    return None


# ---- which functions

NUMPY_MODULE = "gradreel.interpreter.numpy_module."
COMPUTING = tuple(
    "autograd_core." + home
    for home in (
        "ops. api.functions. api.methods. nn.functional. nn.init linalg special fft dispatch.zero_gradient random"
    ).split()
)
LAYERS = tuple(
    "torch.nn.modules." + home
    for home in (
        "activation batchnorm conv distance dropout flatten fold instancenorm linear "
        "normalization padding pixelshuffle pooling rnn sparse upsampling"
    ).split()
)
"""Layers that are made of numbers alone."""
OPEN = (
    "autograd_core.api.methods.autograd",
    "autograd_core.api.methods.storage",
)
OPEN_FUNCTIONS = (torch.nn.functional.triplet_margin_with_distance_loss,)
"""Functions that take hooks and modules, or answer whatever they are asked about."""

HOMES: dict[str, bool] = {}
"""By the modules of the host seen so far: whether functions there compute."""


def computes(run: Callable[..., Any]) -> bool:
    """Whether `run` may hand to numpy what it is given, and no signature of torch looks at that first."""
    run = type(run) if isinstance(run, torch.nn.Module) else run  # parts of a module may have any name
    home = getattr(run, "__module__", None) or ""
    found = HOMES.get(home)
    if found is None:
        found = home.startswith((NUMPY_MODULE, *COMPUTING, *LAYERS)) and not home.startswith(OPEN)
        HOMES[home] = found
    return found and not hasattr(run, "reads") and not any(run is function for function in OPEN_FUNCTIONS)


def check(run: Callable[..., Any], name: str, args: list[Value], named: dict[str, Value]) -> None:
    """Whether numpy may see what `run` is called with.

    Raises:
        TypeError: it may not; the text is that of torch, or of numpy for its functions.
        ValueError: a text for numpy has a zero in it, where numpy sees its end.
    """
    if run.__module__.startswith(NUMPY_MODULE) and any(
        isinstance(value, str) and "\0" in value for value in (*args, *named.values())
    ):
        raise ValueError("embedded null character")
    for place, value in enumerate(args):
        found = unsafe_part(value)
        if found is not None:
            raise TypeError(refusal(run, name, place, found, found is value))
    for key, value in named.items():
        found = unsafe_part(value)
        if found is not None:
            raise TypeError(refusal(run, name, key, found, found is value))


def refusal(run: Callable[..., Any], name: str, place: int | str, found: Value, alone: bool) -> str:
    """What torch says of a value that is no number: of an argument its name and place, of an element what it is."""
    kind = kind_name(found)
    if run.__module__.startswith(NUMPY_MODULE):
        return f"only numbers and lists of numbers can become an array here, not {kind}"
    if not alone:
        return f"must be real number, not {kind}"
    if isinstance(place, str):
        return f"{name}(): argument '{place}' must be Number, not {kind}"
    parameters = [p.name for p in inspect.signature(run).parameters.values()]
    at = f"'{parameters[place]}' (position {place + 1})" if place < len(parameters) else f"(position {place + 1})"
    return f"{name}(): argument {at} must be Number, not {kind}"
