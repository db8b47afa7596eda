"""In-place variants: the same entry of the table, with the result written over its first argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import errors
from ..engine.state import special, state
from ..events import session as tell
from ..functorch.batch import is_hidden
from ..functorch.levels import Source, innermost, of_outside
from ..graph.copy_slices import rebase
from ..graph.edges import gradient_edge
from ..graph.node import FLOAT, Node
from ..tensor.memory_overlap import refuse_overlap
from ..tensor.tensor import Array, LazyView, Tensor, plain
from .operands import operand
from .registry import call, callbacks


def check_writable(target: Tensor, operator: str = "") -> None:
    """Whether `target` may be written in place now, by the operator of this name in the table.

    Raises:
        RuntimeError: it is a leaf that requires grad, or a view that may not be written.
    """
    if state.levels and operator:
        refuse_captured(target, operator)
    if isinstance(target.node, Source) and not target.node.level.forward:
        raise RuntimeError(errors.LEAF_IN_PLACE)
    if state.grad_enabled and target.requires_grad:
        check_history(target)


def refuse_captured(target: Tensor, operator: str) -> None:
    """Refuse to write what was made outside, or a view of it, while a function is transformed.

    Raises:
        RuntimeError: it was.
    """
    level = innermost()
    look = target.meta.view if target.meta is not None else None
    if level is not None and of_outside(target if look is None else look.base, level):
        name, dot, overload = operator.partition(".")
        raise RuntimeError(errors.CAPTURED_IN_PLACE.format(f"{name}_{dot}{overload}"))


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


def in_place(function: Callable[..., Any], target: Tensor, *args: Any, **options: Any) -> Tensor:
    """`target.op_(...)` for the operator that `function` calls: write, count, and give `target` its new history."""
    if state.mapped and any(map(is_hidden, (target, *args))):
        return callbacks.write_batched(function, target, args, options)
    op = function.op  # type: ignore[attr-defined]
    check_writable(target, op.name)
    if state.grad_enabled and any(isinstance(a, Tensor) and a.requires_grad for a in args):
        refuse_view(target)
    refuse_overlap(op.name, target, (*args, *options.values()))
    if state.usual and not (state.grad_enabled and any_needs_grad(target, args)):
        return overwrite(target, function(target, *args, **options).data_)
    before = plain(target.data_)
    tracked = state.grad_enabled and any_needs_grad(target, (*args, *options.values()))
    if tracked and state.saved_hooks:
        args = tuple(copy_before_write(a) if isinstance(a, Tensor) and shares(a, target) else a for a in args)
    if tracked:
        before.node, before.output_nr = gradient_edge(target)
    kept = op.node_class is not None and "self" in op.kept()
    if kept and tracked:
        before.data_ = target.data_.copy()
    value = quietly(function, before, *args, **options)
    fits(target, value)
    target.overwrite(value)
    target.bump()
    given = bind_arguments(op, (before, *args), options)
    if tracked:
        rebase(target, lambda holder: link(op, given, holder, before, target, kept))
    tell.emit_write(target, op.name, [t for t in given.values() if isinstance(t, Tensor) and t is not before])
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
    if target.node is not None or target.__class__ is LazyView or fields["mapped"] or fields["levels"]:
        return False
    mine = target.data_
    theirs = other.data_ if other.__class__ is Tensor else other
    if mine.__class__ is not np.ndarray or theirs.__class__ is not np.ndarray or mine.dtype is not theirs.dtype:
        return False
    if mine.shape != theirs.shape or 0 in mine.strides or (mine.dtype is not FLOAT and mine.dtype.kind != "f"):
        return False
    if fields["grad_enabled"] and (target.requires_grad or other.requires_grad):
        return False
    if target.storage_ is not None and other.__class__ is Tensor and other.storage_ is not None:
        refuse_overlap(op.name, target, (other,))
    if tape is not None:
        if other.__class__ is not Tensor:
            return False
        if tape.reserve is not None:
            tape.reserve(op.name, (mine, theirs))
    ufunc(mine, theirs, mine)
    target.bump()
    if tape is not None and not tape.wrote_alone(target, op.name, other):
        tell.emit_write(target, op.name, (other,))
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


def shares(tensor: Tensor, target: Tensor) -> bool:
    """Whether both show one memory."""
    return tensor is target or (tensor.storage_ is not None and tensor.storage_ is target.storage_)


def copy_before_write(tensor: Tensor) -> Tensor:
    """What an operand is before its memory is written, for the hooks that are asked after the write."""
    copy = plain(np.copy(tensor.data_)[()])
    if tensor.requires_grad:
        copy.node, copy.output_nr = gradient_edge(tensor)
    return copy


def any_needs_grad(target: Tensor, args: Sequence[Any]) -> bool:
    return target.requires_grad or any(isinstance(a, Tensor) and a.requires_grad for a in args)


def overwrite(target: Tensor, value: Array) -> Tensor:
    """`target` with `value` written over it: all that a write is where no graph is made and nobody is told."""
    data = target.data_
    if value.shape != data.shape or value.dtype is not data.dtype:
        fits(target, value)
    target.overwrite(value)
    target.bump()
    return target


def bind_arguments(op: Any, args: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, numbers wrapped where a tensor is expected."""
    arguments = op.signature.bind(*args, **options)
    arguments.apply_defaults()
    given = dict(arguments.arguments)
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
    errors.check_fits(target.data_.shape, value.shape)
    errors.check_cast(value.dtype, target.data_.dtype)


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
            setattr(node, f"saved_{slot}", clone_before_write(before))
        elif isinstance(saved, Tensor) and saved.storage_ is target.storage_:
            setattr(node, f"version_{slot}", getattr(node, f"version_{slot}") - 1)  # it was saved before the write
    return node


def clone_before_write(before: Tensor) -> Tensor:
    """What torch keeps of a tensor that is about to be written: a clone, with a node of its own."""
    session, state.session = state.session, None
    try:
        copy: Tensor = call("clone", before)
    finally:
        state.session = session
    if session is not None:
        session.same(copy, before)
    return copy
