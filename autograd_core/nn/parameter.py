"""Parameters: the leaves that a module trains, and buffers that it only keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..printing import parameter_repr
from ..strides import copied as copied_alike
from ..tensor import Tensor, plain


class Parameter(Tensor):
    """A tensor that a module counts as its own when it is assigned to an attribute.

    It shares memory and version with `data`, as a detached tensor would, and requires grad unless told otherwise.
    """

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        parameter = object.__new__(cls)
        source = Tensor() if data is None else data
        if not isinstance(source, Tensor):
            raise AttributeError(f"'{type(source).__name__}' object has no attribute 'detach'")
        parameter.data_ = source.data_
        parameter.storage_ = source.shared_storage()
        parameter.node = parameter.meta = None
        if requires_grad:
            plain_check(source)
        parameter.own_meta().requires_grad = requires_grad
        return parameter

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        """Everything is done in `__new__`, so that copies can be made without it."""

    def __repr__(self) -> str:
        return parameter_repr(super().__repr__())

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(plain(copied_alike(self.data_)), self.requires_grad)
        copied: Parameter = memo[id(self)]
        return copied


def __getattr__(name: str) -> Any:
    """What this module shows of uninitialized.py, which rests on it."""
    if name in ("UninitializedParameter", "UninitializedBuffer", "is_lazy"):
        from . import uninitialized

        return getattr(uninitialized, name)
    raise AttributeError(f"module 'torch.nn.parameter' has no attribute '{name}'")


def plain_check(source: Tensor) -> None:
    """Whether `source` may require grad.

    Raises:
        RuntimeError: it holds whole numbers.
    """
    if source.data_.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")


class BufferType(type):
    """The type of Buffer, which knows its instances by a mark: they are plain tensors."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.__dict__.get("_is_buffer", False) is True


class Buffer(metaclass=BufferType):
    """A tensor that a module keeps as a buffer when it is assigned to an attribute."""

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        source = plain(np.zeros(0, np.float32)) if data is None else data
        buffer = source.detach().requires_grad_(source.requires_grad)
        buffer.persistent, buffer._is_buffer = persistent, True
        return buffer
