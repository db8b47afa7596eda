"""Mends for steps that are too large, and for results that nobody took."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import keyword
from .graphs import stack_statements
from .proposal import FREE, Proposal, Wanted


def smaller_steps(wanted: Wanted) -> Iterator[Proposal]:
    """A tenth or a hundredth of the rate, where it is written."""
    text, changed = wanted.text, wanted.at("changed")
    rates: list[ast.expr] = []
    for call in text.calls(changed):
        given = keyword(call, "lr")
        rates += [given.value] if given is not None else call.args[1:2]
    for statement in (changed, *stack_statements(wanted, "seen")):
        value = getattr(statement, "value", None)
        if isinstance(value, ast.expr) and not rates:
            rates += [
                part for node in ast.walk(value) if isinstance(node, ast.BinOp) for part in (node.left, node.right)
            ]
    names = {rate.id for rate in rates if isinstance(rate, ast.Name)}
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in names:
            rates.append(node.value)
    written = [rate for rate in rates if isinstance(rate, ast.Constant) and isinstance(rate.value, int | float)]
    for part in (10, 100, 1000):
        for rate in written:
            assert isinstance(rate.value, int | float)
            title = f"{rate.value / part:g} instead of {text.get(rate)} on line {rate.lineno}"
            yield wanted.proposal(title, "smaller steps", text.replaced(rate, f"{rate.value / part:g}"))


def result_taken(wanted: Wanted) -> Iterator[Proposal]:
    """The result gets the name of what it was made of."""
    text, changed, name = wanted.text, wanted.at("changed"), wanted.name("target")
    if isinstance(changed, ast.Expr) and name is not None:
        title = f"take the result: {name} = … on line {changed.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(changed, f"{name} = {text.get(changed)}"))
