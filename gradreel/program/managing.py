"""`with`: context managers of the program and of the engine."""

from __future__ import annotations

import ast

from .bridge import from_engine
from .calls import call_method, kind_name, truth
from .compiler import Compiler, Signal, Step, compiles
from .errors import raise_error
from .formatting import caught, error_text
from .targets import target
from .values import Frame, Instance, Value


@compiles(ast.With)
def with_(compiler: Compiler, node: ast.With) -> Step:
    step = compiler.block(node.body)
    for item in reversed(node.items):
        step = managed(compiler, item, step)
    return step


def managed(compiler: Compiler, item: ast.withitem, body: Step) -> Step:
    """`with item: body`"""
    machine, manager = compiler.machine, compiler.expression(item.context_expr)
    store = None if item.optional_vars is None else target(compiler, item.optional_vars)

    def step(frame: Frame) -> Signal | None:
        holder = manager(frame)
        own = isinstance(holder, Instance)
        if own:
            entered = call_method(machine, holder, "__enter__", [])
            if entered is NotImplemented:
                raise no_manager(holder)
        elif hasattr(type(holder), "__enter__"):
            entered = from_engine(holder.__enter__())
        else:
            raise no_manager(holder)
        frames, loops = machine.frames, machine.loops
        try:
            if store is not None:
                store(frame, entered)
            entered = None
            signal = body(frame)
        except Exception as raised:
            machine.note(raised, frame)
            if own:
                machine.frames, machine.loops = frames, loops
                record = caught(machine, raised, frame)
                kind: Value = record.own or record.kind
                if truth(machine, call_method(machine, holder, "__exit__", [kind, record, None])):
                    return None
                raise raise_error(record, error_text(machine, record)) from None
            if holder.__exit__(type(raised), raised, None):
                return None
            raise
        except BaseException:
            if not own:
                holder.__exit__(None, None, None)
            raise
        if own:
            call_method(machine, holder, "__exit__", [None, None, None])
        else:
            holder.__exit__(None, None, None)
        return signal

    return step


def no_manager(holder: Value) -> TypeError:
    return TypeError(f"'{kind_name(holder)}' object does not support the context manager protocol")
