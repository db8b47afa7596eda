"""Statements: assignments, branches, loops, with, raise, assert, del, import."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gradreel.trace.events import LineReached

from ..builtins.iteration import iterate
from ..machine import PROGRESS, TURN
from ..pausing import FEWEST, Loop
from ..runtime.calls import truth_of
from ..runtime.values import MISSING, Frame, Value
from .assignment import augment_target, compile_deletion, compile_target, retell
from .compiler import BREAK, CONTINUE, RETURN, Compiler, Signal, Step, compiles, header_end
from .names import compile_annotation


@compiles(ast.Expr)
def expression_statement(compiler: Compiler, node: ast.Expr) -> Step:
    run = compiler.expression(node.value)
    again = after_call(compiler, node.value)
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
    stores = [compile_target(compiler, part) for part in node.targets]
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
def annotate(compiler: Compiler, node: ast.AnnAssign) -> Step:
    value = None if node.value is None else compiler.expression(node.value)
    store = None if value is None else compile_target(compiler, node.target)
    hinted = node.target.id if compiler.scope.kind == "class" and isinstance(node.target, ast.Name) else None
    looked_up = None if compiler.scope.function or compiler.quiet else compile_annotation(compiler, node.annotation)
    text = ast.unparse(node.annotation)

    def put(frame: Frame) -> None:
        if value is not None and store is not None:
            store(frame, value(frame))
        hint = text if looked_up is None else looked_up(frame)
        if hinted is not None:
            frame.names.setdefault("__annotations__", {})[hinted] = hint

    return put


@compiles(ast.AugAssign)
def augment(compiler: Compiler, node: ast.AugAssign) -> Step:
    return augment_target(compiler, node)


@compiles(ast.Delete)
def delete(compiler: Compiler, node: ast.Delete) -> Step:
    drops = [compile_deletion(compiler, part) for part in node.targets]

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
    machine, test = compiler.machine, compiler.expression(node.test)
    compiler.branches += 1
    body, other = compiler.block(node.body), compiler.block(node.orelse) if node.orelse else None
    compiler.branches -= 1

    def step(frame: Frame) -> Signal | None:
        if truth_of(machine, test(frame)):
            return body(frame)
        return None if other is None else other(frame)

    return step


Turns = tuple[Callable[[], bool], Callable[[], None], int | None]
"""Whether there is another turn of a loop, what begins it, and how many there will be where that is known."""


def loop(compiler: Compiler, node: ast.While | ast.For, turns: Callable[[Frame], Turns]) -> Step:
    machine, body = compiler.machine, compiler.block(node.body)
    other = compiler.block(node.orelse) if node.orelse else None
    line, end, meter, quiet = node.lineno, header_end(node), machine.meter, compiler.quiet
    pauses, progress, items = machine.pauses, machine.progress, machine.pauses.recorder.tape.items

    def step(frame: Frame) -> Signal | None:
        around, turn = machine.loops, 0
        another, begin, total = turns(frame)
        run: Loop | None = None
        try:
            while another():
                turn += 1
                meter.charge()
                if not quiet:
                    if not around:
                        machine.outermost = line, turn, total
                        progress[TURN], progress[PROGRESS] = turn, total or 0
                    if run is None and machine.records:
                        run = Loop(line, end, total, frame, machine.frames, around)
                        pauses.active.append(run)
                    if turn >= FEWEST and run is not None:
                        if machine.records:
                            pauses.begins(run, turn)
                        elif pauses.owner is run:
                            pauses.goes_on(run, turn)
                    if machine.records and run is not None:
                        run.turn, run.mark = turn, len(items)
                        machine.loops = (*around, (line, turn, total))
                        machine.emit((LineReached, line, end, machine.frames, machine.loops))
                begin()
                signal = body(frame)
                if signal is BREAK or signal is RETURN:
                    if not around:
                        machine.outermost = None
                    return signal if signal is RETURN else None
                frame.line = line
        finally:
            machine.loops = around
            if run is not None:
                pauses.active.remove(run)
                if pauses.owner is run:
                    pauses.ends(run, turn)
        if not around:
            machine.outermost = None
        return None if other is None else other(frame)

    return step


@compiles(ast.While)
def while_(compiler: Compiler, node: ast.While) -> Step:
    machine, test = compiler.machine, compiler.expression(node.test)
    return loop(compiler, node, lambda frame: (lambda: truth_of(machine, test(frame)), lambda: None, None))


@compiles(ast.For)
def for_(compiler: Compiler, node: ast.For) -> Step:
    machine, source, store = compiler.machine, compiler.expression(node.iter), compile_target(compiler, node.target)

    def turns(frame: Frame) -> Turns:
        given = source(frame)
        total = len(given) if isinstance(given, (list, tuple, range, dict, str)) else None
        items = iterate(machine, given)
        item: Value = None

        def another() -> bool:
            nonlocal item
            item = next(items, MISSING)
            return item is not MISSING

        def begin() -> None:
            nonlocal item
            store(frame, item)
            item = None  # the loop itself must not keep it alive

        return another, begin, total

    return loop(compiler, node, turns)


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


def after_call(compiler: Compiler, node: ast.expr) -> Callable[[Frame], None]:
    """After a call of a method as a statement: the variable it belongs to may have new parts."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return retell(compiler, node.func.value)
    return lambda frame: None
