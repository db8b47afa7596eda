"""Levels of differentiation inside one another: what func.grad, func.jvp and forward_ad stand on.

At a level, an input is wrapped: a tensor of the same memory whose node is a Source. The graph from a result back to the
sources is the graph of that level; a source's own edge leads on to what the input was outside. A result that leaves the
level is cut: it keeps its graph if that leads to something that wants a gradient outside, else it loses it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..batching.parts import Part, hide
from ..dtypes import from_numpy
from ..edges import gradient_edge
from ..graph import AccumulateGrad, Node, Wanted
from ..printing import tensor_repr
from ..state import state
from ..tensor import Tensor, plain
from .batch import Batch, hidden


class Level:
    """One transformation, under way between `enter` and `leave`; in it gradients are followed whatever the mode."""

    __slots__ = ("forward", "mode", "depth", "first_tensor", "first_node")

    first_tensor: int | None
    """The number, for the listener, from which on tensors were made since it was entered; see `of_outside`."""
    first_node: int | None
    """The sequence number of the first source, after which all nodes come that are made in it."""

    def __init__(self, forward: bool = False) -> None:
        self.forward = forward
        self.mode = True
        self.depth = 0
        self.first_tensor = self.first_node = None

    def enter(self) -> Level:
        self.depth = len(state.levels) + len(state.mapped) + 1
        self.mode, state.grad_enabled = state.grad_enabled, True
        state.levels.append(self)
        return self

    def leave(self) -> None:
        state.levels.remove(self)
        state.grad_enabled = self.mode


def transforming() -> bool:
    """Whether a function is under way that one of func's transformations was given."""
    return any(level is not state.dual for level in state.levels)


def innermost() -> Level | None:
    """The level of the innermost function under way that one of func's transformations was given."""
    return next((level for level in reversed(state.levels) if level is not state.dual), None)


def of_outside(tensor: Tensor, level: Level) -> bool:
    """Whether `tensor` is known to be older than `level`.

    A leaf that wants a gradient is: there are none of inside. Others are known by their number where somebody listens,
    and by their node. What has neither does not tell its age.
    """
    if tensor.requires_grad and tensor.is_leaf:
        return True
    number = None if state.session is None else state.session.number_of(tensor)
    if number is not None and level.first_tensor is not None:
        return number < level.first_tensor
    node = tensor.node
    return node is not None and level.first_node is not None and node.sequence_nr < level.first_node


class Source(Node):
    """Where the graph of a level begins; what comes back is handed on as it is."""

    __slots__ = ("level", "origin", "tangent")
    op_name = "source"

    level: Level
    origin: Tensor
    tangent: Any

    def type_name(self) -> str:
        """That of the view which stands here in torch."""
        return "AliasBackward0"

    def stand_in(self) -> Tensor | None:
        """What went into a level of gradients that has ended: outside, torch never wrapped it."""
        if self.level.forward or self.level in state.levels or hidden(self.origin):
            return None
        return self.origin

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        return [grads[0]]

    graph = raw


class Exit(Node):
    """Where a tensor left a level that is still under way: what lies below is no business of that level."""

    __slots__ = ("level",)
    op_name = "identity"

    level: Level

    def type_name(self) -> str:
        """That of the node it stands before: torch has none here."""
        return "Identity" if self.next[0] is None else self.next[0].type_name()

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        return [grads[0]]

    graph = raw


class Identity(Exit):
    """Where the value of a dual tensor left it, which torch shows."""

    __slots__ = ()

    def type_name(self) -> str:
        return "Identity"


@contextmanager
def entered(forward: bool = False) -> Iterator[Level]:
    """A new level for a block."""
    level = Level(forward).enter()
    if state.session is not None:
        level.first_tensor = state.session.next_tensor()
    try:
        yield level
    finally:
        level.leave()


def wrap(tensor: Tensor, level: Level, tangent: Tensor | None = None, kind: type[Source] = Source) -> Tensor:
    """`tensor` as an input at `level`."""
    if state.mapped and not (hidden(tensor) and tensor.data_.level is state.mapped[-1]):
        tensor = hide(Part(tensor, None), state.mapped[-1])
    source = kind([gradient_edge(tensor)], ((tensor.data_.shape, tensor.data_.dtype),))
    source.level, source.origin, source.tangent = level, tensor, tangent
    if level.first_node is None:
        level.first_node = source.sequence_nr
    wrapped = plain(tensor.array(), source)
    wrapped.storage_ = tensor.shared_storage()
    return wrapped


def nodes_below(root: Node | None, level: Level | None = None) -> list[Node]:
    """The graph below `root`, without what left `level`."""
    seen: dict[Node, None] = {}
    stack = [] if root is None else [root]
    while stack:
        node = stack.pop()
        if node not in seen and not (level is not None and isinstance(node, Exit) and node.level is level):
            seen[node] = None
            stack.extend(below for below in node.next if below is not None)
    return list(seen)


def sources_of(tensor: Tensor, level: Level) -> list[Source]:
    """The inputs of `level` that `tensor` depends on."""
    return [n for n in nodes_below(tensor.grad_fn, level) if isinstance(n, Source) and n.level is level]


def carries_tangent(tensor: Any) -> bool:
    """Whether `tensor` depends on an input of a level of forward mode that is under way."""
    return isinstance(tensor, Tensor) and any(sources_of(tensor, level) for level in state.levels if level.forward)


def leads_outside(tensor: Tensor, level: Level | None) -> bool:
    """Whether the graph of `tensor` ends in a leaf, or in a source of another level that is under way."""
    if hidden(tensor) and leads_outside(tensor.data_.whole, level):
        return True
    if tensor.meta is not None and tensor.grad_fn is None:
        return tensor.requires_grad
    return any(
        isinstance(node, AccumulateGrad)
        or (isinstance(node, Source) and node.level is not level and node.level in state.levels)
        for node in nodes_below(tensor.grad_fn)
    )


def wants_gradient(tensor: Tensor) -> bool:
    """Whether `tensor` needs a gradient, and not only a tangent."""
    if hidden(tensor) and wants_gradient(tensor.data_.whole):
        return True
    if tensor.grad_fn is None:
        return tensor.requires_grad
    return any(
        isinstance(node, AccumulateGrad) or (isinstance(node, Source) and is_backward(node.level))
        for node in nodes_below(tensor.grad_fn)
    )


def is_backward(level: Level) -> bool:
    """Whether gradients are followed at `level`, which is under way."""
    return not level.forward and level in state.levels


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


def exited(value: Tensor, level: Level, kind: type[Exit] = Exit) -> Tensor:
    """`value` as it is outside of `level`, which goes on."""
    outside: Tensor = cut(value, level)
    if outside.requires_grad and (kind is Identity or sources_of(outside, level)):
        node = kind([gradient_edge(outside)], ((outside.data_.shape, outside.data_.dtype),))
        node.level = level
        outside = plain(outside.array(), node)
        outside.storage_ = value.shared_storage()
    return outside


def tangent_of(result: Tensor, level: Level) -> Tensor | None:
    """The tangent of `result`, None if nothing dual of `level` went in. See forward_ad.

    Raises:
        NotImplementedError: what lies on the way has a backward that says nothing of forward mode.
    """
    from .. import autograd

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
    edges = tuple(autograd.graph.GradientEdge(node, 0) for node in sources)
    with without_hooks(below):
        came = autograd.gradients((result,), edges, (start,), True, True, True)
    pairs = [(g, node.tangent) for g, node in zip(came, sources, strict=True) if depends(g, start)]
    if not pairs:
        return plain(np.zeros(result.data_.shape, result.data_.dtype)[()])
    grads, tangents = [g for g, _ in pairs], [t for _, t in pairs]
    onward = any(t.requires_grad or leads_outside(g, level) for g, t in pairs)
    tangent: Tensor = autograd.gradients(tuple(grads), (start,), tuple(tangents), True, onward, False)[0]
    return tangent


def kept_for_tangents(value: Any) -> Any:
    """A gradient that was asked for without a graph: it keeps one only if a tangent may go through it."""
    return value if value is None or carries_tangent(value) else value.detach()


def depends(grad: Tensor | None, start: Tensor) -> bool:
    return grad is not None and start.node in nodes_below(grad.node)


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
        raise NotImplementedError("forward mode through embedding with a padding_idx is not supported")


def shown(tensor: Tensor) -> str:
    """How `tensor` prints inside the levels that it belongs to."""
    if state.mapped and hidden(tensor) and not any(sources_of(tensor, level) for level in state.levels):
        return shown_batch(tensor.data_)
    inner = tensor
    while isinstance(inner.node, Source) and inner.node.level in state.levels:
        inner = inner.node.origin
    outside = any(isinstance(node, AccumulateGrad) for node in nodes_below(tensor.grad_fn))
    node = inner.grad_fn if outside else None
    dual = state.dual
    tangent = tangent_of(tensor, dual) if dual is not None else None
    text = (
        shown_batch(inner.data_)
        if hidden(inner)
        else tensor_repr(
            inner.data_,
            dtype=from_numpy(inner.data_.dtype),
            grad_fn=None if node is None else node.type_name(),
            requires_grad=outside,
            tangent="" if tangent is None else f"{tangent}",
        )
    )
    for level in [level for level in state.levels if level is not dual]:
        if sources_of(tensor, level):
            text = f"GradTrackingTensor(lvl={level.depth}, value=\n{indented(text)}\n)"
    return text


def shown_batch(batch: Batch) -> str:
    """How a tensor prints of which vmap hides a dimension."""
    if batch.at is None:
        return f"{batch.whole}"
    return f"BatchedTensor(lvl={batch.level.depth}, bdim={batch.at}, value=\n{indented(str(batch.whole))}\n)"


def indented(text: str) -> str:
    return textwrap.indent(text, "    ")
