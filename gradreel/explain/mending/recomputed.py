"""Mends for graphs that are older than the weights: what depends on them is computed again after each step."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ..calls import keyword
from ..fixes.edits import copies, enclosing, enumerated, followed, needed_before, stack_statements, without_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text, targets
from .collected import begun_anew
from .derived_attributes import as_property, build_where_read, computed_where_read, rebuilt_in_method
from .detaching import carried_over, detached_border
from .graphs import rebuilt_before, rebuilt_in_function, rebuilt_inside
from .references import detached

Way = Callable[[Wanted], Iterator[Proposal]]
EACH = "one forward more in each turn"


@fix(old_graph=1)
def older(wanted: Wanted) -> Iterator[Proposal]:
    """A backward went through a graph that was built before a step."""
    asking = as_asked(wanted)
    ways: tuple[Way, ...] = (
        kept_detached,
        begun_anew,
        detached,
        stepped_later,
        taken_in_loop,
        rebuilt_in_method,
        computed_where_read,
    )
    ways = (*ways, as_property, build_where_read)
    for way in (*ways, rebuilt_inside, made_function):
        yield from released(asking, way(asking))
    for other in (rebuilt_in_function, carried_over, rebuilt_before, detached_border):
        yield from released(asking, other(asking))


def kept_detached(wanted: Wanted) -> Iterator[Proposal]:
    """What a turn appends to a list or a deque is detached at the end of the turn: its number stays, its graph goes."""
    text = wanted.text
    for statement in stack_statements(wanted, "built"):
        call = statement.value if isinstance(statement, ast.Expr) else None
        loop = text.loop(statement)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or loop is None:
            continue
        kept = text.get(call.func.value)
        if call.func.attr == "append" and statement in loop.body and isinstance(call.args[0], ast.Call | ast.Name):
            line = f"{kept}[-1] = {kept}[-1].detach()"
            cost = "no gradient goes back into earlier turns"
            yield wanted.proposal(
                f"detach what {kept} keeps, at the end of the turn", cost, text.after(loop.body[-1], [line])
            )


def as_asked(wanted: Wanted) -> Wanted:
    """`wanted` as if the backward had raised: the mends of a second backward ask for it by that."""
    found = wanted.found
    asked, begun = found.stacks.get("seen", ()), found.stacks.get("begun", ())
    lines = {**found.lines, "raised": asked[-1] if asked else None, "built": begun[-1] if begun else None}
    stacks = {**found.stacks, "raised": asked, "built": begun}
    return replace(wanted, found=replace(found, lines=lines, stacks=stacks))


def released(wanted: Wanted, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Each without the `retain_graph=True` of the backward, which a graph of its own in every turn has no need of."""
    asked = {ast.dump(call) for call in retaining(wanted.text, wanted.at("raised"))}
    for proposal in proposals:
        try:
            text = Text(proposal.source)
        except SyntaxError:
            continue
        calls = [call for call in retaining(text, text.tree) if ast.dump(call) in asked or not asked]
        edits = [edit for call in calls if (edit := without_keyword(text, call, "retain_graph")) is not None]
        if edits and asked:
            yield replace(proposal, source=text.edited(*edits))
        yield proposal


def retaining(text: Text, node: ast.AST | None) -> list[ast.Call]:
    """The calls in `node` that keep their graph."""
    calls = text.parts(node, ast.Call)
    return [call for call in calls if (given := keyword(call, "retain_graph")) and ast.unparse(given.value) == "True"]


def stepped_later(wanted: Wanted) -> Iterator[Proposal]:
    """A step that stands between the loss and its backward goes behind the backward, whose gradients it is to take."""
    text = wanted.text
    for goal in stack_statements(wanted, "raised"):
        block = text.block(goal)
        for change in stack_statements(wanted, "changed"):
            built = wanted.beside("built", change)
            if change not in block or built not in block or not text.alone(change):
                continue
            first, step, last = (block.index(part) for part in (built, change, goal))
            if first < step < last and not any(text.calls(part, "backward", "grad") for part in block[first:step]):
                title = f"step (line {change.lineno}) only after the backward of line {goal.lineno}"
                yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, text.lines_of(change)))
                return


@fix(second_backward=11)
def taken_in_loop(wanted: Wanted) -> Iterator[Proposal]:
    """`losses = [f(x) for x in data]` and `for loss in losses:` become `for x in data:` with `loss = f(x)` in it; of
    pairs, too."""
    text, raised = wanted.text, wanted.at("raised")
    loop = text.loop(raised) if raised is not None else None
    built = wanted.beside("built", loop) if loop is not None else None
    value = built.value if isinstance(built, ast.Assign) else None
    if not isinstance(loop, ast.For) or not isinstance(value, ast.ListComp) or built is None:
        return
    part, name = value.generators[0], text.get(built.targets[0]) if isinstance(built, ast.Assign) else ""
    for use, goal in entries_of(loop):
        pairs = pair_parts(text, goal, value.elt)
        if text.get(use) != name or len(value.generators) != 1 or part.ifs or not pairs:
            continue
        over = text.get(part.target) if goal is loop.target else f"({text.get(part.target).strip('()')})"
        over = over if isinstance(part.target, ast.Tuple) else text.get(part.target)
        computed = [(left, right) for left, right in pairs if left != right]
        edits = [
            text.replaced(goal, over),
            text.before(loop.body[0], [f"{left} = {right}" for left, right in computed]),
        ]
        if text.loop(loop) is None or not isinstance(part.iter, ast.Call):
            edits += [text.removed(built), text.replaced(use, text.get(part.iter))]
        else:  # what can be gone through once, as `zip`, is kept for every turn of the loop around
            edits.append(text.replaced(value, f"list({text.get(part.iter)})"))
        what = enumerated([left for left, _ in computed])
        yield wanted.proposal(f"compute {what} in the turn that needs it, on line {loop.lineno}", FREE, *edits)


def pair_parts(text: Text, goal: ast.expr, value: ast.expr) -> list[tuple[str, str]]:
    """The names that take the parts of `value`, each with its part; none if they do not match."""
    if isinstance(goal, ast.Name):
        return [(goal.id, text.get(value))]
    if not isinstance(goal, ast.Tuple) or not isinstance(value, ast.Tuple) or len(goal.elts) != len(value.elts):
        return []
    return [(text.get(one), text.get(other)) for one, other in zip(goal.elts, value.elts, strict=True)]


def entries_of(loop: ast.For) -> list[tuple[ast.expr, ast.expr]]:
    """What `loop` goes through, each with the name that it gives to an entry: of `zip`, each of its arguments."""
    over, goal = loop.iter, loop.target
    if isinstance(over, ast.Call) and isinstance(goal, ast.Tuple) and ast.unparse(over.func) == "zip":
        return list(zip(over.args, goal.elts, strict=False))
    return [(over, goal)]


def made_function(wanted: Wanted) -> Iterator[Proposal]:
    """A loss that is handed to a function is handed over as a function, which computes it anew in every turn."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    calls = text.calls(raised, "backward")
    root = calls[0].func.value if len(calls) == 1 and isinstance(calls[0].func, ast.Attribute) else None
    if not isinstance(home, ast.FunctionDef) or not isinstance(root, ast.Name):
        return
    places = [argument.arg for argument in home.args.args]
    handed = [call for call in text.calls(text.tree, home.name) if isinstance(call.func, ast.Name)]
    if root.id not in places or len(handed) != 1 or len(handed[0].args) <= places.index(root.id):
        return
    given = handed[0].args[places.index(root.id)]
    outer = next((node for node in text.around(handed[0]) if isinstance(node, ast.stmt)), None)
    first = wanted.beside("built", outer) if outer is not None else None
    if outer is None or first is None or not isinstance(given, ast.Name):
        return
    steps = needed_before(text, outer, first)
    steps = [step for step in steps if step.lineno >= first.lineno and isinstance(step, ast.Assign)]
    if not steps or given.id not in targets(steps[-1]) or not all(map(text.alone, steps)):
        return
    lines = [f"def {given.id}():", *(f"    {line}" for line in copies(text, steps[:-1]))]
    last = steps[-1]
    assert isinstance(last, ast.Assign)
    lines.append(f"    return {text.get(last.value)}")
    title = f"hand {given.id} over as a function, which computes it anew on line {root.lineno}"
    edits = [text.removed(step) for step in steps[:-1]]
    indent = text.indent(last)
    edits.append(text.replaced(last, f"\n{indent}".join(lines)))
    yield wanted.proposal(title, EACH, *edits, followed(text, root, "()"))
