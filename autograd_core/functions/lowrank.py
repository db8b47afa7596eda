"""Singular values of matrices that a few columns nearly span, found from random products.

The algorithms 4.4 and 5.1 of Halko, Martinsson and Tropp, "Finding structure with randomness" (2009).
"""

from __future__ import annotations

from typing import Any

from .. import factoring
from ..dtypes import float32
from ..tensor import Tensor
from . import arranging
from .drawing import randn

Triple = tuple[Tensor, Tensor, Tensor]


def columns_for(A: Tensor, q: int, niter: int, M: Tensor | None) -> Tensor:
    """`q` orthonormal columns that nearly span those of A - M."""

    def spanning(X: Tensor) -> Tensor:
        Q: Tensor = factoring.qr(X)[0]
        return Q

    def product(left: Any, mean: Any, right: Tensor) -> Any:
        return left @ right if mean is None else left @ right - mean @ right

    R = randn(A.data_.shape[-1], q, dtype=A.dtype if A.is_floating_point() else float32)
    Q = spanning(product(A, M, R))
    turned = None if M is None else M.mH
    for _ in range(niter):
        Q = spanning(product(A.mH, turned, Q))
        Q = spanning(product(A, M, Q))
    return Q


def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> Triple:
    """U, S and V of A - M with about `q` singular values, after `niter` rounds."""
    rows, columns = A.data_.shape[-2:]
    mean = None if M is None else arranging.broadcast_to(M, A.data_.shape)
    if wide := rows < columns:
        A, mean = A.mH, None if mean is None else mean.mH
    Q = columns_for(A, 6 if q is None else q, 2 if niter is None else niter, mean)
    B = Q.mH @ A
    U, S, Vh = factoring.svd(B if mean is None else B - Q.mH @ mean, full_matrices=False)
    U, V = Q @ U, Vh.mH
    return (V, S, U) if wide else (U, S, V)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> Triple:
    """The principal components of the rows of `A`, as U, S and V.

    Raises:
        ValueError: `q` or `niter` is out of range.
    """
    rows, columns = A.data_.shape[-2:]
    if q is None:
        q = min(6, rows, columns)
    elif not 0 <= q <= min(rows, columns):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(rows, columns)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(dim=(-2,), keepdim=True) if center else A, q, niter)
