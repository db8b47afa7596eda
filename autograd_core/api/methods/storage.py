"""Storages: the memory of a tensor as a row of bytes or of numbers, as programs look at it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import errors
from ...engine.state import state
from ...engine.warnings import warn_once
from ...events import session as tell
from ...opaque import opaque
from ...tensor import dtypes
from ...tensor.device import CPU
from ...tensor.tensor import Tensor, plain
from ...tensor.views import in_memory
from ..functions.indexing import setitem
from .memory import address, whole

OF_NUMBERS = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


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


@opaque
class TypedStorage:
    """The numbers that a tensor shares with its views. What is written here no tensor counts."""

    __module__ = "torch.storage"
    device = CPU
    is_cuda = is_sparse = False

    def __init__(self, tensor: Tensor) -> None:
        self.bytes = UntypedStorage(tensor)
        owner = self.bytes.data_
        row = owner.reshape(-1) if owner.flags.c_contiguous else in_memory(owner)
        self.numbers = plain(row.view(tensor.data_.dtype))
        self.dtype = dtypes.from_numpy(tensor.data_.dtype)
        self.shown_by = weakref.ref(tensor)

    def untyped(self) -> UntypedStorage:
        return self.bytes

    def data_ptr(self) -> int:
        return self.bytes.data_ptr()

    def nbytes(self) -> int:
        return self.bytes.nbytes()

    def element_size(self) -> int:
        return int(self.numbers.data_.itemsize)

    def size(self) -> int:
        return int(self.numbers.data_.size)

    __len__ = size

    def type(self) -> str:
        return f"torch.{errors.type_name(self.numbers.data_.dtype)}Storage"

    def tolist(self) -> list[Any]:
        listed: list[Any] = self.numbers.data_.tolist()
        return listed

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(self.size()))

    def __getitem__(self, index: Any) -> Any:
        """The number at this place.

        Raises:
            RuntimeError: `index` is no place.
            IndexError: there is none.
        """
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return self.numbers.data_[index].item()

    def __setitem__(self, index: int | slice, value: Any) -> None:
        session, state.session = state.session, None  # nobody knows this tensor: one that shows it speaks for it
        try:
            setitem(self.numbers, index, value)
        finally:
            state.session = session
        if (tensor := self.shown_by()) is not None:
            tell.emit_write(tensor, "storage", (), counted=False)

    def fill_(self, value: Any) -> TypedStorage:
        self[:] = value
        return self

    def __repr__(self) -> str:
        rows = " " + "\n ".join(map(str, self))
        return f"{rows}\n[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory of this tensor, in bytes."""
    return UntypedStorage(self)


def storage(self: Tensor) -> TypedStorage:
    """The memory of this tensor, in numbers."""
    warn_once("storages of numbers", OF_NUMBERS)
    return TypedStorage(self)


def is_storage(obj: Any, /) -> bool:
    return isinstance(obj, UntypedStorage | TypedStorage)
