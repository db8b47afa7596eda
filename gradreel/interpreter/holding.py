"""How much memory the tensors of a run hold: counted as they are made, looked at again when it may be too much."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np

from autograd_core.state import state
from autograd_core.tensor import Tensor

from .limits import Spent

SMALL = 256
"""Tensors of so few elements are not counted: the number of events bounds them."""


class Holding:
    """Called with each TensorMade in flight; stops the run when what is alive takes more than `limit` bytes.

    `weigh` is called with tensors that the engine noted, and tells of later.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.sizes: dict[int, int] = {}
        self.noted: list[tuple[weakref.ref[Tensor], int]] = []
        self.made = 0

    def __call__(self, flight: tuple[Any, ...]) -> None:
        _, _, storage, _, _, shape, dtype, *_ = flight
        elements = math.prod(shape)
        if elements <= SMALL or storage in self.sizes:
            return
        self.sizes[storage] = elements * np.dtype(dtype).itemsize
        self.made += self.sizes[storage]
        if self.made > self.limit:
            self.count()

    def weigh(self, tensor: Tensor) -> None:
        size = int(tensor.data_.nbytes)
        self.noted.append((weakref.ref(tensor), size))
        self.made += size
        if self.made > self.limit:
            self.count()

    def count(self) -> None:
        """Forgets the storages and tensors that are gone."""
        session = state.session
        alive = {watch.number for watch in session.storages.values()} if session is not None else set()
        self.sizes = {storage: size for storage, size in self.sizes.items() if storage in alive}
        self.noted = [(ref, size) for ref, size in self.noted if ref() is not None]
        self.made = sum(self.sizes.values()) + sum(size for _, size in self.noted)
        if self.made > self.limit:
            raise Spent("bytes", self.limit)
