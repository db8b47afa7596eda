"""A formula as words: what stands in the table of operators, read aloud.

Every expression that the table can hold is spoken; what has no phrase of its own is spoken as a call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "{} plus {}",
    ast.Sub: "{} minus {}",
    ast.Mult: "{} times {}",
    ast.Div: "{} divided by {}",
    ast.FloorDiv: "{} divided by {}, rounded down",
    ast.Mod: "the remainder of {} by {}",
    ast.Pow: "{} to the power of {}",
    ast.MatMult: "the matrix product of {} and {}",
    ast.BitAnd: "{} and {}",
    ast.BitOr: "{} or {}",
    ast.BitXor: "either {} or {}",
    ast.LShift: "{} shifted left by {}",
    ast.RShift: "{} shifted right by {}",
}
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "equals",
    ast.NotEq: "differs from",
    ast.Lt: "is less than",
    ast.LtE: "is at most",
    ast.Gt: "is greater than",
    ast.GtE: "is at least",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "is among",
    ast.NotIn: "is not among",
}
CALLED = {
    "expand": "{0}, spread to {1}",
    "reshape": "{0}, reshaped to {1}",
    "transpose": "{0}, with dimensions {1} and {2} swapped",
    "mul_scalar": "{0} times {1}",
    "div_scalar": "{0} divided by {1}",
    "add_scalar": "{0} plus {1}",
    "sub_scalar": "{0} minus {1}",
    "pow_scalar": "{0} to the power of {1}",
    "scaled": "{0} times {1}",
    "zeros_as": "zeros in the shape of {0}",
    "zeros_like": "zeros in the shape of {0}",
    "mm": "the matrix product of {0} and {1}",
    "matmul": "the matrix product of {0} and {1}",
    "bmm": "the matrix products of {0} and {1}",
    "mv": "the matrix {0} times the vector {1}",
    "t": "{0}, transposed",
    "adjoint": "{0}, transposed",
    "outer": "the outer product of {0} and {1}",
    "sum_all": "the sum of {0}",
    "where": "{1} where {0}, else {2}",
    "masked_fill": "{0}, with {2} where {1}",
    "select_values": "{0}, put back where {2} says",
    "chosen": "{0} where this side was chosen, half of it at a tie",
    "logical_not": "not {0}",
    "len": "the length of {0}",
    "range": "the numbers up to {0}",
    "number": "{0}",
}
FACTS = (
    ("_sym_sizes", "the sizes of {}"),
    ("_sym_numel", "the number of entries of {}"),
    ("_dtype_", "the dtype of {}"),
)

LOOSE = (ast.Add, ast.Sub)


def in_words(formula: str) -> str:
    """The formula as words, its names in backticks.

    Raises:
        SyntaxError: it is no expression.
    """
    return say(ast.parse(formula, mode="eval").body)


def say(node: ast.expr) -> str:
    speak = SPEAK.get(type(node))
    return speak(node) if speak else f"`{ast.unparse(node)}`"


def name(node: ast.Name) -> str:
    for ending, phrase in FACTS:
        if node.id.endswith(ending):
            return phrase.format(f"`{node.id.removesuffix(ending)}`")
    return f"`{node.id}`"


def binary(node: ast.BinOp) -> str:
    return BINARY[type(node.op)].format(part(node.left, node), part(node.right, node))


def part(node: ast.expr, within: ast.BinOp) -> str:
    """A side of an operation; a sum inside a product is set off, as it would be by brackets."""
    loose = isinstance(node, ast.BinOp) and isinstance(node.op, LOOSE) and not isinstance(within.op, LOOSE)
    return f"({say(node)})" if loose or isinstance(node, ast.Compare) else say(node)


def unary(node: ast.UnaryOp) -> str:
    word = "not" if isinstance(node.op, ast.Not | ast.Invert) else "minus"
    if isinstance(node.operand, ast.Constant):
        return f"`{ast.unparse(node)}`"
    inner = say(node.operand)
    return f"{word} ({inner})" if isinstance(node.operand, ast.BinOp) else f"{word} {inner}"


def compare(node: ast.Compare) -> str:
    words = [say(node.left)]
    for operator, right in zip(node.ops, node.comparators, strict=True):
        words += [COMPARED[type(operator)], say(right)]
    return " ".join(words)


def call(node: ast.Call) -> str:
    given = [say(argument) for argument in node.args]
    if isinstance(node.func, ast.Attribute):
        given, called = [say(node.func.value), *given], node.func.attr
    else:
        called = ast.unparse(node.func)
    phrase = CALLED.get(called)
    if phrase and not node.keywords and len(given) > highest(phrase):
        return phrase.format(*given)
    if len(given) == 1 and node.args and isinstance(node.args[0], ast.BinOp | ast.Call):
        given = [f"({given[0]})"]
    given += [f"{keyword.arg} {say(keyword.value)}" for keyword in node.keywords]
    return f"`{called}` of {join_words(given)}" if given else f"`{called}`"


def highest(phrase: str) -> int:
    """The highest number of an argument in a phrase."""
    return max(int(digit) for digit in phrase if digit.isdigit())


def join_words(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def subscript(node: ast.Subscript) -> str:
    return (
        f"`{ast.unparse(node)}`" if isinstance(node.value, ast.Name) else f"part {say(node.slice)} of {say(node.value)}"
    )


SPEAK: dict[type[ast.expr], Callable[..., str]] = {
    ast.Name: name,
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: compare,
    ast.Call: call,
    ast.Subscript: subscript,
    ast.BoolOp: lambda node: (" and " if isinstance(node.op, ast.And) else " or ").join(map(say, node.values)),
    ast.IfExp: lambda node: f"{say(node.body)} if {say(node.test)}, else {say(node.orelse)}",
    ast.Attribute: lambda node: f"the {node.attr} of {say(node.value)}",
    ast.Constant: lambda node: f"`{ast.unparse(node)}`",
}
