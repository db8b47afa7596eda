"""Where a tensor lies: addresses, offsets and sizes of memory, as programs and tools ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..device import CPU
from ..tensor import Tensor
from ..transforms.batch import MEMORY, unseen


def whole(data: Any) -> Any:
    """The array that owns the memory which `data` shows."""
    while isinstance(data, np.ndarray) and isinstance(data.base, np.ndarray):
        data = data.base
    return data


def offset(tensor: Tensor) -> int:
    """How many bytes into its memory `tensor` begins."""
    data, base = tensor.data_, tensor._base
    if not isinstance(data, np.ndarray) or data.size == 0:
        return 0
    owner = whole(data if base is None else base.array())
    start, first = owner.__array_interface__["data"][0], data.__array_interface__["data"][0]
    return int(first - start)


def data_ptr(self: Tensor) -> int:
    """An integer that stands for the address of the first element; 0 where there is none."""
    if unseen(self):
        raise RuntimeError(MEMORY)
    if self.data_.size == 0:
        return 0
    return self.shared_storage().address + offset(self)


def storage_offset(self: Tensor) -> int:
    """How many elements into its memory this tensor begins."""
    return offset(self) // int(self.data_.itemsize)


class UntypedStorage:
    """The bytes that a tensor shares with its views."""

    __module__ = "torch.storage"
    device = CPU

    def __init__(self, tensor: Tensor) -> None:
        self.data_ = whole(tensor.array())
        self.storage_ = tensor.shared_storage()

    def data_ptr(self) -> int:
        return self.storage_.address

    def nbytes(self) -> int:
        return int(self.data_.nbytes)

    size = __len__ = nbytes

    def __iter__(self) -> Iterator[int]:
        return iter(self.data_.tobytes())

    def __getitem__(self, index: int) -> int:
        return int(self.data_.tobytes()[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other.storage_.address == self.storage_.address

    def __hash__(self) -> int:
        return hash(self.storage_.address)

    def __repr__(self) -> str:
        rows = "\n".join(f" {byte}" for byte in self)
        return f"{rows}\n[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory of this tensor."""
    return UntypedStorage(self)
