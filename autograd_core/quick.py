"""The quick engine: the exact one's results where nobody could tell the difference, in a fraction of its time.

Note [Sorted runs]. The exact engine runs, of all nodes that have got all their gradients, the newest. Where every edge
leads from a newer node to an older one, the newest node not yet run is always ready: those it waits for are newer. So
the nodes below a root can be sorted once and run in turn. Leaves go as soon as they are complete, as in torch.

It refuses (and the exact engine takes over) graphs with hooks, with nodes of a program's own making, and with an
edge that leads up. Only a usual thread may use it: nobody listens, no anomaly mode.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .accumulate import add_in_place, laid_out_alike
from .fitting import dense, validated
from .graph import AccumulateGrad, Add, Buffers, Leaf, Node, Wanted
from .tensor import plain

Order = dict[int, Node]
"""The nodes to run, by sequence_nr."""

ONLY_BUFFER = 3
"""References to a gradient that only a buffer holds, as `sum_up` sees it: the buffer's, its own, getrefcount's."""
ONLY_STEP = 3
"""References to a gradient that only the step that made it holds, as `leaf` sees it: the step's, its own and that."""


def collect(root: Node) -> tuple[Order, dict[AccumulateGrad, int]] | None:
    """The nodes below `root`, and how many gradients each leaf waits for; None if this engine must not run them."""
    if root.step is None or root.hooks is not None:
        return None
    nodes: Order = {root.sequence_nr: root}
    leaves: dict[AccumulateGrad, int] = {}
    order = [root]
    for node in order:
        at = node.sequence_nr
        for below in node.next:
            if below is None:
                continue
            nr = below.sequence_nr
            if nr < at:
                known = nodes.get(nr)
                if known is None:
                    if below.hooks is not None or below.step is None:
                        return None
                    nodes[nr] = below
                    order.append(below)
                elif known is not below:
                    return None
            elif below.__class__ is AccumulateGrad:
                if below in leaves:
                    leaves[below] += 1
                elif below.hooks is not None or hooked(below):
                    return None
                else:
                    leaves[below] = 1
            else:
                return None
    return nodes, leaves


def hooked(leaf: AccumulateGrad) -> bool:
    meta = leaf.variable.meta
    return meta is not None and bool(meta.hooks or meta.post_hooks)


def run(root: Node, nr: int, grad: Any, retain: bool) -> bool:
    """Backward from the output `nr` of `root`; False if that is for the exact engine."""
    found = collect(root)
    if found is None:
        return False
    nodes, leaves = found
    buffers: Buffers = {(root, nr) if nr else root: grad}
    written: dict[Any, int] = {}
    add = adder(buffers, written)
    leaf = leaf_adder(leaves, buffers, written)
    for at in sorted(nodes, reverse=True):
        node = nodes[at]
        if written and node in written:
            give_on(node, buffers, leaf, add, retain, written)
        else:
            node.step(buffers.pop(node, None), node.next, buffers, leaf, add, retain)
    return True


def adder(buffers: Buffers, written: dict[Any, int]) -> Add:
    """Adds a gradient to what came before, and counts how often torch would have written over the buffer."""

    def add(key: Any, grad: Any) -> None:
        before = buffers[key]
        if before is None:
            buffers[key] = grad
        elif grad is not None:
            if sys.getrefcount(before) <= ONLY_BUFFER and alone(before):
                written[key] = written.get(key, 0) + 1
            elif written:
                written.pop(key, None)
            buffers[key] = before + grad

    return add


def alone(data: Any) -> bool:
    """Whether torch would write the sum over `data`, to which nothing else refers."""
    return data.__class__ is np.float32 or not isinstance(data, np.ndarray) or (data.base is None and dense(data))


def leaf_adder(leaves: dict[AccumulateGrad, int], buffers: Buffers, written: dict[Any, int]) -> Leaf:
    """Adds a gradient to those that came for a leaf; the last one goes with them into `.grad`."""

    def leaf(node: AccumulateGrad, grad: Any) -> None:
        before = buffers.get(node)
        if before is not None:
            if grad is None:
                grad = before
            else:
                if sys.getrefcount(before) <= ONLY_BUFFER and alone(before):
                    written[node] = written.get(node, 0) + 1
                elif written:
                    written.pop(node, None)
                grad = before + grad
        left = leaves[node] - 1
        if left:
            leaves[node] = left
            buffers[node] = grad
            return
        if before is not None:
            del buffers[node]
        elif grad is None:
            return
        variable = node.variable
        meta = variable.own_meta()
        if meta.grad is not None:
            add_in_place(meta.grad, grad)
        elif (before is not None or sys.getrefcount(grad) <= ONLY_STEP) and laid_out_alike(grad, variable.data_):
            meta.grad = plain(grad, version=written.pop(node, 0) if written else 0)
        else:
            meta.grad = plain(grad.copy() if isinstance(grad, np.ndarray) else grad, version=1)
        if written:
            written.pop(node, None)

    return leaf


def give_on(node: Node, buffers: Buffers, leaf: Leaf, add: Add, retain: bool, written: dict[Any, int]) -> None:
    """A step of a node that may hand on the very array that came, which torch has written so many times by now."""
    count = written.pop(node)
    if len(node.outs) > 1:
        return step(node, buffers.pop(node), node.next, buffers, leaf, add, retain)
    grads = [buffers.pop(node)]
    results = validated(node, node.raw(grads, node.next), node.next, False)
    for below, nr, result in zip(node.next, node.nrs, results, strict=True):
        key = (below, nr) if nr else below
        if result is grads[0] and key not in buffers:
            written[key] = count
    result = None
    del grads
    if not retain:
        node.release()
    return node.hand_on(results, node.next, buffers, leaf, add)


def step(self: Node, grad: Any, wanted: Wanted, buffers: Buffers, leaf: Leaf, add: Add, retain: bool) -> None:
    """The step of operators with several results, or with lists of inputs."""
    grads = [grad, *(buffers.pop((self, nr), None) for nr in range(1, len(self.outs)))]
    del grad
    if all(g is None for g in grads):
        return self.nothing(wanted, leaf, retain)
    results = validated(self, self.raw(grads, wanted), wanted, False)
    del grads
    if not retain:
        self.release()
    self.hand_on(results, wanted, buffers, leaf, add)
    return None
