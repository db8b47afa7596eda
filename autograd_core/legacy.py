"""What torch keeps of its older days: `resize`, `new`, `set_`."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from . import errors, factories, tell
from .function import Function
from .graph import gradient_edge
from .inplace import check_writable, rebase_onto
from .not_implemented import NotImplemented_
from .ops import shape as s
from .state import state
from .tensor import Tensor

RESIZE = (
    "requested resize to {} ({} elements in total), but the given tensor has a size of {} ({} elements). autograd's "
    "resize can only change the shape of a given tensor, while preserving the number of elements. "
)


class Resize(Function):
    """Another shape for the same elements, as a new tensor."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, sizes: Sequence[int]) -> Tensor:
        ctx.sizes = tensor.data_.shape
        if math.prod(sizes) != tensor.data_.size:
            given = "x".join(map(str, sizes)), math.prod(sizes), "x".join(map(str, ctx.sizes)), tensor.data_.size
            raise RuntimeError(RESIZE.format(*given))
        return s.reshape(tensor.detach(), list(sizes))

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        return s.reshape(grad, list(ctx.sizes)), None


def resize(self: Tensor, *sizes: Any) -> Tensor:
    """The elements of this tensor in another shape."""
    warnings.warn("non-inplace resize is deprecated", UserWarning, stacklevel=2)
    wanted = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
    return Resize.apply(self, tuple(int(n) for n in wanted))


def new(self: Tensor, *args: Any, device: Any = None) -> Tensor:
    """A tensor of the same dtype: of these sizes, or with these contents."""
    if len(args) == 1 and isinstance(args[0], list):
        return factories.new_tensor(self, args[0])
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0].detach()
    sizes = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    return factories.new_empty(self, tuple(sizes) if args else (0,))


def set_(self: Tensor, source: Tensor | None = None) -> Tensor:
    """Show the memory of `source` from now on.

    Raises:
        RuntimeError: the dtypes differ.
    """
    check_writable(self)
    if source is None:
        source = factories.new_empty(self, (0,))
    if not isinstance(source, Tensor):
        raise TypeError(f"set_(): argument 'source' must be Tensor, not {type(source).__name__}")
    if self.data_.dtype != source.data_.dtype:
        names = errors.type_name(source.data_.dtype).lower(), errors.type_name(self.data_.dtype).lower()
        raise RuntimeError(f"Could not set tensor of type {names[0]} to a tensor of type {names[1]}")
    needed = state.grad_enabled and (self.requires_grad or source.requires_grad)
    edges = [gradient_edge(t) for t in (self, source)] if needed else []
    counted, memory = self.shared_storage(), source.shared_storage()
    self.data_ = source.array()
    counted.address, counted.boxed = memory.address, memory.boxed
    self.bump()
    if needed:
        node = NotImplemented_(edges, ((self.data_.shape, self.data_.dtype),))
        node.operator = "set_"
        rebase_onto(self, node)
    tell.written(self, "set_", (source,))
    return self


__all__ = ["new", "resize", "set_"]
