"""A gap in a recording: for a while nobody listens, and the engine runs as it does alone; then the tape tells what
became of what it knew.

What is known of tensors before a gap is held by weak references alone, so a gap keeps nothing alive. Tensors and nodes
that go in it tell so as they go (`State.aside`). What was made in it, and is met after it, is announced as what was
there before a recording began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple
from weakref import ref

import numpy as np

from .. import events
from ..engine.state import next_usual, state
from ..graph.accumulate_grad import AccumulateGrad
from ..graph.node import Node
from ..tensor.tensor import Tensor
from .facts import proxies
from .limits import LARGE
from .reader import Reader
from .session import value
from .snapshot import Value
from .tape import Tape


class Known(NamedTuple):
    """A tensor as it stood when the gap began."""

    tensor: ref[Tensor]
    number: int
    version: int
    data: int
    """The id of its array."""
    requires_grad: bool
    node: int | None
    grad: tuple[int, int] | None
    """The id of its gradient, and the version of that."""
    grad_value: Value | None


class Gap:
    """A stretch of a run in which `tape` does not listen; `free` says that the engine is not to ask for room either."""

    def __init__(self, tape: Tape, reader: Reader, free: bool) -> None:
        reader.read()
        self.tape, self.reader = tape, reader
        self.known = [self.as_it_stands(tensor) for tensor in living(tape, reader)]
        self.keeping: list[tuple[ref[Node], int, list[tuple[str, int]]]] = []
        """The nodes that were told and had not run, with what they keep and its bytes."""
        self.watch_nodes()
        self.reserve, self.free = state.reserve, free
        state.aside, state.session = tape, None
        if free:
            self.count_on(next_usual)
            state.reserve = None

    def as_it_stands(self, tensor: Tensor) -> Known:
        number = self.tape.number(tensor)
        grad = None if tensor.meta is None else tensor.meta.grad
        held = None if grad is None else (id(grad), version_of(grad))
        node = tensor.node
        return Known(
            ref(tensor), number, version_of(tensor), id(tensor.data_), tensor.requires_grad,
            None if node is None else self.tape.told(node) if self.tape.noting else self.tape.node_number(node),
            held, value(grad),
        )  # fmt: skip

    def watch_nodes(self) -> None:
        """Let all nodes tell when they go: in the gap others may come to hold them, of which the reader knows
        nothing."""
        nodes = self.reader.nodes
        tensors = (known.tensor() for known in self.known)
        waiting: list[Node] = [tensor.node for tensor in tensors if tensor is not None and tensor.node is not None]
        seen: set[Node] = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            number = self.tape.told(node)
            if number is not None and number in nodes:
                self.tape.node_number(node)
                if not node.freed and node.__class__ is not AccumulateGrad:
                    kept = [(slot, node.saved_nbytes(slot)) for slot in node.keeps()]
                    self.keeping.append((ref(node), number, kept))
            waiting += [below for below in node.next if below is not None]

    def count_on(self, source: Callable[[], int]) -> None:
        """Let `source` count the nodes from now on, above those that were counted so far."""
        least = state.next_sequence()
        while source() < least:
            pass
        state.next_sequence = source

    def end(self) -> None:
        """Listen again, and tell what became of what was known."""
        tape = self.tape
        tape.plain = False
        if self.free:
            state.next_sequence = count(next_usual()).__next__
            state.reserve = self.reserve
        state.aside, state.session = None, tape
        living = [(known, tensor) for known in self.known if (tensor := known.tensor()) is not None]
        told: set[int] = set()
        for known, tensor in living:
            self.tell_memory(known, tensor, told)
        for known, tensor in living:
            self.tell_graph(known, tensor)
        self.tell_freed()

    def tell_memory(self, known: Known, tensor: Tensor, told: set[int]) -> None:
        """What was written into a tensor; memory that several show is written once."""
        version = version_of(tensor)
        if version == known.version and id(tensor.data_) == known.data and not self.differs(known.number, tensor):
            return
        tape, memory = self.tape, tensor.shared_storage()
        tape.tensor(tensor)
        counted = version > known.version and memory.counts and not memory.inference
        storage, shown = tape.storage(memory), tape.shown(tensor.data_)
        if storage in told:
            tape.emit((events.AliasChanged, known.number, memory.count(), shown))
        else:
            told.add(storage)
            tape.emit((events.Written, known.number, storage, UNSEEN, (), memory.count(), counted, shown))

    def differs(self, number: int, tensor: Tensor) -> bool:
        """Whether a small tensor holds other numbers than was told last: they may be written without a count."""
        raw = self.reader.contents.raws.get(number)
        data = tensor.data_
        if raw is None or data.__class__ is not np.ndarray or data.size > LARGE:
            return False
        return self.reader.contents.data(raw).tobytes() != data.tobytes() if raw.__class__ is not Value else False

    def tell_graph(self, known: Known, tensor: Tensor) -> None:
        """Its place in the graph, and its gradient."""
        tape, node = self.tape, tensor.node
        now = None if node is None else tape.node(node)
        if now != known.node:
            tape.emit((events.HistoryRebased, known.number, known.node, now))
        if tensor.requires_grad != known.requires_grad:
            tape.emit((events.FlagChanged, known.number, tensor.requires_grad))
        grad = None if tensor.meta is None else tensor.meta.grad
        held = None if grad is None else (id(grad), version_of(grad))
        if held == known.grad and (grad is None or tape.number_of(grad) is not None):
            return
        number, shown = None if grad is None else tape.number(grad), value(grad)
        tape.emit((events.GradStored, None, known.number, "assigned", number, known.grad_value, shown, shown))

    def tell_freed(self) -> None:
        """What nodes have let go of since: as by one call, for nobody saw how many there were."""
        emit, ran = self.tape.emit, []
        for held, number, slots in self.keeping:
            node = held()
            if node is not None and node.freed and slots:
                ran.append((number, slots))
        if not ran:
            return
        call = state.next_call()
        emit((events.BackwardStarted, call, "backward", (), (), False, False, (), None))
        for number, slots in ran:
            for slot, nbytes in slots:
                emit((events.SlotFreed, call, number, slot, nbytes))
        emit((events.BackwardFinished, call))


UNSEEN = "known before"
"""What is said to have written, where nobody saw it."""


def version_of(tensor: Tensor) -> int:
    return 0 if tensor.storage_ is None else tensor.storage_.count()


def living(tape: Tape, reader: Reader) -> Iterator[Tensor]:
    """The tensors that were told and are there still, in the order of their numbers."""
    found: dict[int, Tensor] = {}
    for proxy in (*reader.refs, *proxies(tape.items)):
        leaving = reader.leaving.get(id(proxy))
        if leaving is not None and leaving[0][0] is events.TensorReleased:
            found[leaving[0][1]] = proxy.__init__.__self__
    for watch in list(tape.tensors.values()):
        tensor = watch()
        if tensor is not None and watch.kind is not None:
            found[watch.number] = tensor
    return iter([found[number] for number in sorted(found)])
