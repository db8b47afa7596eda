"""What functions of torch.nn.functional share: checks of arguments, and how a loss is reduced."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops import reduce as r
from ...tensor import Tensor

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def reduction_nr(reduction: str) -> int:
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that the two old flags ask for, if they are given."""
    if size_average is None and reduce is None:
        return reduction
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.", stacklevel=4
    )
    return found


def with_old_flags(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The loss `function`, which may also be told by `size_average` and `reduce` how to reduce."""

    @functools.wraps(function)
    def loss(*args: Any, size_average: bool | None = None, reduce: bool | None = None, **options: Any) -> Tensor:
        if size_average is not None or reduce is not None:
            options["reduction"] = reduction_of(size_average, reduce, options.get("reduction", "mean"))
        return function(*args, **options)

    return loss


def reduce_loss(values: Tensor, reduction: str) -> Tensor:
    """The loss of all elements from that of each, for losses that torch composes."""
    nr = reduction_nr(reduction)
    return values if nr == 0 else r.mean(values) if nr == 1 else r.sum(values)


def need_tensor(function: str, name: str, position: int, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}"
        )


def type_title(kind: np.dtype[Any]) -> str:
    """The name that torch's C++ has for a type: Float, Double, Long."""
    return {"float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long", "int32": "Int"}.get(
        kind.name, kind.name.title()
    )
