"""Which operators have a native path, and what it needs to know of them; all of it is read from the table.

A description is made of plain numbers and names, so that it is kept from one import to the next (compiling/kept.py);
`native/__init__.py` puts in what the names stand for.
"""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

from ..compiling.again import Again
from ..compiling.backward import keeps_kind, keeps_shape, may_hand_on
from ..compiling.heard import Heard
from ..strides import as_weight, iterated
from . import compiled as c

if TYPE_CHECKING:
    from ..compiling import Code
    from ..op import Op

HOW = {ast.Add: "SUM", ast.Sub: "DIFFERENCE", ast.Mult: "PRODUCT", ast.Div: "QUOTIENT"}
FACTS = {"_sym_sizes": "LENGTHS", "_sym_numel": "COUNT", "_sym_strides": "STEPS"}
"""What is kept about an operand, by the ending of its name."""

FEW = 2
"""Edges at most of a node that a tape hears of here: with more, the tape asks which of them end in leaves. Operands at
most of arithmetic that may go element by element before it is charged: of small ones it makes nothing large."""

GRAD, CONSTANT = -1, -2
"""Places of what a formula takes that is not kept."""

Kept = tuple[int, int, int, str]
"""What a node keeps: its kind, operand, users and name; see `Keep` in native.h."""


def described(op: Op, code: Code) -> tuple[Any, Any]:
    """What there is to know of the operator and of the step of its node; None for what is not for the native path."""
    return operator_of(op, code), step_of(op, code)


def operator_of(op: Op, code: Code) -> tuple[Any, ...] | None:
    count, parameters = len(op.tensors), list(op.signature.parameters)
    if not code.is_quick or op.node_class is None or not len(op.outputs) == len(op.differentiable) == 1:
        return None
    if op.optional or parameters[:count] != op.tensors or max(count, len(op.inputs)) > c.MANY or code.rule is as_weight:
        return None
    if "generator" in parameters or any(default_of(op, p) is inspect.Parameter.empty for p in parameters[count:]):
        return None
    kept = [kept_of(op, code, name) for name in op.kept()]
    if None in kept or len(kept) > c.MANY:
        return None
    how, forward = forward_of(op)
    numbers, in_rows, matrices = bool(code.numbers) and how != c.CALLED, code.rule is not None, how == c.DOT
    again, light = Again(op), code.rule is iterated and count <= FEW and (how != c.CALLED or forward != "")
    heard = Heard(op).may_be and len(op.inputs) <= FEW
    edges = tuple(op.tensors.index(p) for p in op.inputs)
    facts = how, numbers, in_rows, matrices, light, heard, again.may_be, again.exact, len(code.numbers)
    return forward, count, edges, facts, tuple(kept)


def default_of(op: Op, parameter: str) -> Any:
    return op.signature.parameters[parameter].default


def kept_of(op: Op, code: Code, name: str) -> Kept | None:
    """How the node of `op` keeps what it knows as `name`; None if that is not for the native path."""
    users, alone = op.kept()[name], code.only_user(name)
    if name in op.outputs:
        return (c.RESULT, -1, 0, name) if name in op.differentiable else None
    if name in op.tensors:
        whose = users if op.traits.get("sparing") else [alone] if alone else []
        return c.OPERAND, op.tensors.index(name), bits(op, whose), name
    if name in op.signature.parameters:
        plain = not name.startswith("dim") and default_of(op, name) is not inspect.Parameter.empty
        return (c.VALUE, -1, 0, name) if plain and name not in op.lists else None
    for ending, kind in FACTS.items():
        p = name.removesuffix(ending)
        if name.endswith(ending) and p in op.tensors and not (code.pair or code.floating):
            return getattr(c, kind), op.tensors.index(p), bits(op, [p] if kind == "STEPS" else []), name
    return None


def bits(op: Op, names: list[str]) -> int:
    return sum(1 << op.tensors.index(name) for name in names)


def forward_of(op: Op) -> tuple[int, str]:
    """How the result is computed, and the name of the function of `arithmetic` if one does it alone."""
    match read(op, op.body if op.shortcut is None else op.shortcut[1]):
        case ast.BinOp(ast.Name(a), sign, ast.Name(b)) if [a, b] == op.tensors and type(sign) in HOW:
            return getattr(c, HOW[type(sign)]), ""
        case ast.UnaryOp(ast.USub(), ast.Name(a)) if [a] == op.tensors:
            return c.OPPOSITE, ""
        case ast.Call(ast.Attribute(ast.Name(a), "dot"), [ast.Name(b)], []) if [a, b] == op.tensors:
            return c.DOT, ""
        case ast.Call(ast.Attribute(ast.Name("arithmetic"), name), [ast.Name(a)], []) if [a] == op.tensors:
            return c.CALLED, name
    return c.CALLED, ""


def read(op: Op, text: str | None) -> ast.expr | None:
    """The expression `text`; of one that asks whether an argument has its default, what it is then."""
    expression = None if text is None else ast.parse(text, mode="eval").body
    match expression:
        case ast.IfExp(ast.Compare(ast.Name(name), [ast.Eq()], [ast.Constant(value)]), body):
            if name in op.signature.parameters and default_of(op, name) == value:
                return body
    return expression


# ---- nodes


def step_of(op: Op, code: Code) -> tuple[Any, ...] | None:
    if op.node_class is None or not code.has_step() or any("grads" in needs for needs in op.needs.values()):
        return None
    names = list(op.kept())
    kept = [loaded_of(op, name) for name in names]
    formulas = [formula_of(op, code, p, names) for p in op.inputs]
    if None in kept or len(kept) > c.MANY or None in formulas:
        return None
    passes = not op.traits.get("fitting") and any(may_hand_on(op.texts.get(p)) for p in op.inputs)
    square = op.texts == {"self": "grad * other", "other": "grad * self"}
    facts = square, passes, Heard(op).may_be, Again(op).exact_step, bool(op.traits.get("fitting"))
    return unit_of(op), facts, tuple(kept), tuple(formulas)


def loaded_of(op: Op, name: str) -> Kept | None:
    """How what a node keeps as `name` is read."""
    if name in op.lists or (name in op.outputs and name not in op.differentiable):
        return None
    return c.RESULT if name in op.outputs else c.OPERAND if name in op.tensors else c.VALUE, -1, 0, name


def unit_of(op: Op) -> str:
    """The argument that formulas ask whether it has its default, as `alpha` of a sum; empty if there is none."""
    for text in op.texts.values():
        match ast.parse(text, mode="eval").body:
            case ast.IfExp(ast.Compare(ast.Name(name))) as asked:
                if ast.dump(asked) != ast.dump(read(op, text) or asked):
                    return name
    return ""


def formula_of(op: Op, code: Code, p: str, names: list[str]) -> tuple[Any, ...] | None:
    """The formula of the input `p`: how it is computed, what may not fit, its function and arguments.

    The function goes by its name in the table, or by none if it is the formula itself.
    """
    text = op.texts.get(p)
    fits = fits_of(op, code, text)
    match read(op, text):
        case ast.Name("grad"):
            return c.AS_IT_IS, fits, "", ()
        case ast.UnaryOp(ast.USub(), ast.Name("grad")):
            return c.NEGATED, fits, "", ()
        case ast.BinOp(ast.Name("grad"), ast.Mult(), ast.Name(name)) if name in op.tensors:
            return c.TIMES, fits, "", ((names.index(name), None),)
        case ast.Call(ast.Name(function), arguments, []):
            taken = [argument_of(argument, names) for argument in arguments]
            if None not in taken and len(taken) <= c.MANY:
                return c.FUNCTION, fits, function, tuple(taken)
    needs = op.needs[p]
    return (c.FUNCTION, fits, "", tuple(place_of(name, names) for name in needs)) if len(needs) <= c.MANY else None


def fits_of(op: Op, code: Code, text: str | None) -> int:
    """What of a gradient may not be as its edge expects it; see Backward.fitting_lines."""
    if op.traits.get("fitting"):
        return c.FITS
    if keeps_kind(text):
        return c.OF_ONE_KIND
    return c.OF_ONE_SHAPE if code.pair and keeps_shape(text) else c.OF_ANY_SHAPE


def argument_of(argument: ast.expr, names: list[str]) -> tuple[int, Any] | None:
    match argument:
        case ast.Constant(value):
            return CONSTANT, value
        case ast.Name(name) if name == "grad" or name in names:
            return place_of(name, names)
    return None


def place_of(name: str, names: list[str]) -> tuple[int, Any]:
    return (GRAD if name == "grad" else names.index(name)), None
