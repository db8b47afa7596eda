"""Comparisons written in place: what was there before has no part in the result, so its gradient is zeros."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from .edges import gradient_edge
from .graph import Node, Wanted
from .inplace import in_place
from .rebasing import rebase_onto
from .state import state
from .tensor import Tensor, plain
from .transforms.batch import hidden


class Compared(Node):
    """The node of such a write: zeros for each operand that wants a gradient."""

    __slots__ = ("operands",)

    operands: Sequence[tuple[tuple[int, ...], Any]]
    """Shape and dtype of each tensor that was compared."""

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        pairs = zip(self.operands, wanted, strict=True)
        return [None if below is None else np.zeros(*operand)[()] for operand, below in pairs]

    def graph(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        return [None if zeros is None else plain(zeros) for zeros in self.raw(grads, wanted)]


@cache
def kind_of(name: str, overload: int) -> type[Compared]:
    """The node of the comparison `name` with a number (0) or a tensor (1)."""
    return type(f"{name.capitalize()}Backward{overload}", (Compared,), {"__slots__": (), "op_name": name})


def written(name: str, function: Callable[..., Any]) -> Callable[..., Tensor]:
    """The method `name_`, which writes what `function` says of a tensor and another over the first."""

    def method(self: Tensor, other: Any) -> Tensor:
        tensors = [t for t in (self, other) if isinstance(t, Tensor)]
        if not state.grad_enabled or hidden(self) or not any(t.requires_grad for t in tensors):
            return in_place(function, self, other)
        edges = [gradient_edge(t) if t.requires_grad else (None, 0) for t in tensors]
        operands = [(t.data_.shape, t.data_.dtype) for t in tensors]
        in_place(function, self, other.detach() if isinstance(other, Tensor) else other)
        node = kind_of(name, len(tensors) - 1)(edges, ((self.data_.shape, self.data_.dtype),))
        node.operands = operands
        rebase_onto(self, node)
        return self

    return method
