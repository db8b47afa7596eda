"""How much memory the tensors of a run hold: counted as they are made, looked at again when it may be too much."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_core.state import state

from .limits import Spent

SMALL = 256
"""Tensors of so few elements are not counted: the number of events bounds them."""


class Holding:
    """Called with each TensorMade in flight; stops the run when what is alive takes more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.sizes: dict[int, int] = {}
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

    def count(self) -> None:
        """Forgets the storages that are gone."""
        session = state.session
        alive = {watch.number for watch in session.storages.values()} if session is not None else set()
        self.sizes = {storage: size for storage, size in self.sizes.items() if storage in alive}
        self.made = sum(self.sizes.values())
        if self.made > self.limit:
            raise Spent("bytes", self.limit)
