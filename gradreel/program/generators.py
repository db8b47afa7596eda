"""Generators: functions that yield run as generators of our own, statement by statement.

`yield` may stand as a statement or right of `=`; around it may stand if, for and while. Everything between two yields
runs as in any function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterator, Sequence

from .calls import iterate, truth
from .compiler import BREAK, RETURN, Compiler, Signal
from .machine import Machine
from .targets import target
from .values import Frame, Value

Flow = Callable[[Frame], Generator[Value, Value, Signal | None]]
"""Runs statements, yields what they yield; returns a Signal as its value."""


def yields(node: ast.AST) -> bool:
    """Whether `node` yields, functions inside it aside."""
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)):
        return False
    return any(yields(child) for child in ast.iter_child_nodes(node))


class Resumed:
    """A running generator function: its frame is the machine's while it runs, and only then."""

    __slots__ = ("machine", "frame", "flow", "left")

    def __init__(self, machine: Machine, frame: Frame, flow: Iterator[Value], left: Callable[[int], None]) -> None:
        self.machine = machine
        self.frame = frame
        self.flow = flow
        self.left = left

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        machine, frame = self.machine, self.frame
        frames, loops = machine.frames, machine.loops
        caller = machine.enter(frame.function, frame)
        try:
            return next(self.flow)
        except BaseException as raised:
            if not isinstance(raised, StopIteration):
                machine.note(raised, frame)
            raise
        finally:
            self.left(frame.scope)
            machine.leave(caller, frames, loops)


def generator_body(compiler: Compiler, node: ast.FunctionDef) -> Callable[[Frame], Value]:
    machine, flow, left = compiler.machine, block(compiler, node.body), compiler.telling.left
    return lambda frame: Resumed(machine, frame, flow(frame), left)


def block(compiler: Compiler, nodes: Sequence[ast.stmt]) -> Flow:
    flows = [statement(compiler, node) for node in nodes]

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        for flow, whole in flows:
            signal: Signal | None = (yield from flow(frame)) if whole else flow(frame)
            if signal is not None:
                return signal
        return None

    return run


def statement(compiler: Compiler, node: ast.stmt) -> tuple[Callable[[Frame], Value], bool]:
    """A statement, and whether it yields."""
    if not yields(node):
        return compiler.statement(node), False
    before = compiler.statement(ast.copy_location(ast.Pass(), node))
    flow = _yielding(compiler, node)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        before(frame)
        return (yield from flow(frame))

    return run, True


def _yielding(compiler: Compiler, node: ast.stmt) -> Flow:
    match node:
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            return _yield(compiler, node.value, None)
        case ast.Assign(value=ast.Yield(), targets=[into]):
            return _yield(compiler, node.value, into)
        case ast.If():
            return _if(compiler, node)
        case ast.While() | ast.For():
            return _loop(compiler, node)
    raise compiler.refuse("`yield` is supported as a statement or right of `=`, inside if, for and while.", node)


def _yield(compiler: Compiler, node: ast.expr, into: ast.expr | None) -> Flow:
    machine = compiler.machine
    value = None if node.value is None else compiler.expression(node.value)  # type: ignore[attr-defined]
    store = None if into is None else target(compiler, into)
    if isinstance(node, ast.YieldFrom):

        def every(frame: Frame) -> Generator[Value, Value, None]:
            yield from iterate(machine, value(frame) if value else ())

        return every

    def one(frame: Frame) -> Generator[Value, Value, None]:
        sent = yield (value(frame) if value else None)
        if store is not None:
            store(frame, sent)

    return one


def _if(compiler: Compiler, node: ast.If) -> Flow:
    machine, test = compiler.machine, compiler.expression(node.test)
    body, other = block(compiler, node.body), block(compiler, node.orelse)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        return (yield from (body if truth(machine, test(frame)) else other)(frame))

    return run


def _loop(compiler: Compiler, node: ast.For | ast.While) -> Flow:
    machine = compiler.machine
    body, other = block(compiler, node.body), block(compiler, node.orelse)
    if isinstance(node, ast.For):
        source, store = compiler.expression(node.iter), target(compiler, node.target)
    else:
        test = compiler.expression(node.test)

    def turns(frame: Frame) -> Iterator[None]:
        if isinstance(node, ast.For):
            for item in iterate(machine, source(frame)):
                store(frame, item)
                item = None
                yield None
        else:
            while truth(machine, test(frame)):
                yield None

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        for _ in turns(frame):
            machine.meter.charge()
            signal: Signal | None = yield from body(frame)
            if signal is BREAK:
                return None
            if signal is RETURN:
                return signal
        return (yield from other(frame))

    return run
