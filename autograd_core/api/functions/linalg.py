"""Linear algebra under torch's own names: from a factor of Cholesky's, and what torch has no more."""

from __future__ import annotations

from typing import Any, NoReturn

from ... import errors
from ...dispatch.schema.schema import composite
from ...ops import linalg_solve
from ...tensor.tensor import Array, Tensor

# ---- from a factor of Cholesky's


def check_floating(kernel: str, data: Array) -> None:
    """Refuses whole numbers, in torch's words.

    Raises:
        NotImplementedError: `data` is not of floats.
    """
    if data.dtype.kind not in "fc":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{errors.type_name(data.dtype)}'")


@composite("cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor: function method out")
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


@composite("cholesky_inverse(Tensor self, bool upper=False) -> Tensor: function method out")
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
