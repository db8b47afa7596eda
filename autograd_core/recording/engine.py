"""The exact engine for a call that is recorded and has nothing unusual: it notes facts instead of telling events.

It runs the same nodes in the same order as `Call.execute`, handles gradients with the same functions, and asks as
little as it can on the way. Whatever needs more is for `Call.execute`: hooks, create_graph, chosen inputs, nodes of a
program's own making or from before the recording, large gradients, and a node that hands on to three leaves or more
(which of them goes first depends on the whole heap; see queue.py).
"""

from __future__ import annotations

from functools import lru_cache
from heapq import heappop, heappush
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import events
from ..accumulate import accumulate
from ..fitting import fit
from ..graph import SCALAR, AccumulateGrad, Node, Output
from .tape import BEGAN, DONE, LARGE, LEAF, ROOT, RUN, Tape

if TYPE_CHECKING:
    from ..engine import Call


def execute(tape: Tape, call: Call, root: Node, nr: int, grad: Any) -> bool:
    """Run `call` from the output `nr` of `root`, which gets `grad`; False if that is not for this engine."""
    graph = Graph(tape.base)
    if not graph.take(root):
        return False
    tape.add((ROOT, root.told - tape.base, nr, noted(grad)))
    graph.buffers[root] = start = [None] * len(root.outs)
    start[nr] = grad
    Running(tape, call, graph).run(root)
    return True


class Graph:
    """What lies below a root: for how many gradients each node waits, and what has come."""

    def __init__(self, base: int) -> None:
        self.base = base
        self.waiting: dict[Node, int] = {}
        self.by_sequence: dict[int, Node] = {}
        self.buffers: dict[Node, list[Any]] = {}

    def take(self, root: Node) -> bool:
        """Count everything below `root`; whether the engine here may run it."""
        waiting, by_sequence, base = self.waiting, self.by_sequence, self.base
        waiting[root] = 0
        order = [root]
        for node in order:
            if node.hooks is not None or getattr(node, "told", 0) < base:
                return False
            if node.outs is not SCALAR and large(node.outs):
                return False
            if node.__class__ is AccumulateGrad:
                leaf: Any = node
                meta = leaf.variable.meta
                if meta is not None and (meta.hooks or meta.post_hooks):
                    return False
                continue
            if node.step is None or by_sequence.setdefault(node.sequence_nr, node) is not node:
                return False
            nexts = node.next
            if len(nexts) > 2 and sum(below.__class__ is AccumulateGrad for below in nexts) > 2:
                return False
            for below in nexts:
                if below is not None:
                    if below in waiting:
                        waiting[below] += 1
                    else:
                        waiting[below] = 1
                        order.append(below)
        return True


@lru_cache(1024)
def large(outs: tuple[Output, ...]) -> bool:
    return any(prod(shape) > LARGE for shape, _ in outs)


def noted(grad: Any) -> Any:
    """`grad` as a fact may hold it, and add it up: not the object itself, whose holders are counted."""
    if grad.__class__ is np.float32:
        return float(grad)
    return None if grad is None else np.array(grad)


class Running:
    """A call under way."""

    def __init__(self, tape: Tape, call: Call, graph: Graph) -> None:
        self.tape, self.call, self.graph = tape, call, graph
        self.written: dict[tuple[Node, int], int] = {}
        """How often torch would have written what came, as in the exact engine."""

    def run(self, root: Node) -> None:
        call, by_sequence = self.call, self.graph.by_sequence
        leaves: list[Any] = []
        heap: list[int] = []
        if isinstance(root, AccumulateGrad):
            leaves.append(root)
        else:
            heap.append(-root.sequence_nr)
        while heap or leaves:
            if leaves:
                for leaf in leaves:
                    call.running = leaf
                    self.arrive(leaf)
                leaves.clear()
            else:
                call.running = node = by_sequence[-heappop(heap)]
                self.hand_on(node, self.results(node), heap, leaves)

    def arrive(self, leaf: AccumulateGrad) -> None:
        """What came goes into the `.grad` of a leaf; that is told at once."""
        number = leaf.told - self.tape.base
        self.tape.add((LEAF, number))
        grad = self.graph.buffers.pop(leaf).pop()
        if grad is not None:
            accumulate(leaf, grad, self.call.number, False, self.written.pop((leaf, 0), 0))
        self.tape.add((DONE, number))

    def results(self, node: Node) -> list[Any]:
        """Run `node`, note that it ran, and let go of what it keeps."""
        tape = self.tape
        grads = self.graph.buffers.pop(node)
        number = node.told - tape.base
        direct = node.heard_raw is None or id(node) in tape.nodes
        if direct:
            tape.add((BEGAN, number, len(grads)))
        if all([grad is None for grad in grads]) and not node.runs_on_nothing:
            results: list[Any] = [None] * len(node.next)
        elif direct:
            results = self.fitted(node, node.raw(grads, node.next))
        else:
            mark = len(tape.items)
            try:
                results = self.fitted(node, node.heard_raw(grads, node.next))  # type: ignore[misc]
            except BaseException:
                self.tell_failed(node, number, mark)
                raise
        tape.add((RUN, number, tuple([float(g) if g.__class__ is np.float32 else noted(g) for g in results])))
        self.counts = self.passed_on(node, grads, results)
        if direct:
            self.call.let_go(node)
        elif not self.call.retain_graph:
            node.release()
        return results

    def fitted(self, node: Node, results: list[Any]) -> list[Any]:
        """`validated`: each result in the shape and dtype that its edge expects."""
        for i, below in enumerate(node.next):
            grad = results[i]
            if grad.__class__ is np.float32 and below is not None and below.outs is SCALAR:
                continue
            if below is not None and grad is not None:
                expected = below.outs[node.nrs[i]]
                if grad.__class__ is not np.ndarray or grad.shape != expected[0] or grad.dtype is not expected[1]:
                    results[i] = fit(node, i, grad, expected, False)
        return results

    def passed_on(self, node: Node, grads: list[Any], results: list[Any]) -> list[int] | None:
        """As in the exact engine, which need not look where nothing was written."""
        if not node.writes and (not self.written or (len(grads) == 1 and (node, 0) not in self.written)):
            return None
        given = {id(g): self.written.pop((node, nr)) for nr, g in enumerate(grads) if (node, nr) in self.written}
        for result, count in zip(results, node.writes, strict=False):
            given[id(result)] = count
        return [given.get(id(result), 0) for result in results]

    def hand_on(self, node: Node, results: list[Any], heap: list[int], leaves: list[Any]) -> None:
        """Give each result to the node below; the last one that it waits for makes it ready."""
        buffers, waiting, counts, nrs = self.graph.buffers, self.graph.waiting, self.counts, node.nrs
        for i, below in enumerate(node.next):
            if below is None:
                continue
            grad, results[i], nr = results[i], None, nrs[i]
            buffer = buffers.get(below)
            if buffer is None:
                buffer = buffers[below] = [None] * len(below.outs)
            if grad is None:
                pass
            elif buffer[nr] is None:
                buffer[nr] = grad
                if counts is not None and counts[i]:
                    self.written[below, nr] = counts[i]
            else:
                self.add(below, nr, buffer, grad)
            waiting[below] = left = waiting[below] - 1
            if not left:
                if below.__class__ is AccumulateGrad:
                    leaves.append(below)
                else:
                    heappush(heap, -below.sequence_nr)
            grad = None

    def add(self, node: Node, nr: int, buffer: list[Any], grad: Any) -> None:
        from ..engine import added

        buffer[nr], alone = added(buffer, nr, grad)
        if alone:
            self.written[node, nr] = self.written.get((node, nr), 0) + 1
        elif self.written:
            self.written.pop((node, nr), None)

    def tell_failed(self, node: Node, number: int, mark: int) -> None:
        """Tell that `node` began, and of the reads that did not fail, before what was told of the one that did."""
        tape = self.tape
        told = tape.items[mark:]
        del tape.items[mark:]
        tape.add((BEGAN, number, len(node.outs)))
        failed = told[0][2] if told and told[0][0] is events.SlotRead else None
        for slot in sorted(node.slots):
            if slot == failed:
                break
            if node.version_in(slot) is not None:
                tape.add((events.SlotRead, number, slot, node.version_in(slot), node.version_in(slot)))
        tape.items.extend(told)
