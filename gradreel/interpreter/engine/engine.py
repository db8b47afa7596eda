"""The one place where the interpreter meets the engine."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import autograd_core
from autograd_core.api.methods.storage import UntypedStorage
from autograd_core.autograd.function import INSTANTIATED
from autograd_core.engine.state import isolated
from autograd_core.events.session import emit_write as tell_written
from autograd_core.events.session import listening, tensor_id
from autograd_core.tensor.printing import letters, printoptions
from autograd_core.tensor.tensor import LazyView as LazyView
from autograd_core.tensor.tensor_types import TYPES as TENSOR_TYPES

from ..limits import Meter
from .cost_model import reserve

torch: Any = autograd_core
"""The engine, as programs see torch. Its names are made by tables, so their types are known at run time only."""

STORAGES: tuple[Any, ...] = (UntypedStorage,)

TENSORS: tuple[type, ...] = (torch.Tensor, torch.nn.Parameter, LazyView)

DEFAULT_SEED = 67280421310721
"""The seed of PyTorch's generator in a fresh process."""


def classes_below(kind: type) -> Iterator[type]:
    """Every class there is now that is `kind` too, some of them several times."""
    below: type
    for below in type.__subclasses__(kind):
        yield below
        yield from classes_below(below)


for part in pkgutil.walk_packages(autograd_core.__path__, f"{autograd_core.__name__}."):
    importlib.import_module(part.name)  # some are loaded when a name of theirs is read: that is too late here

NODE = torch.autograd.graph.Node
ENGINE_CLASSES = frozenset(
    kind
    for kind in classes_below(object)
    if issubclass(kind, NODE)
    or (isinstance(kind.__module__, str) and kind.__module__.startswith((torch.__name__, "torch")))
)
"""The engine's own classes, found before any program runs: later nothing says by its name that it is one of them."""
NAMED_TUPLES = tuple(kind for kind in ENGINE_CLASSES if issubclass(kind, tuple) and hasattr(kind, "_fields"))
CONTEXT_CLASSES = tuple(kind for kind in ENGINE_CLASSES if hasattr(kind, "save_for_backward"))
"""Of what `forward` and `backward` of a Function of the program get first."""


def elements_of(value: Any) -> int:
    """How many elements a tensor or array has; 0 for anything else."""
    return value.data_.size if isinstance(value, torch.Tensor) else value.size if isinstance(value, np.ndarray) else 0


@contextmanager
def running(
    meter: Meter,
    stack: Callable[[], list[str]] | None = None,
    as_callable: Callable[[Any], Any] | None = None,
) -> Iterator[None]:
    """The engine as in a fresh process, asking `meter` before it makes something large, and `stack` where it is."""
    before = torch.get_default_dtype()
    with isolated() as state, printoptions(profile="default"):
        state.reserve, state.stack, state.as_callable = reserve(meter), stack, as_callable
        torch.set_default_dtype(torch.float32)
        torch.manual_seed(DEFAULT_SEED)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


__all__ = [
    "CONTEXT_CLASSES",
    "ENGINE_CLASSES",
    "INSTANTIATED",
    "NAMED_TUPLES",
    "NODE",
    "STORAGES",
    "TENSORS",
    "TENSOR_TYPES",
    "classes_below",
    "elements_of",
    "isolated",
    "letters",
    "listening",
    "running",
    "tell_written",
    "tensor_id",
    "torch",
]
