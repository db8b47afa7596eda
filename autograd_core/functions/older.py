"""Factors of matrices by the names that torch gave them before torch.linalg."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors, solving
from ..ops import linalg_decomposition, linalg_solve
from ..tensor import Tensor
from ..warned import warn_once
from .reductions import returned

LU_WITH_INFO = returned("_lu_with_info", "LU pivots info")
SOLVED = returned("triangular_solve", "solution cloned_coefficient")
UNPACKED = returned("lu_unpack", "P L U")
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
