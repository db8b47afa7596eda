"""Linear algebra under torch's own names: from a factor of Cholesky's, low rank, LU, and what torch has no more.

The algorithms 4.4 and 5.1 of Halko, Martinsson and Tropp, "Finding structure with randomness" (2009).
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ... import errors
from ...engine.warnings import warn_once
from ...linalg import decomposition, solving
from ...ops import linalg_decomposition, linalg_solve
from ...tensor.dtypes import float32
from ...tensor.tensor import Array, Tensor
from .arguments import named_tuple
from .random import randn
from .shape import broadcast_to

# ---- from a factor of Cholesky's


def check_floating(kernel: str, data: Array) -> None:
    """Refuses whole numbers, in torch's words.

    Raises:
        NotImplementedError: `data` is not of floats.
    """
    if data.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{errors.type_name(data.dtype)}'")


def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """x of A x = input, A being input2 @ input2.T. Batches broadcast.

    Raises:
        RuntimeError: the sizes or the dtypes do not go together.
        NotImplementedError: they are not of floats.
    """
    for name, given in (("b", input), ("u", input2)):
        if given.data_.ndim < 2:
            rank = given.data_.ndim
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {rank} dimensions instead")
    right, factor = input.data_, input2.data_
    if factor.shape[-1] != factor.shape[-2]:
        raise RuntimeError(
            f"A must be batches of square matrices, but they are {factor.shape[-2]} by {factor.shape[-1]} matrices"
        )
    if right.shape[-2] != factor.shape[-1]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {factor.shape[-1]} by {factor.shape[-1]} "
            f"but each b matrix is {right.shape[-2]} by {right.shape[-1]}"
        )
    if right.dtype != factor.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {errors.type_name(right.dtype)} and A of "
            f"type {errors.type_name(factor.dtype)} instead."
        )
    check_floating("cholesky_solve_cpu", right)
    solution: Tensor = linalg_solve.cholesky_solve(input, input2, upper)
    return solution


def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A = input @ input.T.

    Raises:
        RuntimeError: `input` is no square matrix, nor a batch of them.
        NotImplementedError: it is not of floats.
    """
    shape = input.data_.shape
    if len(shape) < 2:
        raise RuntimeError("cholesky_inverse: The input tensor A must have at least 2 dimensions.")
    if shape[-1] != shape[-2]:
        raise RuntimeError(
            f"cholesky_inverse: A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} matrices"
        )
    check_floating("cholesky_inverse_out_cpu", input.data_)
    inverse: Tensor = linalg_solve.cholesky_inverse(input, upper)
    return inverse


# ---- from random products


Triple = tuple[Tensor, Tensor, Tensor]


def columns_for(A: Tensor, q: int, niter: int, M: Tensor | None) -> Tensor:
    """`q` orthonormal columns that nearly span those of A - M."""

    def spanning(X: Tensor) -> Tensor:
        Q: Tensor = decomposition.qr(X)[0]
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
    mean = None if M is None else broadcast_to(M, A.data_.shape)
    if wide := rows < columns:
        A, mean = A.mH, None if mean is None else mean.mH
    Q = columns_for(A, 6 if q is None else q, 2 if niter is None else niter, mean)
    B = Q.mH @ A
    U, S, Vh = decomposition.svd(B if mean is None else B - Q.mH @ mean, full_matrices=False)
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


# ---- by the names before torch.linalg


LU_WITH_INFO = named_tuple("_lu_with_info", "LU pivots info")
SOLVED = named_tuple("triangular_solve", "solution cloned_coefficient")
UNPACKED = named_tuple("lu_unpack", "P L U")
TRIANGULAR = (
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a "
    "future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a "
    "copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = "
    "torch.linalg.solve_triangular(A, B)."
)
NOT_PIVOTS = (
    "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this function is "
    "intended to be used with the output produced by torch.linalg.lu_factor"
)


def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """Both factors in one matrix, and how rows were swapped; with `get_infos` also where U is singular."""
    warn_once(
        "lu",
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
        "a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
        "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, "
        "get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
        of_caller=False,
    )
    if A.data_.ndim < 2:
        raise RuntimeError(
            f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(A.data_.shape)} instead"
        )
    solving.need_pivot("lu_factor", A, pivot)
    found = linalg_decomposition.linalg_lu_factor_ex(A, pivot)
    return LU_WITH_INFO(*found) if get_infos else tuple(found[:2])


def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """x of A x = input, A being what `lu` took apart."""
    warn_once(
        "lu_solve",
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
    )
    return solving.lu_solve(LU_data, LU_pivots, input)


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """P, L and U, from both factors in one matrix and how rows were swapped.

    Raises:
        RuntimeError: these are not what `lu_factor` gave.
    """
    matrix, pivots = LU_data.data_, LU_pivots.data_
    if matrix.ndim < 2:
        raise RuntimeError(
            f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(matrix.shape)} instead"
        )
    if unpack_pivots and pivots.dtype != np.int32:
        raise RuntimeError(NOT_PIVOTS)
    if unpack_pivots and ((pivots < 1) | (pivots > matrix.shape[-2])).any():
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result "
            "of lu_factor?"
        )
    L, U, P = linalg_decomposition.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)
    return UNPACKED(P, L, U)


def triangular_solve(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """x of A x = input for a triangle A, and A once more.

    Raises:
        RuntimeError: the sizes do not fit, or the dtypes differ.
        NotImplementedError: it is not floating point.
    """
    warn_once("triangular_solve", TRIANGULAR)
    right, matrix = input.data_, A.data_
    for name, data in (("b", right), ("A", matrix)):
        if data.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {data.ndim} "
                "dimensions instead"
            )
    kinds = [errors.type_name(data.dtype) for data in (right, matrix)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {kinds[0]} and A of type {kinds[1]} instead."
        )
    rows, columns = matrix.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"A must be batches of square matrices, but they are {rows} by {columns} matrices")
    if right.shape[-2] != rows:
        raise RuntimeError(
            f"Incompatible matrix sizes for triangular_solve: each A matrix is {rows} by {rows} but each b matrix is "
            f"{right.shape[-2]} by {right.shape[-1]}"
        )
    if right.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"\"triangular_solve_cpu\" not implemented for '{kinds[0]}'")
    return SOLVED(*linalg_solve.triangular_solve(input, A, upper, transpose, unitriangular))


# ---- what torch has no more


GONE = "This function was deprecated since version 1.9 and is now removed."
INSTEAD = "{old} should be replaced with:\n{new}"


def instead(*pairs: tuple[str, str]) -> str:
    return "\n\nand\n\n".join(INSTEAD.format(old=old, new=new) for old, new in pairs)


RANK = (
    f"{GONE}\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
    "`torch.linalg.matrix_rank()` to 'hermitian'."
)
SOLVE = (
    f"{GONE} `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments "
    "reversed and does not return the LU factorization.\n\nTo get the LU factorization see `torch.lu`, which can be "
    "used with `torch.lu_solve` or `torch.lu_unpack`.\n"
    + instead(("X = torch.solve(B, A).solution", "X = torch.linalg.solve(A, B)"))
)
LSTSQ = (
    f"{GONE} `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed "
    "arguments and does not return the QR decomposition in the returned tuple (although it returns other information "
    "about the problem).\n\nTo get the QR decomposition consider using `torch.linalg.qr`.\n\nThe returned solution in "
    "`torch.lstsq` stored the residuals of the solution in the last m - n columns of the returned value whenever "
    "m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the returned named tuple.\n\nThe "
    "unpacking of the solution, as in\nX, _ = torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced with:\n"
    "X = torch.linalg.lstsq(A, B).solution"
)
SYMEIG = (
    f"{GONE} The default behavior has changed from using the upper triangular portion of the matrix by default to "
    "using the lower triangular portion.\n\n"
    + instead(
        ("L, _ = torch.symeig(A, upper=upper)", "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')"),
        ("L, V = torch.symeig(A, eigenvectors=True)", "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"),
    )
)
EIG = (
    f"{GONE} `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors "
    "mimicking complex tensors.\n\n"
    + instead(
        ("L, _ = torch.eig(A)", "L_complex = torch.linalg.eigvals(A)"),
        ("L, V = torch.eig(A, eigenvectors=True)", "L_complex, V_complex = torch.linalg.eig(A)"),
    )
)


def matrix_rank(input: Tensor, tol: Any = None, symmetric: bool = False, *, out: Any = None) -> NoReturn:
    raise RuntimeError(RANK)


def solve(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:
    raise RuntimeError(SOLVE)


def lstsq(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:
    raise RuntimeError(LSTSQ)


def symeig(input: Tensor, eigenvectors: bool = False, upper: bool = True, *, out: Any = None) -> NoReturn:
    raise RuntimeError(SYMEIG)


def eig(self: Tensor, eigenvectors: bool = False, *, e: Any = None, v: Any = None) -> NoReturn:
    raise RuntimeError(EIG)
