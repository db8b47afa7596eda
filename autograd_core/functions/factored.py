"""What is computed from a factor of Cholesky's."""

from __future__ import annotations

from .. import errors
from ..ops import linalg_solve
from ..tensor import Array, Tensor


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
