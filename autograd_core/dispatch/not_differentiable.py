"""The node of operators that have a value but no derivative: it says so when backward comes to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine.state import state
from ..graph.edges import gradient_edge
from ..graph.node import LAST, Node, Output, Wanted
from ..tensor.tensor import Tensor


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


def make_node(
    name: str, operands: Sequence[Tensor | None], results: Sequence[Tensor], inplace: Tensor | None = None
) -> Node | None:
    """The node of `results` of the operator `name`, above those of `operands` that require grad; None without any."""
    given = [t for t in operands if t is not None and t.requires_grad]
    if not given or not state.grad_enabled:
        return None
    node = NotImplemented_([gradient_edge(t) for t in given], tuple((r.data_.shape, r.data_.dtype) for r in results))
    node.operator = f"aten::{name}"
    for nr, result in enumerate(results if inplace is None else (inplace,)):
        result.node, result.output_nr = node, nr
    if state.session is not None:
        state.session.node_made(node, name, given)
    return node
