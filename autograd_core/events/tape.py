"""The tape: facts, flights and weak proxies in the order in which things happened."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import proxy

import numpy as np

from .. import events
from ..engine.state import irregular_memory, next_usual, state
from ..functorch.batch import Batch
from ..graph.accumulate_grad import AccumulateGrad
from .limits import LARGE, SMALL, as_seen, freeze_value, is_oversized, many_leaves
from .session import Session, Watch, close_tape, open_tape

if TYPE_CHECKING:
    from ..functorch.levels import Level
    from ..graph.node import Node
    from ..tensor.storage import Storage
    from ..tensor.tensor import Tensor

ALONE = 3
"""References to a storage that one tensor has: that one's, a variable's, and that of getrefcount."""

NEVER = 1 << 60
"""The `base` of a tape that takes no facts: no number is higher."""

_next_base = 1
"""Higher than any number that a tape has given so far."""

NOWHERE: tuple[int | None, int, bool] = None, 0, False
"""The place in the graph of what has no node and needs no gradient."""

one_at_a_time = threading.Lock()
"""Held by the tape that listens: `told` of tensors and nodes speaks of that one. Others are told everything at once."""


class Tape(Session):
    """A listener that takes facts.

    Tensors, nodes and memory that it has met carry their number, counted from `base`, as `told`. (A lower number is
    that of an earlier tape.) `grad`, `reserve` and `next_sequence` are those of the thread's state, which keeps them
    up to date.
    """

    __slots__ = (
        "base", "add", "grad", "reserve", "free", "levels", "weigh", "plain", "foreign", "tensors", "storages",
        "tensors_told", "nodes_told", "sequence", "next_told", "next_both", "next_sequence",
    )  # fmt: skip

    def __init__(self, at_once: bool = False) -> None:
        self.at_once = at_once
        """Whether all is told at once, without a fact: in tests, which hold facts against that."""
        self.items: list[Any] = []
        self.end: int | None = None
        """Where the tape ended; what goes later comes onto it and is not read."""
        self.mark: int | None = None
        """From where on a fact is being put together."""
        self.add: Callable[[Any], None] = self.items.append
        super().__init__(self.add)
        self.base = NEVER
        self.direct: set[int] = set()
        """`told` of nodes that were told of at once, though their kind is for facts."""
        self.foreign = False
        """Whether there are nodes from before."""
        self.next_storage = count(-1, -1).__next__
        self.noting = False
        """Whether this is the one tape that `told` speaks of."""
        self.facts = True
        """Whether facts may be noted; else all is told at once."""
        self.weigh: Callable[[Tensor], None] | None = None
        """Called with each result of more than SMALL elements that a fact is to tell of."""
        self.grad = True
        self.reserve: Callable[[str, tuple[Any, ...]], None] | None = None
        self.free = 0
        """Elements of operands for which `reserve` need not be asked, if no result has more."""
        self.levels: list[Level] = []
        """The functions under way that torch.func transforms."""
        self.sequence: count[int] | None = count()
        self.next_sequence: Callable[[], int] = self.sequence.__next__
        """The next number of a node; `sequence` counts them, if nothing else does."""

    def __del__(self) -> None:
        """Nobody reads it any more; what lies on it is not left to the collector of cycles, which does not see it."""
        self.items.clear()

    def count_from(self, base: int) -> None:
        """Number tensors and nodes from `base` on."""
        tensors, nodes = count(base), count(base)
        self.base = base
        self.tensors_told, self.nodes_told = tensors, nodes
        self.next_told: Callable[[], int] = tensors.__next__
        self.next_joined: Callable[[], int] = nodes.__next__
        self.next_both: Callable[[], tuple[int, int]] = zip(tensors, nodes, strict=False).__next__
        """The next numbers of both, for a node and its result."""

    def begin(self) -> None:
        self.noting = not self.at_once and one_at_a_time.acquire(blocking=False)
        self.count_from(_next_base if self.noting else NEVER)
        self.facts = not self.at_once and (not irregular_memory or state.next_sequence is not next_usual)
        open_tape(self)

    def finish(self) -> None:
        global _next_base
        close_tape(self)
        self.end = len(self.items)
        if self.noting:
            self.noting = False
            _next_base = max(self.next_told(), self.next_joined())
            one_at_a_time.release()

    # ---- numbers

    def next_tensor(self) -> int:
        return self.next_told() - self.base

    def next_node(self) -> int:
        return self.next_joined() - self.base

    def watch(self, thing: Any, known: dict[int, Watch], number: int, kind: type[events.Event] | None) -> int:
        if kind is not None and self.noting:
            thing.told = self.base + number
        return super().watch(thing, known, number, kind)

    def number_of(self, tensor: Tensor) -> int | None:
        number: int = getattr(tensor, "told", 0) - self.base
        if number >= 0:
            return number
        ref = self.tensors.get(id(tensor))
        return None if ref is None else ref.number

    def tensor(self, tensor: Tensor) -> int:
        """From now on it goes by what a direct listener knows: who shares its memory is looked up there."""
        number = self.number(tensor)
        if id(tensor) not in self.tensors:
            self.remember(tensor, number)
        return number

    def shares(self, tensor: Tensor) -> None:
        number = self.told(tensor)
        if number is not None and id(tensor) not in self.tensors:
            self.remember(tensor, number)

    def remember(self, tensor: Tensor, number: int) -> None:
        Session.watch(self, tensor, self.tensors, number, None)
        memory = tensor.shared_storage()
        if id(memory) not in self.storages:
            Session.watch(self, memory, self.storages, number, None)

    def storage(self, storage: Storage) -> int:
        number = self.told(storage)
        return super().storage(storage) if number is None else number

    def node_number(self, node: Node) -> int | None:
        """As for every listener; from now on it is watched, for others may hold it than its tensor and its graph."""
        ref = self.nodes.get(id(node))
        if ref is not None:
            return ref.number
        number = self.told(node)
        if number is not None and not isinstance(node, AccumulateGrad):
            super().watch(node, self.nodes, number, events.NodeReleased)
            self.add((WATCHED, number))
        return number

    def node(self, node: Node) -> int:
        if self.node_number(node) is None and not isinstance(node, AccumulateGrad):
            self.foreign = True
        return super().node(node)

    def node_made(self, node: Node, op: str, inputs: Iterable[Tensor]) -> int:
        """As for every listener; it is also kept in mind what the engine here must look out for."""
        number = super().node_made(node, op, inputs)
        if node.notes:
            self.direct.add(self.base + number)
        if node.hooks is not None or is_oversized(node.outs) or many_leaves(node):
            self.plain = False
        return number

    def accumulator_made(self, node: Node, leaf: Tensor) -> None:
        """As for every listener, by a fact."""
        if not self.noting or not self.facts:
            super().accumulator_made(node, leaf)
            return
        at = self.base + self.number(leaf)
        if leaf.data_.size > LARGE:
            self.plain = False
        node.told = here = self.next_joined()
        self.add((JOINED, here, at, proxy(node, self.add)))

    def anew(self, tensor: Tensor, op: str, inputs: Iterable[Tensor]) -> int:
        """As for every listener, but that a fact tells of a small tensor, if what it shows has the shape it says."""
        meta, base, storage = tensor.meta, self.base, tensor.storage_
        if meta is not None and (meta.hooks or meta.post_hooks):
            self.plain = False
        if not self.noting or not self.facts or tensor.data_.size > SMALL or tensor.data_.__class__ is Batch:
            return super().anew(tensor, op, inputs)
        given = [base + self.number(t) for t in inputs] if inputs else ()
        source = None if meta is None else tensor.alias_of()
        seen = None if source is None else self.tensor(source)
        tensor.told = at = self.next_told()
        node, place, memory = tensor.node, NOWHERE, None
        if meta is not None or node is not None:
            place = None if node is None else base + self.node(node), tensor.output_nr, tensor.requires_grad
        if storage is not None:
            Session.watch(self, tensor, self.tensors, at - base, None)
            told, shared = getattr(storage, "told", 0), None
            if told < base and (shared := self.storages.get(id(storage))) is None:
                storage.told = told = at
            memory = told - base if shared is None else shared.number, storage.count(), seen
        self.add((MADE, op, at, proxy(tensor, self.add), freeze_value(tensor.data_), place, given, memory))
        return at - base

    def wrote(self, tensor: Tensor, op: str, given: tuple[int, ...], counted: bool) -> None:
        """As for every listener, with the values as facts have them."""
        if not self.facts or tensor.data_.size > LARGE:
            super().wrote(tensor, op, given, counted)
            return
        number, memory = self.tensor(tensor), tensor.shared_storage()
        aliases = [
            (ref.number, memory.count(), freeze_value(other.data_)) for ref, other in self.sharing(tensor, memory)
        ]
        told = (number, self.storage(memory), op, given, memory.count(), counted)
        self.add((WROTE, told, freeze_value(tensor.data_), aliases))

    def wrote_alone(self, tensor: Tensor, op: str, other: Tensor) -> bool:
        """Tell that `op` wrote what it made of `other` into `tensor`; False if that takes more than a few looks.

        Both were met before, and but for the base of a view no other tensor shows the same memory: so few have its
        storage, and nobody knows its address.
        """
        base, storage, data = self.base, tensor.storage_, tensor.data_
        try:
            at, given = tensor.told, other.told
        except AttributeError:
            return False
        if at < base or given < base or storage is None or storage.address_ is not None or not storage.counts:
            return False
        if data.size > LARGE or not self.facts:
            return False
        aliases: Any = ()
        look = None if tensor.meta is None else tensor.meta.view
        contents = data.tobytes()
        if look is None:
            if sys.getrefcount(storage) > ALONE:
                return False
        else:
            whole = look.base
            if sys.getrefcount(storage) > (ALONE + 1 if whole.storage_ is storage else ALONE):
                return False
            if (known := self.tensors.get(id(whole))) is not None:
                aliases = ((known.number, storage.version, as_seen(whole.data_, data, contents)),)
        ref = self.storages.get(id(storage))
        if ref is not None:
            memory = ref.number
        else:
            told = getattr(storage, "told", 0)
            memory = (at if told < base else told) - base
        written = (at - base, memory, op, (given - base,), storage.version, True)
        self.add((WROTE, written, ((data.shape, data.dtype), contents), aliases))
        return True

    def assigned(self, tensor: Tensor, grad: Tensor | None, before: Tensor | None) -> None:
        """As for every listener; what `.grad` was before is noted if it was not met before."""
        if grad is not None or not self.facts:
            super().assigned(tensor, grad, before)
            return
        at, was = getattr(tensor, "told", 0), None if before is None else getattr(before, "told", 0)
        if at < self.base:
            at = self.base + self.number(tensor)
        if was is None or was >= self.base:
            self.add((GONE, at, was, None))
        else:
            self.add((GONE, at, None, freeze_value(before.data_)))  # type: ignore[union-attr]

    def told(self, thing: Any) -> int | None:
        number: int = getattr(thing, "told", 0) - self.base
        return number if number >= 0 else None

    def shown(self, data: Any) -> Any:
        """A copy: the reader makes a Value of it."""
        return data.copy() if data.__class__ is np.ndarray and data.size <= LARGE else events.snapshot(data)

    # ---- what compiled code asks where its quick look failed

    def met(self, *tensors: Tensor | None) -> list[int | None] | None:
        """`told` of each tensor; those not met before are announced.

        None if one only stands in for the tensor whose number it has: what is kept of it, a fact cannot say.
        """
        found = [None if tensor is None else self.number(tensor) + self.base for tensor in tensors]
        return None if any(t is not None and self.told(t) is None for t in tensors) else found

    def joined(self, *nodes: Node | None) -> list[int | None]:
        """`told` of each node, likewise."""
        return [None if node is None else self.node(node) + self.base for node in nodes]

    def wrapped(self, number: Tensor) -> None:
        """Tell of a number that was wrapped for a node, unless it was met before."""
        if getattr(number, "told", 0) < self.base:
            number.told = at = self.next_told()
            self.add((MADE, "number", at, proxy(number, self.add), freeze_value(number.data_), NOWHERE, (), None))

    def both(self, result: Tensor, op: str, inputs: tuple[Tensor | None, ...]) -> Tensor:
        """Tell of a new node and its result at once."""
        assert result.node is not None
        self.node_made(result.node, op, [tensor for tensor in inputs if tensor is not None])
        self.result(result, op, inputs)
        return result

    # ---- when to take facts

    def exposed(self) -> None:
        """From now on somebody may write memory that tensors share without saying so: values are told at once."""
        self.facts = False
        state.look()


ROOT, BEGAN, LEAF, JOINED, WATCHED = "root", "began", "leaf", "joined", "watched"
MADE, WROTE, GONE = "made", "wrote", "gone"
"""Facts beside those of operators and of nodes that ran: the first gradient came; a node begins that tells of its reads
itself; a leaf stored what came; a leaf got an AccumulateGrad; a node tells itself when it goes; a tensor came from
elsewhere; a tensor was written; a `.grad` was set to None. Nodes are named as `told`."""
