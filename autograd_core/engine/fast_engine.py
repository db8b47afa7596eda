"""The quick engine: the exact one's results where nobody could tell the difference, in a fraction of its time.

Note [Sorted runs]. The exact engine runs, of all nodes that have got all their gradients, the newest. Where every edge
leads from a newer node to an older one, the newest node that has got any is always ready: those it waits for would be
newer. So it is enough to go down through the sequence numbers. And where nobody can look in between, leaves may get
what came for them at the end; whether torch would have taken over, copied or written over an array is noted when it
comes.

Note [Shared gradients]. A node may hand one array to several edges. Whether torch then copies it or takes it over
depends on who still holds it when a leaf is complete. So at the first leaf that gets an array which others hold, too,
the gradients still to come are counted, and from there on leaves are settled as soon as they are complete.

Graphs with hooks, with nodes of a program's own making, or with an edge that leads up are for the exact engine. While
`irregular` is empty the process has none; else `fits` looks before each run. Only a usual thread may use this engine:
nobody listens, no anomaly mode.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from numpy import add as add_to
from numpy import ndarray

from ..graph.accumulate_grad import AccumulateGrad
from ..graph.node import LAST, Node, Run, Wanted, new_run
from ..graph.saved_tensor import keeps_detached, read_in_vain
from ..tensor.tensor import Tensor
from . import sequence_order
from .grad_validation import count_writes, fit, memory, validate_grads, writes_into
from .pending_grads import ALONE, alone, finish, leaf, settle, waited_for
from .sequence_order import MISSES
from .state import COMPLEX, DETACHED, RESHAPED, irregular


def run(root: Node, nr: int, grad: Any, retain: bool) -> bool:
    """Backward from the output `nr` of `root`; False if that is for the exact engine."""
    if root.step is None or (irregular and not fits(root)):
        return False
    at = root.sequence_nr
    this = new_run(retain)
    this.buffers[(at, nr) if nr else at], this.pending[at] = grad, root
    try:
        sequence_order.descend(this, settle)
    except BaseException:
        for late in waited_for(this.pending.values()):
            this.cells.pop(late, None)  # type: ignore[call-overload]
        finish(this)
        raise
    finish(this)
    return True


def gradients(
    root: Node, nr: int, grad: Any, inputs: Sequence[AccumulateGrad], retain: bool, graph: bool
) -> dict[Node, Any] | None:
    """What comes for each of the leaves `inputs` from the output `nr` of `root`, by leaf; with `graph` as tensors.

    None if that is for the exact engine. A leaf that nothing comes for is left out.
    """
    if root.step is None:
        return None
    this = new_run(retain)
    at = root.sequence_nr
    this.buffers[(at, nr) if nr else at] = grad
    needed: set[Node] = set(inputs)
    if not irregular and (needed.issuperset(root.next) or leads_only_to(root, needed)):
        descend(root, this, graph)
        return this.cells  # type: ignore[return-value]
    nodes = below_root(root)
    if nodes is None:
        return None
    order = sorted(nodes)
    for at in order:
        node = nodes[at]
        if not needed.isdisjoint(node.next):
            needed.add(node)
    for at in reversed(order):
        node = nodes[at]
        if node in needed:
            below = node.next
            wanted: Wanted | None = None
            if not needed.issuperset(below):
                wanted = tuple([n if n in needed else None for n in below])
            if graph:
                node.graph_step(this.buffers.pop(at, None), wanted, this)  # type: ignore[misc]
            else:
                node.step(this.buffers.pop(at, None), wanted, this)  # type: ignore[misc]
    return this.cells  # type: ignore[return-value]


def leads_only_to(root: Node, leaves: set[Node]) -> bool:
    """Whether no edge below `root` ends in another leaf."""
    order, seen = [root], {None, *leaves}
    for node in order:
        for below in node.next:
            if below not in seen:
                if below.__class__ is AccumulateGrad:
                    return False
                seen.add(below)
                order.append(below)  # type: ignore[arg-type]
    return True


def descend(root: Node, this: Run, graph: bool) -> None:
    """Run all that is below `root`, over arrays or, with `graph`, over tensors."""
    at, misses = root.sequence_nr, 0
    pending, came_for = this.pending, this.buffers.pop
    node: Node | None = root
    while True:
        if node is None:
            misses += 1
            if misses > MISSES:
                at = max(pending) + 1
        else:
            if graph:
                node.graph_step(came_for(at, None), None, this)  # type: ignore[misc]
            else:
                node.step(came_for(at, None), None, this)  # type: ignore[misc]
            misses = 0
        if not pending:
            return
        at -= 1
        node = pending.pop(at, None)


def graph_step(node: Node, grad: Any, wanted: Wanted | None, this: Run) -> None:
    """The step over tensors of operators with several results, or with lists of inputs."""
    wanted = wanted or node.next
    if len(node.outs) == 1:
        if grad is None:
            return nothing(node, wanted, this)
        results = node.graph((grad,), wanted)
    else:
        at = node.sequence_nr
        grads = [grad, *(this.buffers.pop((at, nr), None) for nr in range(1, len(node.outs)))]
        if all(g is None for g in grads):
            return nothing(node, wanted, this)
        results = node.graph(grads, wanted)
    if node.writes:
        count_writes(results, node.writes)
    for i, below in enumerate(wanted):
        result = results[i]
        if below is not None and result is not None:
            shape, dtype = below.outs[node.nrs[i]]
            if result.data_.shape != shape or result.data_.dtype is not dtype:
                results[i] = fit(node, i, result, below.outs[node.nrs[i]], True)
    if not this.retain:
        node.release()
    return hand_on(node, results, wanted, this)


def fits(root: Node) -> bool:
    """Whether this engine may run what is below `root`."""
    return below_root(root) is not None


def below_root(root: Node) -> dict[int, Node] | None:
    """The nodes that `root` leads to, by sequence_nr; None if this engine must not run them."""
    if root.hooks is not None or root.step is None or RESHAPED in irregular:
        return None
    complex_too = COMPLEX in irregular
    nodes: dict[int, Node] = {root.sequence_nr: root}
    order = [root]
    apart = DETACHED in irregular
    for node in order:
        if apart and keeps_detached(node):
            return None
        if complex_too and has_complex(node):
            return None
        for below in node.next:
            if below is None:
                continue
            nr = below.sequence_nr
            if nr < node.sequence_nr:
                if nr not in nodes:
                    nodes[nr] = below
                    order.append(below)
                    if below.hooks is not None or below.step is None:
                        return None
                elif nodes[nr] is not below:
                    return None
            elif not isinstance(below, AccumulateGrad) or below.hooks is not None or asks_more(below):
                return None
    return nodes


def has_complex(node: Node) -> bool:
    """Whether a result of `node` is of complex numbers, whose gradients the exact engine alone conjugates."""
    return any(dtype.kind == "c" for _, dtype in node.outs)


def asks_more(leaf: AccumulateGrad) -> bool:
    """Whether more happens at `leaf` than that its `.grad` grows, or less, or it is complex."""
    meta = leaf.variable.meta
    hooked = meta is not None and bool(meta.hooks or meta.post_hooks or not meta.requires_grad)
    return hooked or has_complex(leaf)


def add(this: Run, key: Any, grad: Any) -> None:
    """Add `grad` to what came for the node with this sequence number before."""
    before = this.buffers[key]
    if before is None:
        this.buffers[key] = grad
    elif grad is not None:
        if sys.getrefcount(before) <= ALONE and alone(before):
            this.written[key] = this.written.get(key, 0) + 1
            if before.__class__ is ndarray:
                add_to(before, grad, before)
                return
        elif this.written:
            this.written.pop(key, None)
        this.buffers[key] = before + grad


def counted_on(this: Run, node: Node, count: int) -> bool:
    """Note that torch wrote `count` times what is about to come to `node` as the first; False if it must be told."""
    at = node.sequence_nr
    if at == LAST or at in this.buffers:
        return False
    this.written[at] = count
    return True


def hand_on(self: Node, results: list[Any], wanted: Wanted, this: Run, counts: Sequence[int] = ()) -> None:
    """The end of a `step` in general: any number of edges, to any output.

    `counts` say how often torch has written each of the results by now, where it has written any.
    """
    for i, node in enumerate(wanted):
        if node is None:
            continue
        result, results[i] = results[i], None
        if node.__class__ is AccumulateGrad:
            leaf(this, node, result, counts[i] if counts else 0)  # type: ignore[arg-type]
        else:
            at, nr = node.sequence_nr, self.nrs[i]
            key = (at, nr) if nr else at
            this.pending[at] = node
            if key in this.buffers:
                add(this, key, result)
            else:
                this.buffers[key] = result
                if counts and counts[i]:
                    this.written[key] = counts[i]
        del result


def square_grads(self: Node, grad: Any, below: Node | None, this: Run) -> bool:
    """The gradients of both operands of `x * x`, already added up; False if that is not for here.

    The sum is written over the first, as torch does.
    """
    if below is None or below.outs is not self.outs:
        return False
    at, kept = below.sequence_nr, self.saved_self  # type: ignore[attr-defined]
    if at is LAST or at in this.buffers or kept.__class__ is not Tensor:
        return False
    if kept.storage_ is not None and kept.storage_.version != self.version_self:  # type: ignore[attr-defined]
        return False
    once = grad * kept.data_
    if once.__class__ is not ndarray or once.dtype is not grad.dtype:
        return False
    this.buffers[at], this.pending[at], this.written[at] = add_to(once, once, once), below, 1
    return True


def nothing(self: Node, wanted: Wanted, this: Run) -> None:
    """A `step` that no gradient came for: those below may still wait for it."""
    read_in_vain(self)
    let_be(self, wanted, this)


def let_be(self: Node, wanted: Wanted, this: Run) -> None:
    """The end of such a step."""
    if not this.retain:
        self.release()
    for node in wanted:
        if node is not None and not isinstance(node, AccumulateGrad):
            this.pending[node.sequence_nr] = node


def step(self: Node, grad: Any, wanted: Wanted | None, this: Run) -> None:
    """The step of operators with several results, or with lists of inputs."""
    at, wanted = self.sequence_nr, wanted or self.next
    grads = [grad, *(this.buffers.pop((at, nr), None) for nr in range(1, len(self.outs)))]
    del grad
    if all(g is None for g in grads):
        nothing(self, wanted, this)
        return
    made = self.raw(grads, wanted)
    results = validate_grads(self, made, wanted, False)
    counts = count_times_written(self, grads, results, writes_into(self, made, results), this)
    del grads, made
    if not this.retain:
        self.release()
    hand_on(self, results, wanted, this, counts)


def count_times_written(
    self: Node, grads: Sequence[Any], results: Sequence[Any], writes: Sequence[int], this: Run
) -> Sequence[int]:
    """How often torch has written each of `results`: so many `writes` in making it, or before, where it shows one of
    `grads`."""
    at, written, given = self.sequence_nr, this.written, {}
    for nr, grad in enumerate(grads if written else ()):
        key = (at, nr) if nr else at
        if key in written:
            given[id(grad)] = given[memory(grad)] = written.pop(key)
    given.update(zip(map(id, results), writes, strict=False))
    return [given.get(id(result), given.get(memory(result), 0)) for result in results] if given else ()
