"""Operators that have a value but no derivative, beside those of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..engine.state import state
from ..functorch.batch import is_hidden
from ..functorch.batching_rules.elementwise import each_alike
from ..graph.copy_slices import rebase_onto
from ..graph.edges import gradient_edge
from ..graph.node import Node, Wanted
from ..ops.binary import div_mode, remainder
from ..tensor.tensor import Tensor, wrapped_number
from .inplace import check_writable, in_place
from .not_differentiable import NotImplemented_, make_node
from .schema.schema import composite


class Underived(Node):
    """A write in place whose operator has a derivative, but not as a write."""

    __slots__ = ()

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        raise NotImplementedError(f"the derivative for 'inplace version of {self.op_name}' is not implemented.")

    graph = raw


@cache
def kind_of(name: str) -> type[Underived]:
    """The node of `name` written in place."""
    return type(f"{name.capitalize()}Backward1", (Underived,), {"__slots__": (), "op_name": name})


def write_underived(name: str, function: Callable[..., Any], self: Tensor) -> Tensor:
    """`self` with what `function` makes of it written over it, and a node that says that this has no derivative."""
    edges = without_graph(function, self)
    if edges:
        rebase_onto(self, kind_of(name)(edges, ((self.data_.shape, self.data_.dtype),)))
    return self


def without_graph(function: Callable[..., Any], self: Tensor, *operands: Any) -> list[tuple[Node | None, int]]:
    """Write what `function` makes over `self`; the edges that the node of this should have, if any."""
    check_writable(self)
    edges = edges_of(self, *operands)
    before, state.grad_enabled = state.grad_enabled, False
    try:
        in_place(function, self, *operands)
    finally:
        state.grad_enabled = before
    return edges


def call_underived_(name: str, function: Callable[..., Any], self: Tensor, *operands: Any) -> Tensor:
    """`self` with what `function` makes written over it, and a node that says that torch has no derivative for it."""
    edges = without_graph(function, self, *operands)
    if edges:
        node = NotImplemented_(edges, ((self.data_.shape, self.data_.dtype),))
        node.operator = f"aten::{name}"
        rebase_onto(self, node)
    return self


def floor_divide_(self: Tensor, other: Any) -> Tensor:
    """`a //= b`."""
    return call_underived_("floor_divide_", div_mode, self, other, "floor")


@composite("""
    floor_divide(Tensor self, Tensor other) -> Tensor: function method method_ out
    floor_divide.Scalar(Tensor self, Scalar other) -> Tensor: function method method_
    """)
def floor_divide(self: Any, other: Any) -> Tensor:
    if not isinstance(self, Tensor):
        self = wrapped_number(self)
    if is_hidden(self) or is_hidden(other):
        return call_underived("floor_divide", each_alike, floor_divide, self, other)
    return call_underived("floor_divide", div_mode, self, other, "floor")


def remainder_of_number(number: Any, other: Tensor) -> Tensor:
    """`2 % x`, for which torch has no derivative, though it has one for `x % 2`."""
    return call_underived("remainder", remainder, wrapped_number(number), other)


def edges_of(*operands: Any) -> list[tuple[Node | None, int]]:
    """The edges of such a node: those of the operands that require grad, if grad mode is on."""
    if not state.grad_enabled:
        return []
    return [gradient_edge(t) for t in operands if isinstance(t, Tensor) and t.requires_grad]


def call_underived(name: str, compute: Callable[..., Tensor], *operands: Any) -> Tensor:
    """The result of `compute`, below a node that says that torch has no derivative for it."""
    tracking, state.grad_enabled = state.grad_enabled, False
    try:
        out = compute(*operands)
    finally:
        state.grad_enabled = tracking
    if tracking:
        make_node(name, [t for t in operands if isinstance(t, Tensor)], [out])
    return out
