"""Methods whose function lies in a module that is read when the first of them is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor import Tensor


def prelu(self: Tensor, weight: Tensor) -> Tensor:
    from ..nn.functional import activation

    return activation.prelu(self, weight)


def hardshrink(self: Tensor, lambd: float = 0.5) -> Tensor:
    from ..nn.functional import activation

    return activation.hardshrink(self, lambd)


def cholesky(self: Tensor, upper: bool = False) -> Tensor:
    from .. import solving

    return solving.old_cholesky(self, upper)


def qr(self: Tensor, some: bool = True) -> Any:
    from .. import solving

    return solving.old_qr(self, some)


def triangular_solve(
    self: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    from ..functions import older

    return older.triangular_solve(self, A, upper, transpose, unitriangular)


def histogram(self: Tensor, bins: Any = 100, **options: Any) -> Any:
    from ..functions import slopes

    return slopes.histogram(self, bins, **options)


METHODS: dict[str, Callable[..., Any]] = {
    method.__name__: method for method in (prelu, hardshrink, cholesky, qr, triangular_solve, histogram)
}
