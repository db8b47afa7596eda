"""torch.linalg: what programs call."""

from __future__ import annotations

from ..api.functions.contraction import multi_dot
from ..dispatch.schema.guard import guard_module
from ..namespace.absent import absent
from ..ops.linalg_decomposition import LinAlgError
from .decomposition import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd, svdvals
from .functions import (
    METHODS,
    cross,
    det,
    diagonal,
    inv,
    matmul,
    matrix_exp,
    matrix_norm,
    matrix_power,
    norm,
    pinv,
    slogdet,
    solve,
    solve_triangular,
    vector_norm,
)
from .solving import (
    cond,
    inv_ex,
    lstsq,
    matrix_rank,
    vecdot,
)

guard_module(__name__, "torch.linalg")

__getattr__ = absent("torch.linalg")

__all__ = [
    "LinAlgError",
    "METHODS",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "inv_ex",
    "lstsq",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "vecdot",
    "vector_norm",
]
