"""torch.asarray and torch.frombuffer: tensors over memory that is there already."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import get_default_dtype
from ..errors import TYPE_NAMES
from ..ops.join import clone
from ..tensor import Tensor
from ..warned import warn_once
from .choices import numpy_dtype
from .factories import check_device, from_numpy, made, tensor

UNSAID = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)
NOT_WRITABLE = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to "
    "the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its "
    "data or make it writable before converting it to a tensor. This type of warning will be suppressed for the rest "
    "of this program."
)


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """`obj` as a tensor: itself, a view of its memory, or, where that cannot be or `copy` says so, a copy.

    Raises:
        ValueError: there must be a copy, but `copy` is False.
    """
    check_device(device)
    given = seen(obj, dtype)
    if given is None:
        if copy is False and isinstance(obj, np.generic):
            raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray.")
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return tensor(obj, dtype=dtype, requires_grad=bool(requires_grad))
    if requires_grad is None and given.requires_grad:
        warn_once("asarray", UNSAID)
    kept = cast(given, dtype, copy)
    wanted = given.requires_grad if requires_grad is None else requires_grad
    if kept.requires_grad and not wanted:
        return kept.detach()
    return kept.requires_grad_() if wanted and not kept.requires_grad else kept


def seen(obj: Any, dtype: Any) -> Tensor | None:
    """The tensor over the memory of `obj`, if that shows any; the bytes of a buffer are numbers of `dtype`."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, np.ndarray):
        return from_numpy(obj)
    if isinstance(obj, np.generic):
        return None
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, dtype=dtype or get_default_dtype())


def cast(given: Tensor, dtype: Any, copy: bool | None) -> Tensor:
    """`given` in the dtype that is asked for, copied if it must be."""
    kind = given.data_.dtype if dtype is None else numpy_dtype(dtype)
    if kind == given.data_.dtype:
        return clone(given) if copy else given
    if copy is False:
        names = (TYPE_NAMES[k.name] for k in (given.data_.dtype, kind))
        raise ValueError("can't alias tensor with dtype '{}' into dtype '{}'.".format(*names))
    return given.to(dtype)


def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor over the bytes that `buffer` shows.

    Raises:
        ValueError: it shows none, or not as many as are asked for.
    """
    kind = np.dtype(numpy_dtype(dtype))
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    size, each = view.nbytes, kind.itemsize
    if size == 0 or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) minus 1"
        )
    if count < 0 and (size - offset) % each:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({each})"
        )
    if count > 0 and offset + count * each > size:
        raise ValueError(
            f"requested buffer length ({count} * {each} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({size} bytes)"
        )
    if view.readonly:
        warn_once("frombuffer", NOT_WRITABLE)
    return made(np.frombuffer(buffer, kind, count, offset), "frombuffer", requires_grad, device)
