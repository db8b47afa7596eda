"""A backward that is marked as not to be differentiated, and the node that says so."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..edges import NOWHERE, gradient_edge
from ..graph import Node, Wanted
from ..state import state
from ..tensor import Tensor


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """A backward that is not to be differentiated: it runs outside the graph, and differentiating its result raises."""

    @functools.wraps(backward)
    def once(ctx: Any, *grads: Any) -> Any:
        before, state.grad_enabled = state.grad_enabled, False
        try:
            got = backward(ctx, *grads)
        finally:
            state.grad_enabled = before
        if not before or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return got
        many = isinstance(got, tuple | list)
        results = list(got) if many else [got]
        leaves = [r.detach().requires_grad_() if isinstance(r, Tensor) else None for r in results]
        node = Error([NOWHERE if leaf is None else gradient_edge(leaf) for leaf in leaves])
        for i, result in enumerate(results):
            if isinstance(result, Tensor):
                results[i] = result = result.detach()
                result.node, result.output_nr = node, i
        node.outs = tuple(
            (r.data_.shape, r.data_.dtype) if isinstance(r, Tensor) else ((), np.dtype(np.float32)) for r in results
        )
        return tuple(results) if many else results[0]

    return once


def refusing(tensors: Sequence[Tensor], text: str) -> list[Tensor]:
    """`tensors` over the same memory, below one node that says `text` when it is differentiated."""
    held: list[Tensor] = [tensor.detach() for tensor in tensors]
    if any(tensor.requires_grad for tensor in tensors):
        node = Error([gradient_edge(tensor) for tensor in tensors], text)
        node.outs = tuple((tensor.data_.shape, tensor.data_.dtype) for tensor in tensors)
        for i, tensor in enumerate(held):
            tensor.node, tensor.output_nr = node, i
    return held


MARKED = "trying to differentiate twice a function that was marked with @once_differentiable"


class Error(Node):
    """The node of what can be computed, but not be differentiated: it can only refuse."""

    __slots__ = ("text",)
    text: str

    def __init__(self, edges: Sequence[tuple[Node | None, int]], text: str = MARKED) -> None:
        super().__init__(edges)
        self.text = text

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        raise RuntimeError(self.text)

    graph = raw
