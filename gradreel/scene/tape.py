"""The tape of an expression: what computed its result, operation by operation, with all that it takes to do it again.

A page that has it follows a slider by itself. Where an operand is not told of by events (the 2 of `2 - x`) it is found
among the numbers of the source; where that is not certain, or anything was done that a tape cannot tell, there is none.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradreel.trace import Trace
from gradreel.trace import events as e

from .model import Operation
from .shown import digits_of, round_data

CONSTANTS = frozenset(("tensor", "number", "ones", "zeros", "full", "eye", "arange", "ones_like", "zeros_like"))
LARGEST = 256
"""Of larger tensors the page knows no numbers."""
ASIDE = "known before"
"""What an operation made beside its result, for its backward alone."""
WITH_SCALAR: dict[str, Any] = {
    "rsub.Scalar": lambda x, number: number - x,
    "remainder.Scalar": np.remainder,
    "gt.Tensor": np.greater,
    "ge.Tensor": np.greater_equal,
    "lt.Tensor": np.less,
    "le.Tensor": np.less_equal,
    "eq.Tensor": np.equal,
    "ne.Tensor": np.not_equal,
}
"""Operations whose second operand no event has where it is a number, each as numpy computes it."""
BEYOND = (e.Written, e.HistoryRebased, e.FlagChanged, e.HookRan, e.SavedPacked, e.Raised, e.Stopped)
"""What a tape cannot tell."""


def tape_of(trace: Trace) -> tuple[Operation, ...]:
    """The operations before the one backward call of a run; none where they are not all there is to it."""
    if trace.outcome.kind != "finished" or any(isinstance(event, BEYOND) for event in trace.events):
        return ()
    calls = [event for event in trace.events if type(event) is e.BackwardStarted]
    if len(calls) != 1 or calls[0].called != "backward" or calls[0].create_graph:
        return ()
    tape = Tape(trace)
    rows = tape.rows()
    return tuple(rows) if rows is not None else ()


class Tape:
    """Reads the events of the forward pass."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.values: dict[int, Any] = {}

    def rows(self) -> list[Operation] | None:
        """All operations in order; None where one of them cannot be told."""
        nodes: dict[int, e.NodeMade] = {}
        settings: dict[int, dict[str, str]] = {}
        saved: dict[int, dict[str, str | None]] = {}
        rows: list[Operation] = []
        for event in self.trace.events:
            if type(event) is e.BackwardStarted:
                break
            if type(event) is e.NodeMade:
                nodes[event.node] = event
            elif type(event) is e.ValueSaved:
                settings.setdefault(event.node, {})[event.slot] = event.text
            elif type(event) is e.TensorSaved:
                name = None if event.tensor is None else f"t{event.tensor}"
                saved.setdefault(event.node, {})[event.slot] = name
            elif type(event) is e.TensorMade and event.op != ASIDE:
                row = self.row(event, None if event.node is None else nodes[event.node])
                if row is None:
                    return None
                rows.append(row)
        return [row if row.node is None else complete(row, settings, saved) for row in rows]

    def row(self, event: e.TensorMade, node: e.NodeMade | None) -> Operation | None:
        if not event.value.whole or math.prod(event.shape) > LARGEST:
            return None
        data = self.values[event.tensor] = event.value.data
        inputs = event.inputs if node is None else node.inputs
        name, shape = f"t{event.tensor}", event.shape
        if not inputs:
            known = node is None and event.op in CONSTANTS
            return Operation(event.op, name, shape, data=data) if known else None
        if not all(each in self.values for each in inputs):
            return None
        settings: dict[str, str] = {}
        if event.op in WITH_SCALAR and len(inputs) == 1:
            number = self.scalar_operand(event.op, inputs[0], data)
            if number is None:
                return None
            settings = {"other": repr(number)}
        made = f"n{event.node}" if event.node is not None else None
        told = round_data(data, digits_of(event.value))
        return Operation(event.op, name, shape, tuple(f"t{each}" for each in inputs), made, settings, data=told)

    def scalar_operand(self, op: str, operand: int, data: Any) -> float | None:
        """The one number of the source with which an operation gives what it gave."""
        x, result = np.array(self.values[operand], np.float32), np.array(data)
        beside = numbers_beside(self.trace.source, op)
        fits = [number for number in beside if same(WITH_SCALAR[op](x, np.float32(number)), result)]
        return fits[0] if len(fits) == 1 else None


def complete(row: Operation, settings: dict[int, dict[str, str]], saved: dict[int, dict[str, str | None]]) -> Operation:
    """The operation with what its node keeps."""
    node = int((row.node or "n")[1:])
    return replace(row, settings={**settings.get(node, {}), **row.settings}, saved=saved.get(node, {}))


def same(ours: Any, theirs: Any) -> bool:
    return bool(np.array_equal(np.float32(ours), np.float32(theirs), equal_nan=True))


def numbers_beside(source: str, op: str) -> set[float]:
    """The numbers that stand where the operand of `op` can stand: before a minus, behind a `%`, or in a comparison."""
    found: set[float] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.BinOp(left=left, op=ast.Sub()) if op == "rsub.Scalar":
                sides = [left]
            case ast.BinOp(op=ast.Mod(), right=right) if op == "remainder.Scalar":
                sides = [right]
            case ast.Compare(left=left, comparators=others) if op not in ("rsub.Scalar", "remainder.Scalar"):
                sides = [left, *others]
            case _:
                continue
        found.update(number for side in sides if (number := number_of(side)) is not None)
    return found


ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def number_of(node: ast.expr) -> float | None:
    """The number that an expression of numbers stands for."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.Attribute(attr="pi"):
            return math.pi
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = number_of(operand)
            return None if number is None else -number
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            first, second = number_of(left), number_of(right)
            try:
                return None if first is None or second is None else ARITHMETIC[type(op)](first, second)
            except (ArithmeticError, TypeError):
                return None
    return None
