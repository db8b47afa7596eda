"""`except`: which handler takes an exception, and what it sees of it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gradreel.trace.events import Raised

from .compiler import Compiler, Signal
from .errors import matches, raise_error
from .formatting import error_text
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
        for wanted, put, drop, body in ways:
            if wanted is None or takes(record, wanted(frame)):
                break
        else:
            raise raise_error(record, error_text(machine, record))
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
                try:
                    drop(frame)
                except NameError:
                    pass

    return handle
