"""The methods of Tensor that are about what it holds: as Python values, as text, as an array, in another dtype."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ... import errors
from ...dispatch.schema.schema import composite
from ...engine.state import mark_exposed, state
from ...engine.warnings import warn_once
from ...functorch import wrapper_repr
from ...functorch.batch import CONTROL_FLOW, EITHER, ITEM, MEMORY, Batch, is_batched, is_hidden
from ...ops import join
from ...ops._common import wrap
from ...ops.binary import eq
from ...tensor import dtypes, tensor_types
from ...tensor.printing import tensor_repr
from ...tensor.size import Size
from ...tensor.strides import lies_in, of_rows
from ...tensor.tensor import LazyView, Tensor
from ..functions.arguments import cast, recast
from ..functions.creation import check_device, from_numpy

Method = Callable[..., Any]


def refuse_unseen(tensor: Tensor, message: str) -> None:
    """Whether Python may look at the numbers of `tensor`.

    Raises:
        RuntimeError: vmap hides them.
    """
    if not is_batched(tensor):
        return
    inside = any(level.depth > tensor.data_.level.depth and not level.forward for level in state.levels)
    raise RuntimeError(EITHER if inside and message is not MEMORY else message)


@composite("item(Tensor self) -> Scalar: method")
def item(self: Tensor) -> Any:
    """The one number in it."""
    refuse_unseen(self, ITEM)
    if self.data_.size != 1:
        raise RuntimeError(f"a Tensor with {self.data_.size} elements cannot be converted to Scalar")
    return self.data_.item()


def as_python_number(kind: type) -> Method:
    """`float(t)`, `int(t)`."""

    def convert(self: Tensor) -> Any:
        if kind is float and self.requires_grad:
            warn_once("scalar", errors.TO_SCALAR)
        refuse_unseen(self, ITEM)
        if self.data_.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        value = self.data_.item()
        if isinstance(value, complex) and kind is not complex:
            if value.imag:
                name = "double" if kind is float else "int64_t"
                raise RuntimeError(f"value cannot be converted to type {name} without overflow")
            value = value.real
        return kind(value)

    return convert


def truth(self: Tensor) -> bool:
    if self.data_.size != 1:
        what = "no values" if self.data_.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
    refuse_unseen(self, CONTROL_FLOW)
    return bool(self.data_.item())


def as_index(self: Tensor) -> int:
    refuse_unseen(self, ITEM)
    if self.data_.size != 1 or self.data_.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.data_.item())


def length(self: Tensor) -> int:
    if self.data_.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return int(self.data_.shape[0])


def iterate(self: Tensor) -> Iterator[Tensor]:
    if self.data_.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(tuple(join.unbind(self, 0)))


def contains(self: Tensor, element: Any) -> bool:
    if isinstance(element, Tensor | bool | int | float | complex):
        return bool(np.any(eq(self, element).data_))
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


def format_tensor(self: Tensor, spec: str) -> str:
    if self.data_.ndim == 0 and type(self) in (Tensor, LazyView):
        return format(self.data_.item(), spec)
    return object.__format__(self, spec)


def show(self: Tensor) -> str:
    if is_hidden(self) or (state.levels and self.node is not None):
        return wrapper_repr.repr_in_levels(self)
    name, needed = None, False
    try:
        node = self.grad_fn
        name = None if node is None else node.type_name()
        needed = self.requires_grad
    except RuntimeError:
        name = "Invalid"
    return tensor_repr(self.data_, dtype=get_dtype(self), grad_fn=name, requires_grad=needed)


def element_size(self: Tensor) -> int:
    """The bytes of an element."""
    return int(dtypes.from_numpy(self.data_.dtype).itemsize)


def numpy(self: Tensor, *, force: bool = False) -> np.ndarray[Any, Any]:
    """The memory as an array."""
    if self.requires_grad and state.grad_enabled and not force:
        raise RuntimeError(errors.NUMPY_ON_GRAD)
    refuse_unseen(self, MEMORY)
    if isinstance(self, LazyView):
        if not force:
            bit = "conjugate" if self.conjugates else "negative"
            resolve = "resolve_conj" if self.conjugates else "resolve_neg"
            raise RuntimeError(
                f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.{resolve}().numpy() instead."
            )
        return np.asarray(self.data_)
    if not self.data_.dtype.isnative:
        raise TypeError("Got unsupported ScalarType BFloat16")
    mark_exposed()
    return self.data_.known() if is_hidden(self) else self.array()


def as_array(self: Tensor, dtype: Any = None) -> np.ndarray[Any, Any]:
    array = numpy(self)
    return array if dtype is None else array.astype(dtype, copy=False)


as_array.__qualname__ = "Tensor.__array__"  # numpy asks with a `copy`, and reads in the refusal whose it is


def wrapped_array(self: Tensor, array: np.ndarray[Any, Any]) -> Tensor:
    """What numpy's functions made of a tensor, as one; a mask in bytes, from when there was no tensor of bools."""
    return from_numpy(array.astype(np.uint8) if array.dtype == np.bool_ else array)


def tolist(self: Tensor) -> Any:
    refuse_unseen(self, MEMORY)
    return self.data_.tolist()


# ---- type and place


def get_dtype(self: Tensor) -> dtypes.dtype:
    return dtypes.from_numpy(self.data_.dtype)


def to(
    self: Tensor, *args: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False, copy: bool = False,
    memory_format: str | None = None,
) -> Tensor:  # fmt: skip
    """This tensor in another dtype or memory format, or itself if nothing changes."""
    for place, arg in enumerate(args):
        if isinstance(arg, Tensor):
            dtype = get_dtype(arg)
        elif place == 0 and isinstance(arg, bool | float):  # as the tensor that a number is
            dtype = type(arg)
        elif dtypes.is_dtype(arg):
            dtype = arg
        elif not isinstance(arg, bool):
            device = arg
    check_device(device)
    moved = cast(self, dtype, memory_format)
    if not copy or moved is not self:
        return moved
    if self.data_.dtype.kind in "fc":
        return recast(self, self.data_.dtype, memory_format)
    return join.clone(self, memory_format or False)


def cast_to(kind: dtypes.dtype) -> Method:
    return lambda self, memory_format=None: cast(self, kind, memory_format)


def type_(self: Tensor, dtype: Any = None, memory_format: str | None = None) -> Any:
    if dtype is None:
        return f"torch.{errors.type_name(self.data_.dtype)}Tensor"
    return cast(self, tensor_types.dtype_of(dtype), memory_format)


@composite("type_as(Tensor self, Tensor other) -> Tensor: method")
def type_as(self: Tensor, other: Tensor) -> Tensor:
    return cast(self, get_dtype(other))


def cuda(self: Tensor, *args: Any, **options: Any) -> Tensor:
    raise AssertionError("Torch not compiled with CUDA enabled")


def size(self: Tensor, dim: int | None = None) -> Any:
    """The shape, or one length of it."""
    shape = self.data_.shape
    return Size.of(shape) if dim is None else int(shape[place(dim, len(shape))])


def place(dim: int, rank: int) -> int:
    """`dim` counted from the front.

    Raises:
        IndexError: there is no such dimension.
    """
    if not rank:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap(dim, rank)


def stride(self: Tensor, dim: int | None = None) -> Any:
    data = self.data_
    steps = tuple(step // data.itemsize for step in getattr(data, "strides", ()))
    kept = any(steps) if data.size == 0 else self.storage_ is not None or not is_contiguous(self)
    if not kept:  # numpy has none for new memory without elements, and what it likes for dimensions of one
        steps = of_rows(data.shape)
    return steps if dim is None else steps[place(dim, len(steps))]


def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    return not isinstance(self.data_, np.ndarray | Batch) or lies_in(self.data_, memory_format)
