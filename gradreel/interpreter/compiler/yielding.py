"""`yield` inside expressions: what stands left of it is worked out first and kept, so the rest can wait.

`f(a, (yield b)) + c` becomes: keep `f`, keep `a`, yield `b` and keep what is sent, then run the statement with what was
kept in the places it came from. A `Kept` node stands in such a place; it takes the value out of the frame again.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Generator, Iterator
from typing import Any

from ..builtins.iterating import delegate
from ..runtime.calls import truth
from ..runtime.values import Frame, Value
from .compiler import Compiler, Run, compiles

Way = Callable[[Frame], Generator[Value, Value, None]]
"""A step on the way to a value: it may yield, and leaves what it found in the frame."""


class Kept(ast.expr):
    """The place of a value that was kept under `name`, which no variable can have."""

    name: str


@compiles(Kept)
def kept(compiler: Compiler, node: Kept) -> Run:
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
            return self.yielded(node)
        if isinstance(node, ast.IfExp):
            return self.branch(node)
        if isinstance(node, ast.BoolOp):
            return self.short(node)
        made: ast.expr = self.parts(node)
        return made

    def yielded(self, node: ast.Yield | ast.YieldFrom) -> Kept:
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
            return lambda frame: (yes if truth(machine, test(frame)) else no)(frame)

        return self.keep(node, way)

    def short(self, node: ast.BoolOp) -> Kept:
        """`and`, `or`: each part only if the one before did not decide."""
        machine, stop = self.compiler.machine, isinstance(node.op, ast.Or)
        wholes = [self.whole(part) for part in node.values]

        def way(name: str) -> Way:
            ways = [whole(name) for whole in wholes]

            def steps(frame: Frame) -> Generator[Value, Value, None]:
                for nr, step in enumerate(ways):
                    if nr and truth(machine, frame.names[name]) is stop:
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
        places = list(evaluated(made))
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


def evaluated(node: Any) -> Iterator[tuple[Any, Any]]:
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
