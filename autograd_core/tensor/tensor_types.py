"""`torch.FloatTensor` and its like: types by which old programs name a dtype, make tensors and ask about them."""

from __future__ import annotations

import warnings
from typing import Any

from .. import errors
from ..api.functions.arguments import sizes_of
from ..api.functions.creation import tensor, zeros
from . import dtypes
from .size import Size
from .tensor import Tensor


def options(dtype: dtypes.dtype) -> str:
    """How PyTorch's C++ writes what a tensor of this dtype is like."""
    kind = errors.C_NAMES.get(dtype.name, dtype.name)
    return (
        f"TensorOptions(dtype={kind}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


class tensortype(type):
    """The type of these types: tensors of their dtype are instances, calls make such tensors."""

    dtype: dtypes.dtype

    def __call__(cls, *data: Any) -> Tensor:
        """A tensor of zeros by its sizes, or one of this data.

        Raises:
            TypeError: a tensor of another dtype, or a single number that is no size.
        """
        if not data:
            return tensor([], dtype=cls.dtype)
        first = data[0]
        if isinstance(first, Size) or all(isinstance(n, int) and not isinstance(n, bool) for n in data):
            return zeros(*data, dtype=cls.dtype)
        if isinstance(first, Tensor):
            if first.dtype is not cls.dtype:
                raise TypeError(f"expected {options(cls.dtype)} (got {options(first.dtype)})")
            alias: Tensor = first.detach()
            return alias
        if isinstance(first, (bool, float)):
            raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
        if len(data) > 1:
            return zeros(*sizes_of(data, "new"), dtype=cls.dtype)
        return tensor(first, dtype=cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


TYPES = {
    f"{short}Tensor": tensortype(f"{short}Tensor", (), {"dtype": dtypes.NAMES[kind], "__module__": "torch"})
    for kind, short in errors.TYPE_NAMES.items()
    if not short.startswith("Complex")
}


FloatTensor, DoubleTensor, HalfTensor = TYPES["FloatTensor"], TYPES["DoubleTensor"], TYPES["HalfTensor"]
LongTensor, IntTensor, ShortTensor = TYPES["LongTensor"], TYPES["IntTensor"], TYPES["ShortTensor"]
BFloat16Tensor = TYPES["BFloat16Tensor"]
CharTensor, ByteTensor, BoolTensor = TYPES["CharTensor"], TYPES["ByteTensor"], TYPES["BoolTensor"]


def typename(obj: Any) -> str:
    """The type of `obj` with its module; that of a tensor as old programs name it."""
    return str(obj.type()) if isinstance(obj, Tensor) else f"{type(obj).__module__}.{type(obj).__qualname__}"


def dtype_of(named: Any) -> dtypes.dtype:
    """The dtype that a program names by itself, by one of these types or by the name of one.

    Raises:
        ValueError: a name of none.
        TypeError: anything else.
    """
    if isinstance(named, dtypes.dtype):
        return named
    if isinstance(named, tensortype):
        return named.dtype
    if isinstance(named, type) and named in dtypes.OF_PYTHON:
        named = named.__name__
    if not isinstance(named, str):
        raise TypeError("dtype must be a type, str, or dtype object")
    module, _, name = named.rpartition(".")
    if module != "torch" or name not in TYPES:
        raise ValueError(f"invalid type: {named!r}")
    return TYPES[name].dtype


def set_default_tensor_type(t: Any, /) -> None:
    """Floating-point tensors are of this type from now on, if not told otherwise."""
    kind = dtype_of(t)
    if not kind.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    warnings.warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives.",
        stacklevel=1,
    )
    dtypes.set_default_dtype(kind)
