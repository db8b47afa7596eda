"""The history of a tensor that was written: its new node, and for a view a CopySlices around it in the base's graph."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .. import errors, events
from ..dispatch.registry import call
from ..engine.state import state
from ..events import session as tell
from ..functorch.batch import Batch, Level, is_hidden
from ..tensor.memory_overlap import refuse_repeats
from ..tensor.tensor import Tensor, plain
from ..tensor.views import ReplayedView, current_grad_fn, geometry, laid_out, move_retain, steps_of, strided_window
from .edges import gradient_edge
from .node import Node, Wanted
from .saved_tensor import SavedResult


def rebase(target: Tensor, make_node: Callable[[Tensor], Node | None], seen_otherwise: bool = False) -> None:
    """Give `target`, just written, the history that `make_node` makes; a view's base gets a CopySlices around it.

    Where only its shape is `seen_otherwise`, no element was written: the node is the view's own, and its base's stays.
    """
    if not state.grad_enabled:
        return
    holder = plain(target.data_)
    holder.storage_ = target.shared_storage()
    look = target.meta.view if target.meta is not None else None
    session = state.session
    if look is not None and seen_otherwise:
        look.version, look = holder.storage_.count(), None
    if look is not None and session is not None:
        state.session = None
    try:
        node = make_node(holder)
    finally:
        state.session = session
    if node is None:
        return
    if look is None:
        continue_with(target, node, holder.output_nr, not seen_otherwise)
    else:
        rebase_onto(target, node)


def continue_with(target: Tensor, node: Node, output_nr: int, retaining: bool = True) -> None:
    """Make `node` the history of `target` itself, and that whose gradient retain_grad keeps, if so."""
    before = target.node
    target.node, target.output_nr = node, output_nr
    if retaining:
        move_retain(target, before, node)
    tell_rebased(target, before, node)


def rebase_onto(target: Tensor, node: Node, output_nr: int = 0) -> None:
    """Make `node` the history of `target`, which it just wrote; a view's base gets it inside a CopySlices."""
    look = target.meta.view if target.meta is not None else None
    if look is None:
        continue_with(target, node, output_nr)
        return
    base = look.base
    before = base.node
    slices = CopySlices(base, target, node)
    session = state.session
    if session is not None:
        # What the inner node does is told of the outer one, which alone is in the graph.
        session.watch(node, session.nodes, session.node_made(slices, "copy_slices", (base,)), None)
    base.node, base.output_nr = slices, 0
    move_retain(base, before, slices)
    tell_rebased(base, before, slices)
    made_anew = current_grad_fn(target)  # torch remakes the written view's grad_fn at once, others when they are read
    if made_anew is not None:
        for slot in node.slots:
            if isinstance(kept := node.kept_in(slot), SavedResult):
                kept.seen_as = weakref.ref(made_anew)


def tell_rebased(tensor: Tensor, before: Node | None, node: Node) -> None:
    session = state.session
    if session is not None:
        old = None if before is None else session.node(before)
        session.emit((events.HistoryRebased, session.tensor(tensor), old, session.node(node)))


class CopySlices(Node):
    """A write into part of a base: the gradient of that part goes through the inner node, the rest passes.

    The first edge leads to what the base was before, the others are those of the inner node. The gradient is laid out
    in the `steps` of the base, so that the part is found in it.
    """

    __slots__ = ("inner", "steps", "size", "stride", "offset", "look")
    op_name = "copy_slices"
    writes = (2,)

    inner: Node

    def __init__(self, base: Tensor, view: Tensor, inner: Node) -> None:
        edges = [gradient_edge(base), *zip(inner.next[1:], inner.nrs[1:], strict=True)]
        super().__init__(edges, ((base.data_.shape, base.data_.dtype),))
        self.inner = inner
        look = view.meta.view if view.meta is not None else None
        self.look = look if is_hidden(base) or isinstance(look, ReplayedView) else None
        self.steps = steps_of(base.data_)
        self.size, self.stride, self.offset = geometry(view) if self.look is None else ((), (), 0)

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        self.check()
        if isinstance(self.look, ReplayedView):
            return arrays_through_view(self, self.look, grads, wanted)
        whole = laid_out(grads[0].shape, self.steps, grads[0].dtype)
        whole[...] = grads[0]
        part = strided_window(whole, self.size, self.stride, self.offset)
        inner = self.inner.raw((part.copy(),), (self.inner.next[0], *wanted[1:]))
        if inner[0] is not None:
            refuse_repeats(part)
        part[...] = 0 if inner[0] is None else inner[0]
        return [None if wanted[0] is None else whole, *inner[1:]]

    def graph(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        self.check()
        if isinstance(self.look, ReplayedView):
            return through_view(self, self.look, grads, wanted)
        data = grads[0].data_
        whole = (
            call("clone", grads[0], True)
            if is_hidden(grads[0])
            else plain(laid_out(data.shape, self.steps, data.dtype)).copy_(grads[0])
        )
        part = call("as_strided", whole, self.size, self.stride, self.offset)
        inner = self.inner.graph((call("clone", part),), (self.inner.next[0], *wanted[1:]))
        if inner[0] is None:
            part.zero_()
        else:
            part.copy_(inner[0])
        return [None if wanted[0] is None else whole, *inner[1:]]

    def check(self) -> None:
        """Whether the inner node is still there; it goes with the first run, whatever it kept."""
        if self.freed:
            raise RuntimeError(errors.SECOND_BACKWARD)

    def release(self) -> None:
        """Let go of the inner node as a whole: where a second derivative leads to it, it keeps what it has."""
        if not self.freed:
            self.freed = True
            del self.inner

    def keeps(self) -> list[str]:
        return [] if self.freed else self.inner.keeps()

    def saved_nbytes(self, slot: str) -> int:
        return self.inner.saved_nbytes(slot)

    def saved_flights(self, session: tell.Session, number: int | None = None) -> Any:
        yield from self.inner.saved_flights(session, session.node(self))


def levels_of(tensor: Tensor) -> set[Level]:
    """The vmaps that hide a dimension of `tensor`."""
    found: set[Level] = set()
    data = tensor.data_
    while isinstance(data, Batch):
        if data.at is not None:
            found.add(data.level)
        data = data.whole.data_
    return found


def arrays_through_view(node: CopySlices, look: ReplayedView, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
    """`through_view` where no graph is made: nobody is told of the tensors on the way."""
    session, state.session = state.session, None
    try:
        found = through_view(node, look, [plain(grad) for grad in grads], wanted)
    finally:
        state.session = session
    return [getattr(part, "data_", part) for part in found]


def through_view(node: CopySlices, look: ReplayedView, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
    """The gradients of a CopySlices whose part is taken again: of the base before, and of what was written."""
    whole = call("clone", grads[0])
    inner = node.inner.graph((call("clone", look.taken_of(whole)),), (node.inner.next[0], *wanted[1:]))
    if inner[0] is not None and not levels_of(inner[0]) <= levels_of(whole):
        whole = call("add", whole, call("sum", call("zeros_as", inner[0])))  # one for each example from here on
    shown = look.taken_of(whole)
    came = call("zeros_as", shown) if inner[0] is None else inner[0]
    shown.copy_(came)
    return [None if wanted[0] is None else whole, *inner[1:]]
