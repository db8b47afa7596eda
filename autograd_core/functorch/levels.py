"""Levels of differentiation inside one another: what func.grad, func.jvp and forward_ad stand on.

At a level, an input is wrapped: a tensor of the same memory whose node is a Source. The graph from a result back to the
sources is the graph of that level; a source's own edge leads on to what the input was outside. A result that leaves the
level is cut: it keeps its graph if that leads to something that wants a gradient outside, else it loses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..engine.state import state
from ..graph.accumulate_grad import AccumulateGrad
from ..graph.edges import gradient_edge
from ..graph.node import Node, Wanted
from ..tensor.storage import Storage, new_storage
from ..tensor.tensor import Tensor, show_as
from .batch import is_hidden
from .batched_tensor import Part, hide


class Level:
    """One transformation, under way between `enter` and `leave`; in it gradients are followed whatever the mode."""

    __slots__ = ("forward", "mode", "depth", "closed", "first_tensor", "first_node")

    closed: bool
    """Whether a tangent is being found: no gradient passes an exit then."""
    first_tensor: int | None
    """The number, for the listener, from which on tensors were made since it was entered; see `of_outside`."""
    first_node: int | None
    """The sequence number of the first source, after which all nodes come that are made in it."""

    def __init__(self, forward: bool = False) -> None:
        self.forward = forward
        self.mode = True
        self.depth = 0
        self.closed = False
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
        if self.level.forward or self.level in state.levels or is_hidden(self.origin):
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
        return [None if self.level.closed else grads[0]]

    graph = raw


class CppFunction(Exit):
    """Where the value of a dual tensor left it, which torch shows: a function of C++ without a type of its own."""

    __slots__ = ()
    __module__ = "builtins"
    __repr__ = object.__repr__

    def type_name(self) -> str:
        return "Identity"


@contextmanager
def enter_level(forward: bool = False) -> Iterator[Level]:
    """A new level for a block, which makes tensors that gradients can be followed through, also in inference mode."""
    level = Level(forward).enter()
    if state.session is not None:
        level.first_tensor = state.session.next_tensor()
    try:
        with without_inference():
            yield level
    finally:
        level.leave()


@contextmanager
def without_inference() -> Iterator[None]:
    """A block without the inference mode that it stands in."""
    before, state.inference = state.inference, False
    try:
        yield
    finally:
        state.inference = before


def counting(storage: Storage) -> Storage:
    """`storage`, or one for its memory that counts writes where itself counts none."""
    if not storage.inference:
        return storage
    counted = new_storage()
    counted.address, counted.boxed = storage.address, storage.boxed
    return counted


def wrap(tensor: Tensor, level: Level, tangent: Tensor | None = None, kind: type[Source] = Source) -> Tensor:
    """`tensor` as an input at `level`."""
    if state.mapped and not (is_hidden(tensor) and tensor.data_.level is state.mapped[-1]):
        tensor = hide(Part(tensor, None), state.mapped[-1])
    source = kind([gradient_edge(tensor)], ((tensor.data_.shape, tensor.data_.dtype),))
    source.level, source.origin, source.tangent = level, tensor, tangent
    if level.first_node is None:
        level.first_node = source.sequence_nr
    wrapped = show_as(tensor, tensor.array())
    wrapped.node = source
    wrapped.storage_ = counting(tensor.shared_storage())
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


def leaves_matter() -> bool:
    """Whether gradients were followed where the outermost level that is under way was entered."""
    return not state.levels or state.levels[0].mode


def leads_outside(tensor: Tensor, level: Level | None) -> bool:
    """Whether the graph of `tensor` ends in a leaf, or in a source of another level that is under way."""
    if is_hidden(tensor) and leads_outside(tensor.data_.whole, level):
        return True
    if tensor.meta is not None and tensor.grad_fn is None:
        return tensor.requires_grad
    leaves = leaves_matter()
    return any(
        (leaves and isinstance(node, AccumulateGrad))
        or (isinstance(node, Source) and node.level is not level and node.level in state.levels)
        for node in nodes_below(tensor.grad_fn)
    )


def wants_gradient(tensor: Tensor) -> bool:
    """Whether `tensor` needs a gradient, and not only a tangent."""
    if is_hidden(tensor) and wants_gradient(tensor.data_.whole):
        return True
    if tensor.grad_fn is None:
        return tensor.requires_grad
    leaves = leaves_matter()
    return any(
        (leaves and isinstance(node, AccumulateGrad)) or (isinstance(node, Source) and is_backward(node.level))
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
    outside = show_as(value, value.array())
    outside.storage_ = value.shared_storage()
    return outside


def exit_level(value: Tensor, level: Level, kind: type[Exit] = Exit) -> Tensor:
    """`value` as it is outside of `level`, which goes on."""
    outside: Tensor = cut(value, level)
    if outside.requires_grad and (kind is CppFunction or sources_of(outside, level)):
        node = kind([gradient_edge(outside)], ((outside.data_.shape, outside.data_.dtype),))
        node.level = level
        outside = show_as(outside, outside.array())
        outside.node = node
        outside.storage_ = value.shared_storage()
    return outside
