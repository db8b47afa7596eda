"""What linear algebra asks of its operands, in torch's words."""

from __future__ import annotations

from typing import Any

from .. import errors
from ..tensor import Tensor


def check_square(name: str, A: Any, what: str = "A") -> None:
    """Whether A is a square matrix of floats, or a batch of them.

    Raises:
        RuntimeError: it is not, in torch's words.
    """
    check_matrix(name, A, what)
    rows, columns = A.data_.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}: {what} must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


def check_matrix(name: str, A: Any, what: str = "A") -> None:
    if A.data_.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {what} must have at least 2 dimensions.")


def check_floating(name: str, A: Any) -> None:
    if A.data_.dtype.kind != "f":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {errors.type_name(A.data_.dtype)}"
        )


def need(name: str, A: Any, what: str = "A", position: int = 1) -> None:
    if not isinstance(A, Tensor):
        raise TypeError(errors.not_a_tensor(f"linalg_{name}", what, position, A))


def square(name: str, A: Any) -> None:
    need(name, A)
    check_square(f"linalg.{name}", A)
    check_floating(f"linalg.{name}", A)
