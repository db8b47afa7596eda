"""Mends for gradients that are differentiated in turn: they are recorded, with `create_graph`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import set_keyword
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text, names_in, targets

TWICE = "the backward is recorded, too: about twice the memory"


def with_create_graph(wanted: Wanted) -> Iterator[Proposal]:
    """The gradient without a graph is recorded."""
    for role in ("cut", "built"):
        for call in wanted.text.calls(wanted.at(role), "grad", "backward"):
            yield recorded(wanted, call)


@fix(second_backward=7)
def learned_from(wanted: Wanted) -> Iterator[Proposal]:
    """A gradient whose call freed the graph, and which the next backward is to go through: keeping the graph would let
    the error go, and leave the gradient a constant."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(wanted.at("freed_by"), "grad"):
        if raised is not None and reaches(text, call, raised):
            yield recorded(wanted, call)


def recorded(wanted: Wanted, call: ast.Call) -> Proposal:
    title = f"record the gradient: create_graph=True on line {call.lineno}"
    return wanted.proposal(title, TWICE, set_keyword(wanted.text, call, "create_graph", "True"))


def reaches(text: Text, call: ast.Call, goal: ast.stmt) -> bool:
    """Whether what `call` gives goes on, from name to name, to `goal`; out of a function it may go anywhere."""
    home = next(node for node in text.around(call) if isinstance(node, ast.stmt))
    if isinstance(home, ast.Return):
        return True
    names, before = targets(home), -1
    steps = text.parts(text.tree, ast.Assign) + text.parts(text.tree, ast.AugAssign)
    while len(names) > before:
        before = len(names)
        names = names.union(*(targets(step) for step in steps if names & names_in(step.value)))
    return bool(names & names_in(goal))
