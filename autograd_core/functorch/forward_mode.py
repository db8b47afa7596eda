"""Tangents of what was computed at a level of forward mode, found when they are asked for: see forward_ad."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..dispatch.registry import call
from ..engine.roots import GradientEdge
from ..engine.run_backward import gradients
from ..errors import Unsupported
from ..graph.node import Node
from ..tensor.tensor import Array, Tensor, plain
from .batch import is_hidden
from .levels import Level, Source, carries_tangent, leads_outside, nodes_below, sources_of, wrap


def tangent_of(result: Tensor, level: Level) -> Tensor | None:
    """The tangent of `result`, None if nothing dual of `level` went in. See forward_ad.

    Raises:
        NotImplementedError: what lies on the way has a backward that says nothing of forward mode.
    """
    head = result.grad_fn
    if isinstance(head, Source) and head.level is level:
        return head.tangent
    sources = sources_of(result, level)
    if not sources:
        return None
    below = nodes_below(result.grad_fn, level)
    for node in below:
        check_adjoint(node)
    start = wrap(plain(np.zeros(result.data_.shape, result.data_.dtype)[()]), Level())
    edges = tuple(GradientEdge(node, 0) for node in sources)
    with without_hooks(below), close_level(level):
        came = gradients((result,), edges, (start,), True, True, True)
    pairs = [(g, node.tangent) for g, node in zip(came, sources, strict=True) if depends(g, start)]
    if not pairs:
        return plain(np.zeros(result.data_.shape, result.data_.dtype)[()])
    grads, tangents = [g for g, _ in pairs], [t for _, t in pairs]
    onward = any(t.requires_grad or leads_outside(g, level) for g, t in pairs)
    tangent: Tensor = gradients(tuple(grads), (start,), tuple(tangents), True, onward, False)[0]
    return tangent if shows(result, sources) else apart(tangent, tangents)


def shows(result: Tensor, sources: Sequence[Source]) -> bool:
    """Whether `result` shows the memory of one of `sources`."""
    return any(result.shared_storage() is node.origin.shared_storage() for node in sources)


def apart(tangent: Tensor, given: Sequence[Tensor]) -> Tensor:
    """The tangent of what has memory of its own: a copy if it came through unchanged, for it may be written."""
    memory = unhide(tangent)
    if not any(np.may_share_memory(memory, unhide(t)) for t in given):
        return tangent
    copy: Tensor = call("clone", tangent)
    return copy


def unhide(tensor: Tensor) -> Array:
    """The array of `tensor`, with every dimension that vmap hides."""
    while is_hidden(tensor):
        tensor = tensor.data_.whole
    return tensor.array()


def kept_for_tangents(value: Any) -> Any:
    """A gradient that was asked for without a graph: it keeps one only if a tangent may go through it."""
    return value if value is None or carries_tangent(value) else value.detach()


def depends(grad: Tensor | None, start: Tensor) -> bool:
    return grad is not None and start.node in nodes_below(grad.node)


@contextmanager
def close_level(level: Level) -> Iterator[None]:
    """Gradients do not leave `level`: its tangents come from its own sources alone."""
    before, level.closed = level.closed, True
    try:
        yield
    finally:
        level.closed = before


@contextmanager
def without_hooks(nodes: Sequence[Node]) -> Iterator[None]:
    """Hooks are about gradients: forward mode does not see them."""
    held = [(node, node.hooks) for node in nodes if node.hooks is not None]
    for node, _ in held:
        node.hooks = None
    try:
        yield
    finally:
        for node, hooks in held:
            node.hooks = hooks


def check_adjoint(node: Node) -> None:
    """Whether forward mode can be had from the backward of `node`.

    Raises:
        NotImplementedError: it leaves out gradients on purpose.
    """
    if node.op_name == "embedding" and getattr(node, "saved_padding_idx", -1) >= 0:
        raise Unsupported("forward mode through embedding with a padding_idx is not supported")
