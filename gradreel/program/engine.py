"""The one place where the interpreter meets the engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import autograd_core
from autograd_core.custom.function import INSTANTIATED
from autograd_core.methods import storages
from autograd_core.printing import letters, printoptions
from autograd_core.state import isolated
from autograd_core.tell import listening, tensor_id
from autograd_core.tell import written as tell_written

from .limits import Meter
from .torch_face.charges import reserve

torch: Any = autograd_core
"""The engine, as programs see torch. Its names are made by tables, so their types are known at run time only."""

STORAGES: tuple[Any, ...] = (storages.UntypedStorage, storages.TypedStorage)

TENSORS: tuple[type, ...] = (torch.Tensor, torch.nn.Parameter)

DEFAULT_SEED = 67280421310721
"""The seed of PyTorch's generator in a fresh process."""


def elements_of(value: Any) -> int:
    """How many elements a tensor or array has; 0 for anything else."""
    return value.data_.size if isinstance(value, torch.Tensor) else value.size if isinstance(value, np.ndarray) else 0


@contextmanager
def running(meter: Meter) -> Iterator[None]:
    """The engine as in a fresh process, asking `meter` before it makes something large."""
    before = torch.get_default_dtype()
    with isolated() as state, printoptions(profile="default"):
        state.reserve = reserve(meter)
        torch.set_default_dtype(torch.float32)
        torch.manual_seed(DEFAULT_SEED)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


__all__ = [
    "INSTANTIATED",
    "STORAGES",
    "TENSORS",
    "elements_of",
    "isolated",
    "letters",
    "listening",
    "running",
    "tell_written",
    "tensor_id",
    "torch",
]
