"""The quick engine for a call that is recorded: it notes facts instead of telling events.

It runs the same nodes as fast_engine.py and handles gradients with the same functions. That is not the order of the
exact engine, which runs leaves as soon as they are ready; but that order follows from the graph, and the reader tells
it so. What a leaf stored is noted once it is done; leaves are done in the order in which the exact engine would do
them, for their gradients get numbers.

Whatever needs more is for `Call.execute`: hooks, create_graph, chosen inputs, nodes of a program's own making or from
before the recording, large gradients, and a node that hands on to three leaves or more (which of them goes first
depends on the whole heap; see `ReadyQueue`).
"""

from __future__ import annotations

import sys
from collections.abc import Container, Sequence
from typing import Any
from weakref import proxy

import numpy as np

from .. import events
from ..dispatch.operands import loaded_quietly
from ..engine import fast_engine, pending_grads, sequence_order
from ..engine.engine import Call, under_way
from ..engine.grad_validation import validate_grads, writes_into
from ..engine.state import state
from ..graph.accumulate_grad import AccumulateGrad, accumulate, copied_for, laid_out_alike
from ..graph.node import ONE, Node, Run, Wanted, new_run
from ..graph.saved_tensor import read_in_vain
from ..tensor.storage import new_storage
from ..tensor.tensor import Tensor, blank
from .limits import freeze_value, is_oversized, many_leaves
from .tape import BEGAN, LEAF, ROOT, Tape


def backward(tape: Tape, tensor: Tensor, retain: bool) -> bool:
    """`tensor.backward()` of a plain scalar that the tape has told of; False if that is not for this engine."""
    root, base = tensor.node, tape.base
    assert root is not None
    if not runs(tape, root) or state.levels or getattr(tensor, "told", 0) < base or getattr(root, "told", 0) < base:
        return False
    call = Call(retain, False, None)
    parent = state.calls[-1].number if state.calls else None
    roots = (tensor.told - base,), (root.told - base,)
    tape.emit((events.BackwardStarted, call.number, "backward", *roots, retain, False, (), parent))
    under_way(call, lambda: run(tape, call, root, 0, ONE))
    return True


def execute(tape: Tape, call: Call, root: Node, nr: int, grad: Any) -> bool:
    """Run `call` from the output `nr` of `root`, which gets `grad`; False if that is not for this engine."""
    if not runs(tape, root):
        return False
    run(tape, call, root, nr, grad)
    return True


def runs(tape: Tape, root: Node) -> bool:
    """Whether the engine here may run what is below `root`."""
    return root.step is not None and not tape.foreign and (tape.plain or regular(root))


def run(tape: Tape, call: Call, root: Node, nr: int, grad: Any) -> None:
    tape.add((ROOT, root.told, nr, freeze_value(grad)))
    this = new_run(call.retain_graph)
    this.add, this.arrived, this.call = tape.add, [], call
    Running(tape, call, this).run(root, nr, grad)


def regular(root: Node) -> bool:
    """Whether the engine here may run what is below `root`, where not all nodes are known to be of that kind."""
    nodes = fast_engine.below_root(root)
    if nodes is None:
        return False
    for node in nodes.values():
        if (
            is_oversized(node.outs)
            or many_leaves(node)
            or any(n is not None and is_oversized(n.outs) for n in node.next)
        ):
            return False
    return True


class Running:
    """A call under way."""

    def __init__(self, tape: Tape, call: Call, this: Run) -> None:
        self.tape, self.call, self.this = tape, call, this

    def run(self, root: Node, nr: int, grad: Any) -> None:
        """`quick.run`, with the steps that note what they do."""
        this, at = self.this, root.sequence_nr
        this.buffers[(at, nr) if nr else at], this.pending[at] = grad, root
        try:
            sequence_order.descend(this, self.settle, self.stepped, self.tape.direct)
        except BaseException:
            self.break_off()
            raise
        self.finish(())

    def break_off(self) -> None:
        """A node failed: tell of it, and store what came for the leaves that wait for nothing more."""
        pending = self.this.pending
        self.call.running = failed = pending[max(pending)]  # what is pending beside it is older
        self.tell_failed(failed)
        self.finish(pending_grads.waited_for(pending.values()))

    def stepped(self, node: Node, at: int, this: Run) -> None:
        told_step(node, this.buffers.pop(at, None), None, this)

    # ---- leaves

    def settle(self, this: Run) -> None:
        """`leaves.settle`; the leaves that were complete before go first."""
        due = this.shared
        if this.waiting is None:
            pending_grads.expect(this)
            due = order_completed(this)
        assert this.waiting is not None
        for leaf in due:
            if this.waiting[leaf] == 0 and this.cells.get(leaf) is not None:
                grad, version, sole, summed = pending_grads.parts(this.cells.pop(leaf))
                sole = sole or summed or sys.getrefcount(grad) <= pending_grads.ONCE
                self.store(leaf, grad, version, sole)
        this.shared.clear()

    def finish(self, without: Container[Node]) -> None:
        """`leaves.finish`, in order, `without` some."""
        cells = self.this.cells
        for leaf in order_completed(self.this) if cells else ():
            cell = cells.get(leaf)
            if cell is not None and leaf not in without:
                self.take(leaf, cell)

    def take(self, leaf: AccumulateGrad, cell: Any) -> None:
        """What came for a leaf into its `.grad`."""
        grad, version, sole, _ = pending_grads.parts(cell)
        self.store(leaf, grad, version, sole)

    def store(self, leaf: AccumulateGrad, grad: Any, version: int, sole: bool) -> None:
        """`grad` into the `.grad` of the leaf, and the fact of it."""
        tape, variable = self.tape, leaf.variable
        meta = variable.meta or variable.own_meta()
        if meta.grad is not None:
            mark = tape.mark = len(tape.items)
            try:
                accumulate(leaf, grad, self.call.number, False, version)
            finally:
                told = tape.items[mark:]
                tape.items[mark:] = [(LEAF, leaf.told, told)]
                tape.mark = None
            return
        data = variable.data_
        if sole and (grad.__class__ is np.float32 or laid_out_alike(grad, data)):
            how = "taken"
        else:
            how = "copied"
            grad, version = copied_for(grad, data)
        meta.grad = made = blank()
        made.data_ = grad
        made.storage_ = made.node = made.meta = None
        made.told = at = tape.next_told()
        if version:
            made.storage_ = new_storage(version)
            made.storage_.told = at
        tape.add((LEAF, leaf.told, how, variable.told, at, proxy(made, tape.add), version))

    # ---- failures

    def tell_failed(self, node: Node) -> None:
        """Tell that `node` began, and of the reads that did not fail, before what was told of the one that did."""
        tape, items = self.tape, self.tape.items
        at = next(at for at in range(len(items) - 1, -1, -1) if opens(items[at]))
        kind, number = items[at][:2] if type(items[at]) is tuple else (items[at], None)
        if kind is not ROOT and node.told == (number if kind is BEGAN else kind):
            return
        mark = at + 1
        while mark < len(items) and (type(items[mark]) is not tuple or items[mark][0] is not events.SlotRead):
            mark += 1
        told = items[mark:]
        del items[mark:]
        tape.add((BEGAN, node.told, len(node.outs)))
        number = node.told - tape.base
        for slot in sorted(node.slots):
            if told and slot == told[0][2]:
                break
            if node.version_in(slot) is not None:
                tape.add((events.SlotRead, number, slot, node.version_in(slot), node.version_in(slot)))
        items.extend(told)


def order_completed(this: Run) -> list[AccumulateGrad]:
    """The leaves that something came for, in the order in which the last of it came."""
    return list(dict.fromkeys(reversed(this.arrived)))[::-1]


def opens(item: Any) -> bool:
    """Whether `item` says that a node ran or began, or that a call did."""
    return type(item) is int or (type(item) is tuple and (type(item[0]) is int or item[0] is BEGAN or item[0] is ROOT))


# ---- what compiled steps call


def told_step(self: Node, grad: Any, wanted: Wanted | None, this: Run) -> None:
    """The step of a node that tells of its reads itself, and of what it frees."""
    at, wanted = self.sequence_nr, wanted or self.next
    grads = [grad, *(this.buffers.pop((at, nr), None) for nr in range(1, len(self.outs)))]
    del grad
    this.add((BEGAN, self.told, len(grads)))
    if all(g is None for g in grads) and not self.runs_on_nothing:
        read_in_vain(self)
        made: list[Any] = [None] * len(wanted)
        results = made
    else:
        made = self.raw(grads, wanted)
        results = validate_grads(self, made, wanted, False)
    this.add((self.told, *[freeze_value(g) for g in results]))
    counts = fast_engine.count_times_written(self, grads, results, writes_into(self, made, results), this)
    del grads, made
    this.call.let_go(self)
    heard_hand_on(self, results, wanted, this, counts)


def apart(grads: dict[int, Any] | None, at: int, grad: Any) -> dict[int, Any]:
    """`grads` with the one for the edge `at`, which the formula alone does not give."""
    grads = {} if grads is None else grads
    grads[at] = freeze_value(grad)
    return grads


def heard_hand_on(self: Node, results: list[Any], wanted: Wanted, this: Run, counts: Sequence[int] = ()) -> None:
    this.arrived.extend([node for node in wanted if node.__class__ is AccumulateGrad])  # type: ignore[misc]
    fast_engine.hand_on(self, results, wanted, this, counts)


def heard_nothing(self: Node, wanted: Wanted, this: Run) -> None:
    """The step of a node that no gradient came for."""
    for slot in sorted(self.slots):
        loaded_quietly(self, slot)
    this.add((self.told, *(None,) * len(wanted)))
    this.arrived.extend([node for node in wanted if node.__class__ is AccumulateGrad])  # type: ignore[misc]
    fast_engine.let_be(self, wanted, this)
