"""Mends for deep copies of lists, dicts and modules in which something hangs on a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .proposal import Proposal, Wanted
from .text import targets

APART = "the copies have no graph"


def one_by_one(wanted: Wanted) -> Iterator[Proposal]:
    """The tensors of a list or dict are copied one by one."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "deepcopy"):
        made = made_of(wanted, call.args[0]) if call.args else None
        shown = text.get(call.args[0]) if call.args else ""
        if isinstance(made, ast.List | ast.ListComp):
            title = f"copy the tensors of {shown} one by one, on line {call.lineno}"
            one = f"[part.detach().clone() for part in {shown}]"
            yield wanted.proposal(title, APART, text.replaced(call, one))
        if isinstance(made, ast.Dict | ast.DictComp):
            title = f"copy the tensors of {shown} one by one, on line {call.lineno}"
            one = f"{{key: part.detach().clone() for key, part in {shown}.items()}}"
            yield wanted.proposal(title, APART, text.replaced(call, one))


def made_anew(wanted: Wanted) -> Iterator[Proposal]:
    """A second module is made as the first was, and takes over its numbers."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "deepcopy"):
        made = made_of(wanted, call.args[0]) if call.args else None
        if not isinstance(made, ast.Call) or not isinstance(raised, ast.Assign) or raised.value is not call:
            continue
        whole, copy = text.get(call.args[0]), text.get(raised.targets[0])
        title = f"make it as {whole} was made, and load its state, on line {call.lineno}"
        edits = [
            text.replaced(call, text.get(made)),
            text.after(raised, [f"{copy}.load_state_dict({whole}.state_dict())"]),
        ]
        yield wanted.proposal(title, "a module without the gradients of the other", *edits)


def made_of(wanted: Wanted, name: ast.expr) -> ast.expr | None:
    """What `name` was made of where it last got its value before."""
    text, line = wanted.text, wanted.line("raised") or 0
    if not isinstance(name, ast.Name):
        return None
    made = [node for node in text.parts(text.tree, ast.Assign) if name.id in targets(node) and node.lineno < line]
    plain = [node.value for node in made if isinstance(node.targets[0], ast.Name)]
    return plain[-1] if plain else None
