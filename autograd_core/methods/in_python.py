"""Methods that torch wrote in Python: what Python says of a wrong call names them as methods of Tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .. import linalg
from ..functions import linalg as linalg_functions
from ..functions import shape, sorting
from ..signatures.guarding import guarded
from ..tensor import Tensor

UNFLATTEN: Any = guarded("Tensor", "_unflatten", shape.unflatten)


def split(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    return shape.split(self, split_size, dim)


def unflatten(self: Tensor, dim: int, sizes: Any) -> Any:
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    return UNFLATTEN(self, dim, sizes)


def norm(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    return linalg.old_norm(self, p, dim, keepdim, dtype=dtype)


def unique(
    self: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    return sorting.unique(self, sorted, return_inverse, return_counts, dim)


def unique_consecutive(
    self: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    return sorting.unique_consecutive(self, return_inverse, return_counts, dim)


def lu(self: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    return tuple(linalg_functions.lu(self, pivot, get_infos))


def solve(self: Tensor, other: Tensor) -> NoReturn:
    linalg_functions.solve(self, other)


def lstsq(self: Tensor, other: Tensor) -> NoReturn:
    linalg_functions.lstsq(self, other)


def eig(self: Tensor, eigenvectors: bool = False) -> NoReturn:
    linalg_functions.eig(self, eigenvectors)


def symeig(self: Tensor, eigenvectors: bool = False) -> NoReturn:
    linalg_functions.symeig(self, eigenvectors)


METHODS: dict[str, Callable[..., Any]] = {
    "split": split,
    "unflatten": unflatten,
    "norm": norm,
    "unique": unique,
    "unique_consecutive": unique_consecutive,
    "lu": lu,
    "solve": solve,
    "lstsq": lstsq,
    "eig": eig,
    "symeig": symeig,
}

for _name, _method in METHODS.items():
    _method.__qualname__ = f"Tensor.{_name}"
