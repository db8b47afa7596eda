"""Exceptions: raise, assert, try; which handler takes an exception, and what it sees of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress

from gradreel.trace.events import Raised

from .calls import call, truth
from .compiler import RETURN, Compiler, Signal, Step, compiles
from .errors import TYPES, matches, raise_error
from .formatting import caught, error_text
from .machine import Machine
from .targets import bind, unbind
from .values import Class, Error, ExceptionType, Frame, Value

Handle = Callable[[Frame, Error], Signal | None]


def tell(machine: Machine, record: Error, by_program: bool) -> None:
    line, frames = record.place or (machine.line, machine.frames)
    machine.emit((Raised, record.kind.title, error_text(machine, record), line, by_program, frames))


def takes(record: Error, wanted: Value) -> bool:
    if isinstance(wanted, tuple):
        return any(takes(record, one) for one in wanted)
    if isinstance(wanted, ExceptionType) or (isinstance(wanted, Class) and wanted.exception is not None):
        return matches(record, wanted)
    raise TypeError("catching classes that do not inherit from BaseException is not allowed")


def handlers(compiler: Compiler, nodes: list[ast.ExceptHandler]) -> Handle:
    """The handlers of one `try`, tried in order. What none takes is raised again."""
    machine = compiler.machine
    ways = []
    for node in nodes:
        wanted = None if node.type is None else compiler.expression(node.type)
        put = drop = None
        if node.name:
            put, drop = bind(compiler, node.name, node), unbind(compiler, node.name)
        ways.append((wanted, put, drop, compiler.block(node.body)))

    def handle(frame: Frame, record: Error) -> Signal | None:
        found = next((way for way in ways if way[0] is None or takes(record, way[0](frame))), None)
        if found is None:
            raise raise_error(record, error_text(machine, record))
        _, put, drop, body = found
        tell(machine, record, True)
        if put is not None:
            put(frame, record)
        frame.handling.append(record)
        del record
        try:
            return body(frame)
        finally:
            frame.handling.pop()
            if drop is not None:
                with suppress(NameError):
                    drop(frame)

    return handle


@compiles(ast.Raise)
def raise_(compiler: Compiler, node: ast.Raise) -> Step:
    machine = compiler.machine
    raised = None if node.exc is None else compiler.expression(node.exc)
    cause = None if node.cause is None else compiler.expression(node.cause)

    def step(frame: Frame) -> None:
        if raised is None:
            if not frame.handling:
                raise RuntimeError("No active exception to reraise")
            record = frame.handling[-1]
        else:
            record = raised(frame)
            if isinstance(record, (ExceptionType, Class)):
                record = call(machine, record, [], {})
            if not isinstance(record, Error):
                raise TypeError("exceptions must derive from BaseException")
        if cause is not None:
            origin = cause(frame)
            record.cause = origin if isinstance(origin, Error) else None
        raise raise_error(record, error_text(machine, record))

    return step


@compiles(ast.Assert)
def assert_(compiler: Compiler, node: ast.Assert) -> Step:
    machine, test = compiler.machine, compiler.expression(node.test)
    message = None if node.msg is None else compiler.expression(node.msg)

    def step(frame: Frame) -> None:
        if not truth(machine, test(frame)):
            record = Error(TYPES["AssertionError"], () if message is None else (message(frame),))
            raise raise_error(record, error_text(machine, record))

    return step


@compiles(ast.Try)
def try_(compiler: Compiler, node: ast.Try) -> Step:
    body = compiler.block(node.body)
    handle = handlers(compiler, node.handlers) if node.handlers else None
    other = compiler.block(node.orelse) if node.orelse else None
    final = compiler.block(node.finalbody) if node.finalbody else None
    machine = compiler.machine

    def guarded(frame: Frame) -> Signal | None:
        frames, loops = machine.frames, machine.loops
        if handle is None:
            signal = body(frame)
        else:
            try:
                signal = body(frame)
            except Exception as raised:
                machine.frames, machine.loops = frames, loops
                record = caught(machine, raised, frame)
            else:
                return other(frame) if signal is None and other is not None else signal
            return handle(frame, record)
        return signal

    if final is None:
        return guarded
    last = final

    def step(frame: Frame) -> Signal | None:
        try:
            signal = guarded(frame)
        except Exception as raised:
            machine.note(raised, frame)
            line, frame.noted = frame.line, False
            if last(frame) is not None:
                return RETURN
            frame.line, frame.noted = line, True
            raise
        kept, frame.returned = frame.returned, None
        ended = last(frame)
        if ended is not None:
            return ended
        frame.returned = kept
        return signal

    return step
