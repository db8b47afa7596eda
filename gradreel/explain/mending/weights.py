"""A mend for weights of log-probabilities, such as the advantage of an actor: they say how much, and learn nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..fixes.edits import followed
from ..fixes.origins import origins
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text
from .writes import is_function

LOGARITHM = re.compile(r"log_?p|log_?softmax|\blog\(", re.IGNORECASE)


def is_logarithm(text: Text, value: ast.expr) -> bool:
    """Whether `value` is a log-probability: by what it is called, or by what it was made of."""
    return any(LOGARITHM.search(text.get(part)) for part in origins(text, value))


@fix(second_backward=6, step_between=3)
def detached(wanted: Wanted) -> Iterator[Proposal]:
    """`log_prob * advantage` becomes `log_prob * advantage.detach()`: its own loss trains what it was made with."""
    text = wanted.text
    for product in text.parts(text.tree, ast.BinOp):
        if not isinstance(product.op, ast.Mult):
            continue
        one, two = product.left, product.right
        if is_logarithm(text, one) == is_logarithm(text, two):
            continue
        weight = two if is_logarithm(text, one) else one
        names = [name for name in text.parts(weight, ast.Name) if not is_function(text, name)]
        if len(names) == 1 and names[0].id != "self" and "detach" not in text.get(weight):
            title = f"detach {names[0].id} on line {product.lineno}: it only weighs the log-probabilities"
            cost = "this loss trains what chose, and not what valued"
            yield wanted.proposal(title, cost, followed(text, names[0], ".detach()"))
