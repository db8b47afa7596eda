"""The rarer part of torch.linalg: factors that are kept, least squares, conditions and ranks, tensors as matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import errors
from ..api.functions.arguments import named_tuple
from ..dispatch.inplace import in_place
from ..dispatch.schema.schema import composite
from ..engine.state import state
from ..engine.warnings import warn_once
from ..errors import Unsupported
from ..ops import linalg_decomposition
from ..ops._common import check_floating, check_square, square
from ..ops.binary import div, gt, mul
from ..ops.linalg_solve import linalg_inv
from ..ops.matmul import vdot
from ..ops.reduction import sum_dim
from ..ops.unary import masked_fill, nan_to_num
from ..ops.view import slice_, squeeze_dim, unsqueeze
from ..tensor.tensor import Tensor, plain
from .decomposition import eigvalsh, qr, svdvals
from .functions import matrix_norm

INV_EX = named_tuple("linalg_inv_ex", "inverse info")
LSTSQ = named_tuple("linalg_lstsq", "solution residuals rank singular_values")
OLD_QR = named_tuple("qr", "Q R")


@composite("linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor: function out")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The products along `dim`, summed."""
    for given in (x, y):
        check_floating("linalg.vecdot", given)
    if x.data_.ndim == y.data_.ndim == 1:
        return vdot(x, y)
    return sum_dim(mul(x, y), [dim], False)


# ---- inverses


@composite("linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info): function out")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    square("inv_ex" if check_errors else "inv", A)
    try:
        return INV_EX(*linalg_inv(A))
    except linalg_decomposition.LinAlgError as error:
        if check_errors:
            raise linalg_decomposition.LinAlgError(str(error).replace("linalg.inv:", "linalg.inv_ex:")) from None
        if A.requires_grad and state.grad_enabled:
            raise Unsupported("inv_ex of a singular matrix that requires grad is not supported") from None
    inverse, info = linalg_decomposition.inverses(A.data_)
    return INV_EX(plain(inverse), plain(info))


# ---- least squares, conditions, ranks


DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@composite("""
    linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor \
        residuals, Tensor rank, Tensor singular_values): function out
    """)
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """X with the least squares of `A @ X - B`; of several the shortest."""
    a, b = A.data_, B.data_
    if a.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    vector = b.ndim == a.ndim - 1
    if a.shape[-2] != (b.shape[-1] if vector else b.shape[-2]):
        which = "-1" if vector else "-2"
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({which})")
    if a.dtype != b.dtype:
        kinds = errors.type_name(a.dtype), errors.type_name(b.dtype)
        raise RuntimeError(
            f"torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {kinds[0]} "
            f"and other's dtype {kinds[1]}"
        )
    check_floating("torch.linalg.lstsq", A)
    if driver is not None and driver not in DRIVERS:
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if driver not in (None, "gelsy"):
        raise Unsupported(f"lstsq with driver='{driver}' is not supported: only gelsy, which is the default")
    if a.shape[:-2] != (b.shape[:-1] if vector else b.shape[:-2]):
        raise Unsupported("lstsq over batches of different shapes is not supported: expand them first")
    return LSTSQ(
        *linalg_decomposition.linalg_lstsq(A, B, linalg_decomposition.small(a) if rcond is None else float(rcond))
    )


@composite("""
    linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) \
        -> Tensor: function out
    linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> \
        Tensor: function out
    linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor: function out
    linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor: function out
    """)
def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """How many singular values are not zero, or less than a tolerance."""
    if A.data_.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if any(isinstance(given, Tensor) for given in (tol, atol, rtol)):
        raise Unsupported("matrix_rank with tensors as tolerances is not supported")
    check_floating("torch.linalg.matrix_rank", A)
    values = np.abs((eigvalsh if hermitian else svdvals)(plain(A.data_)).data_)
    least = 0.0 if atol is None else atol
    relative = (linalg_decomposition.small(A) if not least > 0 else 0.0) if rtol is None else rtol
    if tol is not None:
        least, relative = tol, 0.0
    largest = np.max(values, axis=-1, keepdims=True, initial=0)
    rank = np.sum(values > np.maximum(least, relative * largest), axis=-1).astype(np.int64)[()]
    return plain(rank, version=1)  # which torch has written into its place


@composite("""
    linalg_cond(Tensor self, Scalar? p=None) -> Tensor: function out
    linalg_cond.p_str(Tensor self, str p) -> Tensor: function out
    """)
def cond(A: Tensor, p: Any = None) -> Tensor:
    """How much a solution by `A` may enlarge an error."""
    if A.data_.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p not in (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p in (None, 2, -2):
        values = svdvals(A)
        n = values.data_.shape[-1]
        first, last = slice_(values, -1, 0, 1, 1), slice_(values, -1, n - 1, n, 1)
        return squeeze_dim(div(last, first) if p == -2 else div(first, last), -1)
    rows, columns = A.data_.shape[-2:]
    if rows != columns:
        shown = int(p) if isinstance(p, int | float) and math.isfinite(p) else p
        raise RuntimeError(
            f"linalg.cond(ord={shown}): A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    if p == "nuc":
        raise Unsupported("linalg.cond with p='nuc' is not supported")
    inverse, info = inv_ex(A)
    singular = gt(info, 0)
    in_place(masked_fill, inverse, unsqueeze(unsqueeze(singular, -1), -1), math.inf)
    norms = [matrix_norm(part, p) for part in (A, inverse)]
    return in_place(nan_to_num, mul(*norms), math.inf, math.inf, -math.inf)


# ---- older names


@composite("cholesky(Tensor self, bool upper=False) -> Tensor: function out")
def old_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """torch.cholesky."""
    warn_once(
        "cholesky",
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
        "torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will "
        "produce equivalent results for all valid (symmetric positive definite) inputs.",
    )
    check_square("cholesky", input)
    return linalg_decomposition.cholesky(input, upper)


@composite("qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R): function out")
def old_qr(input: Tensor, some: bool = True) -> Any:
    """torch.qr."""
    warn_once(
        "qr",
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe "
        "boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould "
        "be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    )
    return OLD_QR(*qr(input, "reduced" if some else "complete"))
