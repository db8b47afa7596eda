"""The older name for a tensor: `Variable`, which programs call and ask isinstance of."""

from __future__ import annotations

import warnings
from typing import Any

from ..tensor import Tensor


class Kind(type):
    """The kind of `Variable`: every tensor is one."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Tensor)

    def __call__(cls, data: Tensor, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        """The values of `data` as a leaf."""
        if volatile:
            text = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."
            warnings.warn(text, UserWarning, stacklevel=2)
        leaf = data.detach()
        return leaf.requires_grad_() if requires_grad else leaf


class Variable(metaclass=Kind):
    """What calls of it give is a tensor."""

    __module__ = "torch.autograd.variable"
