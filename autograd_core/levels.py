"""Levels of differentiation inside one another: what func.grad, func.jvp and forward_ad stand on.

At a level, an input is wrapped: a tensor of the same memory whose node is a Source. The graph from a result back to the
sources is the graph of that level; a source's own edge leads on to what the input was outside. A result that leaves the
level is cut: it keeps its graph if that leads to something that wants a gradient outside, else it loses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .function import NO_JVP, Function, FunctionNode
from .graph import AccumulateGrad, Node, Wanted, gradient_edge
from .state import state
from .tensor import Tensor, plain


class Level:
    """One transformation, under way between `enter` and `leave`; in it gradients are followed whatever the mode."""

    __slots__ = ("forward", "mode")

    def __init__(self, forward: bool = False) -> None:
        self.forward = forward
        self.mode = True

    def enter(self) -> Level:
        self.mode, state.grad_enabled = state.grad_enabled, True
        state.levels.append(self)
        return self

    def leave(self) -> None:
        state.levels.remove(self)
        state.grad_enabled = self.mode


class Source(Node):
    """Where the graph of a level begins; what comes back is handed on as it is."""

    __slots__ = ("level", "origin", "tangent")
    op_name = "source"

    level: Level
    origin: Tensor
    tangent: Any

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        return [grads[0]]

    graph = raw


@contextmanager
def entered(forward: bool = False) -> Iterator[Level]:
    """A new level for a block."""
    level = Level(forward).enter()
    try:
        yield level
    finally:
        level.leave()


def wrap(tensor: Tensor, level: Level, tangent: Tensor | None = None) -> Tensor:
    """`tensor` as an input at `level`."""
    source = Source([gradient_edge(tensor)], ((tensor.data_.shape, tensor.data_.dtype),))
    source.level, source.origin, source.tangent = level, tensor, tangent
    wrapped = plain(tensor.array(), source)
    wrapped.storage_ = tensor.shared_storage()
    return wrapped


def nodes_below(roots: Sequence[Node | None]) -> list[Node]:
    seen: dict[Node, None] = {}
    stack = [node for node in roots if node is not None]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack.extend(below for below in node.next if below is not None)
    return list(seen)


def leads_outside(tensor: Tensor, level: Level | None) -> bool:
    """Whether the graph of `tensor` ends in a leaf, or in a source of another level that is under way."""
    if tensor.meta is not None and tensor.grad_fn is None:
        return tensor.requires_grad
    return any(
        isinstance(node, AccumulateGrad)
        or (isinstance(node, Source) and node.level is not level and node.level in state.levels)
        for node in nodes_below([tensor.grad_fn])
    )


def cut(value: Any, level: Level) -> Any:
    """`value` as it is outside of `level`."""
    if not isinstance(value, Tensor) or not value.requires_grad:
        return value
    node = value.grad_fn
    if isinstance(node, Source) and node.level is level:
        return node.origin
    if leads_outside(value, level):
        return value
    outside = plain(value.array())
    outside.storage_ = value.shared_storage()
    return outside


def tangent_of(result: Tensor, level: Level) -> Tensor | None:
    """The tangent of `result`, None if nothing dual of `level` went in. See forward_ad.

    Raises:
        NotImplementedError: an autograd.Function lies on the way.
    """
    from . import autograd

    below = nodes_below([result.grad_fn])
    sources = [node for node in below if isinstance(node, Source) and node.level is level]
    if not sources:
        return None
    for node in below:
        if isinstance(node, FunctionNode):
            refuse(node)
    start = wrap(plain(np.zeros_like(result.data_)[()]), Level())
    edges = [autograd.graph.GradientEdge(node, 0) for node in sources]
    came = autograd.grad(result, edges, start, retain_graph=True, create_graph=True, allow_unused=True)
    pairs = [(g, node.tangent) for g, node in zip(came, sources, strict=True) if depends(g, start)]
    if not pairs:
        return plain(np.zeros_like(result.data_)[()])
    grads, tangents = [g for g, _ in pairs], [t for _, t in pairs]
    onward = any(t.requires_grad or leads_outside(g, level) for g, t in pairs)
    tangent: Tensor = autograd.grad(grads, start, tangents, retain_graph=True, create_graph=onward)[0]
    return tangent


def depends(grad: Tensor | None, start: Tensor) -> bool:
    return grad is not None and start.node in nodes_below([grad.node])


def refuse(node: FunctionNode) -> None:
    """Say why forward mode cannot go through a custom Function.

    Raises:
        NotImplementedError: always.
    """
    if node.function.jvp is Function.jvp:
        raise NotImplementedError(NO_JVP)
    raise NotImplementedError(
        f"the jvp of the custom function {node.function.__name__} is not supported: forward mode is made of backward "
        "here (see autograd_core.autograd.forward_ad)"
    )
