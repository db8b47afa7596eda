"""Mends for vmap: what each argument is taken along, and results that are tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import returns, set_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text


def mapped(text: Text) -> Iterator[tuple[ast.Call, list[str]]]:
    """The calls of vmap, each with the arguments that are given to what it makes."""
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and callee(node) == "vmap":
            outer = text.parents.get(node)
            if isinstance(outer, ast.Call) and outer.func is node:
                yield node, [text.get(part) for part in outer.args]
                continue
            names = [text.get(goal) for goal in outer.targets] if isinstance(outer, ast.Assign) else []
            uses = [use for use in ast.walk(text.tree) if isinstance(use, ast.Call) and text.get(use.func) in names]
            yield node, [text.get(part) for part in uses[0].args] if uses else []


@fix(mapped_sizes=1, mapped_structure=1, mapped_number=1, mapped_dimension=1)
def in_dims(wanted: Wanted) -> Iterator[Proposal]:
    """All arguments along their first dimension; then one of them the same for all examples, of the fewest dimensions
    first; or all but one."""
    text = wanted.text
    for call, given in mapped(text):
        many = len(given)
        by_rank = sorted(reversed(range(many)), key=lambda at: int(wanted.name(f"rank of {given[at]}") or 0))
        patterns = [["0"] * many]
        patterns += [["None" if at == left else "0" for at in range(many)] for left in by_rank]
        patterns += [["0" if at == along else "None" for at in range(many)] for along in range(many)]
        for pattern in patterns if many else []:
            made = f"({', '.join(pattern)}{',' if many == 1 else ''})"
            title = f"in_dims={made} on line {call.lineno}"
            cost = FREE if "None" not in pattern else "one value for all examples"
            yield wanted.proposal(title, cost, set_keyword(text, call, "in_dims", made))


@fix(mapped_result=1)
def tensors_returned(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call, _ in mapped(text):
        for part in returns(text, text.get(call.args[0])) if call.args else ():
            if part.value is not None:
                made = f"torch.tensor({text.get(part.value)})"
                yield wanted.proposal(f"{made} on line {part.lineno}", FREE, text.replaced(part.value, made))
