"""Where the gradient of a tensor goes: the edges of the graph, and the nodes of leaves, made when they are needed."""

from __future__ import annotations

from ..engine.state import LAST, state, unusual
from ..tensor.tensor import Tensor
from .accumulate_grad import AccumulateGrad, accumulator
from .node import Node

NOWHERE: tuple[None, int] = (None, 0)


late: list[Node] = []
"""Nodes of stale views, made anew because an operator reads the view: they get their number after its node."""


def operand_edge(tensor: Tensor) -> tuple[Node | None, int]:
    """`gradient_edge` for the operand of a node under way, which has its number before its edges are looked at."""
    meta = tensor.meta
    if meta is not None and tensor.node is None and ((look := meta.view) is None or apart(look.base)):
        return (accumulator(tensor), 0) if meta.requires_grad else NOWHERE
    look = None if meta is None else meta.view
    if look is None or tensor.storage_ is None or look.version == tensor.storage_.count():
        return gradient_edge(tensor)
    others = late.copy()
    late.clear()
    before, numbered, state.next_sequence = tensor.node, state.next_sequence, lambda: LAST
    try:
        edge = gradient_edge(tensor)
    finally:
        state.next_sequence = numbered
    made = edge[0] is not None and edge[0] is not before and edge[0].sequence_nr == LAST
    made = made and not isinstance(edge[0], AccumulateGrad)  # whose number stays
    late.extend([*others, edge[0]] if made else others)  # type: ignore[list-item]
    return edge


def apart(base: Tensor) -> bool:
    """Whether `base` has nothing to do with any graph, so that its views are leaves like others."""
    return base.meta is None and base.node is None


def number_late() -> None:
    """Give those nodes their numbers."""
    for node in late:
        node.sequence_nr = state.next_sequence()
    late.clear()
    unusual("nodes that are newer than those above them")


def gradient_edge(tensor: Tensor) -> tuple[Node | None, int]:
    """Where the gradient of `tensor` goes: its grad_fn, a leaf's AccumulateGrad, or nowhere."""
    meta = tensor.meta
    if meta is None:
        return tensor.node, tensor.output_nr
    node, view = tensor.node, meta.view
    if view is not None and (node is not None or not apart(view.base)):
        node = tensor.grad_fn
    if node is not None:
        return node, tensor.output_nr
    if not meta.requires_grad:
        return NOWHERE
    leaf = meta.accumulator() if meta.accumulator is not None else None
    return (accumulator(tensor) if leaf is None else leaf), 0
