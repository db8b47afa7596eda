"""Functions that torch has no more: all that they do is to say what stands in their place."""

from __future__ import annotations

from typing import Any, NoReturn

from ..tensor import Tensor

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
