"""How a gradient gets into a leaf's `.grad`: taken over, copied, added in place, or added anew under create_graph."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import events, tell
from .graph import AccumulateGrad
from .state import state
from .tensor import Tensor, plain

OWN_REFERENCES = 3
"""References to a gradient that nobody else holds, as `store_first` sees it: its callers', its own, getrefcount's."""


def accumulate(node: AccumulateGrad, grad: Any, call: int, create_graph: bool, version: int = 0) -> None:
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
        meta.grad, how = unseen(before + grad), "anew"
    else:
        how = add_in_place(before, grad)
    if session is not None:
        now = meta.grad
        assert now is not None
        session.made(now, "grad", ())
        session.emit(
            (events.GradStored, call, session.number(leaf), how, session.number(now), was, came, tell.value(now))
        )
    if meta.post_hooks:
        for hook in list(meta.post_hooks.values()):
            given = hook(leaf)
            if isinstance(given, Tensor):
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")
            if given is not None:
                raise TypeError(f"expected Variable, but hook returned '{type(given).__name__}'")
            if session is not None:
                session.emit((events.HookRan, "post_accumulate", session.node(node), session.tensor(leaf), came, None))


def store_first(leaf: Tensor, grad: Any, create_graph: bool, version: int, held: bool) -> str:
    """The first gradient of `leaf`: taken over if nobody else has it and it is laid out like the leaf, else copied.

    `held` says that the engine keeps it for hooks.
    """
    meta = leaf.own_meta()
    if create_graph:
        from .ops.shape import copied

        meta.grad = unseen(copied(grad))
        return "copied"
    if sys.getrefcount(grad) <= OWN_REFERENCES + 1 + held and laid_out_alike(grad, leaf.data_):
        meta.grad = plain(grad, version=version)
        return "taken"
    meta.grad = plain(grad.copy() if isinstance(grad, np.ndarray) else grad, version=1)  # torch writes it with copy_
    return "copied"


def unseen(grad: Tensor) -> Tensor:
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
    """Whether the strides of `grad` are those that torch would give a gradient of `data`."""
    if not isinstance(grad, np.ndarray):
        return True
    return bool(grad.strides == data.strides or (grad.flags.c_contiguous and data.flags.c_contiguous))


def add_in_place(before: Tensor, grad: Any) -> str:
    data = before.data_
    if data.__class__ is np.ndarray and data.dtype is grad.dtype:
        np.add(data, grad, out=data)
    else:
        before.overwrite(data + grad)
    before.bump()
    if state.session is not None:
        tell.written(before, "add.Tensor")
    return "in_place"
