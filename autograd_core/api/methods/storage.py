"""Storages: the memory of a tensor as a row of bytes, as programs look at it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...opaque import opaque
from ...tensor.device import CPU
from ...tensor.tensor import Tensor, plain
from ...tensor.views import in_memory, whole
from .memory import address


@opaque
class UntypedStorage:
    """The bytes that a tensor shares with its views."""

    __module__ = "torch.storage"
    device = CPU

    def __init__(self, tensor: Tensor) -> None:
        self.data_ = whole(tensor.array())
        self.storage_ = tensor.shared_storage()

    def data_ptr(self) -> int:
        return address(self.storage_, self.data_)

    def as_row(self, kind: np.dtype[Any]) -> Tensor:
        """All of the memory as numbers of one kind in a row."""
        owner = self.data_
        row = owner.reshape(-1) if owner.flags.c_contiguous else in_memory(owner)
        tensor = plain(row.view(kind))
        tensor.storage_ = self.storage_
        return tensor

    def nbytes(self) -> int:
        return int(self.data_.nbytes)

    size = __len__ = nbytes

    def __iter__(self) -> Iterator[int]:
        return iter(self.data_.tobytes())

    def __getitem__(self, index: int) -> int:
        """The byte at this place.

        Raises:
            TypeError: `index` is no place.
            IndexError: there is none.
        """
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        if not -len(self) <= index < len(self):
            behind = index + len(self) if index < 0 else index
            raise IndexError(f"index {behind} out of range for storage of size {len(self)}")
        return self.data_.tobytes()[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other.data_ptr() == self.data_ptr()

    def __hash__(self) -> int:
        return hash(self.data_ptr())

    def __repr__(self) -> str:
        rows = "\n".join(f" {byte}" for byte in self)
        return f"{rows}\n[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory of this tensor, in bytes."""
    return UntypedStorage(self)


def is_storage(obj: Any, /) -> bool:
    return isinstance(obj, UntypedStorage)
