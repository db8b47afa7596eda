"""The commonest case once more, compiled: float32 operands in rows, results of operators and leaves.

Note [Native path]. All that this engine does is written in Python, and runs without anything here. What programs do
most is written a second time, in C: an operator on usual operands makes its node (operator.c), a usual node computes
and hands on its gradients (step.c), the quick engine goes down the graph (engine.c), and a tape that listens gets the
same facts (tape.c), which lie in a ledger (ledger.c) until somebody reads them (entries.c). Each looks whether all is
usual before it touches anything, and leaves everything else, errors too, to the Python that it stands before. It reads
the slots of Python's classes where they lie, so these stay as they are. describing.py says from the table which
operators have a native path; `python -m autograd_core.native.build` makes it, where a C compiler is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import arithmetic, descent, inplace, leaves, operands, quick
from ..compiling.kept import kept
from ..engine import Call
from ..events import BackwardFinished, BackwardStarted
from ..fitting import fitted
from ..graph import FLOAT, LAST, ONE, SCALAR, AccumulateGrad, Node, Run, known_floats, outs_of
from ..recording import engine, tape
from ..recording.noting import LARGE, SMALL
from ..recording.tape import GOES, GONE, JOINED, LEAF, ROOT, WROTE, Tape
from ..saved import SavedResult
from ..state import next_usual, singular, special, state
from ..storage import Storage
from ..tell import Watch
from ..tensor import Meta, Tensor, View
from .loading import loaded

if TYPE_CHECKING:
    from ..compiling import Code
    from ..op import Op

compiled: Any = None if os.environ.get("AUTOGRAD_CORE_NATIVE") == "0" else loaded()
"""The extension; None where it was not made, or is not wanted."""

steps: dict[type[Node], Any] = {}
"""How nodes of each class run on the native path."""

_described: dict[Op, Any] = {}
"""Descriptions of steps, until all names of the table are known."""


def met(tape: Tape, operands: tuple[Tensor, ...], nodes: tuple[Node | None, ...]) -> tuple[int | None, ...] | None:
    """The numbers of operands and of nodes, some of which the tape meets now; None if a fact cannot tell of them."""
    found = tape.met(*operands)
    return None if found is None else (*found, *tape.joined(*nodes))


if compiled is not None:
    compiled.begin(
        dict(
            Tensor=Tensor, Meta=Meta, View=View, Storage=Storage, SavedResult=SavedResult, Node=Node,
            AccumulateGrad=AccumulateGrad, Run=Run, Tape=Tape, Watch=Watch,
        ),
        dict(
            Tensor=Tensor, Storage=Storage, SavedResult=SavedResult, AccumulateGrad=AccumulateGrad, Tape=Tape, Run=Run,
            FLOAT=FLOAT, SCALAR=SCALAR, LAST=LAST, ONE=ONE, LARGE=LARGE, SMALL=SMALL, MISSES=descent.MISSES,
            known_floats=known_floats, outs_of=outs_of, numbers=operands.numbers, steps=steps,
            special=special, singular=singular, state=state,
            sequence=next_usual.__self__,  # type: ignore[attr-defined]
            leaf=leaves.leaf, add=quick.add, fitted=fitted, squared=quick.squared, met=met,
            Call=Call, Running=engine.Running, backward=engine.backward_in_python, broken_off=engine.broken_off,
            BackwardStarted=BackwardStarted, BackwardFinished=BackwardFinished,
            WROTE=WROTE, GONE=GONE, JOINED=JOINED, LEAF=LEAF, GOES=GOES, ROOT=ROOT,
        ),
    )  # fmt: skip


# ---- operators and steps as they are described


def path(op: Op, code: Code, function: Callable[..., Any]) -> Callable[..., Any]:
    """The native path of `op`, with `function` behind it; `function` itself if there is none."""
    if compiled is None:
        return function
    from .describing import described

    operator, _described[op] = kept.get("native", op.name, lambda: described(op, code))
    if operator is None:
        return function
    forward, count, edges, facts, keeps = operator
    computes = getattr(arithmetic, forward) if forward else op.forward
    rest = tuple(q.default for q in list(op.signature.parameters.values())[count:])
    made = op, op.name, op.node_class, computes, zeros_of(op), count, edges, rest
    native: Callable[..., Any] = compiled.operator(function, *made, *facts, slots_of(op, keeps))
    native.__wrapped__ = function  # type: ignore[attr-defined]
    return native


def zeros_of(op: Op) -> tuple[int, ...]:
    """`nrs` of a node whose edges all lead to first outputs: the very tuple that compiled code compares with."""
    from ..compiling import PLUMBING

    found: tuple[int, ...] = PLUMBING[f"_Z{len(op.inputs)}"]
    return found


def slots_of(op: Op, keeps: tuple[tuple[int, int, int, str], ...]) -> tuple[Any, ...]:
    """Where a node keeps what it does, and where the version of it; of an argument also its default."""
    found = []
    for kind, operand, users, name in keeps:
        version = f"version_{name}" if kind in (compiled.OPERAND, compiled.RESULT) else None
        value = op.signature.parameters[name].default if name in op.signature.parameters else None
        found.append((kind, operand, users, f"saved_{name}", version, value))
    return tuple(found)


def complete() -> None:
    """The table is read to its end: find the steps of its nodes, and let the engine take them."""
    if compiled is None:
        return
    from ..methods import tracking
    from ..nn.parameter import Parameter

    compiled.leaves(Parameter)
    for op, step in _described.items():
        if step is not None and op.node_class is not None and op.node_class.step is not quick.step:
            steps[op.node_class] = step_of(op, *step)
    _described.clear()
    descent.descend, tape.new_items = compiled.descend, compiled.Ledger
    engine.backward, inplace.written_natively = compiled.backward, compiled.write
    tracking.forgotten = compiled.forget


def step_of(op: Op, unit: str, facts: tuple[Any, ...], keeps: tuple[Any, ...], formulas: tuple[Any, ...]) -> Any:
    from ..op import RAW

    value, slot = (op.signature.parameters[unit].default, f"saved_{unit}") if unit else (None, None)
    functions = tuple(
        (how, fits, RAW[name] if name else op.on_arrays[p], arguments)
        for p, (how, fits, name, arguments) in zip(op.inputs, formulas, strict=True)
    )
    made = op.node_class, zeros_of(op), op.traits.get("over"), value, slot
    return compiled.step(*made, *facts, slots_of(op, keeps), functions)
