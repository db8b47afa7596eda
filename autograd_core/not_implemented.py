"""Operators that have a value but no derivative: their node says so when backward comes to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .batching.pointwise import each_alike
from .edges import gradient_edge
from .graph import LAST, Node, Output, Wanted
from .inplace import check_writable, in_place
from .ops import elementwise as e
from .rebasing import rebase_onto
from .state import state
from .tensor import Tensor, wrapped_number
from .transforms.batch import hidden


class NotImplemented_(Node):
    """Stands in the graph for an operator without a derivative; torch shows it as `NotImplemented`."""

    __slots__ = ("operator",)
    operator: str

    def __init__(self, edges: Sequence[tuple[Node | None, int]], outs: tuple[Output, ...]) -> None:
        numbered, state.next_sequence = state.next_sequence, lambda: LAST  # it takes no number
        try:
            super().__init__(edges, outs)
        finally:
            state.next_sequence = numbered

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        raise RuntimeError(f"derivative for {self.operator} is not implemented")

    graph = raw

    def name(self) -> str:
        return "torch::autograd::NotImplemented"


NotImplemented_.__name__ = "NotImplemented"


def floor_divide_(self: Tensor, other: Any) -> Tensor:
    """`a //= b`: the value written, and a node without derivative."""
    check_writable(self)
    needed = state.grad_enabled and any(isinstance(t, Tensor) and t.requires_grad for t in (self, other))
    edges = [gradient_edge(t) for t in (self, other) if isinstance(t, Tensor)] if needed else []
    before, state.grad_enabled = state.grad_enabled, False
    try:
        in_place(e.div_mode, self, other, "floor")
    finally:
        state.grad_enabled = before
    if needed:
        node = NotImplemented_(edges, ((self.data_.shape, self.data_.dtype),))
        node.operator = "aten::floor_divide_"
        rebase_onto(self, node)
    return self


def floor_divide(self: Tensor, other: Any) -> Tensor:
    if not isinstance(self, Tensor):
        self = wrapped_number(self)
    before = state.grad_enabled
    if hidden(self) or hidden(other):
        out = each_alike(floor_divide, self, other)
    else:
        state.grad_enabled = False
        try:
            out = e.div_mode(self, other, "floor")
        finally:
            state.grad_enabled = before
    operands = [t for t in (self, other) if isinstance(t, Tensor)]
    if before and any(t.requires_grad for t in operands):
        node = NotImplemented_([gradient_edge(t) for t in operands], ((out.data_.shape, out.data_.dtype),))
        node.operator = "aten::floor_divide"
        out.node = node
    return out
