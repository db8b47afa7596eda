"""Methods of old programs that torch still has: `new`, `resize`, `set_`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import errors, tell
from ..custom.function import Function
from ..edges import gradient_edge
from ..functions.arguments import sizes_of
from ..functions.creation import from_sequence, made
from ..inplace import check_writable
from ..modes import no_grad
from ..ops.view import alias
from ..rebasing import rebase_onto
from ..sizes import Size
from ..state import ask_room, state
from ..strides import of_rows
from ..tensor import Tensor
from ..underived import NotImplemented_
from ..unsupported import Unsupported
from .memory import as_strided


def new(self: Tensor, *data: Any) -> Tensor:
    """A tensor of this dtype: of a shape (filled with zeros here), or from a list of values."""
    kind = self.data_.dtype
    if len(data) == 1 and isinstance(data[0], Tensor):
        return alias(data[0])
    if len(data) == 1 and isinstance(data[0], list | tuple | range) and not isinstance(data[0], Size):
        return made(from_sequence(data[0], kind), "new")
    if len(data) == 1 and isinstance(data[0], np.ndarray):
        return made(data[0].astype(kind), "new")
    if not all(isinstance(n, int | tuple) for n in data):
        raise TypeError(f"new(): data must be a sequence (got {type(data[0]).__name__})")
    sizes = sizes_of(data)
    ask_room(*sizes)
    return made(np.zeros(sizes if data else 0, kind), "new")


class Resize(Function):
    """Another shape of the same number of elements, as a Function written in Python: so it stands in torch's graph."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, sizes: tuple[int, ...]) -> Tensor:
        count = int(np.prod(sizes, dtype=object))
        if tensor.data_.size != count:
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({count} elements in total), but the given tensor "
                f"has a size of {'x'.join(map(str, tensor.data_.shape))} ({tensor.data_.size} elements). autograd's "
                "resize can only change the shape of a given tensor, while preserving the number of elements. "
            )
        ctx.input_sizes = tensor.data_.shape
        return tensor.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0].contiguous().view(ctx.input_sizes), None


def resize(self: Tensor, *sizes: Any) -> Tensor:
    warnings.warn("non-inplace resize is deprecated", stacklevel=2)
    return Resize.apply(self, tuple(sizes_of(sizes)))


def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    warnings.warn("non-inplace resize_as is deprecated", stacklevel=2)
    return Resize.apply(self, tuple(tensor.data_.shape))


def memory_of(source: Any, kind: np.dtype[Any]) -> Tensor:
    """The tensor `source`, or all numbers in a storage.

    Raises:
        RuntimeError: the storage is one of other numbers.
    """
    if isinstance(source, Tensor):
        return source
    if (held := getattr(source, "dtype", None)) is None:
        row: Tensor = source.as_row(kind)
        return row
    if held.numpy != kind:
        name, other = errors.C_NAMES[kind.name], errors.type_name(held.numpy)
        raise RuntimeError(
            f"Expected a Storage of type {name} or an UntypedStorage, but got type {other} for argument 1 'storage'"
        )
    return memory_of(source.untyped(), kind)


def check_steps(size: Any, stride: Any) -> None:
    """
    Raises:
        RuntimeError: there are not as many steps as lengths, or one goes backwards.
    """
    if len(size) != len(stride):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    if 0 not in size and min(stride, default=0) < 0:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={errors.sizes(size)} and strides={errors.sizes(stride)}"
        )


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Show the memory of `source` from now on, or a window of it; a write that has no derivative."""
    given = made(np.zeros(0, self.data_.dtype), "set_") if source is None else memory_of(source, self.data_.dtype)
    data = given.array()
    if size is not None:
        if stride is not None:
            check_steps(size, stride)
        if min(size, default=0) < 0:
            raise RuntimeError("numel: integer multiplication overflow")
        with no_grad():
            data = as_strided(given, size, of_rows(size) if stride is None else stride, storage_offset).array()
    if given.data_.dtype != self.data_.dtype:
        kinds = [errors.C_NAMES[t.data_.dtype.name] for t in (self, given)]
        raise RuntimeError("Could not set tensor of type " + kinds[1] + " to a tensor of type " + kinds[0])
    check_writable(self)
    if self._is_view():
        raise Unsupported("set_ of a view is not supported")
    needed = state.grad_enabled and (self.requires_grad or given.requires_grad)
    edges = [gradient_edge(t) for t in (self, given)] if needed else []
    mine, theirs = self.shared_storage(), given.shared_storage()
    self.data_ = data
    mine.address, mine.boxed = theirs.address, theirs.boxed
    self.bump()
    if self.meta is not None:
        self.meta.accumulator = None  # torch resets it: graphs made from now on lead to another one
    if needed:
        node = NotImplemented_(edges, ((self.data_.shape, self.data_.dtype),))
        node.operator = "set_"
        rebase_onto(self, node)
    tell.written(self, "set_", (given,))
    return self


def volatile(self: Tensor) -> bool:
    """What `no_grad` once was."""
    warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
    return False


METHODS = {"new": new, "resize": resize, "resize_as": resize_as, "set_": set_}
