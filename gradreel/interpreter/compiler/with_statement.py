"""`with`: context managers of the program and of the engine."""

from __future__ import annotations

import ast

from ..builtins.formatting import host_error, record_error
from ..engine.bridge import from_engine
from ..machine import Machine
from ..runtime.calls import call_method, truth_of
from ..runtime.type_names import kind_name
from ..runtime.values import MISSING, OBJECTS, Frame, Stub, Value
from .assignment import compile_target
from .compiler import Compiler, Signal, Step, compiles


@compiles(ast.With)
def with_(compiler: Compiler, node: ast.With) -> Step:
    step = compiler.block(node.body)
    for item in reversed(node.items):
        step = with_item(compiler, item, step)
    return step


def with_item(compiler: Compiler, item: ast.withitem, body: Step) -> Step:
    """`with item: body`"""
    machine, manager = compiler.machine, compiler.expression(item.context_expr)
    store = None if item.optional_vars is None else compile_target(compiler, item.optional_vars)

    def step(frame: Frame) -> Signal | None:
        holder = manager(frame)
        value = enter(machine, holder)
        frames, loops = machine.frames, machine.loops
        try:
            if store is not None:
                store(frame, value)
            value = None
            signal = body(frame)
        except Exception as raised:
            machine.note(raised, frame)
            machine.frames, machine.loops = frames, loops
            if leave_by_error(machine, holder, raised, frame):
                return None
            raise
        except BaseException:
            leave(machine, holder, ended=False)
            raise
        leave(machine, holder)
        return signal

    return step


def has_own_methods(holder: Value) -> bool:
    """Whether a class of the program says how to enter and leave."""
    return isinstance(holder, OBJECTS) and holder.kind.find("__enter__") is not MISSING


def enter(machine: Machine, holder: Value) -> Value:
    """What `with holder as ...` gives."""
    if has_own_methods(holder):
        if holder.kind.find("__exit__") is MISSING:
            raise TypeError(
                f"'{kind_name(holder)}' object does not support the context manager protocol (missed __exit__ method)"
            )
        return call_method(machine, holder, "__enter__", [])
    if type(holder) is Stub:
        return holder
    if isinstance(holder, OBJECTS) or not hasattr(type(holder), "__enter__"):
        raise TypeError(f"'{kind_name(holder)}' object does not support the context manager protocol")
    return from_engine(holder.__enter__())


def leave_by_error(machine: Machine, holder: Value, raised: Exception, frame: Frame) -> bool:
    """Leaves because of `raised`; whether the manager took care of it. Raises it again as the program sees it."""
    machine.note(raised, frame)
    if has_own_methods(holder):
        record = record_error(machine, raised, frame)
        kind: Value = record.own or record.kind
        if truth_of(machine, call_method(machine, holder, "__exit__", [kind, record, None])):
            return True
        raise host_error(machine, record) from None
    return type(holder) is not Stub and bool(holder.__exit__(type(raised), raised, None))


def leave(machine: Machine, holder: Value, ended: bool = True) -> None:
    """Leaves without an error; unless `ended`, because the run stops: then no method of the program is called."""
    if has_own_methods(holder):
        if ended:
            call_method(machine, holder, "__exit__", [None, None, None])
    elif type(holder) is not Stub:
        holder.__exit__(None, None, None)
