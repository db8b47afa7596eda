"""Mends for steps that are too large or taken too early, and for results that nobody took."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee, keyword
from ..fixes.edits import set_keyword, stack_statements, with_argument
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, targets


@fix(diverged=1)
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


@fix(thrown_away=1)
def result_taken(wanted: Wanted) -> Iterator[Proposal]:
    """The result gets the name of what it was made of."""
    text, changed, name = wanted.text, wanted.at("changed"), wanted.name("target")
    if isinstance(changed, ast.Expr) and name is not None:
        title = f"take the result: {name} = … on line {changed.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(changed, f"{name} = {text.get(changed)}"))


@fix(result_unused=1)
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


@fix(second_backward=3, step_between=1)
def detached_at_last(wanted: Wanted) -> Iterator[Proposal]:
    """`h.detach()` on a line of its own leaves `h` as it is: `h = h.detach()` was meant."""
    text = wanted.text
    for statement in text.parts(text.tree, ast.Expr):
        call = statement.value
        if callee(call) == "detach" and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            name = text.get(call.func.value)
            title = f"take the result: {name} = {name}.detach() on line {statement.lineno}"
            made = wanted.proposal(title, FREE, text.replaced(statement, f"{name} = {text.get(call)}"))
            yield replace(made, decisive=name == wanted.name("border"))


@fix(clipped_early=1)
def clipped_later(wanted: Wanted) -> Iterator[Proposal]:
    """It is clipped when the gradients are there: behind the backward, before the step. Where a helper clips, that is
    called then."""
    text, clipping = wanted.text, wanted.at("changed")
    for goal in stack_statements(wanted, "seen") if clipping is not None else ():
        change = wanted.beside("changed", goal)
        if change is not None and change in text.block(goal) and text.alone(change) and change is not goal:
            title = f"line {change.lineno} after line {goal.lineno}: clip when the gradients are there"
            yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, text.lines_of(change)))


@fix(nan=2, not_finite=1)
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


def step_loop(wanted: Wanted) -> ast.For | None:
    """A loop over several losses that takes the step of one before it goes backward with the next."""
    text, raised, changed = wanted.text, wanted.at("raised"), wanted.at("changed")
    loop = text.loop(raised) if raised is not None else None
    in_it = isinstance(loop, ast.For) and raised in loop.body and changed in loop.body
    built = wanted.beside("built", loop) if loop is not None else None
    return loop if in_it and built is not None and isinstance(loop, ast.For) else None


@fix(step_between=5)
def later_pair_first(wanted: Wanted) -> Iterator[Proposal]:
    """Of `for opt, loss in ((d_opt, d_loss), (g_opt, g_loss))` the second goes first: what the step of the first would
    write over is needed no more, and `zero_grad` clears what the other loss left there."""
    text, loop = wanted.text, step_loop(wanted)
    over = loop.iter if loop is not None else None
    lists = over.args if isinstance(over, ast.Call) and callee(over) == "zip" else [over]
    if loop is None or not all(isinstance(one, ast.Tuple | ast.List) and len(one.elts) == 2 for one in lists):
        return
    edits, shown = [], ""
    for one in lists:
        assert isinstance(one, ast.Tuple | ast.List)
        first, second = map(text.get, one.elts)
        edits += [text.replaced(one.elts[0], second), text.replaced(one.elts[1], first)]
        shown = shown or f"{second} before {first}"
    title = f"{shown} on line {loop.lineno}: its step changes nothing that the other loss needs"
    yield wanted.proposal(title, "both losses are of the weights before the steps", *edits)


OWN = "[part for group in {}.param_groups for part in group['params']]"


@fix(step_between=7)
def stepped_in_loop_of_its_own(wanted: Wanted) -> Iterator[Proposal]:
    """The steps are taken in a second loop, when every loss has gone backward, each into its own parameters."""
    text, loop, raised = wanted.text, step_loop(wanted), wanted.at("raised")
    steps = [part for part in loop.body if text.calls(part, "step")] if loop is not None else []
    calls = text.calls(raised, "backward")
    step = steps[0].value if len(steps) == 1 and isinstance(steps[0], ast.Expr) else None
    if loop is None or len(calls) != 1 or not isinstance(step, ast.Call) or not isinstance(step.func, ast.Attribute):
        return
    if isinstance(loop.iter, ast.Name | ast.GeneratorExp) or not text.alone(loop):
        return
    head, indent = f"for {text.get(loop.target)} in {text.get(loop.iter)}:", text.indent(loop)
    title = f"take the steps once every loss has gone backward, in a loop of their own after line {loop.end_lineno}"
    moved = [text.removed(steps[0]), text.after(loop, [head, f"    {text.get(step)}"])]
    if steps[0] is loop.body[-1] and len(loop.body) > 1 and text.alone(steps[0]):
        line, end = steps[0].lineno, steps[0].end_lineno or steps[0].lineno
        lines = f"{indent}{head}\n{text.indent(steps[0])}{text.get(step)}"
        moved = [Edit(line, 0, end, len(text.code[end - 1]), lines)]
    own = with_argument(text, calls[0], f"inputs={OWN.format(text.get(step.func.value))}")
    cost = "all losses are of the weights before the steps"
    yield wanted.proposal(title, cost, *moved)
    yield wanted.proposal(f"{title}; each loss into the parameters of its own optimizer", cost, own, *moved)
