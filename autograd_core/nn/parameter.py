"""Parameters and buffers, and those whose size a layer learns from its first input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.functions.creation import check_device, floating
from ..api.methods.table import IN_PLACE, METHODS, OWN
from ..engine.state import ask_room
from ..tensor.printing import parameter_repr
from ..tensor.strides import copy_in_format as copied_alike
from ..tensor.tensor import Tensor, plain


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
    raise AttributeError(f"module 'torch.nn.parameter' has no attribute '{name}'")


def plain_check(source: Tensor) -> None:
    """Whether `source` may require grad.

    Raises:
        RuntimeError: it holds whole numbers.
    """
    if source.data_.dtype.kind not in "fc":
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


# ---- of no size yet


SHAPELESS = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` "
    "when trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the "
    "parameters before accessing their attributes."
)
USED = (
    "Attempted to use an uninitialized parameter in <method '{}' of 'torch._C.TensorBase' objects>. This error happens "
    "when you are using a `LazyModule` or explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. "
    "When using LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch "
    "functions"
)
TAKEN = "size copy_ detach is_complex is_floating_point half float double char short int long cuda cpu to get_device"
"""Methods that what has no size has nevertheless."""
OPERATORS = {
    **{name: name for name in ("add", "sub", "mul", "pow", "matmul", "neg")},
    **{f"r{name}": name for name in ("add", "sub", "mul")},
    "truediv": "div",
    "getitem": "__getitem__",
}
"""Operators of Python, with the methods that torch has for them."""


class Sizeless(Tensor):
    """A tensor that is not there yet."""

    __slots__ = ()
    becomes: Any

    @property
    def shape(self) -> Any:
        raise RuntimeError(SHAPELESS)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def detach(self) -> Any:
        return self

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become a tensor of `shape`, its numbers still to be drawn."""
        check_device(device)
        size = (shape,) if isinstance(shape, int) else tuple(shape)
        ask_room(*size)
        kind = self.data_.dtype if dtype is None else floating(dtype)
        self.data = plain(np.zeros(size, kind))
        self.__class__ = self.becomes

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            kind: Any = type(self)
            memo[id(self)] = kind(self.requires_grad, dtype=self.dtype)
        return memo[id(self)]


def refuse_method(name: str) -> Callable[..., Any]:
    """The method `name` of what has no size."""

    def refuse(self: Any, *args: Any, **options: Any) -> Any:
        raise ValueError(USED.format(name))

    return refuse


def refusals() -> dict[str, Callable[..., Any]]:
    """All methods of a tensor that need its size."""
    known = METHODS | OWN | IN_PLACE
    found = {name: refuse_method(name) for name in known if not name.startswith("_") and name not in TAKEN.split()}
    return found | {f"__{operator}__": refuse_method(method) for operator, method in OPERATORS.items()}


for _name, _method in refusals().items():
    setattr(Sizeless, _name, _method)


class UninitializedParameter(Sizeless, Parameter):
    """A parameter that is not there yet: its module learns its size from the first input."""

    __slots__ = ()
    becomes: Any = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> UninitializedParameter:
        check_device(device)
        made: Any = Parameter.__new__(cls, plain(np.zeros(0, floating(dtype))), requires_grad)
        return made

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        """Everything is done in `__new__`, so that copies can be made without it."""


class UninitializedBuffer(Sizeless):
    """A buffer that is not there yet."""

    __slots__ = ()
    becomes: Any = Tensor

    def __init__(
        self, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> None:
        check_device(device)
        source = plain(np.zeros(0, floating(dtype)))
        self.data_, self.storage_ = source.data_, source.shared_storage()
        self.node = self.meta = None


def need_size(tensor: Tensor, method: str) -> None:
    """Whether `method` can be called on `tensor`.

    Raises:
        ValueError: it is not there yet.
        AttributeError: it is no tensor.
    """
    if isinstance(tensor, Sizeless):
        raise ValueError(USED.format(method))
    if not isinstance(tensor, Tensor):
        raise AttributeError(f"'{type(tensor).__name__}' object has no attribute '{method}'")


def is_lazy(param: Any) -> bool:
    return isinstance(param, Sizeless)
