"""Mends for what was computed once to be compared with: targets, a teacher's answers, an old policy's chances.

Built again in every turn it would follow what is trained, and nothing could be compared with it; it is detached."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee
from ..fixes.edits import enumerated, followed, loads, stack_statements
from ..fixes.proposal import Proposal, Wanted
from ..fixes.references import NAMES, is_ratio, is_target, references
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, targets
from .detaching import CUTS


@fix(second_backward=9, step_between=4)
def detached(wanted: Wanted) -> Iterator[Proposal]:
    """Of a ratio of chances, all else only lets the error go: made anew, or its graph kept, both sides would learn."""
    text = wanted.text
    for name, uses in references(wanted):
        title = f"detach {name} on line {uses[0].lineno}"
        made = wanted.proposal(title, CUTS, *(followed(text, use, ".detach()") for use in uses))
        yield replace(made, decisive=is_ratio(text, uses))


@fix(second_backward=10)
def detached_where_made(wanted: Wanted) -> Iterator[Proposal]:
    """Targets that were computed once, before the loop, one or a list or dict of them, are kept without their graph:
    the one that led to the error, and those that the same functions computed."""
    text = wanted.text
    reached = (wanted.name("border") or "").partition("[")[0]
    for goal in stack_statements(wanted, "raised"):
        loop = text.loop(goal)
        if loop is None:
            continue
        built, homes = wanted.beside("built", loop), [one for one in text.around(loop) if isinstance(one, ast.stmt)]
        block = [part for home in (*reversed(homes), loop) for part in text.block(home)]
        before = [part for part in block if part.lineno < loop.lineno and isinstance(part, ast.Assign)]
        made = [part for part in before if text.alone(part) and held_only_to_compare(text, part, loop)]
        asked = [part for part in made if part is built or reached in targets(part)]
        makers = {callee(call) for part in asked for call in text.parts(part, ast.Call)} - METHODS
        alike = [part for part in made if makers & {callee(call) for call in text.parts(part, ast.Call)}]
        statements = [part for part in made if part in asked or part in alike]
        if asked:
            names = enumerated(sorted(set().union(*map(targets, statements))))
            numbers = enumerated([str(part.lineno) for part in statements])
            title = f"detach {names} where computed once, on line{'s'[: len(statements) > 1]} {numbers}"
            edits = [kept_without_graph(text, part) for part in statements]
            yield replace(wanted.proposal(title, CUTS, *edits), decisive=True)
            return


METHODS = frozenset(("items", "values", "keys", "zip", "enumerate", "range", "list", "dict", "tuple"))


def kept_without_graph(text: Text, statement: ast.Assign) -> Edit:
    value = statement.value
    if isinstance(value, ast.ListComp):
        return followed(text, value.elt, ".detach()")
    if isinstance(value, ast.DictComp):
        return followed(text, value.value, ".detach()")
    return text.wrapped([statement], "with torch.no_grad():")


def held_only_to_compare(text: Text, statement: ast.Assign, loop: ast.For | ast.While) -> bool:
    """Whether `loop` reads what `statement` binds as targets and nothing else."""
    names = targets(statement)
    if not all(isinstance(goal, ast.Name) for goal in statement.targets) or not text.parts(statement.value, ast.Call):
        return False
    uses = [use for name in names for part in loop.body for use in loads(part, name)]
    return bool(uses) and all(is_compared(text, use, loop) for use in uses)


def is_compared(text: Text, use: ast.expr, loop: ast.stmt) -> bool:
    """Whether `use`, one entry of it, or what a loop within takes of it, beside others or not, is a target."""
    whole, outer = use, text.parents.get(use)
    if isinstance(outer, ast.Subscript) and outer.value is use:
        whole, outer = outer, text.parents.get(outer)
    if is_target(text, whole) or (isinstance(outer, ast.Subscript) and outer.slice is use):
        return True
    if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Sub):
        return bool(NAMES.search(text.get(use).lower())) or outer.right is whole
    goals = taken_of(text, whole)
    uses = [one for goal in goals for one in loads(loop, goal)]
    return bool(goals) and all(is_compared(text, one, loop) for one in uses)


def taken_of(text: Text, value: ast.expr) -> list[str]:
    """The names under which a loop takes what `value`, a list, a dict or its items, holds; of a dict its keys."""
    whole, outer, at = value, text.parents.get(value), None
    if isinstance(outer, ast.Attribute) and outer.attr in ("items", "keys", "values"):
        at = 1 if outer.attr == "items" else None
        call = text.parents.get(outer)
        whole, outer = call if isinstance(call, ast.Call) else whole, text.parents.get(call) if call else None
    elif isinstance(outer, ast.Call) and callee(outer) in ("zip", "enumerate") and value in outer.args:
        at = outer.args.index(value) + (callee(outer) == "enumerate")
        whole, outer = outer, text.parents.get(outer)
    if not isinstance(outer, ast.For | ast.comprehension) or outer.iter is not whole:
        return []
    goal = outer.target
    if at is not None:
        goal = goal.elts[at] if isinstance(goal, ast.Tuple) and at < len(goal.elts) else goal
    return [goal.id] if isinstance(goal, ast.Name) else []


@fix(second_backward=4)
def old_chances(wanted: Wanted) -> Iterator[Proposal]:
    """What chances are divided by is collected without a graph, or detached where they are divided."""
    ratios = [name for name, uses in references(wanted) if is_ratio(wanted.text, uses)]
    if ratios:
        yield from collected_unrecorded(wanted, ratios[0])
        yield from detached(wanted)


def collected_unrecorded(wanted: Wanted, name: str) -> Iterator[Proposal]:
    """The outermost loop, or else the call, that collects what is only compared with runs under no_grad."""
    text, asked = wanted.text, stack_statements(wanted, "raised")
    for built in reversed(stack_statements(wanted, "built")):
        loops = [node for node in text.around(built) if isinstance(node, ast.For | ast.While)]
        alone = [loop for loop in loops if not any(loop in text.around(goal) for goal in asked)]
        calls = isinstance(built, ast.Assign) and callee(built.value) in own_functions(text)
        whole = alone[-1] if alone else built if calls else None
        if (
            whole is None
            or not text.alone(whole)
            or any(callee(call) in TRAINING for call in text.parts(whole, ast.Call))
        ):
            continue
        title = f"with torch.no_grad(): around line {whole.lineno}, which collects {name}"
        yield replace(wanted.proposal(title, UNRECORDED, text.wrapped([whole], "with torch.no_grad():")), decisive=True)
        return


TRAINING = ("backward", "step")
UNRECORDED = "no gradient goes back into what was collected"


def own_functions(text: Text) -> set[str]:
    return {node.name for node in text.parts(text.tree, ast.FunctionDef)}
