"""Factors of matrices by the names that torch gave them before torch.linalg."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import solving
from ..ops import triangles
from ..tensor import Tensor
from ..warned import warn_once
from .reductions import returned

LU_WITH_INFO = returned("_lu_with_info", "LU pivots info")
UNPACKED = returned("lu_unpack", "P L U")
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
    )
    if A.data_.ndim < 2:
        raise RuntimeError(
            f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(A.data_.shape)} instead"
        )
    solving.need_pivot("lu_factor", A, pivot)
    found = triangles.linalg_lu_factor_ex(A, pivot)
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
    L, U, P = triangles.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)
    return UNPACKED(P, L, U)
