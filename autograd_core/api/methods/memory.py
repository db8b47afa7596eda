"""Where a tensor lies: addresses, offsets and sizes of memory, as programs and tools ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakSet, ref

import numpy as np

from ... import errors
from ...dispatch.schema.schema import composite
from ...errors import Unsupported
from ...functorch.batch import MEMORY, is_batched, is_hidden
from ...ops import view
from ...ops.view import check_forwards
from ...tensor.storage import Storage
from ...tensor.tensor import Tensor
from ...tensor.views import byte_offset, extent, steps_of, strided_window, whole

_addresses: dict[int, tuple[ref[Any], int]] = {}
"""The addresses that were asked for, by the id of the array, as long as that lives."""


def address(storage: Storage, data: Any) -> int:
    """That of the memory that `data` shows, whose storage this is.

    The engine hands on gradients as arrays, and a tensor that is made of one again has another storage: an array keeps
    the address that it once had.
    """
    owner = whole(data)
    if not isinstance(owner, np.ndarray):
        return storage.address
    key = id(owner)
    if key not in _addresses:
        _addresses[key] = ref(owner, lambda _: _addresses.pop(key, None)), storage.address
    elif storage.address_ is None:
        storage.address_ = _addresses[key][1]
    return storage.address


def data_ptr(self: Tensor) -> int:
    """An integer that stands for the address of the first element; 0 where there is none."""
    if is_batched(self):
        raise RuntimeError(MEMORY)
    if self.data_.size == 0:
        return 0
    return address(self.shared_storage(), self.data_) + byte_offset(self)


def storage_offset(self: Tensor) -> int:
    """How many elements into its memory this tensor begins."""
    return byte_offset(self) // int(self.data_.itemsize)


@composite("""
    as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a): function \
        method function_ method_
    """)
def as_strided(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """A window of the memory of `input`: lengths, steps and beginning counted in elements of it.

    Raises:
        NotImplementedError: what `input` shows of its memory is not in a row, or not all that the window reaches; and
            it requires grad, or of its memory no more is known.
    """
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    check_forwards(stride)
    check_place(size, stride, storage_offset)
    whole, start = (input, storage_offset) if is_hidden(input) else find_window(input, size, stride, storage_offset)
    window: Tensor = view.as_strided(whole, size, stride, start)
    return window


def check_place(size: Sequence[int], stride: Sequence[int], storage_offset: int | None) -> None:
    """
    Raises:
        RuntimeError: no memory has such lengths, or such a place.
    """
    if storage_offset is not None and storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if min(size, default=0) < 0:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={errors.sizes(size)} and strides={errors.sizes(stride)}"
        )


def find_window(
    input: Tensor, size: Sequence[int], stride: Sequence[int], asked: int | None
) -> tuple[Tensor, int | None]:
    """The tensor of which such a window of the memory of `input` is one, and where in what that shows it begins."""
    first, whole = storage_offset(input), input
    while (seen := whole.alias_of()) is not None:
        whole = seen
    start = 0 if asked is None else asked - first
    last = start + sum((n - 1) * step for n, step in zip(size, stride, strict=False))
    inside = start >= 0 and last < extent(input.data_.shape, steps_of(input.data_))
    if inside or (whole is input and first == 0):
        return input, None if asked is None else start
    check_reach(input, size, stride, first if asked is None else asked)
    if input.requires_grad or storage_offset(whole) or not whole.data_.flags.c_contiguous:
        raise Unsupported(OF_A_VIEW)
    return whole, first if asked is None else asked


def check_reach(input: Tensor, size: Sequence[int], stride: Sequence[int], begin: int) -> None:
    """Whether such a window lies within all the memory that `input` shows a part of.

    Raises:
        RuntimeError: it reaches outside.
    """
    owner = whole(input.data_ if input._base is None else input._base.array())
    strided_window(np.ascontiguousarray(owner).reshape(-1), tuple(size), tuple(stride), begin)


shared_memory: WeakSet[Storage] = WeakSet()
"""Memory that programs moved to where other processes could see it."""


def share_memory_(self: Tensor) -> Tensor:
    shared_memory.add(self.shared_storage())
    return self


def is_shared(self: Tensor) -> bool:
    return self.storage_ in shared_memory


@composite("is_set_to(Tensor self, Tensor tensor) -> bool: method")
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both show the same memory in the same way."""
    mine, theirs = self.data_, tensor.data_
    return (
        self.shared_storage() is tensor.shared_storage()
        and mine.shape == theirs.shape
        and steps_of(mine) == steps_of(theirs)
        and byte_offset(self) == byte_offset(tensor)
    )


OF_A_VIEW = (
    "as_strided of a view is supported only within what the view itself shows in a row: take it of the tensor that the "
    "view was made of"
)
