"""What comes to leaves in a quick run: added up in cells, then stored."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy import float32, ndarray

from ..graph.accumulate_grad import AccumulateGrad, add_in_place, copied_for, laid_out_alike, look_at_layout
from ..graph.node import Node, Run
from ..tensor.tensor import blank, plain
from .grad_validation import dense

ALONE = 3
"""References to a gradient that nothing else holds, as the functions here see it: its holder's, theirs, and that of
getrefcount."""
ONCE = 2
"""The same for one that a single variable holds."""


def waited_for(nodes: Iterable[Node]) -> set[Node]:
    """The leaves that still get something from `nodes` and what is below them."""
    found: set[Node] = set(nodes)
    order = list(found)
    for node in order:
        for below in node.next:
            if below is not None and below not in found:
                found.add(below)
                order.append(below)
    return found


def settle(this: Run) -> None:
    """Let the leaves go that are complete; see Note [Shared gradients]."""
    if this.waiting is None:
        expect(this)
    assert this.waiting is not None
    for leaf in this.shared:
        if this.waiting[leaf] == 0 and this.cells.get(leaf) is not None:
            grad, version, _, summed = parts(this.cells.pop(leaf))
            sole = summed or sys.getrefcount(grad) <= ONCE
            store(leaf, grad, version, sole)
    this.shared.clear()


def expect(this: Run) -> None:
    """Count the gradients that leaves still wait for."""
    waiting = this.waiting = dict.fromkeys(this.cells, 0)
    this.sums.clear()
    for node in waited_for(this.pending.values()):
        for below in node.next:
            if isinstance(below, AccumulateGrad):
                waiting[below] = waiting.get(below, 0) + 1
                this.cells.setdefault(below, None)  # so that what comes is counted


def finish(this: Run) -> None:
    """What came for each leaf goes into its `.grad`."""
    for leaf, cell in this.cells.items():
        variable, kind = leaf.variable, cell.__class__
        meta: Any = variable.meta
        if (kind is ndarray and cell.strides == variable.data_.strides or kind is float32) and meta.grad is None:
            meta.grad = found = blank()
            found.data_ = cell
            found.storage_ = found.node = found.meta = None
        elif cell is not None:
            grad, version, sole, _ = parts(cell)
            store(leaf, grad, version, sole)


def store(leaf: AccumulateGrad, grad: Any, version: int, sole: bool) -> None:
    """`grad` into the `.grad` of the leaf: taken over, copied, or added in place."""
    variable = leaf.variable
    meta = variable.meta or variable.own_meta()
    if meta.grad is not None:
        add_in_place(meta.grad, grad)
        look_at_layout(meta.grad, variable, "in_place")
    elif sole and laid_out_alike(grad, variable.data_):
        meta.grad = plain(grad, version=version)
    else:
        copy, writes = copied_for(grad, variable.data_)
        meta.grad = plain(copy, version=writes)


def parts(cell: Any) -> list[Any]:
    """A cell whose gradient may stand for all of it, in full."""
    return cell if cell.__class__ is list else [cell, 0, True, False]


def leaf(this: Run, node: AccumulateGrad, grad: Any, count: int = 0) -> None:
    """Add `grad` to what came for a leaf, and note how often torch would have written over it: so far `count` times."""
    cell = this.cells.get(node)
    if cell is not None and cell.__class__ is not list:
        this.cells[node] = cell = parts(cell)
    if cell is None:
        if grad is not None:
            sole = sys.getrefcount(grad) <= ALONE
            this.cells[node] = grad if sole and not count else [grad, count, sole, False]
            if not sole:
                this.shared.append(node)
    elif grad is None:
        pass
    elif cell[3]:
        if cell[0].__class__ is np.ndarray:
            cell[0] += grad
        else:
            cell[0] = cell[0] + grad
        cell[1] += 1
    else:
        before = cell[0]
        cell[1] = cell[1] + 1 if sys.getrefcount(before) <= ALONE and alone(before) else 0
        cell[0] = before + grad
        cell[2] = cell[3] = True
        if this.waiting is None:
            this.sums[node] = cell
    if this.waiting is not None:
        this.waiting[node] -= 1
        this.shared.append(node)


def alone(data: Any) -> bool:
    """Whether torch would write the sum over `data`, to which nothing else refers."""
    if data.__class__ is ndarray:
        return data.base is None and (data.flags.c_contiguous or dense(data))
    return not isinstance(data, ndarray) or (data.base is None and dense(data))
