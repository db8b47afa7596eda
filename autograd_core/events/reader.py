"""The reader: makes flights of what lies on a tape; see Note [Facts]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import events
from ..graph.introspection import saved_face
from ..graph.node import SCALAR
from .backward_reader import Calls
from .facts import FIELDS, PLAIN, Contents, Known, form_of, proxies, size
from .snapshot import snapshot
from .tape import GONE, JOINED, MADE, WATCHED, WROTE, Tape

if TYPE_CHECKING:
    pass

Flight = tuple[Any, ...]

VALUED = (events.GradAdded, events.GradStored, events.NodeStarted, events.NodeRan, events.HookRan)
"""Other flights that may hold arrays."""


def read_part(part: Any) -> Any:
    """A part of a flight; of an array, which was copied in time, the Value."""
    if part.__class__ is np.ndarray:
        return snapshot(part)
    return tuple([read_part(inner) for inner in part]) if part.__class__ is tuple else part


class Reader:
    """Reads a tape from where it stopped the last time; `flights` are those of all that was read."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.base = 0
        self.at = 0
        self.flights: list[Flight] = []
        self.contents = Contents()
        self.memory: dict[int, int] = {}
        """The storage of each tensor."""
        self.storages: dict[int, int] = {}
        """Storages by the number that the tape gave them: they are numbered anew as they are told of."""
        self.nodes: dict[int, Known] = {}
        self.leaving: dict[int, tuple[Flight, int | None]] = {}
        """What to tell when a tensor goes, by the id of its proxy, and the node that it held, if it held one."""
        self.calls = Calls(self)
        self.known: dict[Any, Callable[[Flight], None]] = {
            events.TensorMade: self.tensor_made,
            events.Written: self.written,
            events.AliasChanged: self.alias_changed,
            events.NodeMade: self.node_made,
            events.NodeReleased: self.node_gone,
            events.TensorSaved: self.tensor_saved,
            **dict.fromkeys(VALUED, self.read_value),
            **self.calls.facts,
        }
        self.known |= {MADE: self.tensor_noted, JOINED: self.leaf_joined, WROTE: self.write_noted, GONE: self.grad_gone}
        self.known |= {WATCHED: self.node_watched}
        self.quiet = frozenset(
            (events.TensorReleased, events.NodeReleased, events.SlotFreed, events.SlotRetained, WATCHED)
        )
        self.gone: set[int] = set()
        """The tensors that are gone, of which something is still known because a node keeps their contents."""
        self.refs: list[Any] = []
        """Weak proxies whose facts were forgotten."""

    def read(self) -> list[Flight]:
        """All flights up to now."""
        items, leaving, take, calls = self.tape.items, self.leaving, self.take, self.calls
        tell = self.flights.append
        self.base = self.contents.base = self.tape.base
        end = self.settle() if self.tape.end is None else self.tape.end
        for at in range(self.at, end):
            item = items[at]
            kind = type(item)
            if kind is tuple:
                take(item)
            elif kind is int:
                if calls.results is not None:
                    calls.arrive()
                calls.node_ran((item, {}))
            else:  # of a dead proxy nothing else can be asked
                gone, held = leaving.pop(id(item))
                tell(gone)
                if held is not None:
                    self.let_go(held)
        self.at = end
        return self.flights

    def settle(self) -> int:
        """How far the tape will stay as it is: a leaf that is storing, and reads that may fail, are put in order once
        they are done."""
        items, end = self.tape.items, len(self.tape.items)
        if self.tape.mark is not None:
            end = self.tape.mark
        while end > self.at and type(items[end - 1]) is tuple and items[end - 1][0] is events.SlotRead:
            end -= 1
        return end

    def finish(self) -> list[Flight]:
        """All flights, at the end, which may come in the midst of a backward call."""
        self.read()
        self.calls.cut_short()
        return self.flights

    @property
    def idle(self) -> bool:
        """Whether no backward call is under way."""
        self.read()
        return self.at == len(self.tape.items) and not self.calls.open and self.calls.results is None

    def forget(self) -> None:
        """Drop all flights, the facts that they were made of, and what was known of things that are gone."""
        items, leaving = self.tape.items, self.leaving
        self.refs = [ref for ref in (*self.refs, *proxies(items)) if id(ref) in leaving]
        del items[:]
        self.at = 0
        for flight in self.flights:
            if flight[0] is events.NodeReleased:
                self.nodes.pop(flight[1], None)
            elif flight[0] is events.TensorReleased:
                self.gone.add(flight[1])
        del self.flights[:]
        read = {number for known in self.nodes.values() for number in self.read_by(known)}
        for number in self.gone - read:
            self.memory.pop(number, None)
            self.contents.forget(number)
        self.gone &= read

    def read_by(self, known: Known) -> Iterator[int]:
        """The tensors whose contents a node of facts may read."""
        if known.fact:
            op, at, *_ = known.fact
            operands = known.fact[FIELDS : form_of(op).joined]
            yield from (told - self.base for told in (at, *operands) if told is not None)

    def take(self, item: Flight) -> None:
        """Make flights of a fact; a flight is one already."""
        calls, kind = self.calls, item[0]
        if calls.results is not None and kind not in self.quiet:
            calls.arrive()
        if kind.__class__ is int:
            calls.node_ran(item)
        elif (act := self.known.get(kind)) is not None:
            act(item)
        elif kind.__class__ is type:
            self.flights.append(item)
        else:
            self.made(item)

    # ---- flights that are told as they are, and remembered

    def tensor_made(self, flight: Flight) -> None:
        _, number, storage, op, *_, value = flight
        value = self.contents.keep(number, value)
        flight = (*flight[:2], self.storage(storage), *flight[3:-1], value)
        self.memory[number] = flight[2]
        if op == "number":
            self.contents.numbers.add(number)
        self.flights.append(flight)

    def written(self, flight: Flight) -> None:
        _, number, storage, *_, value = flight
        self.memory[number] = self.storage(storage)
        value = self.contents.keep(number, value)
        self.flights.append((*flight[:2], self.memory[number], *flight[3:-1], value))

    def alias_changed(self, flight: Flight) -> None:
        self.flights.append((*flight[:3], self.contents.keep(flight[1], flight[3])))

    def node_made(self, flight: Flight) -> None:
        self.nodes[flight[1]] = Known(flight[5], [], flight[7] is not None)
        self.flights.append(flight)

    def leaf_joined(self, fact: Flight) -> None:
        """The AccumulateGrad of a leaf."""
        _, told, leaf, ref = fact
        node, leaf = told - self.base, leaf - self.base
        self.leaving[id(ref)] = (events.NodeReleased, node), None
        self.nodes[node] = Known((), [], True)
        self.flights.append((events.NodeMade, node, "AccumulateGrad", "AccumulateGrad", None, (), (leaf,), leaf))

    def tensor_saved(self, flight: Flight) -> None:
        self.flights.append((*flight[:4], self.storage(flight[4]), *flight[5:-1], read_part(flight[-1])))

    def read_value(self, flight: Flight) -> None:
        self.flights.append(tuple([read_part(part) for part in flight]))

    def tensor_noted(self, fact: Flight) -> None:
        """A tensor that came from elsewhere; where nothing is said of its memory, it is alone with that."""
        _, op, told, ref, raw, (joined, output_nr, requires_grad), inputs, memory = fact
        base = self.base
        number = told - base
        self.leaving[id(ref)] = (events.TensorReleased, number), None
        shared, version, seen = (number, 0, None) if memory is None else memory
        self.memory[number] = storage = self.storage(shared)
        value = self.contents.keep(number, raw)
        if op == "number":
            self.contents.numbers.add(number)
        given = tuple([one - base for one in inputs])
        node = None if joined is None else joined - base
        facts = (value.shape, value.dtype, requires_grad, version, node, output_nr, seen, value)
        self.flights.append((events.TensorMade, number, storage, op, given, *facts))

    def write_noted(self, fact: Flight) -> None:
        """A write, and what it changed."""
        _, (number, storage, *told), raw, aliases = fact
        self.memory[number] = storage = self.storage(storage)
        value = self.contents.keep(number, raw)
        self.flights.append((events.Written, number, storage, *told, value))
        for other, version, contents in aliases:
            self.flights.append((events.AliasChanged, other, version, self.contents.keep(other, contents)))

    def grad_gone(self, fact: Flight) -> None:
        """The program set a `.grad` to None."""
        _, told, was, raw = fact
        contents = self.contents
        before = contents.values[was - self.base] if was is not None else None if raw is None else contents.value(raw)
        self.flights.append((events.GradStored, None, told - self.base, "assigned", None, before, None, None))

    def storage(self, number: int) -> int:
        return self.storages.setdefault(number, len(self.storages))

    # ---- what an operator made

    def plain_made(self, fact: Flight) -> None:
        """A result without a node."""
        op, number, ref, _, raw = fact[:PLAIN]
        base, contents, rest = self.base, self.contents, fact[PLAIN : PLAIN + len(op.tensors)]
        number -= base
        self.leaving[id(ref)] = (events.TensorReleased, number), None
        given = tuple([told - base for told in rest if told is not None and told - base not in contents.numbers])
        if raw is None:
            operands = [fact[-1] if told is None else contents.held(told - base) for told in rest]
            raw = contents.computed(op, operands)
        self.memory[number] = storage = self.storage(number)
        value = contents.keep(number, raw)
        facts = (value.shape, value.dtype, False, 0, None, 0, None, value)
        self.flights.append((events.TensorMade, number, storage, op.name, given, *facts))

    def made(self, fact: Flight) -> None:
        """The node with its edges and what it keeps, then the result."""
        if fact[3] is None:
            return self.plain_made(fact)
        op, number, ref, node, nr, outs, raw, nrs = fact[:FIELDS]
        form, base, tell = form_of(op), self.base, self.flights.append
        memory, contents = self.memory, self.contents
        values, raws = contents.values, contents.raws
        number -= base
        node -= base
        self.leaving[id(ref)] = (events.TensorReleased, number), node
        given = tuple([told - base for told in fact[FIELDS : form.joined] if told is not None])
        joined = zip(fact[form.joined : form.kept], nrs, strict=True)
        edges = tuple([(None if told is None else told - base, at) for told, at in joined])
        tell((events.NodeMade, node, form.title, form.name, nr, edges, given, None))
        memory[number] = storage = self.storage(number)
        if raw is None:
            operands = [None if told is None else contents.held(told - base) for told in fact[FIELDS : form.joined]]
            value = contents.keep(number, contents.computed(op, operands))
        else:
            value = contents.keep(number, raw if outs is SCALAR else (outs[0], raw))
        slots = []
        for slot, place, version_at in form.slots:
            version = fact[version_at]
            if version is None:
                continue
            tensor = None if place is None else fact[place] - base
            kept = number if tensor is None else tensor
            held = values[kept]
            nbytes = 4 if raws[kept].__class__ is float else size(held.shape, held.dtype)
            slots.append((slot, version, nbytes))
            tell((events.TensorSaved, node, slot, tensor, memory[kept], version, nbytes, held))
        for at, slot in form.values:
            tell((events.ValueSaved, node, slot, str(saved_face(fact[at]))))
        self.nodes[node] = Known(edges, slots, fact=fact)
        for below, _ in edges:
            if below is not None and (known := self.nodes[below]).holders is not None:
                known.holders += 1
        if contents.numbers and not contents.numbers.isdisjoint(given):
            given = tuple([tensor for tensor in given if tensor not in contents.numbers])
        shape, dtype = value.shape, value.dtype
        tell((events.TensorMade, number, storage, form.name, given, shape, dtype, True, 0, node, 0, None, value))

    def gradient_made(self, told: int, ref: Any, raw: Any, version: int) -> None:
        """A new tensor that is the `.grad` of a leaf."""
        number = told - self.base
        self.leaving[id(ref)] = (events.TensorReleased, number), None
        self.memory[number] = storage = self.storage(number)
        value = self.contents.keep(number, raw)
        facts = (value.shape, value.dtype, False, version, None, 0, None, value)
        self.flights.append((events.TensorMade, number, storage, "grad", (), *facts))

    # ---- what goes with the last that holds it

    def let_go(self, node: int) -> None:
        """One of those that held `node` is gone; if it was the last, the node is, too, and lets go of those below."""
        waiting = [node]
        for node in waiting:
            known = self.nodes[node]
            if known.holders is not None:
                known.holders -= 1
                if not known.holders:
                    self.flights.append((events.NodeReleased, node))
                    waiting += [below for below, _ in known.edges if below is not None]

    def node_watched(self, fact: Flight) -> None:
        """From now on `node_gone` tells when this node goes."""
        self.nodes[fact[1]].holders = None

    def node_gone(self, flight: Flight) -> None:
        """A node that was watched is gone."""
        self.flights.append(flight)
        if self.nodes[flight[1]].fact:
            for below, _ in self.nodes[flight[1]].edges:
                if below is not None:
                    self.let_go(below)
