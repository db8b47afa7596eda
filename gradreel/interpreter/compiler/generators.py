"""Generators: functions that yield run as generators of our own, statement by statement.

A statement with a `yield` somewhere in it becomes a *flow*, which yields what it yields; everything between two yields
runs as in any function. A `yield` may stand inside an expression, too: what stands left of it is worked out first and
kept, so the rest can wait. `f(a, (yield b)) + c` becomes: keep `f`, keep `a`, yield `b` and keep what is sent, then run
the statement with what was kept in the places it came from. A `Kept` node stands in such a place; it takes the value
out of the frame again.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from ..builtins.formatting import record_error
from ..builtins.iteration import delegate, iterate
from ..engine.name_events import NoNameEvents
from ..machine import Machine
from ..runtime.calls import truth_of
from ..runtime.errors import ERRORS, raise_error
from ..runtime.values import Error, Frame, Value
from .assignment import compile_target
from .compiler import BREAK, RETURN, Compiler, Run, Signal, compiles
from .exceptions import finishing, select_handlers
from .patterns import choose_case
from .with_statement import enter, leave, leave_by_error

Way = Callable[[Frame], Generator[Value, Value, None]]
"""A step on the way to a value: it may yield, and leaves what it found in the frame."""


class Kept(ast.expr):
    """The place of a value that was kept under `name`, which no variable can have."""

    name: str


@compiles(Kept)
def take_kept(compiler: Compiler, node: Kept) -> Run:
    name = node.name
    return lambda frame: frame.names.pop(name)


def yields(node: ast.AST) -> bool:
    """Whether `node` yields, functions inside it aside."""
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        return False
    return any(yields(child) for child in ast.iter_child_nodes(node))


class Hoist:
    """Takes the yields out of one expression or statement: `ways`, in order, then the rest of it."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.ways: list[Way] = []

    def keep(self, node: ast.expr, way: Callable[[str], Way]) -> Kept:
        """What `way` finds is kept; the node that stands for it."""
        name = f".{self.compiler.machine.next_kept()}"
        self.ways.append(way(name))
        found = Kept()
        found.name = name
        return ast.copy_location(found, node)

    def value(self, node: ast.expr) -> Kept:
        """An expression without yields, worked out now."""
        run = self.compiler.expression(node)

        def way(name: str) -> Way:
            def now(frame: Frame) -> Generator[Value, Value, None]:
                frame.names[name] = run(frame)
                return
                yield

            return now

        return self.keep(node, way)

    def expression(self, node: ast.expr) -> ast.expr:
        """`node` without its yields."""
        if not yields(node):
            return node
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return self.hoist_yield(node)
        if isinstance(node, ast.IfExp):
            return self.branch(node)
        if isinstance(node, ast.BoolOp):
            return self.short(node)
        made: ast.expr = self.parts(node)
        return made

    def hoist_yield(self, node: ast.Yield | ast.YieldFrom) -> Kept:
        run = None if node.value is None else self.compiler.expression(self.expression(node.value))
        machine = self.compiler.machine

        def one(name: str) -> Way:
            def way(frame: Frame) -> Generator[Value, Value, None]:
                frame.names[name] = yield (None if run is None else run(frame))

            return way

        def every(name: str) -> Way:
            def way(frame: Frame) -> Generator[Value, Value, None]:
                assert run is not None
                frame.names[name] = yield from delegate(machine, run(frame))

            return way

        return self.keep(node, one if isinstance(node, ast.Yield) else every)

    def whole(self, node: ast.expr) -> Callable[[str], Way]:
        """All of an expression that may yield, as one way."""
        inner = Hoist(self.compiler)
        run = self.compiler.expression(inner.expression(node))

        def way(name: str) -> Way:
            def steps(frame: Frame) -> Generator[Value, Value, None]:
                for step in inner.ways:
                    yield from step(frame)
                frame.names[name] = run(frame)

            return steps

        return way

    def branch(self, node: ast.IfExp) -> Kept:
        machine, test = self.compiler.machine, self.compiler.expression(self.expression(node.test))
        body, other = self.whole(node.body), self.whole(node.orelse)

        def way(name: str) -> Way:
            yes, no = body(name), other(name)
            return lambda frame: (yes if truth_of(machine, test(frame)) else no)(frame)

        return self.keep(node, way)

    def short(self, node: ast.BoolOp) -> Kept:
        """`and`, `or`: each part only if the one before did not decide."""
        machine, stop = self.compiler.machine, isinstance(node.op, ast.Or)
        wholes = [self.whole(part) for part in node.values]

        def way(name: str) -> Way:
            ways = [whole(name) for whole in wholes]

            def steps(frame: Frame) -> Generator[Value, Value, None]:
                for nr, step in enumerate(ways):
                    if nr and truth_of(machine, frame.names[name]) is stop:
                        return
                    yield from step(frame)

            return steps

        return self.keep(node, way)

    def parts(self, node: Any) -> Any:
        """A node of any other kind: its parts in the order in which they are worked out."""
        made = copy.copy(node)
        for name in node._fields:
            held = getattr(node, name, None)
            if isinstance(held, list):
                setattr(made, name, list(held))
        places = list(evaluation_order(made))
        last = max((nr for nr, (holder, at) in enumerate(places) if yields(part(holder, at))), default=-1)
        for holder, at in places[: last + 1]:
            put(holder, at, self.part(part(holder, at)))
        return made

    def part(self, node: Any) -> Any:
        if isinstance(node, (ast.Starred, ast.keyword, ast.FormattedValue, ast.Slice, ast.comprehension)):
            return self.parts(node)
        if isinstance(node, ast.Attribute):  # the owner is worked out now; of a method, the name with the call
            return self.parts(node) if yields(node) else self.owner(node)
        if isinstance(node, ast.Constant):
            return node
        return self.expression(node) if yields(node) else self.value(node)

    def owner(self, node: ast.Attribute) -> ast.expr:
        made = copy.copy(node)
        made.value = self.value(node.value)
        return made


def evaluation_order(node: Any) -> Iterator[tuple[Any, Any]]:
    """Where the parts of `node` stand that are worked out, in that order, as (holder, attribute or index)."""
    if isinstance(node, ast.Dict):
        for nr, key in enumerate(node.keys):
            if key is not None:
                yield node.keys, nr
            yield node.values, nr
        return
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        yield node.generators, 0
        return
    if isinstance(node, ast.comprehension):
        yield node, "iter"
        return
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        yield node, "value"
        return
    for name in node._fields:
        held = getattr(node, name, None)
        if isinstance(held, list):
            for nr, one in enumerate(held):
                if isinstance(one, (ast.expr, ast.keyword)):
                    yield held, nr
        elif isinstance(held, ast.expr):
            yield node, name


def part(holder: Any, at: Any) -> Any:
    return holder[at] if isinstance(holder, list) else getattr(holder, at)


def put(holder: Any, at: Any, node: Any) -> None:
    if isinstance(holder, list):
        holder[at] = node
    else:
        setattr(holder, at, node)


Flow = Callable[[Frame], Generator[Value, Value, Signal | None]]
"""Runs statements, yields what they yield; returns a Signal as its value."""


class Resumed:
    """A running generator function: its frame is the machine's while it runs, and only then."""

    __slots__ = ("machine", "frame", "flow", "name_events", "begun", "running", "ended")

    def __init__(self, machine: Machine, frame: Frame, flow: Generator[Value, Value, Any], name_events: NoNameEvents):
        self.machine = machine
        self.frame = frame
        self.flow = flow
        self.name_events = name_events
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
        record = Error(ERRORS["GeneratorExit"], ())
        try:
            self.throw(raise_error(record, ""))
        except StopIteration:
            return
        except Exception as raised:
            if getattr(raised, "error_record", None) is record:
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
                self.name_events.leave_scope(frame.scope)
            machine.leave(caller, frames, loops)

    def tell_names(self) -> None:
        """What its names stand for: they ended when it last gave way, or were bound before it began."""
        if not self.frame.quiet:
            for name, value in list(self.frame.names.items()):
                self.name_events.bind_name(self.frame.scope, name, value)

    def __del__(self) -> None:
        """Dropped while it waits: what stands behind `finally` runs, as in Python."""
        if self.begun and not self.ended and not self.running and not self.machine.over:
            try:
                self.close()
            except BaseException:  # a budget that this spends is found spent at the next charge
                return


def generator_body(compiler: Compiler, node: ast.FunctionDef | ast.Lambda) -> Callable[[Frame], Value]:
    body = [ast.copy_location(ast.Return(node.body), node.body)] if isinstance(node, ast.Lambda) else node.body
    machine, flow, name_events = compiler.machine, block(compiler, body), compiler.name_events
    return lambda frame: Resumed(machine, frame, flow(frame), name_events)


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


def value_flow(compiler: Compiler, node: ast.expr) -> Flow:
    """An expression that may yield; its value is what the flow returns."""
    hoist = Hoist(compiler)
    last = compiler.expression(hoist.expression(node))

    def run(frame: Frame) -> Generator[Value, Value, Value]:
        for way in hoist.ways:
            yield from way(frame)
        return last(frame)

    return run


def if_(compiler: Compiler, node: ast.If) -> Flow:
    machine, test = compiler.machine, value_flow(compiler, node.test)
    body, other = block(compiler, node.body), block(compiler, node.orelse)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        return (yield from (body if truth_of(machine, (yield from test(frame))) else other)(frame))

    return run


def while_(compiler: Compiler, node: ast.While) -> Flow:
    machine, test = compiler.machine, value_flow(compiler, node.test)
    body, other = block(compiler, node.body), block(compiler, node.orelse)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        while truth_of(machine, (yield from test(frame))):
            machine.meter.charge()
            signal: Signal | None = yield from body(frame)
            if signal is BREAK:
                return None
            if signal is RETURN:
                return signal
        return (yield from other(frame))

    return run


def for_(compiler: Compiler, node: ast.For) -> Flow:
    machine, source, store = compiler.machine, value_flow(compiler, node.iter), compile_target(compiler, node.target)
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
        flow = with_item(compiler, item, flow)
    return flow


def with_item(compiler: Compiler, item: ast.withitem, body: Flow) -> Flow:
    machine, manager = compiler.machine, value_flow(compiler, item.context_expr)
    store = None if item.optional_vars is None else compile_target(compiler, item.optional_vars)

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        holder = yield from manager(frame)
        value = enter(machine, holder)
        try:
            if store is not None:
                store(frame, value)
            value = None
            signal = yield from body(frame)
        except Exception as raised:
            if leave_by_error(machine, holder, raised, frame):
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
    select = select_handlers(compiler, node.handlers, block)
    last = block(compiler, node.finalbody)
    machine = compiler.machine

    def run_guarded(frame: Frame) -> Generator[Value, Value, Signal | None]:
        try:
            signal = yield from body(frame)
        except Exception as raised:
            record = record_error(machine, raised, frame)
        else:
            return (yield from other(frame)) if signal is None else signal
        with select(frame, record) as flow:
            del record
            return (yield from flow(frame))

    def run(frame: Frame) -> Generator[Value, Value, Signal | None]:
        ended = finishing(machine, frame)
        try:
            signal = yield from run_guarded(frame)
        except Exception as raised:
            ended.on_raise(raised)
            instead = yield from last(frame)
            if instead is not None:
                return instead
            ended.reraise()
            raise
        ended.on_return()
        instead = yield from last(frame)
        return ended.signal(signal, instead)

    return run if node.finalbody else run_guarded


def match_(compiler: Compiler, node: ast.Match) -> Flow:
    subject = value_flow(compiler, node.subject)
    choose = choose_case(compiler, node.cases, block)

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
