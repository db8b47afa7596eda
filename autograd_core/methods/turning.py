"""Tensors turned over: `T`, `mT`, `H`, `mH` and `adjoint()`, each with its own words for what is no matrix."""

from __future__ import annotations

from collections.abc import Callable

from ..ops.view import permute, transpose
from ..tensor import Tensor
from ..warned import warn_once

NOT_A_MATRIX = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)
IDENTITY = "Tensor.{} is deprecated on 0-D tensors. This function is the identity in these cases."
CONJUGATE = "{} is deprecated on 0-D tensors. Consider using x.conj()."


def transposed(self: Tensor) -> Tensor:
    """All dimensions in the other order."""
    n = self.data_.ndim
    if n != 2:
        warn_once("T" if n else "0-d T", NOT_A_MATRIX if n else IDENTITY.format("T"))
    turned: Tensor = permute(self, list(range(n))[::-1])
    return turned


def matrices(name: str) -> Callable[[Tensor], Tensor]:
    """The property (or method) `name`, which turns over the last two dimensions.

    Raises:
        RuntimeError: the tensor has one dimension.
    """
    title = "adjoint()" if name == "adjoint" else f"Tensor.{name}"

    def turned(self: Tensor) -> Tensor:
        n = self.data_.ndim
        if n == 1:
            shown = title[:1].lower() + title[1:] if "." in title else f"tensor.{title}"
            raise RuntimeError(f"{shown} is only supported on matrices or batches of matrices. Got 1-D tensor.")
        if n == 0:
            warn_once(f"0-d {name}", IDENTITY.format(name) if name == "mT" else CONJUGATE.format(title))
            return self
        result: Tensor = transpose(self, -2, -1)
        return result

    turned.__name__ = name
    return turned


def matrix(self: Tensor) -> Tensor:
    """`H`, for matrices alone.

    Raises:
        RuntimeError: the tensor is none.
    """
    n = self.data_.ndim
    if n not in (0, 2):
        more = " For batches of matrices, consider using tensor.mH" if n > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor.{more}")
    if n == 0:
        warn_once("0-d H", CONJUGATE.format("Tensor.H"))
        return self
    turned: Tensor = transpose(self, 0, 1)
    return turned
