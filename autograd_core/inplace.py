"""In-place variants: the same entry of the table, with the result written over its first argument."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import errors, events, tell
from .batch import hidden
from .graph import FLOAT, Node, Wanted, gradient_edge
from .levels import Source
from .state import special, state
from .tensor import Array, Tensor, plain
from .views import current_grad_fn, geometry, strided


def check_writable(target: Tensor) -> None:
    """Whether `target` may be written in place now.

    Raises:
        RuntimeError: it is a leaf that requires grad, or a view that may not be written.
    """
    if isinstance(target.node, Source) and not target.node.level.forward:
        raise RuntimeError(errors.LEAF_IN_PLACE)
    if state.grad_enabled and target.requires_grad:
        check_history(target)
    if isinstance(target.data_, np.ndarray) and 0 in target.data_.strides and target.data_.size > 1:
        refuse_overlap(target.data_)


def check_history(target: Tensor) -> None:
    """Whether `target`, which requires grad, may get a new history.

    Raises:
        RuntimeError: it is a leaf, or a view that may not be written.
    """
    look = target.meta.view if target.meta is not None else None
    if look is not None:
        refuse_view(target)
        if look.base.is_leaf:
            raise RuntimeError(errors.VIEW_OF_LEAF_IN_PLACE)
    elif target.is_leaf:
        raise RuntimeError(errors.LEAF_IN_PLACE)


def refuse_view(target: Tensor) -> None:
    """Refuse to write a view that was made in a way that forbids it."""
    look = target.meta.view if target.meta is not None else None
    if look is not None and look.creation != "normal":
        name = target.node.name() if target.node is not None else None
        raise RuntimeError(errors.view_in_place(look.creation, name, target.output_nr))


def refuse_overlap(data: np.ndarray[Any, Any]) -> None:
    if any(step == 0 and size > 1 for step, size in zip(data.strides, data.shape, strict=True)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


def in_place(function: Callable[..., Any], target: Tensor, *args: Any, **options: Any) -> Tensor:
    """`target.op_(...)` for the operator that `function` calls: write, count, and give `target` its new history."""
    if state.mapped and any(map(hidden, (target, *args))):
        from .batching.writing import written

        return written(function, target, args, options)
    check_writable(target)
    if state.grad_enabled and any(isinstance(a, Tensor) and a.requires_grad for a in args):
        refuse_view(target)
    if state.usual and not (state.grad_enabled and any_needs_grad(target, args)):
        return overwritten(target, function(target, *args, **options).data_)
    op = function.op  # type: ignore[attr-defined]
    before = plain(target.data_)
    tracked = state.grad_enabled and any_needs_grad(target, (*args, *options.values()))
    if tracked:
        before.node, before.output_nr = gradient_edge(target)
    kept = op.node_class is not None and "self" in op.kept()
    if kept and tracked:
        before.data_ = target.data_.copy()
    value = quietly(function, before, *args, **options)
    fits(target, value)
    target.overwrite(value)
    target.bump()
    given = bound(op, (before, *args), options)
    if tracked:
        rebase(target, lambda holder: link(op, given, holder, before, target, kept))
    tell.written(target, op.name, [t for t in given.values() if isinstance(t, Tensor) and t is not before])
    return target


def at_once(op: Any, ufunc: Any, target: Tensor, other: Any) -> bool:
    """Write what `op`, numpy's `ufunc`, makes of `target` and `other`, if they are alike and no graph is made of it.

    The other cases are for `in_place`.
    """
    fields, tape = state.__dict__, None
    if special and not fields["usual"]:
        tape = fields["tape"]
        if tape is None:
            return False
    if target.node is not None or fields["mapped"]:
        return False
    mine = target.data_
    theirs = other.data_ if other.__class__ is Tensor else other
    if mine.__class__ is not np.ndarray or theirs.__class__ is not np.ndarray or mine.dtype is not theirs.dtype:
        return False
    if mine.shape != theirs.shape or 0 in mine.strides or (mine.dtype is not FLOAT and mine.dtype.kind != "f"):
        return False
    if fields["grad_enabled"] and (target.requires_grad or other.requires_grad):
        return False
    if tape is not None:
        if other.__class__ is not Tensor:
            return False
        if tape.reserve is not None:
            tape.reserve(op.name, (mine, theirs))
    ufunc(mine, theirs, mine)
    target.bump()
    if tape is not None and not tape.wrote_alone(target, op.name, other):
        tell.written(target, op.name, (other,))
    return True


@contextmanager
def as_before(target: Tensor, given: Iterable[Any]) -> Iterator[None]:
    """Let operands that show the memory of `target` have the history that they had before it was written."""
    looks = [
        t.meta.view
        for t in given
        if isinstance(t, Tensor) and t.meta is not None and t.meta.view and t.storage_ is target.storage_
    ]
    now = target.shared_storage().count()
    stale = [look for look in looks if look.version == now - 1]
    for look in stale:
        look.version = now
    try:
        yield
    finally:
        for look in stale:
            look.version = now - 1


def any_needs_grad(target: Tensor, args: Sequence[Any]) -> bool:
    return target.requires_grad or any(isinstance(a, Tensor) and a.requires_grad for a in args)


def overwritten(target: Tensor, value: Array) -> Tensor:
    """`target` with `value` written over it: all that a write is where no graph is made and nobody is told."""
    data = target.data_
    if value.shape != data.shape or value.dtype is not data.dtype:
        fits(target, value)
    target.overwrite(value)
    target.bump()
    return target


def bound(op: Any, args: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, numbers wrapped where a tensor is expected."""
    from .operands import operand

    call = op.signature.bind(*args, **options)
    call.apply_defaults()
    given = dict(call.arguments)
    for name in op.tensors:
        if name in given:
            given[name] = operand(given[name], op, name)
    return given


def quietly(function: Callable[..., Any], *args: Any, **options: Any) -> Array:
    """The array that `function` gives, with no graph and nobody told."""
    grad_mode, state.grad_enabled = state.grad_enabled, False
    session, state.session = state.session, None
    try:
        return function(*args, **options).data_
    finally:
        state.grad_enabled, state.session = grad_mode, session


def fits(target: Tensor, value: Array) -> None:
    """Whether `value` may be written over `target`.

    Raises:
        RuntimeError: another shape, or a dtype that the target cannot take.
    """
    if value.shape != target.data_.shape:
        raise RuntimeError(
            f"output with shape {errors.sizes(target.data_.shape)} doesn't match the broadcast shape "
            f"{errors.sizes(value.shape)}"
        )
    here, there = target.data_.dtype, value.dtype
    order = "biufc"
    if order.index(there.kind) > order.index(here.kind) and not (there.kind in "iu" and here.kind in "iu"):
        raise RuntimeError(
            f"result type {errors.type_name(there)} can't be cast to the desired output type {errors.type_name(here)}"
        )


def link(op: Any, given: dict[str, Any], holder: Tensor, before: Tensor, target: Tensor, kept: bool) -> Node | None:
    """Make the node of the operator, with `holder` in the place of its result."""
    if op.node_class is None:
        return None
    session = state.session
    if session is not None:
        if kept:
            session.made(before, "clone", (target,))
        else:
            session.same(before, target)
        session.same(holder, target)
    with as_before(target, given.values()):
        node: Node | None = op.link(*given.values(), (holder,), holder)
    for slot in node.slots if node is not None else ():
        saved = getattr(node, f"saved_{slot}")
        if saved is before and kept:
            setattr(node, f"saved_{slot}", cloned(before))
        elif isinstance(saved, Tensor) and saved.storage_ is target.storage_:
            setattr(node, f"version_{slot}", getattr(node, f"version_{slot}") - 1)  # it was saved before the write
    return node


def cloned(before: Tensor) -> Tensor:
    """What torch keeps of a tensor that is about to be written: a clone, with a node of its own."""
    from .ops.shape import clone

    session, state.session = state.session, None
    try:
        copy: Tensor = clone(before)
    finally:
        state.session = session
    if session is not None:
        session.same(copy, before)
    return copy


def rebase(target: Tensor, make_node: Callable[[Tensor], Node | None]) -> None:
    """Give `target`, just written, the history that `make_node` makes; a view's base gets a CopySlices around it."""
    if not state.grad_enabled:
        return
    holder = plain(target.data_)
    holder.storage_ = target.shared_storage()
    look = target.meta.view if target.meta is not None else None
    session = state.session
    if look is not None and session is not None:
        state.session = None
    try:
        node = make_node(holder)
    finally:
        state.session = session
    if node is not None:
        rebase_onto(target, node, holder.output_nr)


def rebase_onto(target: Tensor, node: Node, output_nr: int = 0) -> None:
    """Make `node` the history of `target`, which it just wrote; a view's base gets it inside a CopySlices."""
    look = target.meta.view if target.meta is not None else None
    if look is None:
        before = target.node
        target.node, target.output_nr = node, output_nr
        move_retain(target, before, node)
        tell_rebased(target, before, node)
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
    current_grad_fn(target)  # torch remakes the written view's grad_fn at once, other views' when they are read


def move_retain(tensor: Tensor, before: Node | None, node: Node) -> None:
    """retain_grad follows the tensor to its new node; other hooks stay with the old one."""
    if not tensor.retains_grad:
        return
    if before is not None and before.hooks is not None:
        for nr, ref in list(before.hooks.retain.items()):
            if ref() is tensor:
                del before.hooks.retain[nr]
    node.own_hooks().retain[tensor.output_nr] = weakref.ref(tensor)


def tell_rebased(tensor: Tensor, before: Node | None, node: Node) -> None:
    session = state.session
    if session is not None:
        old = None if before is None else session.node(before)
        session.emit((events.HistoryRebased, session.tensor(tensor), old, session.node(node)))


class CopySlices(Node):
    """A write into part of a base: the gradient of that part goes through the inner node, the rest passes.

    The first edge leads to what the base was before, the others are those of the inner node.
    """

    __slots__ = ("inner", "size", "stride", "offset", "look")
    op_name = "copy_slices"
    writes = (2,)

    inner: Node

    def __init__(self, base: Tensor, view: Tensor, inner: Node) -> None:
        edges = [gradient_edge(base), *zip(inner.next[1:], inner.nrs[1:], strict=True)]
        super().__init__(edges, ((base.data_.shape, base.data_.dtype),))
        self.inner = inner
        look = view.meta.view if view.meta is not None else None
        self.look = look if hidden(base) else None
        self.size, self.stride, self.offset = geometry(view) if self.look is None else ((), (), 0)

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        self.check()
        whole = np.array(grads[0], order="C")
        part = strided(whole, self.size, self.stride, self.offset)
        inner = self.inner.raw((part.copy(),), (self.inner.next[0], *wanted[1:]))
        part[...] = 0 if inner[0] is None else inner[0]
        return [None if wanted[0] is None else whole, *inner[1:]]

    def graph(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        from .ops.elementwise import copy
        from .ops.shape import as_strided, clone

        self.check()
        if self.look is not None:
            from .batching.writing import through_view

            return through_view(self, self.look, grads, wanted)  # type: ignore[arg-type]
        data = grads[0].data_
        whole = (
            clone(grads[0], True)
            if hidden(grads[0])
            else in_place(copy, plain(np.empty(data.shape, data.dtype)), grads[0])
        )
        part = as_strided(whole, self.size, self.stride, self.offset)
        inner = self.inner.graph((clone(part),), (self.inner.next[0], *wanted[1:]))
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
        self.freed = True
        self.inner.release()

    def keeps(self) -> list[str]:
        return self.inner.keeps()

    def saved_nbytes(self, slot: str) -> int:
        return self.inner.saved_nbytes(slot)

    def saved_flights(self, session: tell.Session, number: int | None = None) -> Any:
        yield from self.inner.saved_flights(session, session.node(self))
