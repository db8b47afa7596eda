"""Mends for a backward of the program's own that returns a gradient of another shape than its argument has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from ..calls import callee
from ..fixes.edits import grouped, parse_shape
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text
from .functions import method, own_class, returns

PRODUCTS = ("mm", "matmul", "outer", "ger")
REDUCTIONS = ("sum", "mean")


@fix(gradient_of_shape=1)
def gradient_of_shape(wanted: Wanted) -> Iterator[Proposal]:
    """The gradient gets the shape of its argument: turned, added up otherwise, or in its own place."""
    text, kind = wanted.text, own_class(wanted)
    forward, backward = (method(kind, name) if kind is not None else None for name in ("forward", "backward"))
    ends = returns(backward) if backward is not None else []
    if forward is None or backward is None or not ends:
        return
    arguments = [arg.arg for arg in forward.args.args[1:]]
    value = ends[-1].value
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    place = int(wanted.name("place") or 0)
    if place >= min(len(parts), len(arguments)) or (part := parts[place]) is None:
        return
    name, made = arguments[place], last_value(backward, part)
    yield from sum_over_repeated(wanted, name, made)
    yield from transpose_gradient(wanted, part, made)
    yield from change_sum(wanted, part, made)
    yield from reorder_gradients(wanted, parts)
    shown, ctx, own = grouped(text, part), forward.args.args[0].arg, backward.args.args[0].arg
    note = text.before(forward.body[0], [f"{ctx}.shape_of_argument = {name}.shape"])
    for way in ("sum_to_size", "reshape", "expand"):
        title = f"give the gradient of {name} its shape, by {way}, on line {part.lineno}"
        yield wanted.proposal(title, FREE, note, text.replaced(part, f"{shown}.{way}({own}.shape_of_argument)"))


def last_value(backward: ast.FunctionDef, part: ast.expr) -> ast.expr:
    """What `part` of what is returned was last given in `backward`; itself, if it is no name."""
    steps = [
        step
        for step in ast.walk(backward)
        if isinstance(step, ast.Assign) and ast.unparse(step.targets[0]) == ast.unparse(part)
    ]
    return max(steps, key=lambda step: step.lineno).value if steps else part


def transpose_gradient(wanted: Wanted, part: ast.expr, made: ast.expr) -> Iterator[Proposal]:
    """Of `a.t() @ b`, whose shape is the other way round, the factors change places: `b.t() @ a`."""
    text = wanted.text
    came, shape = parse_shape(wanted.name("came")), parse_shape(wanted.name("shape"))
    if len(came) < 2 or came[:-2] + came[:-3:-1] != shape:
        return
    factors = factors_of(made)
    if factors is not None and len(shape) == 2:
        one, two = (transpose(text, factor) for factor in reversed(factors))
        shown = f"{one} @ {two}" if isinstance(made, ast.BinOp) else f"{one}.mm({two})"
        title = f"{shown} on line {made.lineno}: the product the other way round"
        yield wanted.proposal(title, FREE, text.replaced(made, shown))
    end = ".t()" if len(shape) == 2 else ".transpose(-2, -1)"
    title = f"{text.get(part)}{end} on line {part.lineno}: turned as its argument is"
    yield wanted.proposal(title, FREE, text.replaced(part, f"{grouped(text, part)}{end}"))


def factors_of(made: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    if isinstance(made, ast.BinOp) and isinstance(made.op, ast.MatMult):
        return made.left, made.right
    if not isinstance(made, ast.Call) or callee(made) not in PRODUCTS or not isinstance(made.func, ast.Attribute):
        return None
    if len(made.args) == 2:
        return made.args[0], made.args[1]
    return (made.func.value, made.args[0]) if len(made.args) == 1 else None


def transpose(text: Text, factor: ast.expr) -> str:
    """`a` of `a.t()` and `a.T`, `a.t()` of `a`."""
    if isinstance(factor, ast.Call) and callee(factor) == "t" and isinstance(factor.func, ast.Attribute):
        return text.get(factor.func.value)
    if isinstance(factor, ast.Attribute) and factor.attr in ("T", "mT"):
        return text.get(factor.value)
    return f"{grouped(text, factor)}{'.T' if '.T' in text.source else '.t()'}"


def reorder_gradients(wanted: Wanted, parts: list[ast.expr | None] | list[ast.expr]) -> Iterator[Proposal]:
    """Two gradients change places: they are returned in the order of the arguments of forward."""
    text = wanted.text
    given = [part for part in parts if part is not None]
    for one, two in combinations(given, 2):
        title = f"{text.get(two)} and {text.get(one)} in the order of the arguments, on line {one.lineno}"
        edits = (text.replaced(one, text.get(two)), text.replaced(two, text.get(one)))
        yield wanted.proposal(title, FREE, *edits)


def change_sum(wanted: Wanted, part: ast.expr, made: ast.expr) -> Iterator[Proposal]:
    """A sum over another dimension, over all but those of the argument, or none."""
    text = wanted.text
    came, shape = parse_shape(wanted.name("came")), parse_shape(wanted.name("shape"))
    for call in (node for node in ast.walk(made) if isinstance(node, ast.Call) and callee(node) in REDUCTIONS):
        if not isinstance(call.func, ast.Attribute):
            continue
        method = ast.unparse(call.func.value) != "torch"
        owner = grouped(text, call.func.value if method else call.args[0])
        own = text.get(call.args[-1]) if call.args and len(call.args) == (1 if method else 2) else None
        kept = [f"{owner}.sum({own}, keepdim=True)"] if own is not None else []
        for way in (*kept, *(f"{owner}.sum({dim}{keep})" for keep in ("", ", keepdim=True") for dim in range(3))):
            if way != text.get(call):
                yield wanted.proposal(f"{way} on line {call.lineno}", FREE, text.replaced(call, way))
        title = f"{owner} on line {call.lineno}, entry by entry"
        yield wanted.proposal(title, FREE, text.replaced(call, owner))
    if len(came) > len(shape):
        over = list(range(len(came) - len(shape)))
        shown = str(over[0]) if len(over) == 1 else str(tuple(over))
        title = f"{text.get(part)}.sum({shown}) on line {part.lineno}: over what the argument was repeated along"
        yield wanted.proposal(title, FREE, text.replaced(part, f"{grouped(text, part)}.sum({shown})"))


def sum_over_repeated(wanted: Wanted, name: str, made: ast.expr) -> Iterator[Proposal]:
    """A sum that goes over the wrong dimensions goes over those along which forward repeated the argument."""
    text = wanted.text
    shape, whole, dims = (parse_shape(wanted.name(word)) for word in ("shape", "summand", "over"))
    for call in (node for node in ast.walk(made) if isinstance(node, ast.Call) and dims):
        sum_words = sum_to_shape(text, call, dims, shape, whole)
        if sum_words is not None and sum_words != text.get(call):
            title = f"{sum_words} on line {call.lineno}: over what {name} was repeated along"
            yield replace(wanted.proposal(title, FREE, text.replaced(call, sum_words)), decisive=True)


def sum_to_shape(text: Text, call: ast.Call, dims: list[int], shape: list[int], whole: list[int]) -> str | None:
    """A sum, or an `einsum` of what has the shape `whole`, that gives the shape of an argument."""
    if callee(call) == "einsum" and isinstance(call.args[0], ast.Constant):
        given, arrow, _ = str(call.args[0].value).partition("->")
        letters = given.partition(",")[0].strip()
        if not arrow or len(letters) != len(whole) or len(shape) + len(dims) != len(whole):
            return None
        kept = "".join(letter for at, letter in enumerate(letters) if at not in dims)
        operands = ", ".join(map(text.get, call.args[1:]))
        return f'{text.get(call.func)}("{given}->{kept}", {operands})'
    if callee(call) not in REDUCTIONS or not isinstance(call.func, ast.Attribute):
        return None
    method = ast.unparse(call.func.value) != "torch"
    owner = grouped(text, call.func.value if method else call.args[0])
    over = str(dims[0]) if len(dims) == 1 else str(tuple(dims))
    if not shape:
        return f"{owner}.sum()"
    return f"{owner}.sum({over}, keepdim=True)" if 1 in shape else f"{owner}.sum({over})"
