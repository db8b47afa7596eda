"""Expressions: names, constants, operators, containers, indexing, text."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..builtins.constructors import make_slice
from ..builtins.formatting import format_field
from ..builtins.hashing import charge_keys, put_all
from ..builtins.iteration import collect_items, has_walk, iterate
from ..builtins.namespace import NO_BYTES
from ..builtins.operators import COMPARE, PLAIN, RECORDS, UNARY, apply_unary, make_binary
from ..builtins.sequences import unpack_mapping
from ..builtins.subscripts import fetch
from ..runtime.attributes import load
from ..runtime.calls import call_method, truth_of
from ..runtime.type_names import kind_name
from ..runtime.values import OBJECTS, Frame, Value
from .assignment import compile_target
from .compiler import Compiler, Run, compiles
from .names import attribute_name

CONSTANTS = (bool, int, float, complex, str, type(None), type(...))


@compiles(ast.Constant)
def constant(compiler: Compiler, node: ast.Constant) -> Run:
    value = node.value
    if not isinstance(value, CONSTANTS):
        raise compiler.refuse(NO_BYTES, node)
    if isinstance(value, int):
        compiler.machine.meter.bits(value.bit_length())
    return lambda frame: value


# ---- operators


@compiles(ast.BinOp)
def bin_op(compiler: Compiler, node: ast.BinOp) -> Run:
    left, right = compiler.expression(node.left), compiler.expression(node.right)
    apply = make_binary(compiler.machine, type(node.op))
    return lambda frame: apply(left(frame), right(frame))


@compiles(ast.UnaryOp)
def unary_op(compiler: Compiler, node: ast.UnaryOp) -> Run:
    machine, operand = compiler.machine, compiler.expression(node.operand)
    if isinstance(node.op, ast.Not):
        return lambda frame: not truth_of(machine, operand(frame))
    sign, apply, method = UNARY[type(node.op)]

    def run(frame: Frame) -> Value:
        value = operand(frame)
        if isinstance(value, OBJECTS):
            answer = call_method(machine, value, method, [])
            if answer is not NotImplemented:
                return answer
        if isinstance(value, RECORDS):
            raise TypeError(f"bad operand type for unary {sign}: '{kind_name(value)}'")
        return apply(value) if type(value) in PLAIN else apply_unary(machine, sign, value)

    return run


@compiles(ast.BoolOp)
def bool_op(compiler: Compiler, node: ast.BoolOp) -> Run:
    machine, parts = compiler.machine, compiler.expressions(node.values)
    stop = isinstance(node.op, ast.Or)
    *first, last = parts

    def run(frame: Frame) -> Value:
        for part in first:
            value = part(frame)
            if truth_of(machine, value) is stop:
                return value
        value = None
        return last(frame)

    return run


@compiles(ast.Compare)
def compare(compiler: Compiler, node: ast.Compare) -> Run:
    machine = compiler.machine
    tests = [COMPARE[type(op)] for op in node.ops]
    parts = compiler.expressions([node.left, *node.comparators])
    if len(tests) == 1:
        test, (left, right) = tests[0], parts
        return lambda frame: test(machine, left(frame), right(frame))

    def run(frame: Frame) -> Value:
        left, answer = parts[0](frame), True
        for nr, test in enumerate(tests):
            right = parts[nr + 1](frame)
            answer = test(machine, left, right)
            if nr + 1 < len(tests) and not truth_of(machine, answer):
                return answer
            left = right
        return answer

    return run


@compiles(ast.IfExp)
def if_exp(compiler: Compiler, node: ast.IfExp) -> Run:
    machine = compiler.machine
    test, body, other = compiler.expressions([node.test, node.body, node.orelse])
    return lambda frame: body(frame) if truth_of(machine, test(frame)) else other(frame)


@compiles(ast.NamedExpr)
def named_expr(compiler: Compiler, node: ast.NamedExpr) -> Run:
    value, store = compiler.expression(node.value), compile_target(compiler, node.target)

    def run(frame: Frame) -> Value:
        result = value(frame)
        store(frame, result)
        return result

    return run


# ---- containers


class Misfit(TypeError):
    """What stands behind `*` or `**` cannot be spread."""


def not_spreadable(value: Value) -> TypeError:
    return Misfit(f"argument after * must be an iterable, not {kind_name(value)}")


def not_iterable(value: Value) -> TypeError:
    return TypeError(f"Value after * must be an iterable, not {kind_name(value)}")


def compile_parts(
    compiler: Compiler, nodes: list[ast.expr], misfit: Callable[[Value], TypeError] | None = not_spreadable
) -> Callable[[Frame], list[Value]]:
    """The items of a display or the arguments of a call, with `*`.

    `misfit`: the error for what cannot be spread, where it is another than that of iteration.
    """
    machine = compiler.machine
    runs = [
        (compiler.expression(n.value), True) if isinstance(n, ast.Starred) else (compiler.expression(n), False)
        for n in nodes
    ]
    if not any(starred for _, starred in runs):
        plain = tuple(run for run, _ in runs)
        if not plain:
            return lambda frame: []
        if len(plain) == 1:
            only = plain[0]
            return lambda frame: [only(frame)]
        return lambda frame: [run(frame) for run in plain]

    def spread(frame: Frame) -> list[Value]:
        items: list[Value] = []
        for run, starred in runs:
            if starred:
                given = run(frame)
                try:
                    source = iterate(machine, given)
                except TypeError:
                    if misfit is None or has_walk(given):
                        raise
                    raise misfit(given) from None
                items.extend(collect_items(machine, source))
            else:
                items.append(run(frame))
        machine.meter.length(len(items))
        return items

    return spread


@compiles(ast.List)
def list_display(compiler: Compiler, node: ast.List) -> Run:
    return compile_parts(compiler, node.elts, not_iterable)


@compiles(ast.Tuple)
def tuple_display(compiler: Compiler, node: ast.Tuple) -> Run:
    items = compile_parts(compiler, node.elts, not_iterable)
    return lambda frame: tuple(items(frame))


@compiles(ast.Set)
def set_display(compiler: Compiler, node: ast.Set) -> Run:
    machine, items = compiler.machine, compile_parts(compiler, node.elts, None)
    return lambda frame: set(charge_keys(machine, items(frame)))


@compiles(ast.Dict)
def dict_display(compiler: Compiler, node: ast.Dict) -> Run:
    machine = compiler.machine
    pairs = [
        (None if key is None else compiler.expression(key), compiler.expression(value))
        for key, value in zip(node.keys, node.values, strict=True)
    ]

    def run(frame: Frame) -> Value:
        made: dict[Value, Value] = {}
        row: list[tuple[Value, Value]] = []  # what stands before a `**` is put in at once, when all of it is computed
        for key, value in pairs:
            if key is not None:
                row.append((key(frame), value(frame)))
                continue
            put_all(machine, made, row)
            row.clear()
            given = value(frame)
            more = unpack_mapping(machine, given)
            if more is None:
                raise TypeError(f"'{kind_name(given)}' object is not a mapping")
            put_all(machine, made, more)
        put_all(machine, made, row)
        machine.meter.length(len(made))
        return made

    return run


# ---- parts of values


@compiles(ast.Attribute)
def attribute(compiler: Compiler, node: ast.Attribute) -> Run:
    machine, owner, wanted = compiler.machine, compiler.expression(node.value), attribute_name(compiler, node)
    return lambda frame: load(machine, owner(frame), wanted)


@compiles(ast.Subscript)
def subscript(compiler: Compiler, node: ast.Subscript) -> Run:
    machine, owner, index = compiler.machine, compiler.expression(node.value), compiler.expression(node.slice)
    return lambda frame: fetch(machine, owner(frame), index(frame))


@compiles(ast.Slice)
def slice_(compiler: Compiler, node: ast.Slice) -> Run:
    bounds = [
        (lambda frame: None) if b is None else compiler.expression(b) for b in (node.lower, node.upper, node.step)
    ]
    machine, (lower, upper, step) = compiler.machine, bounds
    return lambda frame: make_slice(machine, lower(frame), upper(frame), step(frame))


# ---- text


@compiles(ast.JoinedStr)
def joined_str(compiler: Compiler, node: ast.JoinedStr) -> Run:
    machine = compiler.machine
    pieces = compiler.expressions(node.values)

    def run(frame: Frame) -> Value:
        made = [piece(frame) for piece in pieces]
        machine.meter.length(sum(map(len, made)))
        return "".join(made)

    return run


@compiles(ast.FormattedValue)
def formatted_value(compiler: Compiler, node: ast.FormattedValue) -> Run:
    machine, value = compiler.machine, compiler.expression(node.value)
    conversion = None if node.conversion == -1 else chr(node.conversion)
    if node.format_spec is None:
        return lambda frame: format_field(machine, value(frame), conversion, "")
    spec = compiler.expression(node.format_spec)
    return lambda frame: format_field(machine, value(frame), conversion, spec(frame))
