"""Mends for operators without a second derivative: the same of smaller operators, which have one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import keyword
from ..fixes.edits import grouped, set_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text

SLOWER = "more tensors, and slower"


@fix(no_second_derivative=1, no_forward_derivative=1)
def composed(wanted: Wanted) -> Iterator[Proposal]:
    """`cdist` by a product of matrices or by differences, attention by its own formula."""
    operator = wanted.name("operator") or ""
    if operator.startswith("_cdist"):
        yield from distances(wanted)
    if operator.startswith("_scaled_dot_product"):
        yield from attention(wanted)


def distances(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    calls = [call for call in text.calls(text.tree, "cdist") if len(call.args) == 2]
    if not calls:
        return
    euclidean = [call for call in calls if keyword(call, "p") is None]
    if wanted.found.cause == "no_second_derivative" and len(euclidean) == len(calls):
        edits = [set_keyword(text, call, "compute_mode", "'use_mm_for_euclid_dist'") for call in calls]
        yield wanted.proposal("let `cdist` use a product of matrices, which can be differentiated twice", FREE, *edits)
    if len(euclidean) == len(calls):
        edits = [text.replaced(call, by_differences(text, call)) for call in calls]
        yield wanted.proposal("the norms of the differences in the place of `cdist`", SLOWER, *edits)


def by_differences(text: Text, call: ast.Call) -> str:
    one, other = (grouped(text, given) for given in call.args)
    return f"({one}.unsqueeze(-2) - {other}.unsqueeze(-3)).norm(dim=-1)"


def attention(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    edits: list[Edit] = []
    for call in text.calls(text.tree, "scaled_dot_product_attention"):
        if len(call.args) != 3 or call.keywords:
            return
        query, key, value = (grouped(text, given) for given in call.args)
        made = f"torch.softmax({query} @ {key}.transpose(-2, -1) / {query}.shape[-1] ** 0.5, -1) @ {value}"
        edits.append(text.replaced(call, f"({made})" if not whole(text, call) else made))
    if edits:
        yield wanted.proposal("attention by its formula: softmax of the scores, times the values", SLOWER, *edits)


def whole(text: Text, call: ast.Call) -> bool:
    """Whether `call` stands alone, so that what takes its place needs no brackets."""
    return isinstance(text.parents.get(call), ast.Assign | ast.Return | ast.Lambda | ast.Expr)
