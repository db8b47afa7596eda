"""The shape changed in place: the memory stays, the tensor looks at it otherwise."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .. import tell
from ..errors import sizes
from ..functions.arguments import sizes_of
from ..graph import Node
from ..inplace import check_writable
from ..mutation import before_write
from ..ops import view
from ..rebasing import rebase
from ..state import ask_room, state
from ..strides import PRESERVED, lies_in, steps_in, suggested
from ..tensor import Tensor, plain
from ..transforms.batch import hidden
from ..unsupported import Unsupported
from ..views import strided
from .memory import OF_A_VIEW, whole, windowed

MOST = (1 << 63) - 1
"""How much torch counts to, in elements and in bytes."""


def reshaped_in_place(function: Any, target: Tensor, *args: Any) -> Tensor:
    """`target.t_()` and the like: the memory stays, the tensor looks at it through another shape."""
    check_writable(target)
    if hidden(target):
        check_writable(target.data_.whole)
    if state.saved_hooks:
        before_write(target)  # what is saved of it keeps its shape
    before = plain(target.array())
    before.node, before.output_nr = target.grad_fn if state.grad_enabled else target.node, target.output_nr
    target.data_ = reshaped(function.op, before, args)
    target.bump()
    if before.node is not None:
        rebase(target, lambda holder: linked(function.op, before, args, holder), seen_otherwise=True)
    tell.written(target, function.op.name, ())
    return target


def reshaped(op: Any, before: Tensor, args: tuple[Any, ...]) -> Any:
    """What `before` holds in another shape, over the same memory."""
    if not hidden(before):
        return op.forward(before.data_, *args)
    return VIEWS[op.name](plain(before.data_), *args).data_


VIEWS = {
    "t_": view.t, "transpose_": view.transpose, "unsqueeze_": view.unsqueeze, "squeeze_": view.squeeze,
    "squeeze_.dim": view.squeeze_dim, "squeeze_.dims": view.squeeze_dims,
}  # fmt: skip
"""The view that each shows, of a tensor whose memory vmap hides."""


def linked(op: Any, before: Tensor, args: tuple[Any, ...], holder: Tensor) -> Node | None:
    if state.session is not None:
        state.session.same(holder, before)
    return op.link(before, *args, (holder,), holder)


def t_(self: Tensor) -> Tensor:
    return reshaped_in_place(view.turned, self)


def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    return reshaped_in_place(view.transposed, self, dim0, dim1)


def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    return reshaped_in_place(view.unsqueezed, self, dim)


def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    if dim is None:
        return reshaped_in_place(view.squeezed, self)
    if isinstance(dim, int):
        return reshaped_in_place(view.squeeze_result, self, dim)
    return reshaped_in_place(view.squeezed_dims, self, list(dim))


def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {sizes(stride)}"
        )
    if storage_offset is not None and storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if min(size, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if hidden(self):
        raise Unsupported("as_strided_ in vmap is not supported")
    whole, start = windowed(self, size, stride, storage_offset)
    if whole is not self:
        raise Unsupported(OF_A_VIEW)
    return reshaped_in_place(view.as_strided_in_place, self, list(size), list(stride), start)


def memory_from(tensor: Tensor) -> Any:
    """The memory of `tensor` from its first element to the end, in a row."""
    data = tensor.array()
    owner = whole(data)
    if not owner.flags.c_contiguous or owner.dtype != data.dtype:
        return np.ascontiguousarray(data).reshape(-1)
    start = data.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return owner.reshape(-1)[start // data.itemsize :]


def resize_(self: Tensor, *size: Any, memory_format: str | None = None) -> Tensor:
    """Another shape over the same memory, of which more is taken if needed; in rows, or as the format says.

    Raises:
        RuntimeError: the tensor requires grad, or its new shape cannot have this format.
    """
    if self.requires_grad and not state.inference:
        raise RuntimeError("cannot resize variables that require grad")
    if memory_format == PRESERVED:
        raise RuntimeError("Unsupported memory formatPreserve")
    return resized(self, tuple(sizes_of(size)), memory_format)


def resized(self: Tensor, shape: tuple[int, ...], memory_format: str | None = None) -> Tensor:
    same = shape == self.data_.shape
    if same and (memory_format is None or lies_in(self.array(), memory_format)):
        return self
    count, memory = prod(shape), memory_from(self)
    if min(shape, default=0) < 0 or count > MOST:
        raise RuntimeError("numel: integer multiplication overflow")
    if count * memory.itemsize > MOST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={sizes(shape)}")
    if count > memory.size:
        ask_room(count)
        memory = np.concatenate([memory, np.zeros(count - memory.size, memory.dtype)])
        if self.storage_ is not None:
            self.storage_.boxed = None
    data = memory[:count].reshape(shape)
    self.data_ = data if memory_format is None else strided(data, shape, steps_in(data, memory_format), 0)
    if not same:  # else nothing but its strides is another, and torch counts no write
        self.bump()
    tell.written(self, "resize_", (), counted=not same)
    return self


def resize_as_(self: Tensor, other: Tensor, *, memory_format: str | None = None) -> Tensor:
    """The shape of `other`, and its layout too if the format is the one to preserve."""
    if memory_format == PRESERVED:
        memory_format = suggested(other.array())
    return resize_(self, list(other.data_.shape), memory_format=memory_format)


IN_PLACE: dict[str, Any] = {
    "t_": t_, "transpose_": transpose_, "swapaxes_": transpose_, "swapdims_": transpose_, "unsqueeze_": unsqueeze_,
    "squeeze_": squeeze_, "as_strided_": as_strided_, "resize_": resize_, "resize_as_": resize_as_,
}  # fmt: skip
