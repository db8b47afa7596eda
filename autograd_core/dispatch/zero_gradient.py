"""Results in which operands have no part that could be differentiated, so that their gradients are zeros: comparisons
written in place, and numbers drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..engine.state import state
from ..functorch.batch import is_hidden
from ..graph.copy_slices import rebase_onto
from ..graph.edges import gradient_edge
from ..graph.node import Node, Wanted
from ..tensor.tensor import Tensor, plain
from .inplace import in_place


class Compared(Node):
    """The node of such a result: zeros for each operand that wants a gradient."""

    __slots__ = ("operands",)

    operands: Sequence[tuple[tuple[int, ...], Any]]
    """Shape and dtype of each tensor among them."""

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        pairs = zip(self.operands, wanted, strict=True)
        return [None if below is None else np.zeros(*operand)[()] for operand, below in pairs]

    def graph(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        return [None if zeros is None else plain(zeros) for zeros in self.raw(grads, wanted)]


@cache
def kind_of(name: str, overload: int) -> type[Compared]:
    """The kind of node of one overload; a comparison is with a number (0) or a tensor (1)."""
    return type(f"{name.capitalize()}Backward{overload}", (Compared,), {"__slots__": (), "op_name": name})


def node_of(name: str, overload: int, operands: Sequence[Tensor], out: Tensor) -> Compared:
    """The node of what `name` makes of `operands`, which has the shape and dtype of `out`."""
    edges = [gradient_edge(t) if t.requires_grad else (None, 0) for t in operands]
    node = kind_of(name, overload)(edges, ((out.data_.shape, out.data_.dtype),))
    node.operands = [(t.data_.shape, t.data_.dtype) for t in operands]
    return node


def in_place_method(name: str, function: Callable[..., Any]) -> Callable[..., Tensor]:
    """The method `name_`, which writes what `function` says of a tensor and another over the first."""

    def method(self: Tensor, other: Any) -> Tensor:
        tensors = [t for t in (self, other) if isinstance(t, Tensor)]
        if not state.grad_enabled or is_hidden(self) or not any(t.requires_grad for t in tensors):
            return in_place(function, self, other)
        node = node_of(name, len(tensors) - 1, tensors, self)
        in_place(function, self, other.detach() if isinstance(other, Tensor) else other)
        rebase_onto(self, node)
        return self

    return method
