"""Writing what is saved: inside `allow_mutation_on_saved_tensors` a node's tensors are cloned before they are written.

A node is given a handle in the place of a tensor. The context knows which tensor each handle stands for, and by where
in memory it lies and its version, which of them a write would change: those are cloned at the first write. Handles are
known weakly: what no node holds any more is forgotten.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, MutableMapping
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from ..dispatch.registry import callbacks
from ..engine.state import state
from ..tensor.tensor import Tensor, plain

Place = tuple[int, int]
"""Where in memory a tensor begins, and its version."""

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)


class _Handle:
    """What a node holds for a tensor."""

    __module__ = "torch.autograd.graph"


class _AllowMutationOnSavedContext:
    """What nodes saved since the context was entered: as it is, or cloned because it was written since."""

    __module__ = "torch.autograd.graph"

    def __init__(self) -> None:
        self.cloned: MutableMapping[_Handle, Tensor] = WeakKeyDictionary()
        self.original: MutableMapping[_Handle, Tensor] = WeakKeyDictionary()
        self.tid_to_weakhandle: MutableMapping[tuple[int, int, int], _Handle] = WeakValueDictionary()
        self.sid_to_tid: dict[Place, set[tuple[int, int, int]]] = defaultdict(set)

    def clear(self) -> None:
        self.cloned.clear()
        self.original.clear()
        self.tid_to_weakhandle.clear()
        self.sid_to_tid.clear()

    def pack(self, tensor: Tensor) -> _Handle:
        """The handle that stands for `tensor`: one and the same while it is saved again unchanged."""
        place = place_of(tensor)
        key = (id(tensor), *place)
        self.sid_to_tid[place].add(key)
        handle = self.tid_to_weakhandle.get(key)
        if handle is None:
            handle = self.tid_to_weakhandle[key] = _Handle()
            self.original[handle] = tensor
        return handle

    def unpack(self, handle: _Handle) -> Tensor:
        found = self.cloned.get(handle, self.original.get(handle))
        if not any(contexts()) or found is None:
            raise AssertionError(OUTSIDE)
        return found

    def clone_at(self, place: Place) -> None:
        """Clone what is saved of the memory that begins at `place`."""
        for key in self.sid_to_tid.get(place, ()):
            handle = self.tid_to_weakhandle.get(key)
            if handle is not None and handle not in self.cloned:
                self.cloned[handle] = clone(self.original.pop(handle))


def clone(tensor: Tensor) -> Tensor:
    """A copy outside the graph, made where no listener looks."""
    if state.reserve is not None:
        state.reserve("clone", (tensor.data_,))
    return plain(np.copy(tensor.data_)[()])


def place_of(tensor: Tensor) -> Place:
    return tensor.data_ptr(), tensor._version


def contexts() -> Iterator[_AllowMutationOnSavedContext]:
    """The contexts that are on in this thread: one at most, but for the moment in which a second is refused."""
    for pack, _ in state.saved_hooks:
        owner: Any = getattr(pack, "__self__", None)
        if isinstance(owner, _AllowMutationOnSavedContext):
            yield owner


def before_write(tensor: Tensor) -> None:
    """Clone what nodes saved of `tensor`, if a context is on."""
    for context in contexts():
        context.clone_at(place_of(tensor))


callbacks.before_write = before_write
