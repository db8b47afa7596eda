"""What programs may hold: by their types, which are all named here or admitted by the module that brings them.

The engine and the interpreter hold much else. Nothing of it reaches a program: the bridge asks here, of what comes
from the engine and of what goes there.
"""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque
from contextlib import _GeneratorContextManager, nullcontext
from typing import Any

import numpy as np

from ..engine import CONTEXT_CLASSES, NAMED_TUPLES, NODE, STORAGES, TENSORS, torch
from .values import OBJECTS, RECORDS

EXACT: set[type] = {
    *(bool, int, float, complex, str, type(None), type(...), type(NotImplemented), slice, range),
    *(list, tuple, dict, set, frozenset, deque, OrderedDict, defaultdict, Counter),
    *(type({}.keys()), type({}.values()), type({}.items()), type(OrderedDict().keys()), type(OrderedDict().values())),
    *(type(OrderedDict().items()), types.MappingProxyType),
    *RECORDS,
    *(np.ndarray, np.random.RandomState, np.random.Generator),
    *(torch.dtype, torch.Size, torch.device, torch.layout, torch.memory_format, torch.Generator, *STORAGES),
    *(_GeneratorContextManager, nullcontext),
}
"""Types whose values are a program's, but not those of classes below them."""

BASES: list[Any] = [
    *(*OBJECTS, *TENSORS, np.generic, np.dtype, NODE, *CONTEXT_CLASSES, *NAMED_TUPLES),
    *(torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler),
    *(torch.distributions.Distribution, torch.distributions.Transform, torch.distributions.constraints.Constraint),
]
"""Types that only we and the engine make classes below of."""

KNOWN: dict[type, bool] = {}
"""What was found of the types met so far."""


def admit(*kinds: Any) -> None:
    """Values of these types are a program's, and those of classes below them."""
    BASES.extend(kinds)
    KNOWN.clear()


def is_of_programs(kind: type) -> bool:
    """Whether values of the host's type `kind` may be held by programs."""
    found = KNOWN.get(kind)
    if found is None:
        found = KNOWN[kind] = kind in EXACT or issubclass(kind, tuple(BASES))
    return found
