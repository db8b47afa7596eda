"""What a tensor has in the place of its array while vmap hides a dimension: the whole batch, and which it is.

Code that asks for shape, dtype or strides is told those of one example. Nothing can be computed with it: operators on
such tensors are taken apart by their batching rules (batching_rules/); whatever else looks at the numbers is refused.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ..errors import Unsupported

if TYPE_CHECKING:
    from ..tensor.tensor import Tensor

ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
EITHER = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some "
    "data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap "
    "over calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we "
    "don't support data-dependent control flow in vmap yet, please file an issue at "
    "https://github.com/pytorch/pytorch/issues . For (3): please file an issue."
)
"""The same, where a differentiation inside of the vmap follows the tensor."""
MEMORY = "Cannot access data pointer of Tensor that doesn't have storage"


class Level:
    """One vmap under way: how many examples there are, and how far inside other transformations it is.

    `older` is that of `is_grads_batched`, for which torch keeps the rules it had before torch.func. `lent` are tensors
    that hide no dimension of it outside.
    """

    __slots__ = ("size", "randomness", "depth", "older", "lent")

    def __init__(self, size: int, randomness: str, depth: int, older: bool = False) -> None:
        self.size, self.randomness, self.depth, self.older = size, randomness, depth, older
        self.lent: list[ref[Tensor]] = []


class Flags:
    """Whether the elements of an example lie in a row."""

    __slots__ = ("c_contiguous", "f_contiguous")

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> None:
        self.c_contiguous = in_order(reversed(list(zip(shape, strides, strict=True))), itemsize)
        self.f_contiguous = in_order(zip(shape, strides, strict=True), itemsize)


def in_order(dims: Any, step: int) -> bool:
    for n, stride in dims:
        if n != 1 and stride != step:
            return False
        step *= n
    return True


class Batch:
    """`whole`, a tensor, seen without its dimension `at`; None if it has none: it is the same for all examples."""

    __slots__ = ("whole", "at", "level", "shape", "dtype", "ndim", "size")

    def __init__(self, whole: Tensor, at: int | None, level: Level) -> None:
        self.whole, self.at, self.level = whole, at, level
        data = whole.data_
        shape = tuple(data.shape)
        self.shape = shape if at is None else shape[:at] + shape[at + 1 :]
        self.dtype, self.ndim, self.size = data.dtype, len(self.shape), math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return int(np.dtype(self.dtype).itemsize)

    @property
    def nbytes(self) -> int:
        return int(self.size * self.itemsize)

    @property
    def strides(self) -> tuple[int, ...]:
        steps = tuple(getattr(self.whole.data_, "strides", ()))
        return steps if self.at is None else steps[: self.at] + steps[self.at + 1 :]

    @property
    def flags(self) -> Flags:
        return Flags(self.shape, self.strides, self.itemsize)

    def array(self) -> Any:
        """The numbers of the whole batch, for those who show them."""
        data = self.whole.data_
        return data.array() if isinstance(data, Batch) else data

    def known(self) -> Any:
        """The numbers, if they are the same for all examples.

        Raises:
            NotImplementedError: they are not.
        """
        data = self.whole.data_
        if self.at is not None:
            raise Unsupported("vmap over a function that looks at the numbers of a tensor is not supported")
        return data.known() if isinstance(data, Batch) else data

    def differs(self) -> bool:
        """Whether examples differ, here or in a vmap outside of this one."""
        return self.at is not None or (isinstance(self.whole.data_, Batch) and self.whole.data_.differs())

    def __array__(self, *args: Any, **options: Any) -> Any:
        return np.asarray(self.known(), *args, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.known(), name)


def delegate(name: str) -> Any:
    """A method of arrays, for numbers that are the same for all examples."""
    return lambda self, *others: getattr(np.asarray(self.known()), name)(*others)


ARITHMETIC = "add radd sub rsub mul rmul truediv rtruediv pow matmul neg lt le gt ge getitem bool"

for _name in ARITHMETIC.split():
    setattr(Batch, f"__{_name}__", delegate(f"__{_name}__"))


def is_batched(value: Any) -> bool:
    """Whether `value` is a tensor whose numbers differ between the examples of a vmap."""
    data = getattr(value, "data_", None)
    return isinstance(data, Batch) and data.differs()


def is_hidden(value: Any) -> bool:
    """Whether `value` is a tensor of which vmap hides a dimension."""
    return isinstance(getattr(value, "data_", None), Batch)


def is_followed(tensor: Tensor) -> bool:
    """Whether a gradient is wanted for `tensor`, here or where vmap hid it."""
    data = tensor.data_
    return tensor.requires_grad or (isinstance(data, Batch) and is_followed(data.whole))


def whole_data(data: Any) -> Any:
    """`data`, or all the numbers of a batch."""
    return data.array() if isinstance(data, Batch) else data


__all__ = ["CONTROL_FLOW", "ITEM", "MEMORY", "Batch", "Level", "is_hidden", "is_followed", "whole_data", "is_batched"]
