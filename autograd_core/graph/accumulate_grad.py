"""How a gradient gets into a leaf's `.grad`: taken over, copied, added in place, or added anew under create_graph."""

from __future__ import annotations

import sys
import weakref
from typing import Any

import numpy as np

from .. import errors, events
from ..dispatch.registry import call, callbacks
from ..engine.grad_validation import dense
from ..engine.state import LAST, singular, state
from ..engine.warnings import warn_once
from ..events import session as tell
from ..functorch.batch import is_hidden
from ..tensor.memory_overlap import refuse_repeats
from ..tensor.tensor import Meta, Tensor, plain
from ..tensor.views import laid_out, steps_of
from .node import FLOAT, Grads, Node, Wanted, known_floats, outs_of

OWN_REFERENCES = 3
"""References to a gradient that nobody else holds, as `store_first` sees it: its callers', its own, getrefcount's."""


class AccumulateGrad(Node):
    """The end of the way to a leaf: adds what comes to the leaf's `.grad`.

    It holds its leaf; the leaf holds it only weakly, so it lives as long as a graph uses it.
    """

    __slots__ = ("variable",)
    op_name = "AccumulateGrad"

    variable: Tensor
    next = ()
    nrs = ()

    __init__ = object.__init__  # `new_accumulator` makes them

    def variable_or_none(self) -> Tensor | None:
        return self.variable

    def graph(self, grads: Grads, wanted: Wanted) -> list[Any]:
        """What a call by hand does; in a backward the engine sees to it."""
        grad = grads[0]
        if grad is not None:
            accumulate(self, grad if state.grad_enabled else grad.data_, -1, state.grad_enabled)
        return []


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The AccumulateGrad of `leaf`, made at first use and again after the last graph that used it has gone."""
    meta = leaf.meta or leaf.own_meta()
    node: AccumulateGrad | None = meta.accumulator() if meta.accumulator is not None else None
    return new_accumulator(leaf, meta) if node is None else node


def new_accumulator(leaf: Tensor, meta: Meta) -> AccumulateGrad:
    """One for a leaf that has none, or none any more."""
    node: AccumulateGrad = AccumulateGrad()
    node.variable = leaf
    node.sequence_nr = LAST
    node.hooks = None
    node.freed = False
    data = leaf.data_
    try:
        node.outs = known_floats[data.shape] if data.dtype is FLOAT else outs_of(data.shape, data.dtype)
    except KeyError:
        node.outs = outs_of(data.shape, data.dtype)
    meta.accumulator = weakref.ref(node)
    if singular and state.session is not None:
        state.session.accumulator_made(node, leaf)
    return node


callbacks.accumulator = accumulator


def accumulate(node: AccumulateGrad, grad: Any, call_number: int, create_graph: bool, version: int = 0) -> None:
    """Add `grad` (an array, or a tensor under create_graph) to the `.grad` of the node's leaf.

    `version` is how often its buffer was written while it was added up; a gradient that is taken over keeps it.
    """
    leaf = node.variable
    if not leaf.requires_grad:  # it did when the graph was made
        return
    meta = leaf.own_meta()
    before = meta.grad
    session = state.session
    was = None if before is None or session is None else tell.value(before)
    came = tell.value(grad) if session is not None else None
    if before is None:
        held = node.hooks is not None and bool(node.hooks.post)
        how = store_first(leaf, grad, create_graph, version, held)
    elif create_graph:
        meta.grad, how = hide_from_collector(before + grad), "anew"
        look_at_layout(meta.grad, leaf, how)
    else:
        how = add_in_place(before, grad)
        look_at_layout(before, leaf, how)
    if session is not None:
        now = meta.grad
        assert now is not None
        session.made(now, "grad", ())
        session.emit(
            (events.GradStored, call_number, session.number(leaf), how, session.number(now), was, came, tell.value(now))
        )
    if meta.post_hooks:
        for hook in list(meta.post_hooks.values()):
            given = hook(leaf)
            if isinstance(given, Tensor) and given is not leaf:
                if given.data_.shape != leaf.data_.shape:
                    raise RuntimeError(errors.CHANGED_SIZE.format(getattr(hook, "__name__", type(hook).__name__)))
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")
            if given is not None and given is not leaf:
                raise TypeError(f"expected Variable, but hook returned '{type(given).__name__}'")
            if session is not None:
                session.emit((events.HookRan, "post_accumulate", session.node(node), session.tensor(leaf), came, None))


def store_first(leaf: Tensor, grad: Any, create_graph: bool, version: int, held: bool) -> str:
    """The first gradient of `leaf`: taken over if nobody else has it and it is laid out like the leaf, else copied.

    `held` says that the engine keeps it for hooks.
    """
    meta = leaf.own_meta()
    if create_graph:
        meta.grad = hide_from_collector(copied_in_graph(grad, leaf.data_))
        return "copied"
    if sys.getrefcount(grad) <= OWN_REFERENCES + 1 + held and laid_out_alike(grad, leaf.data_):
        meta.grad = plain(grad, version=version)
        return "taken"
    copy, writes = copied_for(grad, leaf.data_)
    meta.grad = plain(copy, version=writes)
    return "copied"


def hide_from_collector(grad: Tensor) -> Tensor:
    """`grad`, its graph held out of sight of Python's collector; see Note [The cycle that stays].

    Note [The cycle that stays]. Under create_graph a leaf holds its gradient, whose graph holds the leaf. Torch's
    references for that are C++'s, so Python's collector cannot see that they go round in a circle, and what they hold
    stays until the `.grad` is taken away: of this torch warns. Here the gradient has a second reference to its node,
    from an array of objects, which the collector does not look into.
    """
    if grad.node is not None:
        held = np.empty(1, object)
        held[0] = grad.node
        grad.own_meta().out_of_sight = held
    return grad


def laid_out_alike(grad: Any, data: Any) -> bool:
    """Whether `grad` lies in memory as a gradient of `data` should: as `data` does, or in rows if that has gaps.

    Of a dimension with one element the stride says nothing, unless it is 0: then the element was a number once.
    """
    if not isinstance(grad, np.ndarray):
        return True
    if grad.size == 1 and 0 in grad.strides:
        return False
    if grad.flags.c_contiguous and data.flags.c_contiguous:
        return True
    if not dense(data):
        return grad.flags.c_contiguous
    steps = zip(grad.shape, grad.strides, data.strides, strict=True)
    return all(size == 1 or one == other for size, one, other in steps)


def copied_for(grad: Any, data: Any) -> tuple[Any, int]:
    """A copy of `grad` that lies as a gradient of `data` should, and how often torch wrote it: empty memory is written
    by copy_, while a clone in rows is not written again.
    """
    if not isinstance(grad, np.ndarray):
        return grad, 1
    if data.flags.c_contiguous or not dense(data):
        return np.array(grad, order="C"), int(data.flags.c_contiguous)
    copy = laid_out(grad.shape, steps_of(data), grad.dtype)
    copy[...] = grad
    return copy, 1


def copied_in_graph(grad: Any, data: Any) -> Any:
    """A copy made as torch makes the first `.grad` of a leaf with `data` under create_graph: an empty tensor that lies
    as `data` does, written by copy_; or a clone in rows if that has gaps.
    """
    if is_hidden(grad):
        return call("clone", grad)
    if not dense(data):
        return call("clone", grad, True)
    return plain(laid_out(grad.data_.shape, steps_of(data), grad.data_.dtype)[()]).copy_(grad)


def look_at_layout(held: Tensor, leaf: Tensor, how: str) -> None:
    """Warn, once for each way to add, of a sum held in `.grad` that does not lie as the gradient of its leaf should."""
    if not laid_out_alike(held.data_, leaf.data_):
        warn_once(f"layout {how}", errors.layout(held.data_, leaf.data_), of_caller=False)


def add_in_place(before: Tensor, grad: Any) -> str:
    data = before.data_
    refuse_repeats(data)
    if data.__class__ is np.ndarray and data.dtype is grad.dtype and not state.saved_hooks and not state.bfloat16:
        np.add(data, grad, out=data)
    else:
        before.overwrite(data + grad)
    before.bump()
    if state.session is not None:
        tell.emit_write(before, "add.Tensor")
    return "in_place"
