"""What a call of backward did, out of the facts of its nodes: see Note [Facts].

The order is that of the exact engine: a leaf goes as soon as all that it waits for has come. What it stored is on the
tape later, once the engine here came to it; until then its place among the flights is kept free.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import events
from .facts import as_noted
from .snapshot import Value
from .tape import BEGAN, LEAF, ROOT

if TYPE_CHECKING:
    from .facts import Known
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
        self.buffers: dict[Any, Grad] = {}
        """What came for the first output of a node, by the node; for another, by the node and its number."""
        self.waiting: dict[int, int] = {}
        self.places: dict[int, list[Flight]] = {}
        """For leaves that are done, what it was told that they stored; where among the flights; what came for them."""
        self.spots: list[int] = []
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
            events.BackwardStarted: self.started,
            events.BackwardFinished: self.ended,
            events.BackwardFailed: self.ended,
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
        in_places(flights, call.spots)
        flights.append(flight)

    def cut_short(self) -> None:
        """The recording ends in the midst of calls: what their leaves stored goes to its places."""
        in_places(self.reader.flights, [spot for call in self.open for spot in call.spots])
        self.open.clear()

    def root(self, fact: Flight) -> None:
        _, told, nr, raw = fact
        node = told - self.reader.base
        call = self.open[-1]
        call.count(node, self.reader.nodes)
        grad = raw, self.shown(raw)
        call.buffers[(node, nr) if nr else node] = grad
        self.reader.flights.append((events.GradAdded, call.number, None, node, nr, None, grad[1], grad[1]))
        self.reader.flights.append((events.NodeReady, call.number, node))

    def node_began(self, fact: Flight) -> None:
        _, told, outputs = fact
        self.began = told - self.reader.base
        self.start(self.began, outputs)

    def start(self, node: int, outputs: int) -> list[Any]:
        """The node starts; what came for its outputs."""
        call = self.open[-1]
        grads = [call.buffers.pop((node, nr) if nr else node, NONE) for nr in range(outputs)]
        self.reader.flights.append((events.NodeStarted, call.number, node, tuple([value for _, value in grads])))
        return [raw for raw, _ in grads]

    def node_ran(self, fact: Flight) -> None:
        reader = self.reader
        node, raws = fact[0] - reader.base, list(fact[1:])
        call, tell, known, value_of = self.open[-1], reader.flights.append, reader.nodes[node], reader.contents.value
        number, told = call.number, self.began == node
        if not told:
            came, shown = call.buffers.pop(node, NONE)
            tell((events.NodeStarted, number, node, (shown,)))
            for slot, version, _ in known.reads:
                tell((events.SlotRead, node, slot, version, version))
            if raws[0].__class__ is dict:
                raws = reader.contents.again(known, came, raws[0])
            elif any(raw is True for raw in raws):
                raws = reader.contents.again(known, came, {at: raw for at, raw in enumerate(raws) if raw is not True})
        self.began = -1
        grads = [NONE if raw is None else (raw, value_of(raw)) for raw in raws]
        tell((events.NodeRan, number, node, tuple([value for _, value in grads])))
        if not told:
            for slot, _, nbytes in known.slots:
                if call.retain:
                    tell((events.SlotRetained, number, node, slot))
                else:
                    tell((events.SlotFreed, number, node, slot, nbytes))
        self.results = node, grads

    def arrive(self) -> None:
        """The results of the node that ran last come to those below, edge by edge; then ready leaves go."""
        assert self.results is not None
        (node, grads), self.results = self.results, None
        call, tell, nodes = self.open[-1], self.reader.flights.append, self.reader.nodes
        number, buffers, waiting = call.number, call.buffers, call.waiting
        leaves = []
        for (below, nr), grad in zip(nodes[node].edges, grads, strict=True):
            if below is None:
                continue
            key = (below, nr) if nr else below
            before = now = buffers.get(key, NONE)
            if grad is not NONE:
                buffers[key] = now = grad if before is NONE else self.total(before[0], grad[0])
            tell((events.GradAdded, number, node, below, nr, before[1], grad[1], now[1]))
            left = waiting[below] = waiting[below] - 1
            if left == 0:
                tell((events.NodeReady, number, below))
                if nodes[below].leaf:
                    leaves.append(below)
        for leaf in leaves:
            self.leaf_ran(call, leaf)

    def leaf_ran(self, call: Open, leaf: int) -> None:
        """A leaf starts and is done; between, a place for what it stores."""
        call.came[leaf] = call.buffers.get(leaf, NONE)
        self.start(leaf, 1)
        place: list[Flight] = []
        call.places[leaf] = place
        flights: list[Any] = self.reader.flights
        call.spots.append(len(flights))
        flights.append(place)
        flights.append((events.NodeRan, call.number, leaf, ()))

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
            reader.gradient_made(told, ref, raw, version)
            stored = (events.GradStored, call.number, tensor - reader.base, how, told - reader.base, None, value, value)
            reader.flights.append(stored)
        finally:
            reader.flights = before

    def total(self, before: Any, came: Any) -> Grad:
        """The sum, computed as the engine did."""
        if came.__class__ is float and before.__class__ is float:
            total: Any = float(np.float32(before + came))
        elif came.__class__ is float or before.__class__ is float:
            total = float(np.float32(number(before) + number(came)))
        else:
            total = as_noted(self.reader.contents.data(before) + self.reader.contents.data(came))
        return total, self.shown(total)

    def shown(self, raw: Any) -> Value | None:
        return None if raw is None else self.reader.contents.value(raw)


def in_places(flights: list[Any], spots: list[int]) -> None:
    """Put the flights of leaves, which lie at `spots` in lists of their own, there themselves."""
    if not spots:
        return
    first, rest = spots[0], flights[spots[0] :]
    del flights[first:]
    before = first
    for spot in spots:
        flights.extend(rest[before - first : spot - first])
        flights.extend(rest[spot - first])
        before = spot + 1
    flights.extend(rest[before - first :])


def number(raw: Any) -> float:
    """A gradient without dimensions as a number, however it is held."""
    return float(raw) if raw.__class__ is float else float(np.frombuffer(raw[1], raw[0][1])[0])
