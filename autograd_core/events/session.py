"""Telling a listener what happens: numbers for tensors, nodes and storages, and one function for each kind of fact.

The listener gets events in flight (see __init__.py). A number is given when a thing is first met and announced; its
release is told by a weak reference, so that being watched keeps nothing alive.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import events
from ..engine.state import LAST, ask_room, state
from .snapshot import dtype_name

if TYPE_CHECKING:
    from ..graph.node import Node
    from ..tensor.storage import Storage
    from ..tensor.tensor import Tensor

FLOAT = np.dtype(np.float32)
Emit = Callable[[tuple[Any, ...]], Any]

MISSING: Any = object()


class Watch(weakref.ref[Any]):
    """A weak reference that remembers the number of what it watched."""

    __slots__ = ("key", "number", "known", "kind")
    key: int
    number: int
    known: dict[int, Watch]
    kind: type[events.Event] | None


def on_release(ref: Watch) -> None:
    """What was watched is no more. (A watch does not hold its session, which so goes with its last holder.)"""
    if ref.known.get(ref.key) is ref:
        del ref.known[ref.key]
    session = state.session or state.aside
    if ref.kind is not None and session is not None and (ref.known is session.tensors or ref.known is session.nodes):
        session.emit((ref.kind, ref.number))


class Session:
    """What a tape tells at once, in flight, and the numbers that it knows things by."""

    def __init__(self, emit: Emit) -> None:
        self.emit = emit
        self.tensors: dict[int, Watch] = {}
        self.nodes: dict[int, Watch] = {}
        self.storages: dict[int, Watch] = {}
        self.counts = count(), count()
        """What numbers tensors and nodes."""
        self.next_storage = count().__next__
        self.busy = False
        self.hushed = False
        """Whether results go untold: those of the formulas of a backward that works on tensors for itself."""
        self.plain = True
        """Whether all graphs made since are as the quick engine takes them."""

    def begin(self) -> None:
        """It is about to listen."""

    def finish(self) -> None:
        """It listens no more."""

    # ---- numbers

    def next_tensor(self) -> int:
        return next(self.counts[0])

    def next_node(self) -> int:
        return next(self.counts[1])

    def watch(self, thing: Any, known: dict[int, Watch], number: int, kind: type[events.Event] | None) -> int:
        ref = Watch(thing, on_release)
        ref.key, ref.number, ref.known, ref.kind = id(thing), number, known, kind
        known[ref.key] = ref
        return number

    def storage(self, storage: Storage) -> int:
        ref = self.storages.get(id(storage))
        return ref.number if ref is not None else self.watch(storage, self.storages, self.next_storage(), None)

    def number_of(self, tensor: Tensor) -> int | None:
        """The number of `tensor`, None if it was not met before."""
        ref = self.tensors.get(id(tensor))
        return None if ref is None else ref.number

    def number(self, tensor: Tensor) -> int:
        """The number of `tensor`; one not met before is announced."""
        number = self.number_of(tensor)
        return self.announce(tensor) if number is None else number

    def tensor(self, tensor: Tensor) -> int:
        """The same, where it may be asked for what shares its memory, too."""
        number = self.number_of(tensor)
        return self.announce(tensor) if number is None else number

    def announce(self, tensor: Tensor) -> int:
        """The number of `tensor`, which was not met before, and is announced as it stands."""
        wrapped = tensor.meta is not None and tensor.meta.wrapped
        return self.anew(tensor, "number" if wrapped else "known before", ())

    def node_number(self, node: Node) -> int | None:
        """The number of `node`, None if it was not met before."""
        ref = self.nodes.get(id(node))
        return None if ref is None else ref.number

    def node(self, node: Node) -> int:
        """The number of `node`; one not met before is announced as it stands, made by the operator that it is of."""
        number = self.node_number(node)
        if number is not None:
            return number
        for below in self.unknown_below(node):
            self.node_made(below, below.op_name or "known before", ())
        return self.node_made(node, node.op_name or "known before", ())

    def unknown_below(self, root: Node) -> list[Node]:
        """The nodes below `root` that were not met before, each behind those that its edges lead to: a graph may be
        deeper than calls can go."""
        found: list[Node] = []
        seen, waiting = {root}, [(root, iter(root.next))]
        while waiting:
            node, edges = waiting[-1]
            below = next(edges, MISSING)
            if below is MISSING:
                waiting.pop()
                found.append(node)
            elif below is not None and below not in seen and self.node_number(below) is None:
                seen.add(below)
                waiting.append((below, iter(below.next)))
        return found[:-1]

    def shown(self, data: Any) -> Any:
        """What a flight tells of `data`."""
        return events.snapshot(data)

    # ---- facts with more to say than their fields

    def made(self, tensor: Tensor, op: str, inputs: Iterable[Tensor]) -> int:
        """The number of `tensor`, made by `op` of `inputs`; it is announced if it was not met before."""
        known = self.number_of(tensor)
        return self.anew(tensor, op, inputs) if known is None else known

    def anew(self, tensor: Tensor, op: str, inputs: Iterable[Tensor]) -> int:
        """Announce `tensor`, which was not met before."""
        given = tuple([self.tensor(t) for t in inputs])
        base = None if tensor.meta is None else tensor.alias_of()
        seen = None if base is None else self.tensor(base)
        number = self.watch(tensor, self.tensors, self.next_tensor(), events.TensorReleased)
        node = tensor.node
        self.emit(
            (
                events.TensorMade,
                number,
                self.storage(tensor.shared_storage()),
                op,
                given,
                tuple(tensor.shape),
                dtype_name(tensor.numpy_dtype),
                tensor.requires_grad,
                0 if tensor.storage_ is None else tensor.storage_.count(),
                None if node is None else self.node(node),
                tensor.output_nr,
                seen,
                self.shown(tensor.data_),
            )
        )
        return number

    def result(self, tensor: Tensor, op: str, inputs: Iterable[Tensor | float | None]) -> int:
        """Announce a result of an operator; numbers, wrapped or not, are not tensors that a person made."""
        if self.hushed:
            return -1
        tensors = [t for t in inputs if t is not None and not isinstance(t, float | int)]
        return self.made(tensor, op, [t for t in tensors if not (t.meta is not None and t.meta.wrapped)])

    def shares(self, tensor: Tensor) -> None:
        """From now on others may show the memory of `tensor`."""

    def same(self, stand_in: Tensor, tensor: Tensor) -> None:
        """Let `stand_in`, used inside the engine only, go by the number of `tensor`."""
        self.watch(stand_in, self.tensors, self.tensor(tensor), None)

    def node_made(self, node: Node, op: str, inputs: Iterable[Tensor]) -> int:
        """Announce `node`, its edges and what it keeps."""
        known = self.node_number(node)
        if known is not None:
            return known
        given = tuple([self.number(t) for t in inputs])
        variable = node.variable_or_none()
        leaf = None if variable is None else self.tensor(variable)
        edges = tuple((None if n is None else self.node(n), nr) for n, nr in zip(node.next, node.nrs, strict=True))
        number = self.watch(node, self.nodes, self.next_node(), events.NodeReleased)
        nr = None if node.sequence_nr == LAST else node.sequence_nr
        self.emit((events.NodeMade, number, node.type_name(), op, nr, edges, given, leaf))
        for flight in node.saved_flights(self):
            self.emit(flight)
        return number

    def accumulator_made(self, node: Node, leaf: Tensor) -> None:
        """Announce `node`, the new AccumulateGrad of `leaf`."""
        self.node_made(node, "AccumulateGrad", (leaf,))

    def wrote(self, tensor: Tensor, op: str, given: tuple[int, ...], counted: bool) -> None:
        """Tell that `op` wrote into `tensor`, and of all that show the same memory."""
        number, memory = self.tensor(tensor), tensor.shared_storage()
        value = self.shown(tensor.data_)
        self.emit((events.Written, number, self.storage(memory), op, given, memory.count(), counted, value))
        for ref, other in self.sharing(tensor, memory):
            self.emit((events.AliasChanged, ref.number, memory.count(), self.shown(other.data_)))

    def assigned(self, tensor: Tensor, grad: Tensor | None, before: Tensor | None) -> None:
        """Tell that the program set `tensor.grad`, which was `before`."""
        number = self.number(tensor)
        now = None if grad is None else self.number(grad)
        shown = value(grad)
        self.emit((events.GradStored, None, number, "assigned", now, value(before), shown, shown))

    def sharing(self, tensor: Tensor, memory: Storage) -> list[tuple[Watch, Tensor]]:
        """The other tensors that show `memory`: those of the same storage, or of one with the same address."""
        ask_room(len(self.tensors))  # each of them is looked at
        found, address = [], memory.address_
        for ref in self.tensors.values():
            other = ref()
            if other is None or other is tensor:
                continue
            theirs = other.storage_
            if theirs is memory or (address is not None and theirs is not None and theirs.address_ == address):
                found.append((ref, other))
        return sorted(found, key=lambda pair: pair[0].number)


def value(grad: Any) -> events.Value | None:
    """The contents of a gradient in either mode: an array, a tensor or None."""
    if grad is None:
        return None
    data = getattr(grad, "data_", grad)
    return events.snapshot(data) if state.session is None else state.session.shown(data)


def values(grads: Sequence[Any]) -> tuple[events.Value | None, ...]:
    return tuple(value(grad) for grad in grads)


def emit_write(tensor: Tensor, op: str, inputs: Iterable[Tensor] = (), counted: bool = True) -> None:
    """Tell that `op` wrote into `tensor`."""
    session = state.session
    if session is None:
        return
    session.tensor(tensor)
    given = tuple([session.number(t) if t.storage_ is None else session.tensor(t) for t in inputs])
    storage = tensor.shared_storage()
    session.wrote(tensor, op, given, counted and storage.counts and not storage.inference)


@contextmanager
def listening(session: Session) -> Iterator[None]:
    """Tell a tape all that happens in this thread."""
    before = state.session
    session.begin()
    try:
        state.session = session
        yield
    finally:
        state.session = before
        session.finish()


def tensor_id(tensor: Tensor) -> int:
    """The number of `tensor` in the events told now; it is announced if it was not yet.

    Raises:
        RuntimeError: nobody listens.
    """
    if state.session is None:
        raise RuntimeError("nobody listens")
    return state.session.number(tensor)


def nbytes(array: np.ndarray[Any, Any] | np.generic | float) -> int:
    return int(getattr(array, "nbytes", 8)) // (1 if getattr(array, "dtype", FLOAT).isnative else 2)


# ---- the collector of cycles, which comes seldom while tapes grow: a tape has many objects, and no cycle
#
# It goes on as before once it has come after the last tape was closed, not at once: else its next visit would be to all
# that lies on the tape.


SELDOM = 100_000
"""It comes after so many new objects."""

_growing: set[int] = set()
"""The tapes that are open, by their id."""

_often: list[tuple[int, int, int]] = []
"""The thresholds to go back to, if it comes seldom now."""


def open_tape(tape: object) -> None:
    """From now on it comes seldom, until it has come after `tape`, and all others, were closed."""
    often = gc.get_threshold()
    if 0 < often[0] < SELDOM:
        _often.append(often)
        gc.set_threshold(SELDOM, *often[1:])
        gc.callbacks.append(came)
    _growing.add(id(tape))


def close_tape(tape: object) -> None:
    """The tape grows no more."""
    _growing.discard(id(tape))


def came(phase: str, _: dict[str, int]) -> None:
    """The collector begins or ends."""
    if phase == "stop" and not _growing and _often:
        gc.callbacks.remove(came)
        often = _often.pop()
        if gc.get_threshold()[0] == SELDOM:  # nobody has set another one
            gc.set_threshold(*often)
