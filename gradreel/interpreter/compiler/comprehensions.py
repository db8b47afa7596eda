"""Comprehensions and generator expressions: loops with a scope of their own."""

from __future__ import annotations

import ast
from collections import abc
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

from .. import pausing
from ..builtins.hashing import charge_key
from ..builtins.iteration import iterate
from ..machine import Machine
from ..runtime.calls import truth_of
from ..runtime.values import Cell, Frame, Generator, Value
from .assignment import Store, compile_target
from .compiler import Compiler, Run, compiles
from .scopes import Comprehension


class Loop(NamedTuple):
    """One `for ... in ... if ...`; the source of the first belongs to the scope around the comprehension."""

    store: Store
    source: Run | None
    tests: list[Run]


def parts(compiler: Compiler, node: Comprehension) -> tuple[Run, list[Loop], Callable[[Frame], Frame], list[Run]]:
    """The first source, the loops, what makes the inner frame, and the value (or key and value) of each turn."""
    first = compiler.expression(node.generators[0].iter)
    outer, compiler.scope = compiler.scope, compiler.scopes.of[node]
    own = tuple(sorted(compiler.scope.cells))
    loops = []
    for nr, part in enumerate(node.generators):
        if part.is_async:
            raise compiler.refuse("`async for` is not supported here.", part.target)
        source = compiler.expression(part.iter) if nr else None
        loops.append(Loop(compile_target(compiler, part.target, told=False), source, compiler.expressions(part.ifs)))
    values = compiler.expressions([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
    compiler.scope = outer

    def inside(frame: Frame) -> Frame:
        cells = {**frame.cells, **{wanted: Cell() for wanted in own}} if own else frame.cells
        inner = Frame({}, cells, frame.scope, frame.function)
        inner.line, inner.owner, inner.this, inner.quiet = frame.line, frame.owner, frame.this, frame.quiet
        return inner

    return first, loops, inside, values


def walk(machine: Machine, loops: list[Loop], nr: int, inner: Frame, source: Iterator[Value]) -> Iterator[None]:
    """Takes every turn of the loops from the `nr`-th on; the names of each turn are then in `inner`."""
    store, _, tests = loops[nr]
    following = loops[nr + 1].source if nr + 1 < len(loops) else None
    for item in source:
        store(inner, item)
        item = None
        machine.meter.charge()
        if all(truth_of(machine, test(inner)) for test in tests):
            if following is None:
                yield None
            else:
                yield from walk(machine, loops, nr + 1, inner, iterate(machine, following(inner)))


class Turns:
    """The turns of a comprehension, at which the recording may pause, if what is done in each may be much."""

    def __init__(self, compiler: Compiler, node: Comprehension) -> None:
        self.machine, self.line = compiler.machine, compiler.first
        self.counted = not compiler.quiet and any(isinstance(part, ast.Call) for part in ast.walk(node))

    def of(
        self, frame: Frame, loops: list[Loop], inner: Frame, source: Iterator[Value]
    ) -> abc.Generator[None, None, None]:
        """`walk`, turn by turn."""
        machine, line = self.machine, self.line
        if not self.counted:
            yield from walk(machine, loops, 0, inner, source)
            return
        run, turn = pausing.Loop(line, line, None, frame, machine.frames, machine.loops), 0
        try:
            for _ in walk(machine, loops, 0, inner, source):
                turn += 1
                machine.begin_turn(run, turn)
                yield None
        finally:
            machine.end_turns(run, turn)


@compiles(ast.ListComp, ast.SetComp)
def list_comp(compiler: Compiler, node: ast.ListComp | ast.SetComp) -> Run:
    machine, limit = compiler.machine, compiler.machine.limits.length
    first, loops, inside, (value,) = parts(compiler, node)
    unique, turns = isinstance(node, ast.SetComp), Turns(compiler, node)
    hashed = partial(charge_key, machine)

    def run(frame: Frame) -> Value:
        source = iterate(machine, first(frame))
        inner = inside(frame)
        made: Any = set() if unique else []
        enter = made.add if unique else made.append
        with closing(turns.of(frame, loops, inner, source)) as each:
            for _ in each:
                enter(hashed(value(inner)) if unique else value(inner))
                if len(made) > limit:
                    machine.meter.length(len(made))
        return made

    return run


@compiles(ast.DictComp)
def dict_comp(compiler: Compiler, node: ast.DictComp) -> Run:
    machine, limit = compiler.machine, compiler.machine.limits.length
    first, loops, inside, (key, value) = parts(compiler, node)
    turns = Turns(compiler, node)

    def run(frame: Frame) -> Value:
        source = iterate(machine, first(frame))
        inner = inside(frame)
        made: dict[Value, Value] = {}
        with closing(turns.of(frame, loops, inner, source)) as each:
            for _ in each:
                at = charge_key(machine, key(inner))
                made[at] = value(inner)
                if len(made) > limit:
                    machine.meter.length(len(made))
        return made

    return run


@compiles(ast.GeneratorExp)
def generator_exp(compiler: Compiler, node: ast.GeneratorExp) -> Run:
    machine = compiler.machine
    first, loops, inside, (value,) = parts(compiler, node)
    title = ".".join([*compiler.titles[-1:], "<genexpr>"])

    def turns(inner: Frame, source: Iterator[Value]) -> Iterator[Value]:
        for _ in walk(machine, loops, 0, inner, source):
            yield value(inner)

    def run(frame: Frame) -> Value:
        return Generator(title, turns(inside(frame), iterate(machine, first(frame))))

    return run
