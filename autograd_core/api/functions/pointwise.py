"""torch.add, torch.clamp and the like: what programs call, where it chooses among operators of the table.

Each of these is a function of the package and, by FROM in api/methods/table.py, a method of Tensor. Those that need no
choice (exp, mm) are the operators themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import errors
from ...dispatch.not_implemented import remainder_of_number
from ...dispatch.schema.schema import composite
from ...functorch.batch import is_batched, is_hidden
from ...ops import binary, indexing, matmul, reduction, unary
from ...ops import complex as parts
from ...ops import view as view_ops
from ...ops._common import wrap
from ...ops.indexing import meet
from ...tensor.dtypes import complex128, float64
from ...tensor.strides import elementwise_layout
from ...tensor.tensor import Tensor, plain
from .arguments import Numbers, cast, named_tuple
from .indexing import nonzero

# ---- arithmetic


def check_alpha(alpha: Any, *operands: Any) -> None:
    """Whether `alpha` may be what it is.

    Raises:
        RuntimeError: True or False for numbers, or a fraction for whole ones.
    """
    if alpha.__class__ is int:
        return
    kinds = [t.data_.dtype.kind if isinstance(t, Tensor) else type(t).__name__[0] for t in operands]
    if isinstance(alpha, complex) and "c" not in kinds:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if isinstance(alpha, bool) and any(kind != "b" for kind in kinds):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not {"f", "c"} & set(kinds):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")


@composite("""
    add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor: function method method_ out
    add(Tensor self, Scalar alpha, Tensor other) -> Tensor: function method method_ out deprecated
    """)
def add(input: Any, other: Any, *, alpha: Numbers = 1) -> Tensor:
    check_alpha(alpha, input, other)
    return binary.add(input, other, alpha)


@composite("""
    sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor: function method method_ out
    sub(Tensor self, Scalar alpha, Tensor other) -> Tensor: function method method_ out deprecated
    subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor: function method method_ out
    subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor: function method method_
    """)
def sub(input: Any, other: Any, *, alpha: Numbers = 1) -> Tensor:
    check_alpha(alpha, input, other)
    return binary.sub(input, other, alpha)


@composite("""
    mul.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    multiply.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    multiply.Scalar(Tensor self, Scalar other) -> Tensor: function method method_
    """)
def mul(input: Any, other: Any) -> Tensor:
    return binary.mul(input, other)


@composite("""
    round(Tensor self) -> Tensor
    round.decimals(Tensor self, *, int decimals) -> Tensor
    """)
def round(input: Any, *, decimals: int | None = None) -> Tensor:
    return unary.round(input) if decimals is None else unary.round_to(input, decimals)


UNSAID: Any = type("Unsaid", (), {})()
"""In the place of a `dim` or a rounding mode that is not given: torch has another operator for `None`."""


@composite("""
    div.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor: function method method_ out
    div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor: function method method_
    true_divide.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    true_divide.Scalar(Tensor self, Scalar other) -> Tensor: function method method_
    divide.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor: function method method_ out
    divide.Scalar(Tensor self, Scalar other) -> Tensor: function method method_
    divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor: function method method_
    """)
def div(input: Any, other: Any, *, rounding_mode: str | None = UNSAID) -> Tensor:
    if rounding_mode is UNSAID or (rounding_mode is None and not any_floating(input, other)):
        return binary.div(input, other)
    return binary.div_mode(input, other, known_mode(rounding_mode))


def known_mode(rounding_mode: str | None) -> str | None:
    if rounding_mode not in (None, "trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return rounding_mode


def any_floating(*operands: Any) -> bool:
    return any(isinstance(t, float) or (isinstance(t, Tensor) and t.data_.dtype.kind == "f") for t in operands)


@composite("""
    rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor: function
    rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor: function
    """)
def rsub(input: Tensor, other: Any, alpha: Numbers = 1) -> Tensor:
    if input.data_.dtype.kind == "b" or other is True or other is False:
        both = input.data_.dtype.kind == "b" and isinstance(other, bool)
        raise RuntimeError(errors.BOOL_SUBTRACT if both else errors.ONE_BOOL)
    check_alpha(alpha, input, other)
    return (binary.rsub_tensor if isinstance(other, Tensor) else binary.rsub)(input, other, alpha)


@composite("""
    remainder.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor: function
    remainder.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """)
def remainder(input: Any, other: Any) -> Tensor:
    if not isinstance(input, Tensor):
        return remainder_of_number(input, other)
    return binary.remainder(input, other) if isinstance(other, Tensor) else binary.remainder_scalar(input, other)


@composite("""
    pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor: function method method_ out
    pow.Scalar(Scalar self, Tensor exponent) -> Tensor: function out
    pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor: function method method_ out
    """)
def pow(input: Any, exponent: Any) -> Tensor:
    if not isinstance(input, Tensor):
        return binary.rpow(input, exponent)
    return binary.pow(input, exponent) if isinstance(exponent, Tensor) else binary.pow_scalar(input, exponent)


@composite("square(Tensor self) -> Tensor")
def square(input: Tensor) -> Tensor:
    return binary.pow_scalar(input, 2)


@composite("positive(Tensor(a) self) -> Tensor(a): function method")
def positive(input: Tensor) -> Tensor:
    if input.data_.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@composite("""
    lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor: function method method_ out
    lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor: function method method_ out
    """)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    return binary.lerp_tensor(input, end, weight) if isinstance(weight, Tensor) else binary.lerp(input, end, weight)


@composite("""
    clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
    clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
    clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
    clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
    """)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return unary.clamp_tensor(input, min, max)
    return unary.clamp(input, min, max)


@composite("""
    clamp_min.Tensor(Tensor self, Tensor min) -> Tensor
    clamp_min(Tensor self, Scalar min) -> Tensor
    """)
def clamp_min(input: Tensor, min: Any) -> Tensor:
    return unary.clamp_min_tensor(input, min) if isinstance(min, Tensor) else unary.clamp_min(input, min)


@composite("""
    clamp_max.Tensor(Tensor self, Tensor max) -> Tensor
    clamp_max(Tensor self, Scalar max) -> Tensor
    """)
def clamp_max(input: Tensor, max: Any) -> Tensor:
    return unary.clamp_max_tensor(input, max) if isinstance(max, Tensor) else unary.clamp_max(input, max)


@composite("""
    where(Tensor condition) -> Tensor[]: function
    where.self(Tensor condition, Tensor self, Tensor other) -> Tensor: function out
    where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor: function
    where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor: function
    where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor: function
    """)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    return nonzero(condition, as_tuple=True) if input is None else unary.where(condition, input, other)


@composite("""
    fmod.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    fmod.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """)
def fmod(input: Tensor, other: Any) -> Tensor:
    return binary.fmod(input, other) if isinstance(other, Tensor) else binary.fmod_scalar(input, other)


@composite("""
    float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor: function method out
    float_power.Scalar(Scalar self, Tensor exponent) -> Tensor: function out
    float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor: function method out
    """)
def float_power(input: Any, exponent: Any) -> Tensor:
    complex_too = any(
        isinstance(x, complex) or (isinstance(x, Tensor) and parts.is_complex(x)) for x in (input, exponent)
    )
    kind, number = (complex128, complex) if complex_too else (float64, float)
    base, power = (cast(x, kind) if isinstance(x, Tensor) else number(x) for x in (input, exponent))
    return pow(base, power)


@composite("""
    xlogy.Tensor(Tensor self, Tensor other) -> Tensor
    xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor: function out
    xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor
    """)
def xlogy(input: Any, other: Any) -> Tensor:
    if not isinstance(input, Tensor):
        return binary.xlogy_of_number(input, other)
    return binary.xlogy(input, other) if isinstance(other, Tensor) else binary.xlogy_by_number(input, other)


def check_fill(value: Any) -> None:
    if isinstance(value, Tensor) and value.data_.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.data_.ndim} dimension(s)."
        )


@composite("""
    masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor: function method method_
    masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor: function method method_
    """)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    check_fill(value)
    meet(input.data_, mask.data_)
    if isinstance(value, Tensor):
        return unary.masked_fill_tensor(input, mask, value)
    return unary.masked_fill(input, mask, value)


@composite("masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor: function method method_")
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    meet(input.data_, mask.data_)
    return indexing.masked_scatter(input, mask, source)


# ---- products


@composite("""
    addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor: function method method_ \
        out
    addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> \
        Tensor: function out
    addmm(Scalar beta, Tensor self, Scalar alpha, Tensor mat1, Tensor mat2) -> Tensor: function method out deprecated
    addmm(Scalar beta, Tensor self, Tensor mat1, Tensor mat2) -> Tensor: function method out deprecated
    """)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Numbers = 1, alpha: Numbers = 1) -> Tensor:
    return matmul.addmm(input, mat1, mat2, beta, alpha)


@composite("""
    addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor
    addmv(Scalar beta, Tensor self, Scalar alpha, Tensor mat, Tensor vec) -> Tensor: function method out deprecated
    addmv(Scalar beta, Tensor self, Tensor mat, Tensor vec) -> Tensor: function method out deprecated
    """)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Numbers = 1, alpha: Numbers = 1) -> Tensor:
    return matmul.addmv(input, mat, vec, beta, alpha)


@composite("""
    baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor: function method \
        method_ out
    baddbmm.dtype(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) \
        -> Tensor: function out
    baddbmm(Scalar beta, Tensor self, Scalar alpha, Tensor batch1, Tensor batch2) -> Tensor: function method out \
        deprecated
    baddbmm(Scalar beta, Tensor self, Tensor batch1, Tensor batch2) -> Tensor: function method out deprecated
    """)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Numbers = 1, alpha: Numbers = 1) -> Tensor:
    return matmul.baddbmm(input, batch1, batch2, beta, alpha)


@composite("""
    outer(Tensor self, Tensor vec2) -> Tensor: function method out
    ger(Tensor self, Tensor vec2) -> Tensor: function method out
    """)
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    for name, vector in (("self", input), ("vec2", vec2)):
        if vector.data_.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector.data_.ndim}-D")
    return view_ops.reshape(input, [input.data_.shape[0], 1]) * vec2


# ---- comparisons of whole tensors


@composite("equal(Tensor self, Tensor other) -> bool: function method")
def equal(input: Tensor, other: Tensor) -> bool:
    if is_batched(input) or is_batched(other):
        raise RuntimeError("Batching rule not implemented for aten::equal. We could not generate a fallback.")
    return input.data_.shape == other.data_.shape and bool(np.all(input.data_ == other.data_))


@composite("""
    isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor: function \
        method
    """)
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    if input.data_.dtype != other.data_.dtype:
        a, b = errors.type_name(input.data_.dtype), errors.type_name(other.data_.dtype)
        raise RuntimeError(f"{a} did not match {b}")
    if is_hidden(input) or is_hidden(other):
        near = binary.le(unary.abs(input - other), unary.abs(other) * rtol + atol)
        alike = binary.logical_or(binary.eq(input, other), binary.logical_and(binary.isfinite(other), near))
        both = binary.logical_and(binary.isnan(input), binary.isnan(other))
        return binary.logical_or(alike, both) if equal_nan else alike
    text = errors.broadcast([input.data_.shape, other.data_.shape])
    if text is not None:
        raise RuntimeError(text)
    writes = 0 if rtol == atol == 0 else 1 + (equal_nan and input.data_.dtype.kind == "f")
    near = np.isclose(input.data_, other.data_, rtol, atol, equal_nan)
    return plain(elementwise_layout(near, (input.data_, other.data_)) if near.ndim else near, version=writes)


@composite("""
    allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool: function \
        method
    """)
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    if is_batched(input) or is_batched(other):
        raise RuntimeError(errors.ALLCLOSE_IN_VMAP)
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan).data_))


def is_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor)


@composite("is_floating_point(Tensor self) -> bool: function method")
def is_floating_point(input: Tensor) -> bool:
    return input.data_.dtype.kind == "f"


@composite("is_complex(Tensor self) -> bool: function method")
def is_complex(input: Tensor) -> bool:
    return parts.is_complex(input)


@composite("is_conj(Tensor self) -> bool: function method")
def is_conj(input: Tensor) -> bool:
    return parts.is_conjugate(input)


@composite("is_neg(Tensor self) -> bool: function method")
def is_neg(input: Tensor) -> bool:
    return parts.is_negative(input)


@composite("get_device(Tensor self) -> int: function method")
def get_device(input: Tensor) -> int:
    """The index of the graphics card: there is none."""
    return -1


@composite("""
    numel(Tensor self) -> int: function method
    nelement(Tensor self) -> int: method
    """)
def numel(input: Tensor) -> int:
    return int(input.data_.size)


# ---- mantissas, norms


FREXP = named_tuple("frexp", "mantissa exponent")


@composite("frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent): function method")
def frexp(input: Tensor) -> Any:
    """Mantissa and exponent of each number."""
    return FREXP(*unary.frexp(input))


@composite("renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor: function method method_ out")
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    return reduction.renorm(input, p, wrap(dim, input.data_.ndim) if input.data_.ndim > 1 else dim, maxnorm)
