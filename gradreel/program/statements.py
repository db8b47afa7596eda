"""Statements: assignments, branches, loops, with, raise, assert, del, import."""

from __future__ import annotations

import ast

from gradreel.trace.events import LineReached

from .calls import call, call_method, iterate, kind_name, truth
from .compiler import BREAK, CONTINUE, RETURN, Compiler, Signal, Step, compiles, header_end
from .errors import TYPES, raise_error
from .formatting import caught, error_text
from .library import importable
from .targets import augmented, bind, deletion, target
from .values import Class, Error, ExceptionType, Frame, Instance, Value


@compiles(ast.Expr)
def expression_statement(compiler: Compiler, node: ast.Expr) -> Step:
    from .generators import yielding

    if isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        return yielding(compiler, node.value)
    run = compiler.expression(node.value)
    again = compiler.after_call(node.value)
    echo = compiler.echo if compiler.scope.kind == "module" else None

    def step(frame: Frame) -> None:
        value = run(frame)
        again(frame)
        if echo is not None:
            echo(value)

    return step


@compiles(ast.Assign)
def assign(compiler: Compiler, node: ast.Assign) -> Step:
    value = compiler.expression(node.value)
    stores = [target(compiler, part) for part in node.targets]
    if len(stores) == 1:
        only = stores[0]

        def put(frame: Frame) -> None:
            only(frame, value(frame))

        return put

    def put_each(frame: Frame) -> None:
        result = value(frame)
        for store in stores:
            store(frame, result)

    return put_each


@compiles(ast.AnnAssign)
def annotated(compiler: Compiler, node: ast.AnnAssign) -> Step:
    if node.value is None:
        return lambda frame: None
    value, store = compiler.expression(node.value), target(compiler, node.target)

    def put(frame: Frame) -> None:
        store(frame, value(frame))

    return put


@compiles(ast.AugAssign)
def augment(compiler: Compiler, node: ast.AugAssign) -> Step:
    return augmented(compiler, node)


@compiles(ast.Delete)
def delete(compiler: Compiler, node: ast.Delete) -> Step:
    drops = [deletion(compiler, part) for part in node.targets]

    def drop(frame: Frame) -> None:
        for one in drops:
            one(frame)

    return drop


@compiles(ast.Pass, ast.Global, ast.Nonlocal)
def nothing(compiler: Compiler, node: ast.stmt) -> Step:
    return lambda frame: None


# ---- branches and loops


@compiles(ast.If)
def if_(compiler: Compiler, node: ast.If) -> Step:
    machine, test, body = compiler.machine, compiler.expression(node.test), compiler.block(node.body)
    other = compiler.block(node.orelse) if node.orelse else None

    def step(frame: Frame) -> Signal | None:
        if truth(machine, test(frame)):
            return body(frame)
        return None if other is None else other(frame)

    return step


@compiles(ast.While)
def while_(compiler: Compiler, node: ast.While) -> Step:
    machine, test, body = compiler.machine, compiler.expression(node.test), compiler.block(node.body)
    other = compiler.block(node.orelse) if node.orelse else None
    line, end, meter = node.lineno, header_end(node), machine.meter

    def step(frame: Frame) -> Signal | None:
        around, turn = machine.loops, 0
        try:
            while truth(machine, test(frame)):
                turn += 1
                meter.charge()
                machine.loops = (*around, (line, turn, None))
                machine.emit((LineReached, line, end, machine.frames, machine.loops))
                signal = body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
                frame.line = line
        finally:
            machine.loops = around
        return None if other is None else other(frame)

    return step


@compiles(ast.For)
def for_(compiler: Compiler, node: ast.For) -> Step:
    machine, source, store = compiler.machine, compiler.expression(node.iter), target(compiler, node.target)
    body = compiler.block(node.body)
    other = compiler.block(node.orelse) if node.orelse else None
    line, end, meter = node.lineno, header_end(node), machine.meter

    def step(frame: Frame) -> Signal | None:
        around, turn = machine.loops, 0
        items = source(frame)
        total = len(items) if isinstance(items, (list, tuple, range, dict, str)) else None
        items = iterate(machine, items)
        try:
            for item in items:
                turn += 1
                meter.charge()
                machine.loops = (*around, (line, turn, total))
                machine.emit((LineReached, line, end, machine.frames, machine.loops))
                store(frame, item)
                item = None  # the loop itself must not keep it alive
                signal = body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
                frame.line = line
        finally:
            machine.loops = around
        return None if other is None else other(frame)

    return step


@compiles(ast.Break)
def break_(compiler: Compiler, node: ast.Break) -> Step:
    return lambda frame: BREAK


@compiles(ast.Continue)
def continue_(compiler: Compiler, node: ast.Continue) -> Step:
    return lambda frame: CONTINUE


@compiles(ast.Return)
def return_(compiler: Compiler, node: ast.Return) -> Step:
    if compiler.scope.kind != "function":
        raise compiler.refuse("'return' outside function", node)
    if node.value is None:
        return lambda frame: RETURN
    value = compiler.expression(node.value)

    def step(frame: Frame) -> Signal:
        frame.returned = value(frame)
        return RETURN

    return step


# ---- exceptions


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
    from .handling import handlers

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


# ---- with


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
            entered = holder.__enter__()
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


# ---- import


@compiles(ast.Import)
def import_(compiler: Compiler, node: ast.Import) -> Step:
    stores = []
    for alias in node.names:
        found = importable(alias.name, node.lineno)
        if alias.asname is None:
            found = importable(alias.name.partition(".")[0], node.lineno)
        stores.append((bind(compiler, alias.asname or alias.name.partition(".")[0], node), found))

    def step(frame: Frame) -> None:
        for store, found in stores:
            store(frame, found)

    return step


@compiles(ast.ImportFrom)
def import_from(compiler: Compiler, node: ast.ImportFrom) -> Step:
    from .library import member

    if node.module == "__future__":
        return lambda frame: None
    if node.level or node.module is None:
        raise compiler.refuse("Relative imports are not supported here.", node)
    stores = []
    for alias in node.names:
        if alias.name == "*":
            raise compiler.refuse(f"`from {node.module} import *` is not supported here: name what you need.", node)
        found = member(node.module, alias.name, node.lineno)
        stores.append((bind(compiler, alias.asname or alias.name, node), found))

    def step(frame: Frame) -> None:
        for store, found in stores:
            store(frame, found)

    return step
