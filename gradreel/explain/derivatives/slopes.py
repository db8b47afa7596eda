"""The slope of a node towards one of its inputs in a few letters: by what a gradient is multiplied on that way.

`× 3`, `× cos x = 0.54`, `· Wᵀ`, `× (1 - result²)`. It is read off the formulas that stand in the table: a formula is
taken apart once, and filled with what a node kept.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

from ..replay.graph_queries import flat
from ..replay.states import NodeState

LONGEST = 23
"""So many letters may stand on a wire."""
NAMED = 8
"""So many letters a name may have there."""

FUNCTIONS: dict[str, Any] = {
    "__builtins__": {},
    "cos": math.cos,
    "sin": math.sin,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "cosh": math.cosh,
    "sinh": math.sinh,
    "sgn": lambda x: (x > 0) - (x < 0),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0,
    "clamp": lambda x: max(-1.0, min(1.0, x)),
}
CONSTANTS = {"pi": math.pi, "alpha": 1.0, "beta": 1.0, "value": 1.0}
"""What formulas speak of that a node does not keep where it is as usual."""
LIMITS = {"min": -math.inf, "max": math.inf}
"""What a limit that is not given comes to."""
AS_IT_IS = ("grad", "grad.expand(self.shape)", "grad.sum()", "grad.sum(0)")
OF_MANY = "grad.expand(self.shape) / numel"
MEAN = "1"
"""What a loss keeps as its `reduction` when it divides by the number of its elements."""
LOGARITHM = re.compile(r"\bln (\d+)")
LESS_ONE = re.compile(r"\((\d+(?:\.\d+)?) - 1\)")
SUPERSCRIPTS = {"1": "", "2": "²", "3": "³"}
TRANSPOSED = (".mT", ".T", ".t()")


class Slope(NamedTuple):
    """By what a node multiplies a gradient on a way: in a few letters, and as the number that it is; None where it is
    none, or cannot be said.
    """

    text: str | None = None
    number: float | None = None


def slope(state: NodeState, formula: str, labels: Mapping[str, str | None]) -> Slope:
    """By what `state` multiplies a gradient on the way that has this `formula`.

    `labels` are the names of what it keeps.
    """
    if formula in AS_IT_IS:
        return Slope("× 1", 1.0)
    if formula == "0":
        return Slope("× 0", 0.0)
    if state.custom:
        return Slope()
    if formula == OF_MANY:
        many = state.values.get("self_sym_numel")
        return Slope(f"× 1/{many}", 1 / int(many)) if many is not None and many.isdigit() and many != "0" else Slope()
    factor = parse_factor(formula)
    if factor is None:
        return Slope()
    if factor.product is not None:
        return Slope(by_matrix(factor.product, state, labels))
    number = factor.number(state)
    if number is not None:
        return Slope(format_product(factor, number, labels), number if math.isfinite(number) else None)
    text = factor.shown(state, labels)
    return Slope(text if len(text) <= LONGEST else None)


ELEMENTWISE = (
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Name, ast.Constant),
    *(ast.operator, ast.unaryop, ast.expr_context, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)
"""What a formula that goes element by element is made of."""


class Factor:
    """A formula without its `grad`: for numbers as code, else as text; or the matrix of a product."""

    def __init__(self, tree: ast.expr, product: tuple[str, str, bool] | None) -> None:
        self.product = product
        """The name of a matrix, what is done to it, and whether the gradient stands before it."""
        self.names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in FUNCTIONS]
        self.code: CodeType | None = None
        self.call: str | None = None
        """The one function that it is, as `cos` of `grad * cos(self)`."""
        self.text = ""
        self.divides = False
        self.alone: str | None = None
        """The one thing that it is, as `other` of `grad * other`."""
        if product is None:
            self.code = compile(ast.Expression(tree), "<formula>", "eval")
            rest = without_grad(tree)
            if isinstance(rest, ast.Call) and isinstance(rest.func, ast.Name) and len(self.names) == 2:
                self.call = rest.func.id
            self.divides = isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div) and is_grad(tree.left)
            shown = tree.right if self.divides and isinstance(tree, ast.BinOp) else rest
            self.text = ast.unparse(shown) if shown is not None else ""
            self.alone = rest.id if isinstance(rest, ast.Name) and not isinstance(tree, ast.UnaryOp) else None
            bare = isinstance(shown, ast.BinOp) and isinstance(shown.op, ast.Mult | ast.Pow)
            if isinstance(shown, ast.BinOp | ast.Compare) and not bare:
                self.text = f"({self.text})"

    def number(self, state: NodeState) -> float | None:
        """The factor as a number, if all that it is made of are numbers that the node kept."""
        if self.alone is not None:
            return number_in(state, self.alone)
        known: dict[str, Any] = {"grad": 1.0}
        for name in self.names:
            if name in known:
                continue
            found = number_in(state, name)
            if found is None:
                return None
            known[name] = found
        try:
            return float(eval(self.code, FUNCTIONS, known)) if self.code is not None else None
        except (ArithmeticError, ValueError, TypeError, NameError):
            return None

    def shown(self, state: NodeState, labels: Mapping[str, str | None]) -> str:
        text = self.text
        for name in dict.fromkeys(self.names):
            if name != "grad":
                number = number_in(state, name)
                said = short_label(labels.get(name)) if number is None else format_number(number)
                text = re.sub(rf"\b{name}\b", said, text)
        return f"{'÷' if self.divides else '×'} {powers(text)}" if text else ""


@cache
def parse_factor(formula: str) -> Factor | None:
    """The factor in `formula`; None where it is no product of `grad` and something that can be computed or named."""
    try:
        tree = ast.parse(LOGARITHM.sub(r"log(\1)", formula), mode="eval").body
    except SyntaxError:
        return None
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.MatMult):
        before = is_grad(tree.left)
        side = tree.right if before else tree.left
        done = side.attr if isinstance(side, ast.Attribute) else ""
        matrix = side.value if isinstance(side, ast.Attribute) else side
        if isinstance(matrix, ast.Name) and (before or is_grad(tree.right)):
            return Factor(tree, (matrix.id, done, before))
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ELEMENTWISE):
            return None
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS):
            return None
    return Factor(tree, None) if sum(is_grad(node) for node in ast.walk(tree)) == 1 else None


def is_grad(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "grad"


def without_grad(tree: ast.expr) -> ast.expr | None:
    """`cos(self)` of `grad * cos(self)`; None where nothing is left."""
    if is_grad(tree):
        return None
    if isinstance(tree, ast.UnaryOp):
        rest = without_grad(tree.operand)
        return ast.UnaryOp(tree.op, ast.Constant(1) if rest is None else rest)
    if isinstance(tree, ast.BinOp) and any(map(is_grad, ast.walk(tree.left))):
        rest = without_grad(tree.left)
        if rest is None:
            return tree.right if isinstance(tree.op, ast.Mult) else ast.BinOp(ast.Constant(1), tree.op, tree.right)
        return ast.BinOp(rest, tree.op, tree.right)
    if isinstance(tree, ast.BinOp) and is_grad(tree.right) and isinstance(tree.op, ast.Mult):
        return tree.left
    return tree


def number_in(state: NodeState, name: str) -> float | None:
    """What the node keeps as `name`, if that is one number."""
    slot = state.slots.get(name)
    if slot is not None:
        if type(slot.value.data) is float:
            return slot.value.data
        numbers = flat(slot.value.data) if slot.value.whole else []
        number = numbers[0] if len(numbers) == 1 else None
        return float(number) if isinstance(number, int | float) else None
    if name == "n" and "reduction" in state.values and "self" in state.slots:
        return float(math.prod(state.slots["self"].value.shape)) if state.values["reduction"] == MEAN else 1.0
    if state.values.get(name) == "None":
        return LIMITS.get(name)
    try:
        return float(state.values[name]) if name in state.values else CONSTANTS.get(name)
    except ValueError:
        return None


def format_product(factor: Factor, number: float, labels: Mapping[str, str | None]) -> str:
    """`× 0.54`, and of what: `× cos x = 0.54`."""
    plain = f"× {format_number(number)}"
    if factor.call is None:
        return plain
    label = labels.get(factor.names[-1]) or ""
    named = f"({label})" if " " in label else f" {short_label(label)}"
    text = f"× {factor.call}{named} = {format_number(number)}"
    return text if len(text) <= LONGEST else plain


def by_matrix(product: tuple[str, str, bool], state: NodeState, labels: Mapping[str, str | None]) -> str | None:
    """`· Wᵀ` where the gradient stands before the matrix, `Wᵀ ·` behind it."""
    name, done, before = product
    if name not in state.slots:
        return None
    text, turned = labels.get(name) or "", bool(done)
    for ending in TRANSPOSED:
        if text.endswith(ending):
            text, turned = text.removesuffix(ending), not turned
    matrix = short_label(text) + ("ᵀ" if turned else "")
    return f"· {matrix}" if before else f"{matrix} ·"


def short_label(label: str | None) -> str:
    """A label as it has room on a wire: of a path the end; what has no name is called as below its slot."""
    text = (label or "input").rpartition(".")[2]
    return text if len(text) <= NAMED and text.isidentifier() else "saved"


def format_number(number: float) -> str:
    return f"{number:.3g}"


def powers(text: str) -> str:
    """Python's powers and products as they are written by hand: `3·h²` for `3 * h ** (3 - 1)`."""
    text = LESS_ONE.sub(lambda match: format_number(float(match[1]) - 1), text)
    text = re.sub(r" \*\* ([123])(?![\d.])", lambda match: SUPERSCRIPTS[match[1]], text)
    return text.replace(" * ", "·")
