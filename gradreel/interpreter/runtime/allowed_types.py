"""What programs may hold: by their types, which are all named here or admitted by the module that brings them.

The engine and the interpreter hold much else. Nothing of it reaches a program: the bridge asks here, of what comes
from the engine and of what goes there.
"""

from __future__ import annotations

import types
from collections import Counter, defaultdict, deque
from contextlib import _GeneratorContextManager, nullcontext
from typing import Any

import numpy as np

from autograd_core.graph.allow_mutation import _AllowMutationOnSavedContext
from autograd_core.nn.attributes import ModuleTable, TensorTable
from autograd_core.ordered_dict import OrderedDict

from ..engine.engine import CONTEXT_CLASSES, NAMED_TUPLES, NODE, STORAGES, TENSORS, classes_below, torch
from ..refusal import Refusal
from .type_tables import TypeTable
from .values import OBJECTS, RECORDS, DefaultDict, Deque, Generator, Type

ITERATORS = frozenset(
    kind
    for kind in classes_below(object)
    if hasattr(kind, "__next__")
    and kind is not types.GeneratorType
    and kind.__module__ in ("builtins", "itertools", "collections", "_collections")
)
"""Those of Python's own that are written in C: they go through what they were given, and show nothing."""

EXACT: set[type] = {
    *(bool, int, float, complex, str, type(None), type(...), type(NotImplemented), slice, range),
    *(list, tuple, dict, set, frozenset, deque, Deque, OrderedDict, defaultdict, DefaultDict, Counter),
    *(type({}.keys()), type({}.values()), type({}.items()), type(OrderedDict().keys()), type(OrderedDict().values())),
    *(type(OrderedDict().items()), types.MappingProxyType, TensorTable, ModuleTable),
    *RECORDS,
    *ITERATORS,
    *(np.ndarray, np.random.RandomState, np.random.Generator),
    *(torch.dtype, torch.Size, torch.device, torch.layout, torch.memory_format, torch.Generator, *STORAGES),
    *(_GeneratorContextManager, nullcontext),
}
"""Types whose values are a program's, but not those of classes below them."""

BASES: list[Any] = [
    *(*OBJECTS, *TENSORS, np.generic, np.dtype, NODE, *CONTEXT_CLASSES, *NAMED_TUPLES),
    *(torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler),
    *(torch.distributions.Distribution, torch.distributions.Transform, torch.distributions.constraints.Constraint),
    _AllowMutationOnSavedContext,
]
"""Types that only we and the engine make classes below of."""

KNOWN: TypeTable[bool] = TypeTable("known", lambda kind: kind in EXACT or issubclass(kind, tuple(BASES)))
"""What was found of the types met so far."""


def admit(*kinds: Any) -> None:
    """Values of these types are a program's, and those of classes below them."""
    BASES.extend(kinds)
    KNOWN.clear()


def holds_objects(value: Any) -> bool:
    """Whether `value` is an array of the host's objects: in its memory lie addresses."""
    return isinstance(value, np.ndarray) and value.dtype.kind not in "fiubc"


def check_array(value: Any) -> Any:
    """`value`, that numpy gave.

    Raises:
        TypeError: it is an array of anything but numbers.
    """
    if holds_objects(value):
        raise TypeError("only numbers and lists of numbers can become an array here")
    return value


def check_value(value: Any) -> Any:
    """`value`, for a program; a generator of ours as one of its own.

    Raises:
        Refusal: programs may not hold such.
        TypeError: it is an array of anything but numbers.
    """
    if type(value) is types.GeneratorType:
        return Generator("generator", value)
    if not is_of_programs(type(value)):
        raise not_for_programs(type(value))
    return check_array(value)


def not_for_programs(kind: type) -> Refusal:
    return Refusal(f"A `{kind.__name__}` is part of how the engine works, and programs cannot have it here.")


def is_of_programs(kind: type) -> bool:
    """Whether values of the host's type `kind` may be held by programs."""
    return KNOWN[kind]


ENGINE_TYPES: dict[type, Type] = {}
"""The record of each of the engine's classes that programs can name."""


PYTHON_TYPES: dict[type, Type] = {}
"""The records of Python's own types; filled by `builtins/namespace`."""


def record_of(host: type) -> Type | None:
    """The type that programs know for `host`, if there is one."""
    return PYTHON_TYPES.get(host) or ENGINE_TYPES.get(host)
