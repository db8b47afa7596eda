"""Determinants, inverses, powers, products and norms, checked and composed as PyTorch does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors
from ..api.functions.arguments import cast, dims, named_tuple
from ..dispatch.inplace import in_place
from ..dispatch.schema.guard import guard
from ..dispatch.schema.schema import composite
from ..engine.warnings import warn_once
from ..errors import Unsupported
from ..ops import linalg_solve, reduction, view
from ..ops import matmul as matmul_ops
from ..ops._common import check_floating, check_matrix, check_square, need, square, wrap
from ..ops.binary import eq
from ..ops.join import clone
from ..ops.unary import copy, where
from ..tensor.tensor import Tensor, plain
from .decomposition import old_svd, svdvals

SLOGDET = named_tuple("linalg_slogdet", "sign logabsdet")
OLD_SLOGDET = named_tuple("slogdet", "sign logabsdet")


# ---- determinants


@composite("""
    det(Tensor self) -> Tensor: function method
    linalg_det(Tensor A) -> Tensor: function out
    """)
def det(A: Tensor) -> Tensor:
    square("det", A)
    return linalg_solve.linalg_det(A)[0]


@composite("linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet): function out")
def slogdet(A: Tensor) -> Any:
    square("slogdet", A)
    return SLOGDET(*linalg_solve.linalg_slogdet(A)[:2])


@composite("slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet): function method out")
def old_slogdet(input: Tensor) -> Any:
    """torch.slogdet, whose result has another name."""
    return OLD_SLOGDET(*slogdet(input))


@composite("logdet(Tensor self) -> Tensor: function method")
def logdet(input: Tensor) -> Tensor:
    need("logdet", input, "input")
    check_square("logdet", input)
    check_floating("logdet", input)
    sign, size = linalg_solve.linalg_slogdet(input)[:2]
    return where(eq(sign, -1.0), float("nan"), size)


# ---- inverses and solutions


@composite("""
    inverse(Tensor self) -> Tensor: function method out
    linalg_inv(Tensor A) -> Tensor: function out
    """)
def inv(A: Tensor) -> Tensor:
    square("inv", A)
    return linalg_solve.linalg_inv(A)[0]


@composite("linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor: function out")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with `A @ X = B`, or with `X @ A = B`."""
    need("solve", A)
    need("solve", B, "B", 2)
    a, b = A.data_, B.data_
    check_matrix("linalg.solve", A)
    check_floating("linalg.solve", A)
    if a.dtype != b.dtype:
        raise RuntimeError(
            "linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{errors.type_name(a.dtype)} and B of type {errors.type_name(b.dtype)} instead"
        )
    check_square("linalg.solve", A)
    if not b.ndim:
        check_matrix("linalg.solve", B, "B")
    check_right("linalg.solve", A, (*b.shape, 1) if linalg_solve.vector_right(a, b) else b.shape, left)
    return linalg_solve.linalg_solve_ex(A, B, left)[0]


def check_right(name: str, A: Tensor, right: Sequence[int], left: bool) -> None:
    """Whether a right side of shape `right` goes with A.

    Raises:
        RuntimeError: it does not, in torch's words.
    """
    n = A.data_.shape[-1]
    if right[-2 if left else -1] != n:
        what = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {what} ({n}x{n} and {right[-2]}x{right[-1]})"
        )


@composite("""
    linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> \
        Tensor: function out
    """)
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    check_square("linalg.solve_triangular", A)
    check_matrix("linalg.solve_triangular", B, "B")
    check_right("linalg.solve_triangular", A, B.data_.shape, left)
    return linalg_solve.linalg_solve_triangular(A, B, upper, left, unitriangular)


@composite("""
    linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> \
        Tensor: function out
    linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor: \
        function out
    linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor: function out
    linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor: function out
    """)
def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    if hermitian:
        raise Unsupported("linalg.pinv with hermitian=True is not supported")
    if A.data_.ndim < 2 or A.data_.dtype.kind != "f":
        kind, shape = errors.type_name(A.data_.dtype), list(A.data_.shape)
        raise RuntimeError(
            f"linalg.pinv({kind}{{{shape}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or "
            "cdouble types"
        )
    smallest = float(np.finfo(A.data_.dtype).eps) * max(A.data_.shape[-2:])
    asked = rcond if rtol is None else rtol
    return linalg_solve.linalg_pinv(A, smallest if asked is None else float(asked))


@composite("pinverse(Tensor self, float rcond=1e-15) -> Tensor: function method")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    return pinv(input, rtol=rcond)


# ---- functions of matrices


@composite("""
    matrix_exp(Tensor self) -> Tensor: function method
    linalg_matrix_exp(Tensor self) -> Tensor: function
    """)
def matrix_exp(A: Tensor) -> Tensor:
    need("matrix_exp", A)
    check_square("linalg.matrix_exp", A)
    check_floating("linalg.matrix_exp", A)
    return linalg_solve.matrix_exp(A)


@composite("""
    matrix_power(Tensor self, int n) -> Tensor: function method out
    linalg_matrix_power(Tensor self, int n) -> Tensor: function out
    """)
def matrix_power(A: Tensor, n: int) -> Tensor:
    """A multiplied by itself, by squaring."""
    need("matrix_power", A)
    if not isinstance(n, int):
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}")
    check_square("linalg.matrix_power", A)
    if n == 0:
        eye = plain(np.eye(A.data_.shape[-1], dtype=A.data_.dtype))
        return in_place(copy, clone(A), eye)
    if n < 0:
        A, n = inv(A), -n
    if n == 1:
        return clone(A)
    if n == 3:
        return matmul_ops.matmul(matmul_ops.matmul(A, A), A)
    power: Any = None
    result: Any = None
    while n > 0:
        power = A if power is None else matmul_ops.matmul(power, power)
        if n % 2:
            result = power if result is None else matmul_ops.matmul(result, power)
        n //= 2
    return result


# ---- products


@composite("linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor: function out")
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    a, b = input.data_.shape, other.data_.shape
    if len(a) != len(b):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if a[dim] != 3 or b[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a[dim]} and {b[dim]}")
    text = errors.broadcast([a, b])
    if text is not None:
        raise RuntimeError(text)
    return matmul_ops.linalg_cross(input, other, dim)


WITHOUT_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply "
    "use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future "
    "release."
)


@composite("cross(Tensor self, Tensor other, int? dim=None) -> Tensor: function method out")
def old_cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """torch.cross, which looks for a dimension of length 3 where none is named."""
    if dim is None:
        found = [at for at, n in enumerate(input.data_.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        warn_once("cross", WITHOUT_DIM)
        dim = found[0]
    return cross(input, other, dim=dim)


# ---- norms


@composite("""
    linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> \
        Tensor: function out
    """)
def vector_norm(x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return reduction.vector_norm(cast(x, dtype), ord, dims(dim), keepdim)


@composite("""
    linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? dtype=None) -> \
        Tensor: function out
    linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? \
        dtype=None) -> Tensor: function out
    """)
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    check_matrix("linalg.matrix_norm", A)
    A = cast(A, dtype)
    over = dims(dim)
    if over is None or len(over) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {over}")
    n = A.data_.ndim
    rows, columns = (wrap(d, n) for d in over)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({over[0]}, {over[1]})")
    if ord == "fro":
        return reduction.vector_norm(A, 2, [rows, columns], keepdim)
    if ord != "nuc" and (isinstance(ord, str) or abs(ord) not in (1, 2, float("inf"))):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord == "nuc" or abs(ord) == 2:
        rest = [d for d in range(n) if d not in (rows, columns)]
        order = [*rest, rows, columns]
        values = svdvals(view.permute(A, order))
        picked = (
            reduction.sum_dim(values, [-1], keepdim)
            if ord == "nuc"
            else (reduction.amax if ord > 0 else reduction.amin)(values, [-1], keepdim)
        )
        if not keepdim:
            return picked
        back = view.unsqueeze(picked, -1)
        return view.permute(back, [order.index(d) for d in range(n)])
    if abs(ord) == float("inf"):
        rows, columns = columns, rows
    sums = reduction.vector_norm(A, 1.0, [rows], keepdim)
    at = columns - 1 if columns > rows and not keepdim else columns
    return (reduction.amax if ord > 0 else reduction.amin)(sums, [at], keepdim)


checked_vector_norm = guard("torch.linalg", "vector_norm", vector_norm)
checked_matrix_norm = guard("torch.linalg", "matrix_norm", matrix_norm)


@composite("""
    linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> \
        Tensor: function out
    linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> \
        Tensor: function out
    """)
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    over = dims(dim)
    if over is not None and len(over) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {over}")
    n = A.data_.ndim
    if ord is None:
        return vector_norm(A, 2.0, dim, keepdim, dtype=dtype)
    if over is None and n not in (1, 2) and not isinstance(ord, str):
        raise RuntimeError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {n}D.")
    if isinstance(ord, str) or (len(over) if over is not None else n) == 2:
        return matrix_norm(A, ord, (-2, -1) if over is None else over, keepdim, dtype=dtype)
    return vector_norm(A, ord, dim if dim is not None else None, keepdim, dtype=dtype)


def old_norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Tensor | None = None, dtype: Any = None
) -> Tensor:
    """`torch.norm`, which picks one of those above."""
    over = [dim] if isinstance(dim, int) else dim
    place = {} if out is None else {"out": out}
    if not isinstance(p, str):
        return checked_vector_norm(input, 2.0 if p is None else p, over, keepdim, dtype=dtype, **place)
    if p == "fro" and (dim is None or isinstance(dim, int) or len(dim) <= 2):
        return checked_vector_norm(input, 2, over, keepdim, dtype=dtype, **place)
    if p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    over = list(range(input.data_.ndim)) if over is None else over
    return checked_matrix_norm(input, p, over, keepdim, dtype=dtype, **place)


@composite("linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a): function")
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    return view.diagonal(A, offset, dim1, dim2)


matmul = matmul_ops.matmul

METHODS: dict[str, Callable[..., Any]] = {
    "det": det,
    "logdet": logdet,
    "slogdet": old_slogdet,
    "inverse": inv,
    "matrix_exp": matrix_exp,
    "matrix_power": matrix_power,
    "svd": old_svd,
    "cross": old_cross,
    "pinverse": pinverse,
    "norm": old_norm,
}
"""What is also a function of the package and a method of tensors."""
