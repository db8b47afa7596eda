"""Gradients on their way: added up, as tensors for programs, and what a program's hooks may make of them; the queue of
nodes for which all have come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors, events
from ..dispatch.registry import call
from ..events import session as tell
from ..graph.accumulate_grad import hide_from_collector
from ..graph.node import Node
from ..tensor.storage import InferenceStorage
from ..tensor.tensor import Tensor, View, bare, plain
from .grad_validation import dense
from .state import special, state

ALONE = 3
"""References to a gradient that only a buffer holds, as `added` sees it: the buffer's, its own, getrefcount's."""


def add_grads(buffer: list[Any], nr: int, grad: Any) -> tuple[Any, bool]:
    """The sum of two arrays, and whether torch would have written it over the first.

    It does where it holds the last reference to a dense one; here the first is written over only in name, as scalars
    can't be.
    """
    before = buffer[nr]
    alone = sys.getrefcount(before) <= ALONE and dense(before)
    if alone and isinstance(before, np.ndarray) and before.base is not None:
        alone = False  # a view, whose base holds the memory too
    if alone and isinstance(before, np.ndarray) and before.strides != grad.strides:
        return np.add(before, grad, out=np.empty_like(before)), alone  # laid out as what is written over
    return before + grad, alone


def as_tensor(grad: Any, version: int = 0) -> Tensor:
    """A gradient as programs see it: a view where a formula made one, as in torch."""
    if isinstance(grad, Tensor):
        return grad
    result = plain(grad, version=version)
    if special and state.inference:
        result.storage_ = InferenceStorage()
        return result
    stretched = isinstance(grad, np.ndarray) and 0 in grad.strides and grad.size > 1
    if stretched or (isinstance(grad, np.ndarray) and isinstance(grad.base, np.ndarray)):
        base = plain(grad.base if isinstance(grad.base, np.ndarray) else grad.reshape(-1)[:1])
        base.storage_ = result.shared_storage()
        result.own_meta().view = View(base, version, "no_grad")
    return result


def as_tensors(grads: Sequence[Any]) -> tuple[Tensor | None, ...]:
    return tuple(None if g is None else as_tensor(g) for g in grads)


def check_hook_result(hook: Callable[..., Any], got: Any, given: Tensor | None) -> None:
    """Whether `got` may take the place of `given`.

    Raises:
        RuntimeError: it has another dtype or shape, or there was nothing to be replaced.
    """
    if got is None:
        return
    if given is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    name = getattr(hook, "__name__", type(hook).__name__)
    if got.data_.dtype != given.data_.dtype:
        before, after = errors.legacy_type(given.data_.dtype), errors.legacy_type(got.data_.dtype)
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {before} got {after})")
    if got.data_.shape != given.data_.shape:
        raise RuntimeError(errors.CHANGED_SIZE.format(name))


def check_hook_results(hook: Callable[..., Any], got: Any, given: Sequence[Tensor | None]) -> None:
    """The same for the tuple that a hook of a node gives."""
    if not isinstance(got, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(got).__name__}'")
    if len(got) != len(given):
        name = getattr(hook, "__name__", type(hook).__name__)
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values (got {len(got)}, but expected {len(given)})"
        )
    for value, before in zip(got, given, strict=True):
        if not (value is None or isinstance(value, Tensor)):
            raise TypeError(f"expected Variable, but hook returned '{type(value).__name__}'")
        check_hook_result(hook, value, before)


def retain(tensor: Tensor, grad: Any, call_number: int) -> None:
    """What retain_grad does: `.grad` of a non-leaf becomes what came, added anew to what was there."""
    meta = tensor.own_meta()
    before = meta.grad
    came = as_tensor(grad)
    if before is None:
        meta.grad = (
            hide_from_collector(copy_in_rows(came))
            if came.requires_grad
            else plain(bare(np.array(came.data_, order="C")))
        )
    else:
        meta.grad = hide_from_collector(before + came) if came.requires_grad else plain(before.data_ + came.data_)
    session = state.session
    if session is not None:
        number = session.tensor(tensor)
        now = session.tensor(meta.grad)
        was = None if before is None else tell.value(before)
        session.emit(
            (events.GradStored, call_number, number, "retained", now, was, tell.value(came), tell.value(meta.grad))
        )


def copy_in_rows(grad: Tensor) -> Tensor:
    copy: Tensor = call("clone", grad, True)
    return copy


# ---- the ready queue: libstdc++'s binary heap, whose order among equals says which leaf goes first


class ReadyQueue:
    """Nodes by sequence number, highest first; equals come out as std::priority_queue gives them."""

    def __init__(self) -> None:
        self.heap: list[Node] = []

    def __bool__(self) -> bool:
        return bool(self.heap)

    def push(self, node: Node) -> None:
        self.heap.append(node)
        self.rise(len(self.heap) - 1, node)

    def rise(self, hole: int, node: Node) -> None:
        """Move `node` up from `hole` past parents that go later (std::__push_heap)."""
        heap, number = self.heap, node.sequence_nr
        while hole > 0:
            parent = (hole - 1) >> 1
            if heap[parent].sequence_nr >= number:
                break
            heap[hole] = heap[parent]
            hole = parent
        heap[hole] = node

    def pop(self) -> Node:
        heap = self.heap
        top, last = heap[0], heap.pop()
        if heap:
            self.rise(self.sink(len(heap)), last)
        return top

    def sink(self, size: int) -> int:
        """Move the hole at the top down to a leaf, always towards the later-made child (std::__adjust_heap)."""
        heap, hole = self.heap, 0
        while (child := 2 * hole + 2) < size:
            if heap[child].sequence_nr < heap[child - 1].sequence_nr:
                child -= 1
            heap[hole] = heap[child]
            hole = child
        if child == size:
            heap[hole] = heap[child - 1]
            hole = child - 1
        return hole
