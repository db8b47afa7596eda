"""Exceptions: raise, assert, try; which handler takes an exception, and what it sees of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TypeVar

from gradreel.trace.events import Raised
from gradreel.trace.texts import cut

from ..builtins.formatting import host_error, record_error, show_error
from ..machine import Machine
from ..runtime.calls import exception_instance, truth_of
from ..runtime.errors import ERRORS, matches
from ..runtime.values import Class, Error, ExceptionType, Frame, Value
from .assignment import bind, unbind
from .compiler import Compiler, Signal, Step, compiles

Body = TypeVar("Body")


def emit_raised(machine: Machine, record: Error, by_program: bool) -> None:
    line, frames = record.place or (machine.line, machine.frames)
    machine.say(Raised, record.kind.title, cut(show_error(machine, record)), line, by_program, frames)


def takes(record: Error, wanted: Value) -> bool:
    if isinstance(wanted, tuple):
        return any([takes_one(record, one) for one in wanted])
    return takes_one(record, wanted)


def takes_one(record: Error, wanted: Value) -> bool:
    if isinstance(wanted, ExceptionType) or (isinstance(wanted, Class) and wanted.exception is not None):
        return matches(record, wanted)
    raise TypeError("catching classes that do not inherit from BaseException is not allowed")


def select_handlers(
    compiler: Compiler, nodes: list[ast.ExceptHandler], block: Callable[[Compiler, Sequence[ast.stmt]], Body]
) -> Callable[[Frame, Error], AbstractContextManager[Body]]:
    """What finds the handler of a `try` that takes an exception, for as long as its body runs.

    What none takes is raised again.
    """
    machine = compiler.machine
    ways = []
    for node in nodes:
        wanted = None if node.type is None else compiler.expression(node.type)
        put = drop = None
        if node.name:
            put, drop = bind(compiler, node.name, node), unbind(compiler, node.name)
        ways.append((wanted, put, drop, block(compiler, node.body), node.lineno))

    def choose(frame: Frame, record: Error) -> tuple[Callable[..., None] | None, Callable[..., None] | None, Body]:
        line = frame.line
        for wanted, put, drop, body, at in ways:
            if wanted is not None:
                frame.line = at
                try:
                    taken = takes(record, wanted(frame))
                except Exception as raised:
                    raised.during = record  # type: ignore[attr-defined]
                    raise
                frame.line = line
                if not taken:
                    continue
            return put, drop, body
        raise host_error(machine, record)

    @contextmanager
    def select(frame: Frame, record: Error) -> Iterator[Body]:
        put, drop, body = choose(frame, record)
        if not frame.quiet:
            emit_raised(machine, record, True)
        if put is not None:
            put(frame, record)
        machine.handling.append(record)
        del record
        try:
            yield body
        except Exception as raised:
            if not hasattr(raised, "during"):
                raised.during = machine.handling[-1]  # type: ignore[attr-defined]
            raise
        finally:
            if machine.handling:
                machine.handling.pop()
            if drop is not None:
                with suppress(NameError):
                    drop(frame)

    return select


@compiles(ast.Raise)
def raise_(compiler: Compiler, node: ast.Raise) -> Step:
    machine = compiler.machine
    raised = None if node.exc is None else compiler.expression(node.exc)
    cause = None if node.cause is None else compiler.expression(node.cause)

    def step(frame: Frame) -> None:
        if raised is None:
            if not machine.handling:
                raise RuntimeError("No active exception to reraise")
            record = machine.handling[-1]
        else:
            record = exception_instance(machine, raised(frame))
        if cause is not None:
            origin = cause(frame)
            if origin is not None:
                origin = exception_instance(machine, origin, "exception causes")
            record.cause, record.suppressed = origin, True
        raise host_error(machine, record)

    return step


@compiles(ast.Assert)
def assert_(compiler: Compiler, node: ast.Assert) -> Step:
    machine, test = compiler.machine, compiler.expression(node.test)
    message = None if node.msg is None else compiler.expression(node.msg)

    def step(frame: Frame) -> None:
        if not truth_of(machine, test(frame)):
            record = Error(ERRORS["AssertionError"], () if message is None else (message(frame),))
            raise host_error(machine, record)

    return step


class Finishing:
    """What `finally` keeps while its body runs: the error or the result on its way out."""

    def __init__(self, machine: Machine, frame: Frame) -> None:
        self.machine = machine
        self.frame = frame
        self.line = 0
        self.kept: Value = None

    def on_raise(self, error: Exception) -> None:
        self.machine.note(error, self.frame)
        self.line, self.frame.noted = self.frame.line, False

    def reraise(self) -> None:
        self.frame.line, self.frame.noted = self.line, True

    def on_return(self) -> None:
        self.kept, self.frame.returned = self.frame.returned, None

    def signal(self, signal: Signal | None, instead: Signal | None) -> Signal | None:
        if instead is not None:
            return instead
        self.frame.returned, self.kept = self.kept, None
        return signal


finishing = Finishing


@compiles(ast.Try)
def try_(compiler: Compiler, node: ast.Try) -> Step:
    machine = compiler.machine
    compiler.trying += bool(node.handlers)
    body = compiler.block(node.body)
    compiler.trying -= bool(node.handlers)
    select = select_handlers(compiler, node.handlers, Compiler.block) if node.handlers else None
    other = compiler.block(node.orelse) if node.orelse else None
    final = compiler.block(node.finalbody) if node.finalbody else None

    def run_guarded(frame: Frame) -> Signal | None:
        if select is None:
            return body(frame)
        frames, loops = machine.frames, machine.loops
        try:
            signal = body(frame)
        except Exception as raised:
            machine.frames, machine.loops = frames, loops
            record = record_error(machine, raised, frame)
        else:
            return other(frame) if signal is None and other is not None else signal
        with select(frame, record) as handler:
            del record
            return handler(frame)

    if final is None:
        return run_guarded
    last = final

    def step(frame: Frame) -> Signal | None:
        ended = Finishing(machine, frame)
        try:
            signal = run_guarded(frame)
        except Exception as raised:
            ended.on_raise(raised)
            instead = last(frame)
            if instead is not None:
                return instead
            ended.reraise()
            raise
        ended.on_return()
        return ended.signal(signal, last(frame))

    return step


@compiles(ast.TryStar)
def try_star(compiler: Compiler, node: ast.TryStar) -> Step:
    raise compiler.refuse("`except*` is not supported here: write `except`.", node)
