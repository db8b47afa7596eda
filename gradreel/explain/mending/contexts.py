"""A mend for a Function whose calls share what they keep: the context keeps it, for each call apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from .functions import method, own_class


@fix(kept_elsewhere=1)
def kept_on_context(wanted: Wanted) -> Iterator[Proposal]:
    """`Square.kept = x` becomes `ctx.kept = x`, and backward reads it there."""
    text, kind, kept = wanted.text, own_class(wanted), wanted.name("kept")
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if forward is None or backward is None or kept is None:
        return
    attribute = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in kept.rpartition(".")[2])
    edits = []
    for function in (forward, backward):
        if not function.args.args:
            return
        edits += [
            text.replaced(node, f"{function.args.args[0].arg}.{attribute}")
            for node in ast.walk(function)
            if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and ast.unparse(node) == kept
        ]
    ctx = forward.args.args[0].arg
    yield wanted.proposal(f"keep it on the context, as {ctx}.{attribute}", FREE, *edits)
