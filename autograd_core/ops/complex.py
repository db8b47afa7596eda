"""Complex numbers: their parts, conjugates and polar form, and views of them as pairs of real numbers.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.

Note [Conjugate gradients]. As in PyTorch, the gradient of a real loss L at z = x + iy is dL/dx + i dL/dy: twice the
conjugate Wirtinger derivative, so that a step against it is the steepest way down. A formula of a holomorphic function
multiplies by the conjugate of its derivative. The gradient of a real input is the real part of what a formula gives
(engine/grad_validation.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..dispatch.schema.schema import composite
from ..tensor import dtypes
from ..tensor.tensor import Array, LazyView, Tensor, bare
from ._common import conjugate
from .join import clone
from .view import select

# ---- what formulas and programs ask


def is_complex(data: Any) -> bool:
    """Whether a tensor or a number is of complex numbers."""
    return data.data_.dtype.kind == "c" if isinstance(data, Tensor) else isinstance(data, complex)


def of_complex(data: Any) -> bool:
    """The same of an array, or a number."""
    return data.dtype.kind == "c" if hasattr(data, "dtype") else isinstance(data, complex)


helper(is_complex, of_complex)


def is_conjugate(tensor: Tensor) -> bool:
    """Whether `tensor` shows its memory conjugated."""
    return isinstance(tensor, LazyView) and tensor.conjugates


def is_negative(tensor: Tensor) -> bool:
    """Whether `tensor` shows its memory negated."""
    return isinstance(tensor, LazyView) and tensor.negates


# ---- conjugates


@op("_conj", node="ConjBackward0", view="conj", self=lambda grad: conj(grad))
def conj_view(self: Array) -> Array:
    return self


@op("_neg_view", node="NegViewBackward0", view="neg", self=lambda grad: -grad)
def neg_view(self: Array) -> Array:
    return self


@op("_conj_physical", node="ConjPhysicalBackward0", self=lambda grad: conj_physically(grad))
def conj_physically(self: Array) -> Array:
    return conjugate(self)


@op("conj_physical_", node="ConjPhysicalBackward1", self=lambda grad: conj_physically(grad))
def conj_physical_in_place(self: Array) -> Array:
    return np.array(conjugate(self))[()]


@composite("conj(Tensor(a) self) -> Tensor(a): function method")
def conj(input: Any) -> Any:
    """A view that shows the conjugates; a tensor of real numbers itself."""
    if not isinstance(input, Tensor):
        return conjugate(input)
    return conj_view(input) if input.data_.dtype.kind == "c" else input


helper(conj, conjugate)


@composite("conj_physical(Tensor self) -> Tensor: function function_ method method_ out")
def conj_physical(input: Tensor) -> Tensor:
    """A new tensor of the conjugates."""
    return conj_physically(input) if is_complex(input) else input


@composite("resolve_conj(Tensor(a) self) -> Tensor(a): function method")
def resolve_conj(input: Tensor) -> Tensor:
    return clone(input) if is_conjugate(input) else input


@composite("resolve_neg(Tensor(a) self) -> Tensor(a): function method")
def resolve_neg(input: Tensor) -> Tensor:
    return clone(input) if is_negative(input) else input


# ---- views as pairs, and the parts


@op("view_as_real", view="parts", self=lambda grad: pair_up(grad))
def pairs_of(self: Array) -> Array:
    if self.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return np.asarray(self)[..., None].view(dtypes.part_kind(self.dtype))


@composite("view_as_real(Tensor(a) self) -> Tensor(a): function")
def view_as_real(input: Tensor) -> Tensor:
    """A view with one more dimension, of real and imaginary part."""
    if is_conjugate(input):
        raise RuntimeError(UNRESOLVED)
    return pairs_of(input)


UNRESOLVED = (
    "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it "
    "as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original."
)


@op(
    "view_as_complex(Tensor(a) self) -> Tensor(a): function",
    view="parts",
    self=lambda grad: pairs_of(resolved(grad)),
)
def view_as_complex(self: Array) -> Array:
    if self.dtype.kind != "f":
        kind = errors.type_name(self.dtype)
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{kind}"
        )
    if self.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if self.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if self.strides[-1] != self.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step // self.itemsize % 2 for step in self.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return self.view(dtypes.complex_kind(self.dtype))[..., 0]


def pair_up(grad: Any) -> Any:
    held, plainly = grad.data_, not isinstance(grad, LazyView)
    as_it_is = plainly and isinstance(held, np.ndarray) and held.flags.c_contiguous
    return view_as_complex(grad if as_it_is else clone(grad, True))


helper(pair_up, lambda grad: view_as_complex.op.forward(np.ascontiguousarray(grad)))


def resolved(grad: Any) -> Any:
    """`grad` as memory that can be seen as pairs of real numbers."""
    grad = resolve_conj(grad)
    return grad if not isinstance(grad.data_, np.ndarray) or grad.data_.flags.c_contiguous else clone(grad, True)


helper(resolved, np.ascontiguousarray)


@composite("real(Tensor(a) self) -> Tensor(a): function")
def real(input: Tensor) -> Tensor:
    """The real parts, as a view; a tensor of real numbers itself."""
    return select(view_as_real(unconjugated(input)), input.data_.ndim, 0) if is_complex(input) else input


@composite("imag(Tensor(a) self) -> Tensor(a): function")
def imag(input: Tensor) -> Tensor:
    """The imaginary parts, as a view."""
    if not is_complex(input):
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    parts = view_as_real(unconjugated(input))
    return select(neg_view(parts) if is_conjugate(input) else parts, input.data_.ndim, 1)


def unconjugated(tensor: Tensor) -> Tensor:
    """The memory of `tensor` as it is."""
    return conj_view(tensor) if is_conjugate(tensor) else tensor


helper(real, lambda data: data.real)
helper(imag, lambda data: data.imag)


# ---- made of two tensors


def same_parts(function: str, first: Array, second: Array) -> None:
    """Whether complex numbers can be made of two tensors.

    Raises:
        RuntimeError: one is of no floating numbers, or they are of different ones.
    """
    names = errors.type_name(first.dtype), errors.type_name(second.dtype)
    if first.dtype.kind != "f" or second.dtype.kind != "f":
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {names[0]} and {names[1]}"
        )
    if first.dtype != second.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {names[0]} but got scalar type {names[1]} for second argument"
        )


@op(
    "complex(Tensor real, Tensor imag) -> Tensor: function out",
    real=lambda grad, real: parts_of(grad, 0),
    imag=lambda grad, imag: parts_of(grad, 1),
)
def complex_of(real: Array, imag: Array) -> Array:
    same_parts("complex", real, imag)
    made = np.zeros(np.broadcast_shapes(real.shape, imag.shape), dtypes.complex_kind(real.dtype))
    made.real, made.imag = real, imag
    return bare(made)


@both
def parts_of(grad: Array, which: int) -> Array:
    return imag(grad) if which else real(grad)


@op(
    "polar(Tensor abs, Tensor angle) -> Tensor: function out",
    abs=lambda grad, result: real(conj(grad) * sgn(result)),
    angle=lambda grad, result: real(conj(grad) * mul_scalar(result, 1j)),
)
def polar(abs: Array, angle: Array) -> Array:
    same_parts("polar", abs, angle)
    made = np.zeros(np.broadcast_shapes(abs.shape, angle.shape), dtypes.complex_kind(abs.dtype))
    made.real, made.imag = abs * np.cos(angle), abs * np.sin(angle)
    return bare(made)
