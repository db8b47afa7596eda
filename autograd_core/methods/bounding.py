"""Clamping in place: of whole numbers, torch refuses fractions in words of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import dtypes, errors
from ..inplace import in_place
from ..ops.unary import clamp, clamp_max, clamp_max_tensor, clamp_min, clamp_min_tensor, clamp_tensor
from ..tensor import Tensor

Method = Callable[..., Tensor]


def check_bounds(self: Tensor, *bounds: float | None) -> None:
    """Whether what is made with the numbers `bounds` can be written into `self`.

    Raises:
        RuntimeError: it is of a higher kind.
    """
    found = dtypes.to_numpy(dtypes.result_type(self.data_, *(bound for bound in bounds if bound is not None)))
    if errors.RANK[found.kind] > errors.RANK[self.data_.dtype.kind]:
        kinds = errors.type_name(found), errors.C_NAMES[self.data_.dtype.name]
        raise RuntimeError("result type {} can't be cast to the desired output type {}".format(*kinds))


def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return in_place(clamp_tensor, self, min, max)
    check_bounds(self, min, max)
    return in_place(clamp, self, min, max)


def on_one_side(with_tensor: Method, with_number: Method) -> Method:
    """The in-place variant of `clamp_min` or `clamp_max`."""

    def method(self: Tensor, bound: Any) -> Tensor:
        if isinstance(bound, Tensor):
            return in_place(with_tensor, self, bound)
        check_bounds(self, bound)
        return in_place(with_number, self, bound)

    return method


IN_PLACE: dict[str, Method] = {
    "clamp_": clamp_,
    "clip_": clamp_,
    "clamp_min_": on_one_side(clamp_min_tensor, clamp_min),
    "clamp_max_": on_one_side(clamp_max_tensor, clamp_max),
}
