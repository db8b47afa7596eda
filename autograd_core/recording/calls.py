"""What a call of backward did, out of the facts of its nodes: see Note [Facts].

The order is that of the exact engine: a leaf goes as soon as all that it waits for has come. What it stored is on the
tape later, once the engine here came to it; until then its place among the flights is kept free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import events as e
from ..values import Value
from .tape import BEGAN, LEAF, ROOT

if TYPE_CHECKING:
    from .forms import Known
    from .reader import Reader

Flight = tuple[Any, ...]
Grad = tuple[Any, Value | None]
"""A gradient as the fact has it, and what is told of it."""

NONE: Grad = (None, None)


class Open:
    """A call that has started and not ended: what came for each output of a node, and how much is still to come."""

    def __init__(self, flight: Flight, at: int) -> None:
        self.number, self.retain = flight[1], flight[5]
        self.at = at
        """Where its flights begin."""
        self.buffers: dict[int, dict[int, Grad]] = {}
        self.waiting: dict[int, int] = {}
        self.places: dict[int, list[Flight]] = {}
        """For leaves that are done, where it will be told what they stored; and what came for them."""
        self.came: dict[int, Grad] = {}

    def count(self, root: int, nodes: dict[int, Known]) -> None:
        """Count the gradients that each node below `root` waits for."""
        waiting = self.waiting
        waiting[root] = 0
        order = [root]
        for node in order:
            for below, _ in nodes[node].edges:
                if below is not None:
                    if below not in waiting:
                        waiting[below] = 0
                        order.append(below)
                    waiting[below] += 1


class Calls:
    """The open calls, and the node of the innermost one whose results are on their way."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.open: list[Open] = []
        self.results: tuple[int, list[Grad]] | None = None
        self.began = -1
        self.facts: dict[Any, Callable[[Flight], None]] = {
            e.BackwardStarted: self.started,
            e.BackwardFinished: self.ended,
            e.BackwardFailed: self.ended,
            ROOT: self.root,
            BEGAN: self.node_began,
            LEAF: self.leaf_stored,
        }

    def started(self, flight: Flight) -> None:
        flights = self.reader.flights
        self.open.append(Open(flight, len(flights)))
        flights.append(flight)

    def ended(self, flight: Flight) -> None:
        call, flights = self.open.pop(), self.reader.flights
        if call.places:
            flights[call.at :] = in_places(flights[call.at :])
        flights.append(flight)

    def cut_short(self) -> None:
        """The recording ends in the midst of calls: what their leaves stored goes to its places."""
        flights = self.reader.flights
        if any(call.places for call in self.open):
            at = self.open[0].at
            flights[at:] = in_places(flights[at:])
        self.open.clear()

    def root(self, fact: Flight) -> None:
        _, told, nr, raw = fact
        node = told - self.reader.base
        call = self.open[-1]
        call.count(node, self.reader.nodes)
        grad = raw, self.shown(raw)
        call.buffers[node] = {nr: grad}
        self.reader.flights.append((e.GradAdded, call.number, None, node, nr, None, grad[1], grad[1]))
        self.reader.flights.append((e.NodeReady, call.number, node))

    def node_began(self, fact: Flight) -> None:
        _, told, outputs = fact
        self.began = told - self.reader.base
        self.start(self.began, outputs)

    def start(self, node: int, outputs: int) -> list[Any]:
        """The node starts; what came for its outputs."""
        call = self.open[-1]
        came = call.buffers.pop(node, {})
        grads = [came.get(nr, NONE) for nr in range(outputs)]
        self.reader.flights.append((e.NodeStarted, call.number, node, tuple([value for _, value in grads])))
        return [raw for raw, _ in grads]

    def node_ran(self, fact: Flight) -> None:
        node, raws = fact[0] - self.reader.base, list(fact[1:])
        call, flights, known = self.open[-1], self.reader.flights, self.reader.nodes[node]
        told = self.began == node
        if not told:
            (came,) = self.start(node, 1)
            if came is not None:
                for slot, version, _ in known.reads:
                    flights.append((e.SlotRead, node, slot, version, version))
            if raws[0].__class__ is dict:
                raws = self.reader.again(node, came, raws[0])
        self.began = -1
        grads = [(raw, self.shown(raw)) for raw in raws]
        flights.append((e.NodeRan, call.number, node, tuple([value for _, value in grads])))
        if not told:
            for slot, _, nbytes in known.slots:
                if call.retain:
                    flights.append((e.SlotRetained, call.number, node, slot))
                else:
                    flights.append((e.SlotFreed, call.number, node, slot, nbytes))
        self.results = node, grads

    def arrive(self) -> None:
        """The results of the node that ran last come to those below, edge by edge; then ready leaves go."""
        assert self.results is not None
        (node, grads), self.results = self.results, None
        call, flights, nodes = self.open[-1], self.reader.flights, self.reader.nodes
        leaves = []
        for (below, nr), grad in zip(nodes[node].edges, grads, strict=True):
            if below is None:
                continue
            buffer = call.buffers.setdefault(below, {})
            before = buffer.get(nr, NONE)
            if grad[0] is not None:
                buffer[nr] = grad if before[0] is None else self.total(before[0], grad[0])
            now = buffer.get(nr, NONE)[1]
            flights.append((e.GradAdded, call.number, node, below, nr, before[1], grad[1], now))
            call.waiting[below] -= 1
            if call.waiting[below] == 0:
                flights.append((e.NodeReady, call.number, below))
                if nodes[below].leaf:
                    leaves.append(below)
        for leaf in leaves:
            self.leaf_ran(call, leaf)

    def leaf_ran(self, call: Open, leaf: int) -> None:
        """A leaf starts and is done; between, a place for what it stores."""
        call.came[leaf] = call.buffers.get(leaf, {}).get(0, NONE)
        self.start(leaf, 1)
        place: list[Flight] = []
        call.places[leaf] = place
        flights: list[Any] = self.reader.flights
        flights.append(place)
        flights.append((e.NodeRan, call.number, leaf, ()))

    def leaf_stored(self, fact: Flight) -> None:
        """What a leaf stored goes to its place."""
        reader, call = self.reader, self.open[-1]
        leaf = fact[1] - reader.base
        before, reader.flights = reader.flights, call.places[leaf]
        try:
            if len(fact) == 3:
                for flight in fact[2]:
                    reader.take(flight)
                return
            _, _, how, tensor, told, ref, version = fact
            raw, value = call.came[leaf]
            reader.gradient_made(told - reader.base, ref, raw, version)
            stored = (e.GradStored, call.number, tensor - reader.base, how, told - reader.base, None, value, value)
            reader.flights.append(stored)
        finally:
            reader.flights = before

    def total(self, before: Any, came: Any) -> Grad:
        """The sum, computed as the engine did."""
        if came.__class__ is float or before.__class__ is float:
            total: Any = float(np.float32(number(before) + number(came)))
        else:
            sort = shape, dtype = came[0]
            total = sort, (np.frombuffer(before[1], dtype) + np.frombuffer(came[1], dtype)).tobytes()
        return total, self.shown(total)

    def shown(self, raw: Any) -> Value | None:
        return None if raw is None else self.reader.value(raw)


def in_places(told: list[Any]) -> Iterator[Flight]:
    """The flights of a call, those of its leaves out of their places."""
    for one in told:
        if isinstance(one, list):
            yield from in_places(one)
        else:
            yield one


def number(raw: Any) -> float:
    """A gradient without dimensions as a number, however it is held."""
    return float(raw) if raw.__class__ is float else float(np.frombuffer(raw[1], raw[0][1])[0])
