"""Expressions: names, constants, operators, containers, indexing, text."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from itertools import pairwise

from .attributes import load
from .builtin import BUILTINS, REFUSED
from .calls import iterate, listed, truth
from .compiler import Compiler, Run, compiles
from .formatting import converted
from .operators import COMPARE, UNARY, binary
from .subscripts import fetch
from .values import MISSING, Frame, Instance, Value

CONSTANTS = (bool, int, float, str, type(None), type(...))
HIDDEN = ("__builtins__", "__loader__", "__spec__", "__import__", "__dict__")
DUNDERS = frozenset(
    "__init__ __call__ __repr__ __str__ __len__ __getitem__ __setitem__ __iter__ __next__ __contains__ __enter__ __exit__ "
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __bool__ __neg__ __pos__ __abs__ __invert__ __int__ __float__ "
    "__name__ __class__ __doc__ __version__ __self__ __cause__ __qualname__ __hash__ __getattr__ __delitem__ "
    "__bases__ __post_init__".split()
) | {
    f"__{side}{name}__"
    for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
    for side in ("", "r", "i")
}
"""Special names that programs may say."""


def special(wanted: str) -> bool:
    """Whether Python itself gives a meaning to this name."""
    return len(wanted) > 4 and wanted.startswith("__") and wanted.endswith("__")


@compiles(ast.Constant)
def constant(compiler: Compiler, node: ast.Constant) -> Run:
    value = node.value
    if not isinstance(value, CONSTANTS):
        kind = "complex numbers" if isinstance(value, complex) else "bytes"
        raise compiler.refuse(f"Constants of this kind ({kind}) are not supported here.", node)
    if isinstance(value, int):
        compiler.machine.meter.bits(value.bit_length())
    return lambda frame: value


@compiles(ast.Name)
def name(compiler: Compiler, node: ast.Name) -> Run:
    return variable(compiler, node.id, node)


def variable(compiler: Compiler, wanted: str, node: ast.AST) -> Run:
    """Reads the variable `wanted`."""
    wanted = compiler.scope.mangled(wanted)
    if wanted in HIDDEN:
        raise compiler.refuse(f"`{wanted}` is not offered here.", node)
    meaning = compiler.scope.meaning(wanted)
    if meaning == "local":
        return local(wanted)
    if meaning == "cell":
        return cell(wanted, own=wanted in compiler.scope.cells)
    around = cell(wanted, own=False) if meaning == "class cell" else universal(compiler, wanted, node)
    return of_class_body(wanted, around) if meaning.startswith("class") else around


def local(wanted: str) -> Run:
    def run(frame: Frame) -> Value:
        try:
            return frame.names[wanted]
        except KeyError:
            raise unbound(wanted) from None

    return run


def unbound(wanted: str) -> UnboundLocalError:
    return UnboundLocalError(f"cannot access local variable '{wanted}' where it is not associated with a value")


def cell(wanted: str, own: bool) -> Run:
    def run(frame: Frame) -> Value:
        value = frame.cells[wanted].value
        if value is MISSING:
            if own:
                raise unbound(wanted)
            raise NameError(
                f"cannot access free variable '{wanted}' where it is not associated with a value in enclosing scope"
            )
        return value

    return run


def of_class_body(wanted: str, around: Run) -> Run:
    def run(frame: Frame) -> Value:
        value = frame.names.get(wanted, MISSING)
        return around(frame) if value is MISSING else value

    return run


def universal(compiler: Compiler, wanted: str, node: ast.AST) -> Run:
    """A variable of the program itself, or a builtin."""
    names = compiler.machine.names
    if wanted in REFUSED and wanted not in compiler.scopes.module.bound:
        raise compiler.refuse(REFUSED[wanted], node)
    standard = BUILTINS.get(wanted, MISSING)

    def run(frame: Frame) -> Value:
        value = names.get(wanted, standard)
        if value is MISSING:
            raise NameError(f"name '{wanted}' is not defined")
        return value

    return run


# ---- operators


@compiles(ast.BinOp)
def bin_op(compiler: Compiler, node: ast.BinOp) -> Run:
    left, right = compiler.expression(node.left), compiler.expression(node.right)
    apply = binary(compiler.machine, type(node.op))
    return lambda frame: apply(left(frame), right(frame))


@compiles(ast.UnaryOp)
def unary_op(compiler: Compiler, node: ast.UnaryOp) -> Run:
    machine, operand = compiler.machine, compiler.expression(node.operand)
    if isinstance(node.op, ast.Not):
        return lambda frame: not truth(machine, operand(frame))
    sign, apply, method = UNARY[type(node.op)]
    from .calls import call_method, kind_name

    def run(frame: Frame) -> Value:
        value = operand(frame)
        if type(value) is Instance:
            answer = call_method(machine, value, method, [])
            if answer is NotImplemented:
                raise TypeError(f"bad operand type for unary {sign}: '{kind_name(value)}'")
            return answer
        return apply(value)

    return run


@compiles(ast.BoolOp)
def bool_op(compiler: Compiler, node: ast.BoolOp) -> Run:
    machine, parts = compiler.machine, compiler.expressions(node.values)
    stop = isinstance(node.op, ast.Or)
    *first, last = parts

    def run(frame: Frame) -> Value:
        for part in first:
            value = part(frame)
            if truth(machine, value) is stop:
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
            if nr + 1 < len(tests) and not truth(machine, answer):
                return answer
            left = right
        return answer

    return run


@compiles(ast.IfExp)
def if_exp(compiler: Compiler, node: ast.IfExp) -> Run:
    machine = compiler.machine
    test, body, other = compiler.expressions([node.test, node.body, node.orelse])
    return lambda frame: body(frame) if truth(machine, test(frame)) else other(frame)


@compiles(ast.NamedExpr)
def named_expr(compiler: Compiler, node: ast.NamedExpr) -> Run:
    from .targets import target

    value, store = compiler.expression(node.value), target(compiler, node.target)

    def run(frame: Frame) -> Value:
        result = value(frame)
        store(frame, result)
        return result

    return run


# ---- containers


def parts(compiler: Compiler, nodes: list[ast.expr]) -> Callable[[Frame], list[Value]]:
    """The items of a display or the arguments of a call, with `*`."""
    machine = compiler.machine
    runs = [(compiler.expression(n.value), True) if isinstance(n, ast.Starred) else (compiler.expression(n), False) for n in nodes]
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
                items.extend(listed(machine, run(frame)))
            else:
                items.append(run(frame))
        machine.meter.length(len(items))
        return items

    return spread


@compiles(ast.List)
def list_display(compiler: Compiler, node: ast.List) -> Run:
    return parts(compiler, node.elts)


@compiles(ast.Tuple)
def tuple_display(compiler: Compiler, node: ast.Tuple) -> Run:
    items = parts(compiler, node.elts)
    return lambda frame: tuple(items(frame))


@compiles(ast.Set)
def set_display(compiler: Compiler, node: ast.Set) -> Run:
    items = parts(compiler, node.elts)
    return lambda frame: set(items(frame))


@compiles(ast.Dict)
def dict_display(compiler: Compiler, node: ast.Dict) -> Run:
    machine = compiler.machine
    pairs = [
        (None if key is None else compiler.expression(key), compiler.expression(value))
        for key, value in zip(node.keys, node.values, strict=True)
    ]

    def run(frame: Frame) -> Value:
        made: dict[Value, Value] = {}
        for key, value in pairs:
            if key is not None:
                made[key(frame)] = value(frame)
                continue
            more = value(frame)
            if not isinstance(more, dict):
                raise TypeError("argument after ** must be a mapping")
            made.update(more)
        machine.meter.length(len(made))
        return made

    return run


# ---- parts of values


@compiles(ast.Attribute)
def attribute(compiler: Compiler, node: ast.Attribute) -> Run:
    machine, owner, wanted = compiler.machine, compiler.expression(node.value), attribute_name(compiler, node)
    return lambda frame: load(machine, owner(frame), wanted)


def attribute_name(compiler: Compiler, node: ast.Attribute) -> str:
    wanted = compiler.scope.mangled(node.attr)
    if wanted.startswith("__") and wanted not in DUNDERS:
        raise compiler.refuse(f"The attribute `{node.attr}` is not offered here.", node)
    return wanted


@compiles(ast.Subscript)
def subscript(compiler: Compiler, node: ast.Subscript) -> Run:
    machine, owner, index = compiler.machine, compiler.expression(node.value), compiler.expression(node.slice)
    return lambda frame: fetch(machine, owner(frame), index(frame))


@compiles(ast.Slice)
def slice_(compiler: Compiler, node: ast.Slice) -> Run:
    bounds = [(lambda frame: None) if b is None else compiler.expression(b) for b in (node.lower, node.upper, node.step)]
    lower, upper, step = bounds
    return lambda frame: slice(lower(frame), upper(frame), step(frame))


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
        return lambda frame: converted(machine, value(frame), conversion, "")
    spec = compiler.expression(node.format_spec)
    return lambda frame: converted(machine, value(frame), conversion, spec(frame))


# ---- comprehensions


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
    from .values import Cell

    cells = {**frame.cells, **{wanted: Cell() for wanted in own_cells}} if own_cells else frame.cells
    inner = Frame({}, cells, frame.scope, frame.function)
    inner.line, inner.owner, inner.this = frame.line, frame.owner, frame.this
    return inner


Loop = tuple[Callable[[Frame, Value], None], Run | None, list[Run]]


def _loop(compiler: Compiler, part: ast.comprehension, nr: int) -> Loop:
    from .targets import target

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
        from .values import Generator

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


__all__ = ["operator", "pairwise"]
