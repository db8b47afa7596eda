"""`match`: which case a value fits, and the names that its pattern binds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from ..builtins.introspection import is_instance
from ..builtins.iteration import iterate
from ..builtins.operators import equal
from ..machine import Machine
from ..runtime.attributes import load
from ..runtime.calls import truth_of
from ..runtime.type_names import kind_name
from ..runtime.values import MISSING, Class, ExceptionType, Frame, Type, Value
from .assignment import Store, bind
from .compiler import Compiler, Signal, Step, compiles

Test = Callable[[Frame, Value, list[tuple[Store, Value]]], bool]
"""Whether a value fits; what it would bind is added to the list."""
Body = TypeVar("Body")

PATTERNS: dict[type[ast.pattern], Callable[[Compiler, Any], Test]] = {}


@compiles(ast.Match)
def match_(compiler: Compiler, node: ast.Match) -> Step:
    subject = compiler.expression(node.subject)
    choose = choose_case(compiler, node.cases, lambda compiler, nodes: compiler.block(nodes))

    def step(frame: Frame) -> Signal | None:
        body = choose(frame, subject(frame))
        return None if body is None else body(frame)

    return step


def choose_case(
    compiler: Compiler, cases: list[ast.match_case], block: Callable[[Compiler, Sequence[ast.stmt]], Body]
) -> Callable[[Frame, Value], Body | None]:
    """What finds the body of the first case that fits, its names bound."""
    machine = compiler.machine
    ways = [
        (compile_pattern(compiler, case.pattern), compiler.expression(case.guard) if case.guard else None, case)
        for case in cases
    ]
    bodies = [block(compiler, case.body) for case in cases]

    def choose(frame: Frame, value: Value) -> Body | None:
        for (test, guard, _), body in zip(ways, bodies, strict=True):
            machine.meter.charge()
            bindings: list[tuple[Store, Value]] = []
            if not test(frame, value, bindings):
                continue
            for store, part in bindings:
                store(frame, part)
            if guard is None or truth_of(machine, guard(frame)):
                return body
        return None

    return choose


def compile_pattern(compiler: Compiler, node: ast.pattern) -> Test:
    return PATTERNS[type(node)](compiler, node)


def matches(kind: type[ast.pattern]) -> Callable[[Any], Any]:
    def enter(way: Any) -> Any:
        PATTERNS[kind] = way
        return way

    return enter


@matches(ast.MatchValue)
def value_pattern(compiler: Compiler, node: ast.MatchValue) -> Test:
    machine, wanted = compiler.machine, compiler.expression(node.value)
    return lambda frame, value, bindings: truth_of(machine, equal(machine, value, wanted(frame)))


@matches(ast.MatchSingleton)
def singleton(compiler: Compiler, node: ast.MatchSingleton) -> Test:
    return lambda frame, value, bindings: value is node.value


@matches(ast.MatchAs)
def as_pattern(compiler: Compiler, node: ast.MatchAs) -> Test:
    inner = None if node.pattern is None else compile_pattern(compiler, node.pattern)
    store = None if node.name is None else bind(compiler, node.name, node)

    def test(frame: Frame, value: Value, bindings: list[tuple[Store, Value]]) -> bool:
        if inner is not None and not inner(frame, value, bindings):
            return False
        if store is not None:
            bindings.append((store, value))
        return True

    return test


@matches(ast.MatchOr)
def or_pattern(compiler: Compiler, node: ast.MatchOr) -> Test:
    tests = [compile_pattern(compiler, part) for part in node.patterns]

    def test(frame: Frame, value: Value, bindings: list[tuple[Store, Value]]) -> bool:
        for one in tests:
            found: list[tuple[Store, Value]] = []
            if one(frame, value, found):
                bindings += found
                return True
        return False

    return test


@matches(ast.MatchSequence)
def sequence(compiler: Compiler, node: ast.MatchSequence) -> Test:
    machine = compiler.machine
    star = next((nr for nr, part in enumerate(node.patterns) if isinstance(part, ast.MatchStar)), None)
    tests = [compile_pattern(compiler, part) for part in node.patterns]
    count = len(tests)

    def test(frame: Frame, value: Value, bindings: list[tuple[Store, Value]]) -> bool:
        if not isinstance(value, (list, tuple, range)):
            return False
        machine.meter.length(len(value))
        items: list[Value] = list(iterate(machine, value))
        if star is None and len(items) != count or len(items) < count - 1:
            return False
        if star is not None:
            after = count - star - 1
            items[star : len(items) - after] = [items[star : len(items) - after]]
        return all(one(frame, item, bindings) for one, item in zip(tests, items, strict=True))

    return test


@matches(ast.MatchStar)
def star_pattern(compiler: Compiler, node: ast.MatchStar) -> Test:
    store = None if node.name is None else bind(compiler, node.name, node)

    def test(frame: Frame, value: Value, bindings: list[tuple[Store, Value]]) -> bool:
        if store is not None:
            bindings.append((store, value))
        return True

    return test


@matches(ast.MatchMapping)
def mapping(compiler: Compiler, node: ast.MatchMapping) -> Test:
    keys, tests = compiler.expressions(node.keys), [compile_pattern(compiler, part) for part in node.patterns]
    rest = None if node.rest is None else bind(compiler, node.rest, node)

    def test(frame: Frame, value: Value, bindings: list[tuple[Store, Value]]) -> bool:
        if not isinstance(value, dict):
            return False
        wanted = [key(frame) for key in keys]
        for key, one in zip(wanted, tests, strict=True):
            if key not in value or not one(frame, value[key], bindings):
                return False
        if rest is not None:
            bindings.append((rest, {key: part for key, part in value.items() if key not in wanted}))
        return True

    return test


WHOLE = ("bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")
"""Types whose pattern with one part matches the value itself."""


@matches(ast.MatchClass)
def class_pattern(compiler: Compiler, node: ast.MatchClass) -> Test:
    machine, kind = compiler.machine, compiler.expression(node.cls)
    positional = [compile_pattern(compiler, part) for part in node.patterns]
    named = [
        (name, compile_pattern(compiler, part)) for name, part in zip(node.kwd_attrs, node.kwd_patterns, strict=True)
    ]

    def test(frame: Frame, value: Value, bindings: list[tuple[Store, Value]]) -> bool:
        wanted = kind(frame)
        if not isinstance(wanted, (Class, Type, ExceptionType)):
            raise TypeError("called match pattern must be a class")
        if not is_instance(machine, value, wanted):
            return False
        tests = list(named)
        if positional:
            if isinstance(wanted, Type) and wanted.name in WHOLE and len(positional) == 1:
                return positional[0](frame, value, bindings) and parts(machine, frame, value, tests, bindings)
            tests = [*zip(names_of(wanted, len(positional)), positional, strict=False), *tests]
        return parts(machine, frame, value, tests, bindings)

    return test


def parts(
    machine: Machine, frame: Frame, value: Value, tests: list[tuple[str, Test]], bindings: list[tuple[Store, Value]]
) -> bool:
    for name, test in tests:
        try:
            found = load(machine, value, name)
        except AttributeError:
            return False
        if not test(frame, found, bindings):
            return False
    return True


def names_of(kind: Value, count: int) -> Iterator[str]:
    """The attributes that parts by position stand for."""
    found = kind.find("__match_args__") if isinstance(kind, Class) else MISSING
    names = found if isinstance(found, tuple) else ()
    if len(names) < count:
        name, plural = kind.name, "" if len(names) == 1 else "s"
        raise TypeError(f"{name}() accepts {len(names)} positional sub-pattern{plural} ({count} given)")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"__match_args__ elements must be strings (got {kind_name(name)})")
        yield name
