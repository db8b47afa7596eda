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


def refusing(result: Tensor, text: str) -> Tensor:
    """`result`, below a node that says `text` when it is differentiated."""
    if not result.requires_grad:
        return result
    held = result.detach()
    held.node = Error([gradient_edge(result)], text)
    held.node.outs = ((held.data_.shape, held.data_.dtype),)
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
