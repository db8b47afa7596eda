"""Comprehensions and generator expressions: loops with a scope of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .calls import iterate, truth
from .compiler import Compiler, Run, compiles
from .targets import target
from .values import Cell, Frame, Generator, Value


@compiles(ast.ListComp, ast.SetComp, ast.DictComp)
def comprehension(compiler: Compiler, node: ast.ListComp | ast.SetComp | ast.DictComp) -> Run:
    """A comprehension has a scope of its own; its first source belongs to the scope around it."""
    machine = compiler.machine
    first = compiler.expression(node.generators[0].iter)
    outer, compiler.scope = compiler.scope, compiler.scopes.of[node]
    scope = compiler.scope
    loops = [_loop(compiler, part, nr) for nr, part in enumerate(node.generators)]
    if isinstance(node, ast.DictComp):
        key, value = compiler.expression(node.key), compiler.expression(node.value)
    else:
        key = value = compiler.expression(node.elt)
    compiler.scope = outer
    kind = type(node)

    def run(frame: Frame) -> Value:
        source = iterate(machine, first(frame))
        inner = inside(frame, scope.cells)
        made: list[Value] | set[Value] | dict[Value, Value]
        if kind is ast.DictComp:
            made = pairs = {}

            def enter() -> None:
                at = key(inner)
                pairs[at] = value(inner)

        elif kind is ast.SetComp:
            made = items = set()

            def enter() -> None:
                items.add(value(inner))

        else:
            made = entries = []

            def enter() -> None:
                entries.append(value(inner))

        _walk(machine, loops, 0, inner, source, enter)
        machine.meter.length(len(made))
        return made

    return run


def inside(frame: Frame, own_cells: set[str]) -> Frame:
    """A frame for a comprehension: names of its own, the cells around it."""
    cells = {**frame.cells, **{wanted: Cell() for wanted in own_cells}} if own_cells else frame.cells
    inner = Frame({}, cells, frame.scope, frame.function)
    inner.line, inner.owner, inner.this = frame.line, frame.owner, frame.this
    return inner


Loop = tuple[Callable[[Frame, Value], None], Run | None, list[Run]]


def _loop(compiler: Compiler, part: ast.comprehension, nr: int) -> Loop:
    if part.is_async:
        raise compiler.refuse("`async for` is not supported here.", part.target)
    source = compiler.expression(part.iter) if nr else None
    return target(compiler, part.target, told=False), source, compiler.expressions(part.ifs)


def _walk(machine, loops, nr, inner, source, enter):  # type: ignore[no-untyped-def]
    store, _, tests = loops[nr]
    meter, limit, count = machine.meter, machine.limits.length, 0
    for item in source:
        store(inner, item)
        item = None
        count += 1
        meter.steps += 1
        if meter.steps >= meter.check_at:
            meter.check()
        if count > limit:
            meter.length(count)
        if all(truth(machine, test(inner)) for test in tests):
            if nr + 1 < len(loops):
                _walk(machine, loops, nr + 1, inner, iterate(machine, loops[nr + 1][1](inner)), enter)
            else:
                enter()


@compiles(ast.GeneratorExp)
def generator_exp(compiler: Compiler, node: ast.GeneratorExp) -> Run:
    machine = compiler.machine
    first = compiler.expression(node.generators[0].iter)
    outer, compiler.scope = compiler.scope, compiler.scopes.of[node]
    scope = compiler.scope
    loops = [_loop(compiler, part, nr) for nr, part in enumerate(node.generators)]
    value = compiler.expression(node.elt)
    compiler.scope = outer

    def run(frame: Frame) -> Value:
        source = iterate(machine, first(frame))
        return Generator("generator", produced(machine, loops, 0, inside(frame, scope.cells), source, value))

    return run


def produced(machine, loops, nr, inner, source, value):  # type: ignore[no-untyped-def]
    store, _, tests = loops[nr]
    for item in source:
        store(inner, item)
        item = None
        machine.meter.charge()
        if all(truth(machine, test(inner)) for test in tests):
            if nr + 1 < len(loops):
                yield from produced(machine, loops, nr + 1, inner, iterate(machine, loops[nr + 1][1](inner)), value)
            else:
                yield value(inner)
