"""Mends for grad mode that is off where a graph was to be recorded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import stack_statements
from ..fixes.proposal import Proposal, Wanted
from ..fixes.text import Edit


def recording_on(wanted: Wanted) -> Iterator[Proposal]:
    """no_grad is taken off what is differentiated later."""
    text = wanted.text
    for statement in (*stack_statements(wanted, "cut"), wanted.at("cut")):
        if statement is None:
            continue
        for outer in (statement, *text.around(statement)):
            if (
                isinstance(outer, ast.With)
                and any("no_grad" in ast.unparse(item) or "inference_mode" in ast.unparse(item) for item in outer.items)
                and text.alone(outer)
            ):
                title = f"leave out the no_grad of line {outer.lineno}"
                yield wanted.proposal(title, "what it saves is kept for the backward", text.unwrapped(outer))
            if isinstance(outer, ast.FunctionDef):
                for mark in outer.decorator_list:
                    if "no_grad" in ast.unparse(mark) or "inference_mode" in ast.unparse(mark):
                        edit = Edit(mark.lineno, 0, mark.lineno + 1, 0, "")
                        title = f"leave out the no_grad of line {mark.lineno}"
                        yield wanted.proposal(title, "what it saves is kept for the backward", edit)
    yield from off_for_the_rest(wanted)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and callee(node) == "set_grad_enabled" and node.args:
            arg = node.args[0]
            if not (isinstance(arg, ast.Constant) and arg.value is True):
                title = f"switch recording on: line {node.lineno}"
                yield wanted.proposal(title, "what it saves is kept", text.replaced(arg, "True"))
    yield from enabled(wanted)


def off_for_the_rest(wanted: Wanted) -> Iterator[Proposal]:
    """`torch.set_grad_enabled(False)` in a function is meant for the rest of it: that goes under no_grad instead."""
    text = wanted.text
    for statement in text.parts(text.tree, ast.Expr):
        call, rest = statement.value, text.block(statement)
        rest = rest[rest.index(statement) + 1 :]
        if (
            callee(call) != "set_grad_enabled"
            or not isinstance(text.parents.get(statement), ast.FunctionDef)
            or not rest
        ):
            continue
        if text.alone(statement) and all(map(text.alone, rest)):
            title = f"with torch.no_grad(): for the rest of the function, from line {statement.lineno} on"
            edits = [text.removed(statement), text.wrapped(rest, "with torch.no_grad():")]
            yield wanted.proposal(title, "recording goes on behind it", *edits)


def enabled(wanted: Wanted) -> Iterator[Proposal]:
    """What is differentiated inside a hook or a backward is computed under enable_grad: there, rather than in what is
    called from there, which others call as well."""
    text, goals = wanted.text, stack_statements(wanted, "raised")
    cost = "the graph of this part is kept"
    places = stack_statements(wanted, "built")
    around = {part for goal in goals for part in (goal, *text.around(goal))}
    for built in sorted(places, key=lambda place: around.isdisjoint(text.block(place))):
        if not isinstance(built, ast.Assign | ast.AugAssign | ast.Return | ast.Expr):
            continue
        title = f"record it: torch.enable_grad() around line {built.lineno}"
        yield wanted.proposal(title, cost, text.wrapped([built], "with torch.enable_grad():"))
        block = text.block(built)
        for goal in [goal for goal in goals if goal in block]:
            group = block[block.index(built) : block.index(goal)]
            if len(group) > 1:
                yield wanted.proposal(title, cost, text.wrapped(group, "with torch.enable_grad():"))
