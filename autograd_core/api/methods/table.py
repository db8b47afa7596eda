"""What a Tensor offers to programs: its operators, properties and methods, hung onto the class from tables.

Most come from the schemas of operators (dispatch/schema/schema.py).
Those with a body of their own lie in autograd.py (the graph), conversion.py (what a tensor holds) and inplace.py
(`name_` is the variant of `name` that writes).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dispatch import not_implemented
from ...dispatch.schema.guard import guard
from ...dispatch.schema.schema import composite, functions_of
from ...graph.introspection import read_only
from ...namespace.absent import name_what_lacks
from ...ops import binary as binary_ops
from ...ops import complex as parts
from ...ops import join, unary
from ...ops.matmul import mm, product
from ...tensor import dtypes
from ...tensor.device import CPU, strided
from ...tensor.size import Size
from ...tensor.tensor import Tensor, plain, wrapped_number
from ..functions import (
    contraction,
    creation,
    indexing,
    pointwise,
    random,
    shape,
    sorting,
    spectrogram,
    statistics,
    windows,
)
from ..functions import linalg as linalg_functions
from ..functions import reduction as reduction_functions
from ..functions.arguments import cast
from ..functions.indexing import delitem, getitem, setitem
from . import autograd, conversion, inplace, legacy
from .inplace import AUGMENTED, WITHOUT_FUNCTION, in_place_of
from .memory import data_ptr, is_shared, share_memory_, storage_offset
from .storage import untyped_storage

Method = Callable[..., Any]


# ---- operators


def binary(function: Method, swapped: bool = False) -> Method:
    """The dunder method that calls `function`; other kinds of operands are left to Python, which refuses them."""

    def operator(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor | bool | int | float | complex | np.generic):
            return function(other, self) if swapped else function(self, other)
        return NotImplemented

    return operator


def comparison(function: Method) -> Method:
    """`a == b` and `a != b`. An array is like a tensor to the first; the second leaves it to Python."""
    real = binary(function)

    def operator(self: Tensor, other: Any) -> Any:
        if other.__class__ is np.ndarray and function is binary_ops.eq:
            other = plain(other)
        return real(self, other)

    return operator


def power(self: Tensor, exponent: Any, *modulus: Any) -> Any:
    """`a ** 2`, `a ** b`; there is no power modulo a number."""
    if modulus:
        return NotImplemented
    if exponent.__class__ is int or exponent.__class__ is float:
        return binary_ops.pow_scalar(self, exponent)
    kinds = Tensor | bool | complex | np.generic
    return pointwise.pow(self, exponent) if isinstance(exponent, kinds) else NotImplemented


def invert(self: Tensor) -> Tensor:
    """`~self`, which Python asks of floats too."""
    if self.data_.dtype.kind in "fc":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return binary_ops.bitwise_not(self)


def shift_by(function: Method) -> Method:
    """`1 << a`: the number as a tensor, which `function` asks for."""
    return lambda number, places: function(wrapped_number(number), places)


def reversed_division(self: Tensor, other: Any) -> Any:
    """`2 / a`, which torch does as reciprocal times number."""
    return binary_ops.mul(unary.reciprocal(self), other)


def divided_by(self: Tensor, other: Any) -> Any:
    """`other / self`, of which an array makes its own product."""
    return unary.reciprocal(self) * other if other.__class__ is np.ndarray else BY_NUMBER(self, other)


BY_NUMBER = binary(reversed_division)


OPERATORS: dict[str, Method] = {
    "__add__": binary_ops.add.operator,
    "__radd__": binary_ops.add.operator,
    "__sub__": binary_ops.sub.operator,
    "__rsub__": binary(pointwise.rsub),
    "__mul__": binary_ops.mul.operator,
    "__rmul__": binary_ops.mul.operator,
    "__truediv__": binary_ops.div.operator,
    "__rtruediv__": divided_by,
    "__floordiv__": binary(not_implemented.floor_divide),
    "__rfloordiv__": binary(not_implemented.floor_divide, swapped=True),
    "__mod__": binary(pointwise.remainder),
    "__rmod__": binary(pointwise.remainder, swapped=True),
    "__pow__": power,
    "__rpow__": binary(pointwise.pow, swapped=True),
    "__matmul__": mm.operator,
    "__rmatmul__": product,
    "__eq__": comparison(binary_ops.eq),
    "__ne__": comparison(binary_ops.ne),
    "__lt__": binary(binary_ops.lt),
    "__le__": binary(binary_ops.le),
    "__gt__": binary(binary_ops.gt),
    "__ge__": binary(binary_ops.ge),
    "__and__": binary(binary_ops.bitwise_and),
    "__rand__": binary(binary_ops.bitwise_and),
    "__or__": binary(binary_ops.bitwise_or),
    "__ror__": binary(binary_ops.bitwise_or),
    "__xor__": binary(binary_ops.bitwise_xor),
    "__reversed__": lambda self: self.flip(0) if self.data_.ndim else self,
    "__lshift__": binary(binary_ops.bitwise_left_shift),
    "__rlshift__": binary(shift_by(binary_ops.bitwise_left_shift), swapped=True),
    "__rshift__": binary(binary_ops.bitwise_right_shift),
    "__rrshift__": binary(shift_by(binary_ops.bitwise_right_shift), swapped=True),
    "__rxor__": binary(binary_ops.bitwise_xor),
    "__neg__": unary.neg,
    "__pos__": pointwise.positive,
    "__abs__": unary.abs,
    "__invert__": invert,
    "__getitem__": getitem,
    "__setitem__": setitem,
    "__delitem__": delitem,
}


# ---- small ones


@composite("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor: function method")
def clone(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy, still in the graph."""
    return join.clone(self, memory_format or False)


@composite("""
    where.self(Tensor condition, Tensor self, Tensor other) -> Tensor: method
    where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor: method
    """)
def where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    return unary.where(condition, self, other)


@composite("is_inference(Tensor self) -> bool: function method")
def is_inference(self: Tensor) -> bool:
    return self.storage_ is not None and self.storage_.inference


# ---- tables


PROPERTIES: dict[str, property] = {
    "grad": property(autograd.get_grad, autograd.set_grad, lambda self: autograd.set_grad(self, None)),
    "_grad": property(autograd.get_grad, autograd.set_grad, lambda self: autograd.set_grad(self, None)),
    "data": property(
        autograd.get_data,
        autograd.set_data,
        autograd.refuse_deletion("Deleting tensor data is not allowed. Delete tensor instead!"),
    ),
    "requires_grad": vars(Tensor)["requires_grad"].deleter(autograd.refuse_deletion("requires_grad must be a bool")),
    "_grad_fn": property(
        lambda self: self.grad_fn,
        autograd.set_grad_fn,
        autograd.refuse_deletion("Deletion of _grad_fn not allowed. Detach tensor instead!"),
    ),
    "_backward_hooks": property(
        autograd.get_backward_hooks,
        autograd.set_backward_hooks,
        autograd.refuse_deletion("Deletion of _backwards_hooks not allowed!"),
    ),
    "volatile": property(legacy.volatile),
    "dtype": property(conversion.get_dtype),
    "shape": property(lambda self: Size.of(self.data_.shape)),
    "ndim": property(lambda self: int(self.data_.ndim)),
    "T": property(legacy.reverse_dims),
    "mT": property(legacy.matrices("mT")),
    "mH": property(legacy.matrices("mH")),
    "H": property(legacy.matrix),
    "real": property(parts.real, inplace.write_part(parts.real)),
    "imag": property(parts.imag, inplace.write_part(parts.imag)),
    "device": property(lambda self: CPU),
    "layout": property(lambda self: strided),
    "itemsize": property(conversion.element_size),
    "nbytes": property(lambda self: conversion.element_size(self) * int(self.data_.size)),
}
PROPERTIES |= {
    name: property(lambda self: False)
    for name in (
        *("is_cuda", "is_sparse", "is_quantized", "is_meta", "is_mps", "is_ipu", "is_maia", "is_mkldnn", "is_mtia"),
        *("is_nested", "is_sparse_csr", "is_vulkan", "is_xla", "is_xpu"),
    )
}
PROPERTIES |= {"is_cpu": property(lambda self: True), "name": property(lambda self: None)}

DECLARING = (
    *(contraction, creation, indexing, linalg_functions, random, reduction_functions),
    *(shape, sorting, spectrogram, statistics, windows),
)
"""Modules that declare functions and methods when they are imported, beside those that are used here."""

CASTS = {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16,
    "long": dtypes.int64, "int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8,
    "bool": dtypes.bool_,
    "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
}  # fmt: skip

METHODS: dict[str, Method] = functions_of("method")

OWN: dict[str, Method] = {
    f.__name__: f
    for f in (
        autograd.backward, autograd.requires_grad_, autograd.detach_, autograd.register_hook,
        autograd.register_post_accumulate_grad_hook, autograd.retain_grad, conversion.numpy,
        conversion.tolist, conversion.to, conversion.cuda, conversion.size, conversion.stride,
        conversion.is_contiguous, share_memory_, is_shared,
    )
}  # fmt: skip
OWN |= {
    "__deepcopy__": autograd.deepcopy, "__reduce_ex__": autograd.pickle,
    "__float__": conversion.as_python_number(float), "__int__": conversion.as_python_number(int),
    "__complex__": conversion.as_python_number(complex),
    "__bool__": conversion.truth, "__index__": conversion.as_index, "__len__": conversion.length,
    "__iter__": conversion.iterate, "__contains__": conversion.contains, "__format__": conversion.format_tensor,
    "__repr__": conversion.show, "__array__": conversion.as_array,
    "__array_wrap__": conversion.wrapped_array, "type": conversion.type_,
    "dim": lambda self: int(self.data_.ndim), "ndimension": lambda self: int(self.data_.ndim),
    "element_size": conversion.element_size, "data_ptr": data_ptr,
    "is_pinned": lambda self, device=None: False, "is_distributed": lambda self: False,
    "storage_offset": storage_offset, "untyped_storage": untyped_storage,
    "_is_zerotensor": lambda self: False,
    "to_dense": lambda self, dtype=None, *, masked_grad=None: self if dtype is None else self.to(dtype),
    "cpu": lambda self, memory_format=None: cast(self, None, memory_format),
}  # fmt: skip
OWN |= {name: conversion.cast_to(kind) for name, kind in CASTS.items()}
OWN |= legacy.METHODS | legacy.FROM_PYTHON | {"__copy__": autograd.copy, "_is_view": vars(Tensor)["_is_view"]}


IN_PLACE: dict[str, Method] = {
    name: in_place_of(name, function)
    for name, function in (functions_of("function_") | functions_of("method_")).items()
    if name not in OWN
}
IN_PLACE |= WITHOUT_FUNCTION | AUGMENTED
"""Methods that write over their tensor."""


IN_PYTHON = "backward is_shared register_hook register_post_accumulate_grad_hook resize share_memory_"
"""Other methods that torch wrote in Python."""


def install() -> None:
    """Hang everything onto the class."""
    for name, value in (OPERATORS | PROPERTIES).items():
        setattr(Tensor, name, value)
    offered = IN_PLACE | METHODS | OWN
    for name, function in offered.items():
        setattr(Tensor, name, guard("Tensor", name, function))
    for name, value in dict(vars(Tensor)).items():
        if isinstance(value, property) and value.fset is None and value.fget is not None:
            setattr(Tensor, name, read_only(value.fget, name, "torch._C.TensorBase"))
    for name in IN_PYTHON.split():
        getattr(Tensor, name).__qualname__ = f"Tensor.{name}"
    name_what_lacks(Tensor, "torch.Tensor")
    Tensor.__array_priority__ = 1000
    Tensor.__module__ = "torch"


install()
