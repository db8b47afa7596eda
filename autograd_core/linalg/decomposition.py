"""torch.linalg's factors of matrices: Cholesky's, QR, singular and eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.functions.arguments import named_tuple
from ..dispatch.schema.schema import composite
from ..engine.state import state
from ..errors import Unsupported
from ..functorch.batch import is_followed
from ..ops import linalg_decomposition
from ..ops._common import check_floating, check_matrix, check_square, need, refuse, square
from ..ops.view import transpose
from ..tensor.tensor import Tensor, plain

EIGH = named_tuple("linalg_eigh", "eigenvalues eigenvectors")
QR = named_tuple("linalg_qr", "Q R")
SVD = named_tuple("linalg_svd", "U S Vh")
OLD_SVD = named_tuple("svd", "U S V")


def wants_graph(A: Tensor) -> bool:
    return state.grad_enabled and is_followed(A)


@composite("linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor: function out")
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    square("cholesky", A)
    return linalg_decomposition.linalg_cholesky(A, upper)[0]


@composite("linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R): function out")
def qr(A: Tensor, mode: str = "reduced") -> Any:
    need("qr", A)
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return QR(*linalg_decomposition.linalg_qr(A, mode))


@composite("""
    linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh): function out
    """)
def svd(A: Tensor, full_matrices: bool = True) -> Any:
    need("svd", A)
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A)
    return SVD(*linalg_decomposition.svd(A, full_matrices, True, min(A.data_.shape[-2:])))


@composite("""
    svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V): function method out
    """)
def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """torch.svd, which gives V itself."""
    if not compute_uv:
        rows, columns = input.data_.shape[-2:]
        batch = input.data_.shape[:-2]
        U, V = (plain(np.zeros((*batch, n, n), input.data_.dtype)) for n in (rows, columns))
        return OLD_SVD(U, svdvals(input), V)
    U, S, Vh = svd(input, not some)
    return OLD_SVD(U, S, transpose(Vh, -2, -1))


@composite("linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor: function out")
def svdvals(A: Tensor) -> Tensor:
    need("svdvals", A)
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A)
    return linalg_decomposition.svd(A, False, wants_graph(A), min(A.data_.shape[-2:]))[1]


def symmetric(A: Tensor) -> None:
    need("eigh", A)
    check_square("linalg.eigh", A)
    refuse("linalg_eigh_cpu", "iub", A.data_)


@composite('linalg_eigh(Tensor self, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors): function out')
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    symmetric(A)
    return EIGH(*linalg_decomposition.linalg_eigh(A, side(UPLO), True))


@composite('linalg_eigvalsh(Tensor self, str UPLO="L") -> Tensor: function out')
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    symmetric(A)
    return linalg_decomposition.linalg_eigh(A, side(UPLO), wants_graph(A))[0]


@composite("linalg_eigvals(Tensor self) -> Tensor: function out")
def eigvals(A: Tensor) -> Tensor:
    square("eigvals", A)
    raise Unsupported("linalg.eigvals is not supported: it gives complex numbers. eigvalsh gives real ones")


@composite("linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors): function out")
def eig(A: Tensor) -> Any:
    square("eig", A)
    raise Unsupported("linalg.eig is not supported: it gives complex numbers. eigh gives real ones")


def side(UPLO: str) -> str:
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return UPLO.upper()
