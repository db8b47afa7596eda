"""Mends for graphs that were used up: keep them, build them again, or cut off what is old."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee
from ..fixes.edits import copies, enclosing, enumerated, followed, loads, needed_before, set_keyword, stack_statements
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, names_in, targets
from .derived_attributes import as_property, build_where_read, computed_where_read, makes_leaves, rebuilt_in_method
from .detaching import (
    detached_after,
    detached_at_store,
    detached_at_top,
    detached_attribute,
    detached_beside,
    detached_border,
    detached_built,
    detached_carried,
    detached_where_kept,
)
from .kept_states import detached_state

AGAIN = "one forward more; the gradient is taken at the numbers of now"
KEEPS = "the graph and all it saved stay in memory until nothing holds them; in .grad, the gradients add up"


@fix(second_backward=12)
def used_up(wanted: Wanted) -> Iterator[Proposal]:
    """A second backward needs saved tensors that were freed."""
    raised = wanted.at("raised")
    in_loop = raised is not None and wanted.text.loop(raised) is not None
    ways = [rebuilt_inside, rebuilt_in_function, detached_border, detached_after, detached_where_kept, detached_state]
    ways += [detached_built, rebuilt_before, joined, retained]
    if at_once(wanted):
        ways = [joined, retained, *ways]
    if not in_loop:
        ways = [retained, rebuilt_in_function, rebuilt_before, joined, detached_border, detached_built]
        if keeps_state(wanted):
            ways = [detached_border, detached_after, detached_state, *ways]
    for way in (
        detached_beside,
        judged_again,
        uncached,
        memo_left_out,
        rebuilt_in_method,
        computed_where_read,
        as_property,
        build_where_read,
        detached_held,
        *ways,
        detached_carried,
    ):
        yield from way(wanted)


def at_once(wanted: Wanted) -> bool:
    """Whether two losses of one turn go backward one behind the other, with no step between."""
    text, first, second = wanted.text, wanted.at("freed_by"), wanted.at("raised")
    block = text.block(second) if second is not None else []
    if first is None or second is None or first is second or first not in block or second not in block:
        return False
    between = block[block.index(first) : block.index(second)]
    return not any(text.calls(part, "step") for part in between)


def keeps_state(wanted: Wanted) -> bool:
    """Whether the old graph is reached through what an object or a function keeps from one call to the next."""
    name, raised = wanted.name("border"), wanted.at("raised")
    if name is None or raised is None:
        return False
    return "." in name or enclosing(wanted.text, raised, ast.FunctionDef) is not None


def uncached(wanted: Wanted) -> Iterator[Proposal]:
    """A function that keeps its result computes it anew."""
    text = wanted.text
    for statement in stack_statements(wanted, "built"):
        function = enclosing(text, statement, ast.FunctionDef)
        for decorator in function.decorator_list if isinstance(function, ast.FunctionDef) else ():
            kind = ast.unparse(decorator).partition("(")[0].rpartition(".")[2]
            title = f"compute it anew every time it is asked for: line {decorator.lineno}"
            if kind == "cached_property":
                yield wanted.proposal(title, AGAIN, text.replaced(decorator, "property"))
            if kind in ("cache", "lru_cache"):
                yield wanted.proposal(title, AGAIN, Edit(decorator.lineno, 0, decorator.lineno + 1, 0, ""))


@fix(second_backward=1)
def meant_twice(wanted: Wanted) -> Iterator[Proposal]:
    """A function that takes the gradient of one and the same graph in every call, as the product with a Hessian does,
    keeps the graph."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    if home is None or raised not in stack_statements(wanted, "freed") or within(text, home, wanted.at("built")):
        return
    if text.calls(raised, "grad") and not text.parts(home, ast.For) and not text.calls(home, "step", "backward"):
        yield from (replace(one, decisive=True) for one in retained(wanted))


def within(text: Text, home: ast.AST, statement: ast.stmt | None) -> bool:
    return statement is not None and home in text.around(statement)


def memo_left_out(wanted: Wanted) -> Iterator[Proposal]:
    """What a function kept of an earlier call, on an object or in a dict, it computes anew: `if node.h is not None:
    return node.h` goes, and of `if key not in memo: memo[key] = f(x)` the test."""
    text = wanted.text
    homes = [enclosing(text, statement, ast.FunctionDef) for statement in stack_statements(wanted, "built")]
    for test in [part for home in dict.fromkeys(homes) for part in text.parts(home, ast.If)]:
        shown, only = text.get(test.test), test.body[0]
        title = f"compute it anew every time it is asked for: line {test.lineno}"
        if test.orelse:
            continue
        if isinstance(only, ast.Return) and only.value is not None and len(test.body) == 1:
            kept = text.get(only.value).partition("[")[0]
            if kept in shown and KEPT_ALREADY.search(shown):
                yield wanted.proposal(title, AGAIN, text.removed(test))
        elif NOT_KEPT.search(shown) and all(isinstance(part, ast.Assign) for part in test.body):
            yield wanted.proposal(title, AGAIN, text.unwrapped(test))


KEPT_ALREADY = re.compile(r"\bis not None$|^[^ ]+ in |^hasattr\(|^[\w.]+$")
NOT_KEPT = re.compile(r"\bis None$|^[^ ]+ not in |^not ")


def detached_held(wanted: Wanted) -> Iterator[Proposal]:
    """What an object keeps from call to call is cut off its history before a method writes into it or reads it."""
    if (name := wanted.name("held")) is not None:
        yield from detached_attribute(wanted, name)


def retained(wanted: Wanted) -> Iterator[Proposal]:
    """`retain_graph=True` on the call that freed."""
    text = wanted.text
    places = [wanted.at("freed_by"), *stack_statements(wanted, "freed")]
    for call in next(filter(None, (text.calls(place, "backward", "grad") for place in places)), []):
        yield wanted.proposal(
            f"keep the graph: retain_graph=True on line {call.lineno}",
            KEEPS,
            set_keyword(text, call, "retain_graph", "True"),
        )


def rebuilt_before(wanted: Wanted) -> Iterator[Proposal]:
    """What the second call needs is computed again before it."""
    text = wanted.text
    for goal in stack_statements(wanted, "raised"):
        first = wanted.beside("built", goal)
        if first is None or first not in text.block(goal) or first.lineno >= goal.lineno:
            continue
        statements = needed_before(text, goal, first)
        if statements:
            names = list(dict.fromkeys(name for one in statements for name in sorted(targets(one))))
            yield wanted.proposal(
                f"compute {enumerated(names)} again before line {goal.lineno}",
                AGAIN,
                text.before(goal, copies(text, statements)),
            )


def judged_again(wanted: Wanted) -> Iterator[Proposal]:
    """Two losses on `judge(made)` with a step between, as of a GAN: the first on `made.detach()`, the second on a new
    `judge(made)`."""
    text, first, second = wanted.text, wanted.at("freed_by"), wanted.at("raised")
    block = text.block(second) if second is not None else []
    built = wanted.beside("built", second) if second is not None else None
    if first is None or second is None or first not in block or built not in block or at_once(wanted):
        return
    start, middle, end = block.index(built), block.index(first), block.index(second)
    judged = built.value if isinstance(built, ast.Assign) else None
    if not start < middle < end or not isinstance(judged, ast.Call) or not text.alone(built):
        return
    earlier = set().union(*map(targets, block[:start]))
    given = [part for part in judged.args if isinstance(part, ast.Name) and part.id in earlier]
    names = targets(built)
    read = [part for part in block[middle + 1 : end + 1] if names_in(part) & names]
    if not given or not read or not any(text.calls(part, "step") for part in block[middle:end]):
        return
    title = f"the first loss of {enumerated([f'{part.id}.detach()' for part in given])}, on line {built.lineno}"
    title += f"; {text.get(judged)} again before line {read[0].lineno}"
    edits = [text.replaced(part, f"{part.id}.detach()") for part in given]
    proposal = wanted.proposal(title, AGAIN, *edits, text.before(read[0], copies(text, [built])))
    yield replace(proposal, decisive=True)


def rebuilt_inside(wanted: Wanted) -> Iterator[Proposal]:
    """What was built once, before the loop, is built in every turn: of the outermost loop, or else of one in it."""
    loops = [loop for goal in stack_statements(wanted, "raised") if (loop := wanted.text.loop(goal)) is not None]
    for loop in dict.fromkeys(reversed(loops)):
        yield from rebuilt_inside_of(wanted, loop)


def rebuilt_inside_of(wanted: Wanted, loop: ast.For | ast.While) -> Iterator[Proposal]:
    text = wanted.text
    built = wanted.beside("built", loop)
    block = text.block(loop)
    if built is None or built not in block or block.index(built) >= block.index(loop):
        return
    moved = [*started_before(block[: block.index(built)], built), built]
    made = set().union(*map(targets, moved))
    for statement in block[block.index(built) + 1 : block.index(loop)]:
        names = {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)}
        if isinstance(statement, ast.Assign | ast.Expr) and names & made and text.alone(statement):
            moved.append(statement)
            made |= targets(statement)
    if not all(text.alone(statement) for statement in moved) or any(makes_leaves(text, part) for part in moved):
        return
    yield wanted.proposal(
        f"build {', '.join(sorted(made)) or 'it'} inside the loop",
        "one forward more in each turn",
        *(text.removed(statement) for statement in moved),
        text.before(loop.body[0], copies(text, moved)),
    )


def rebuilt_in_function(wanted: Wanted) -> Iterator[Proposal]:
    """What a function, such as a closure that is called again and again, finds outside of it is built within."""
    text, raised = wanted.text, wanted.at("raised")
    for outer in text.around(raised) if raised is not None else ():
        if not isinstance(outer, ast.FunctionDef):
            continue
        built = wanted.beside("built", outer)
        if built is None or built not in text.block(outer) or built.lineno >= outer.lineno:
            continue
        whole = needed_before(text, outer, text.block(outer)[0]) if text.loop(outer) is not None else []
        again = whole if not any(makes_leaves(text, part) for part in whole) else []
        for statements in filter(None, (again, needed_before(text, outer, built))):
            names = ", ".join(sorted(set().union(*map(targets, statements))))
            yield wanted.proposal(
                f"compute {names} within {outer.name}",
                "one forward more in each call",
                text.before(outer.body[0], copies(text, statements)),
                *map(text.removed, read_only_within(text, outer, statements)),
            )


def read_only_within(text: Text, home: ast.FunctionDef, statements: list[ast.stmt]) -> list[ast.stmt]:
    """Those of `statements` that bind plain names which nothing reads but `home`, and others of those."""
    moved: list[ast.stmt] = []
    scope = enclosing(text, home, ast.FunctionDef) or text.tree
    for statement in reversed(statements):
        own = {part for within in (home, *moved) for part in ast.walk(within)}
        plain = isinstance(statement, ast.Assign) and all(isinstance(goal, ast.Name) for goal in statement.targets)
        names = targets(statement)
        uses = [part for part in text.parts(scope, ast.Name) if part.id in names and part not in own]
        if plain and text.alone(statement) and all(isinstance(use.ctx, ast.Store) for use in uses):
            moved.append(statement)
    return moved


def started_before(before: list[ast.stmt], built: ast.stmt) -> list[ast.stmt]:
    """What a loop that builds something adds to: the lists and sums that were begun before it."""
    if not isinstance(built, ast.For | ast.While):
        return []
    grown: set[str] = set()
    for node in ast.walk(built):
        if isinstance(node, ast.AugAssign):
            grown |= targets(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and callee(node) == "append":
            grown |= names_in(node.func.value)
        elif isinstance(node, ast.Assign):
            grown |= targets(node) & names_in(node.value)
    return [statement for statement in before if isinstance(statement, ast.Assign) and targets(statement) & grown]


def joined(wanted: Wanted) -> Iterator[Proposal]:
    """Two losses with a part in common go backward as one sum."""
    text, first, second = wanted.text, wanted.at("freed_by"), wanted.at("raised")
    if first is None or second is None or first is second or first not in text.block(second):
        return
    calls = [text.calls(statement, "backward") for statement in (first, second)]
    if not all(len(found) == 1 and isinstance(found[0].func, ast.Attribute) for found in calls):
        return
    one, two = (found[0].func.value for found in calls if isinstance(found[0].func, ast.Attribute))
    if ast.dump(one) == ast.dump(two) or calls[0][0].args or calls[1][0].args:
        return
    yield wanted.proposal(
        "one backward of the sum of the losses",
        FREE + "; both graphs live until then",
        text.removed(first),
        text.replaced(two, f"({text.get(one)} + {text.get(two)})"),
    )


@fix(collected=1)
def unrecorded(wanted: Wanted) -> Iterator[Proposal]:
    """The loop runs under no_grad."""
    text, loop = wanted.text, wanted.at("shows")
    if isinstance(loop, ast.For | ast.While):
        title = f"with torch.no_grad(): around the loop on line {loop.lineno}"
        yield wanted.proposal(
            title, "no gradient can go through the loop", text.wrapped([loop], "with torch.no_grad():")
        )


def averaged(wanted: Wanted) -> Iterator[Proposal]:
    """A method that mixes what it is given into what the object keeps is given a number, or a tensor without its graph:
    where it is called, or at its head."""
    text = wanted.text
    for method in text.parts(text.tree, ast.FunctionDef):
        given = [argument.arg for argument in method.args.args[1:]]
        parts: list[ast.Assign | ast.AugAssign] = [*text.parts(method, ast.Assign), *text.parts(method, ast.AugAssign)]
        mixed: dict[str, None] = {}
        for statement in parts:
            goal = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
            grows = isinstance(statement, ast.AugAssign) or loads(statement.value, ast.unparse(goal))
            if ast.unparse(goal).startswith("self.") and grows:
                mixed |= dict.fromkeys(name for name in given if loads(statement.value, name))
        if not mixed or not method.body:
            continue
        places = [given.index(name) for name in mixed]
        calls = [call for call in text.calls(text.tree, method.name) if isinstance(call.func, ast.Attribute)]
        handed = [call.args[at] for call in calls for at in places if at < len(call.args)]
        handed = [part for part in handed if isinstance(part, ast.Name | ast.Subscript | ast.Attribute)]
        shown = dict.fromkeys(f"{text.get(part)}.item()" for part in handed)
        if shown:
            title = f"hand over the number: {enumerated(list(shown))} on line {handed[0].lineno}"
            edits = [followed(text, part, ".item()") for part in handed]
            yield wanted.proposal(title, "no gradient goes through the average", *edits)
        title = f"take {enumerated(list(mixed))} without the graph, at the head of {method.name}"
        lines = [f"{name} = {name}.detach()" for name in mixed]
        yield wanted.proposal(title, "no gradient goes through the average", text.before(method.body[0], lines))


def numbers_summed(wanted: Wanted) -> Iterator[Proposal]:
    """What is added to a running sum, or to one of a dict, is added as a number: `sums[k] = sums[k] + v.item()`."""
    text, kept = wanted.text, re.findall(r"\w+", (wanted.name("target") or "").partition("[")[0])[-1:]
    for statement in text.parts(text.tree, ast.Assign) + text.parts(text.tree, ast.AugAssign):
        goal = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        sums = goal.value if isinstance(goal, ast.Subscript) else goal
        if re.findall(r"\w+", text.get(sums))[-1:] != kept or not isinstance(statement.value, ast.BinOp | ast.Name):
            continue
        before = [*loads(statement.value, ast.unparse(goal)), *text.calls(statement.value, "get")]
        if isinstance(statement, ast.Assign) and not before:
            continue
        own = {part for node in (goal, *before) for part in ast.walk(node)}
        for part in [part for part in text.parts(statement.value, ast.Name) if part not in own]:
            for way, taken in (("add the number only", "item()"), ("add it detached", "detach()")):
                title = f"{way}: {part.id}.{taken} on line {part.lineno}"
                yield wanted.proposal(title, "no gradient goes through the sum", followed(text, part, f".{taken}"))


def detach_argument(wanted: Wanted) -> Iterator[Proposal]:
    """What a turn hands to a container of the program's own, as `memory.push(s, a, error)`, it hands over detached."""
    text, loop = wanted.text, wanted.at("shows")
    for part in text.parts(loop, ast.Expr) if isinstance(loop, ast.For | ast.While) else ():
        call = part.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or callee(call) in TRAINING:
            continue
        for given in [given for given in call.args if isinstance(given, ast.Name)]:
            title = f"hand over {given.id}.detach() on line {call.lineno}"
            cost = "no gradient goes back through what is kept"
            yield wanted.proposal(title, cost, text.replaced(given, f"{given.id}.detach()"))


TRAINING = ("step", "backward", "zero_grad", "append")


REPEATED = (ast.For, ast.While, ast.FunctionDef, ast.Lambda)
"""What may run again and again."""


@fix(growing=1, collected=2)
def growing(wanted: Wanted) -> Iterator[Proposal]:
    """Sums of losses become sums of numbers; what is carried over is detached."""
    text = wanted.text
    name = wanted.name("target")
    yield from averaged(wanted)
    yield from numbers_summed(wanted)
    yield from detach_argument(wanted)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and name == ast.unparse(node.target):
            title = f"add the number only: .item() on line {node.lineno}"
            yield wanted.proposal(title, "no gradient goes through the sum", followed(text, node.value, ".item()"))
            title = f"add it detached on line {node.lineno}"
            yield wanted.proposal(title, "no gradient goes through the sum", followed(text, node.value, ".detach()"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            title = f"keep the number only: .item() on line {node.lineno}"
            if node.args and any(isinstance(outer, REPEATED) for outer in text.around(node)):
                yield wanted.proposal(
                    title, "no gradient goes through the list", followed(text, node.args[0], ".item()")
                )
                title = f"keep it detached on line {node.lineno}"
                yield wanted.proposal(
                    title, "no gradient goes through the list", followed(text, node.args[0], ".detach()")
                )
    if name is not None:
        for loop in ast.walk(text.tree):
            if isinstance(loop, ast.For | ast.While) and text.loop(loop) is None:
                yield from detached_at_top(wanted, name, [loop.body])
        yield from detached_attribute(wanted, name)
        yield from detached_at_store(wanted, name)
