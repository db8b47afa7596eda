"""Mends for steps that are too large, and for results that nobody took."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..calls import called, keyword
from .common import set_keyword, stack_statements
from .proposal import FREE, Proposal, Wanted
from .text import Edit, targets


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


def take_result(wanted: Wanted) -> Iterator[Proposal]:
    """`project(w)` becomes `w = project(w)`; what an optimizer has is written into instead."""
    text, changed, name = wanted.text, wanted.at("changed"), wanted.name("target")
    if not isinstance(changed, ast.Expr) or name is None:
        return
    shown = text.get(changed)
    title = f"take the result: {name} = {shown} on line {changed.lineno}"
    yield wanted.proposal(title, FREE, text.replaced(changed, f"{name} = {shown}"))
    made = f"with torch.no_grad(): {name}.copy_({shown})"
    title = f"write the result into {name}: {made} on line {changed.lineno}"
    yield wanted.proposal(title, "the write leaves no trace in the graph", text.replaced(changed, made))


def detached_at_last(wanted: Wanted) -> Iterator[Proposal]:
    """`h.detach()` on a line of its own leaves `h` as it is: `h = h.detach()` was meant."""
    text = wanted.text
    for statement in text.parts(text.tree, ast.Expr):
        call = statement.value
        if called(call) == "detach" and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            name = text.get(call.func.value)
            title = f"take the result: {name} = {name}.detach() on line {statement.lineno}"
            made = wanted.proposal(title, FREE, text.replaced(statement, f"{name} = {text.get(call)}"))
            yield replace(made, decisive=name == wanted.name("border"))


def clipped_later(wanted: Wanted) -> Iterator[Proposal]:
    """It is clipped when the gradients are there: behind the backward, before the step."""
    text, change = wanted.text, wanted.at("changed")
    outer = text.parents.get(change) if change is not None else None
    if isinstance(outer, ast.If) and change in outer.body and not outer.orelse:
        change = outer
    for goal in stack_statements(wanted, "seen"):
        if change is not None and change in text.block(goal) and text.alone(change) and change is not goal:
            title = f"line {change.lineno} after line {goal.lineno}: clip when the gradients are there"
            yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, text.lines_of(change)))


def left_out(wanted: Wanted) -> Iterator[Proposal]:
    """A step is taken only where the gradients are finite."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "clip_grad_norm_"):
        allowed = set_keyword(text, call, "error_if_nonfinite", "False")
        if raised is None or keyword(call, "error_if_nonfinite") is None:
            continue
        block = text.block(raised)
        step = next((one for one in block[block.index(raised) + 1 :] if text.calls(one, "step")), None)
        names = sorted(targets(raised)) if isinstance(raised, ast.Assign) else ["norm"]
        if step is None or not isinstance(step, ast.Expr) or len(names) != 1:
            continue
        start = text.place(raised.lineno, raised.col_offset)
        naming = [] if isinstance(raised, ast.Assign) else [Edit(*start, *start, f"{names[0]} = ")]
        made = f"if {names[0]}.isfinite(): {text.get(step)}"
        title = f"leave out the steps with such gradients, on line {step.lineno}"
        yield wanted.makeshift(title, "nothing is learnt in those turns", *naming, allowed, text.replaced(step, made))
