"""Generators: functions that yield run as generators of our own, statement by statement.

A statement with a `yield` somewhere in it becomes a *flow*, which yields what it yields; everything between two yields
runs as in any function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Sequence
from typing import Any

from ..builtins.formatting import caught
from ..builtins.iterating import iterate
from ..engine.telling import Untold
from ..machine import Machine
from ..runtime.calls import truth
from ..runtime.errors import TYPES, raise_error
from ..runtime.values import Error, Frame, Value
from .compiler import BREAK, RETURN, Compiler, Signal
from .handling import finishing, ways_of
from .managing import entered, leave, left_by
from .matching import chosen
from .targets import target
from .yielding import Hoist, yields

Flow = Callable[[Frame], Generator[Value, Value, Signal | None]]
"""Runs statements, yields what they yield; returns a Signal as its value."""


class Resumed:
    """A running generator function: its frame is the machine's while it runs, and only then."""

    __slots__ = ("machine", "frame", "flow", "telling", "begun", "running", "ended")

    def __init__(self, machine: Machine, frame: Frame, flow: Generator[Value, Value, Any], telling: Untold):
        self.machine = machine
        self.frame = frame
        self.flow = flow
        self.telling = telling
        self.begun = self.running = self.ended = False

    def __iter__(self) -> Resumed:
        return self

    def __next__(self) -> Value:
        return self.send(None)

    def send(self, value: Value) -> Value:
        if value is not None and not self.begun:
            raise TypeError("can't send non-None value to a just-started generator")
        return self.resume(self.flow.send, value)

    def throw(self, raised: BaseException) -> Value:
        return self.resume(self.flow.throw, raised)

    def close(self) -> None:
        if not self.begun or self.ended:
            self.ended = True
            self.flow.close()
            return
        record = Error(TYPES["GeneratorExit"], ())
        try:
            self.throw(raise_error(record, ""))
        except StopIteration:
            return
        except Exception as raised:
            if getattr(raised, "guest", None) is record:
                return
            raise
        raise RuntimeError("generator ignored GeneratorExit")

    def resume(self, way: Callable[[Any], Value], given: Any) -> Value:
        machine, frame = self.machine, self.frame
        if self.running:
            raise ValueError("generator already executing")
        frames, loops = machine.frames, machine.loops
        caller = machine.enter(frame.function, frame)
        self.begun = self.running = True
        try:
            self.tell_names()
            return way(given)
        except StopIteration:
            self.ended = True
            value, frame.returned = frame.returned, None
            raise StopIteration(*() if value is None else (value,)) from None
        except BaseException as raised:
            self.ended = True
            if isinstance(raised, RuntimeError) and isinstance(raised.__cause__, StopIteration):
                raise RuntimeError(str(raised)) from None  # it came up outside, where the next item was asked for
            machine.note(raised, frame)
            raise
        finally:
            self.running = False
            if not frame.quiet and machine.stopped is None:
                self.telling.left(frame.scope)
            machine.leave(caller, frames, loops)

    def tell_names(self) -> None:
        """What its names stand for: they ended when it last gave way, or were bound before it began."""
        if not self.frame.quiet:
            for name, value in list(self.frame.names.items()):
                self.telling.bound(self.frame.scope, name, value)

    def __del__(self) -> None:
        """Dropped while it waits: what stands behind `finally` runs, as in Python."""
        if self.begun and not self.ended and not self.running and not self.machine.over:
            try:
                self.close()
            except BaseException:  # a budget that this spends is found spent at the next charge
                return


def generator_body(compiler: Compiler, node: ast.FunctionDef | ast.Lambda) -> Callable[[Frame], Value]:
    body = [ast.copy_location(ast.Return(node.body), node.body)] if isinstance(node, ast.Lambda) else node.body
    machine, flow, telling = compiler.machine, block(compiler, body), compiler.telling
    return lambda frame: Resumed(machine, frame, flow(frame), telling)


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
    outer, compiler.first = compiler.first, node.lineno
    flow = COMPOUND.get(type(node), simple)(compiler, node)
    compiler.first = outer

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        before(frame)
        return (yield from flow(frame))

    return run, True


def simple(compiler: Compiler, node: Any) -> Flow:
    """A statement of one piece: its yields first, then the rest."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        raise compiler.refuse("`yield` in a default, decorator or base is not supported here.", node)
    hoist = Hoist(compiler)
    last, ways = compiler.bare(hoist.parts(node)), hoist.ways

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        for way in ways:
            yield from way(frame)
        return last(frame)

    return run


def found(compiler: Compiler, node: ast.expr) -> Flow:
    """An expression that may yield; its value is what the flow returns."""
    hoist = Hoist(compiler)
    last = compiler.expression(hoist.expression(node))

    def run(frame: Frame) -> Generator[Value, Value, Value]:
        for way in hoist.ways:
            yield from way(frame)
        return last(frame)

    return run


def if_(compiler: Compiler, node: ast.If) -> Flow:
    machine, test = compiler.machine, found(compiler, node.test)
    body, other = block(compiler, node.body), block(compiler, node.orelse)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        return (yield from (body if truth(machine, (yield from test(frame))) else other)(frame))

    return run


def while_(compiler: Compiler, node: ast.While) -> Flow:
    machine, test = compiler.machine, found(compiler, node.test)
    body, other = block(compiler, node.body), block(compiler, node.orelse)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        while truth(machine, (yield from test(frame))):
            machine.meter.charge()
            signal: Signal | None = yield from body(frame)
            if signal is BREAK:
                return None
            if signal is RETURN:
                return signal
        return (yield from other(frame))

    return run


def for_(compiler: Compiler, node: ast.For) -> Flow:
    machine, source, store = compiler.machine, found(compiler, node.iter), target(compiler, node.target)
    body, other = block(compiler, node.body), block(compiler, node.orelse)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        items = iterate(machine, (yield from source(frame)))
        for item in items:
            machine.meter.charge()
            store(frame, item)
            item = None
            signal: Signal | None = yield from body(frame)
            if signal is BREAK:
                return None
            if signal is RETURN:
                return signal
        return (yield from other(frame))

    return run


def with_(compiler: Compiler, node: ast.With) -> Flow:
    flow = block(compiler, node.body)
    for item in reversed(node.items):
        flow = managed(compiler, item, flow)
    return flow


def managed(compiler: Compiler, item: ast.withitem, body: Flow) -> Flow:
    machine, manager = compiler.machine, found(compiler, item.context_expr)
    store = None if item.optional_vars is None else target(compiler, item.optional_vars)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        holder = yield from manager(frame)
        value = entered(machine, holder)
        try:
            if store is not None:
                store(frame, value)
            value = None
            signal = yield from body(frame)
        except Exception as raised:
            if left_by(machine, holder, raised, frame):
                return None
            raise
        except BaseException:
            leave(machine, holder, ended=False)
            raise
        leave(machine, holder)
        return signal

    return run


def try_(compiler: Compiler, node: ast.Try) -> Flow:
    body, other = block(compiler, node.body), block(compiler, node.orelse)
    select = ways_of(compiler, node.handlers, block)
    last = block(compiler, node.finalbody)
    machine = compiler.machine

    def guarded(frame: Frame) -> Generator[Value, Value, Signal | None]:
        try:
            signal = yield from body(frame)
        except Exception as raised:
            record = caught(machine, raised, frame)
        else:
            return (yield from other(frame)) if signal is None else signal
        with select(frame, record) as flow:
            del record
            return (yield from flow(frame))

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        ended = finishing(machine, frame)
        try:
            signal = yield from guarded(frame)
        except Exception as raised:
            ended.raised(raised)
            instead = yield from last(frame)
            if instead is not None:
                return instead
            ended.again()
            raise
        ended.returned()
        instead = yield from last(frame)
        return ended.signal(signal, instead)

    return run if node.finalbody else guarded


def match_(compiler: Compiler, node: ast.Match) -> Flow:
    subject = found(compiler, node.subject)
    choose = chosen(compiler, node.cases, block)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        body = choose(frame, (yield from subject(frame)))
        return None if body is None else (yield from body(frame))

    return run


COMPOUND: dict[type[ast.stmt], Callable[[Compiler, Any], Flow]] = {
    ast.If: if_,
    ast.While: while_,
    ast.For: for_,
    ast.With: with_,
    ast.Try: try_,
    ast.Match: match_,
}
"""Statements with statements in them."""
