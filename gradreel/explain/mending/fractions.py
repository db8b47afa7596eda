"""Mends for fractions that whole numbers cannot hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import followed, set_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix

MAKERS = frozenset(
    {
        *("zeros_like", "ones_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full"),
        *("tensor", "zeros", "ones", "full", "empty", "arange"),
    }
)
FLOATING = "floating point numbers take the place of whole ones"


@fix(cut_fractions=1)
def in_floats(wanted: Wanted) -> Iterator[Proposal]:
    """The tensor that is written into is made of floating point numbers."""
    text, built = wanted.text, wanted.at("built")
    for call in text.calls(built):
        if callee(call) in MAKERS and keyword(call, "dtype") is None:
            title = f"dtype=torch.float32 on line {call.lineno}"
            yield wanted.proposal(title, FLOATING, set_keyword(text, call, "dtype", "torch.float32"))
    if isinstance(built, ast.Assign):
        title = f"floating point numbers: .float() on line {built.lineno}"
        yield wanted.proposal(title, FLOATING, followed(text, built.value, ".float()"))


@fix(divided_whole=1)
def true_division(wanted: Wanted) -> Iterator[Proposal]:
    """`//` becomes `/`."""
    text, built = wanted.text, wanted.at("built")
    for node in ast.walk(built) if built is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            made = f"{text.get(node.left)} / {text.get(node.right)}"
            if text.get(node.left).count("(") == text.get(node.left).count(")"):
                yield wanted.proposal(f"/ in the place of // on line {node.lineno}", FREE, text.replaced(node, made))
