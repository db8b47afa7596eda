"""Mends for graphs that were used up: keep them, build them again, or cut off what is old."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import called
from .common import copies, enclosing, followed, loads, needed_before, set_keyword, value_of
from .proposal import FREE, Proposal, Wanted
from .text import Edit, Text, names_in, targets

AGAIN = "one forward more; the gradient is taken at the numbers of now"
KEEPS = "the graph and all it saved stay in memory until nothing holds them"
CUTS = "no gradient goes back beyond this point"


def used_up(wanted: Wanted) -> Iterator[Proposal]:
    """A second backward reached an emptied node."""
    raised = wanted.at("raised")
    in_loop = raised is not None and wanted.text.loop(raised) is not None
    ways = [rebuilt_inside, rebuilt_in_function, detached_border, detached_after, detached_where_kept, detached_built]
    ways += [rebuilt_before, joined, retained]
    if at_once(wanted):
        ways = [joined, retained, *ways]
    if not in_loop:
        ways = [retained, rebuilt_in_function, rebuilt_before, joined, detached_border, detached_built]
        if keeps_state(wanted):
            ways = [detached_border, detached_after, *ways]
    for way in (uncached, *ways, detached_carried):
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


def detached_after(wanted: Wanted) -> Iterator[Proposal]:
    """What is kept for the next call is cut off its history as soon as its graph is used up."""
    text, name, freed = wanted.text, wanted.name("border"), wanted.at("freed_by")
    if name is None or freed is None:
        return
    base = name.partition("[")[0]
    whole = f"{base}.detach()" if base == name else f"tuple(part.detach() for part in {base})"
    title = f"detach {base} once its graph is used up, after line {freed.lineno}"
    yield wanted.proposal(title, CUTS, text.after(freed, [f"{base} = {whole}"]))


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


def detached_carried(wanted: Wanted) -> Iterator[Proposal]:
    """In a loop of its own, a generator's say, every turn begins with what the turn before left, cut off its graph."""
    text, built = wanted.text, wanted.at("built")
    loop = text.loop(built) if built is not None else None
    raised = wanted.at("raised")
    if loop is None or (raised is not None and loop in text.around(raised)):
        return
    assigned: set[str] = set()
    carried: dict[str, None] = {}
    for statement in loop.body:
        read = statement.value if isinstance(statement, ast.Assign) else statement
        carried |= dict.fromkeys(sorted(names_in(read) - assigned)) if read is not None else {}
        assigned |= targets(statement)
    names = [name for name in carried if name in assigned]
    if names:
        made = f"{', '.join(names)} = {', '.join(f'{name}.detach()' for name in names)}"
        title = f"detach {' and '.join(names)} at the start of every turn of the loop on line {loop.lineno}"
        cost = "no gradient goes back beyond one turn"
        yield wanted.proposal(title, cost, text.before(loop.body[0], [made]))


def retained(wanted: Wanted) -> Iterator[Proposal]:
    """`retain_graph=True` on the call that freed."""
    text = wanted.text
    for call in text.calls(wanted.at("freed_by"), "backward", "grad"):
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


def enumerated(names: list[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def stack_statements(wanted: Wanted, role: str) -> list[ast.stmt]:
    """The statements that led to `role`, innermost first."""
    lines = [wanted.line(role), *reversed(wanted.found.stacks.get(role, ()))]
    found = [wanted.text.statement(line) for line in dict.fromkeys(lines) if line]
    return [statement for statement in found if statement is not None]


def rebuilt_inside(wanted: Wanted) -> Iterator[Proposal]:
    """What was built once, before the loop, is built in every turn."""
    text, raised = wanted.text, wanted.at("raised")
    loop = text.loop(raised) if raised is not None else None
    for goal in stack_statements(wanted, "raised"):
        loop = text.loop(goal) or loop
    if loop is None:
        return
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
    if not all(text.alone(statement) for statement in moved):
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
        statements = needed_before(text, outer, built)
        if statements:
            names = ", ".join(sorted(set().union(*map(targets, statements))))
            yield wanted.proposal(
                f"compute {names} within {outer.name}",
                "one forward more in each call",
                text.before(outer.body[0], copies(text, statements)),
            )


def started_before(before: list[ast.stmt], built: ast.stmt) -> list[ast.stmt]:
    """What a loop that builds something adds to: the lists and sums that were begun before it."""
    if not isinstance(built, ast.For | ast.While):
        return []
    grown: set[str] = set()
    for node in ast.walk(built):
        if isinstance(node, ast.AugAssign):
            grown |= targets(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) == "append":
            grown |= names_in(node.func.value)
        elif isinstance(node, ast.Assign):
            grown |= targets(node) & names_in(node.value)
    return [statement for statement in before if isinstance(statement, ast.Assign) and targets(statement) & grown]


def detached_border(wanted: Wanted) -> Iterator[Proposal]:
    """What is carried from turn to turn is cut off its history where the new graph begins to use it."""
    text, name = wanted.text, wanted.name("border")
    if name is None:
        return
    loops = [loop for goal in stack_statements(wanted, "raised") if (loop := text.loop(goal)) is not None]
    scopes: list[list[ast.stmt]] = [loop.body for loop in loops[:1]]
    if not scopes:
        goal = wanted.at("raised")
        scopes = [text.block(goal)] if goal is not None else []
    for body in scopes:
        for statement in body:
            uses = loads(statement, name)
            if uses and not isinstance(statement, ast.For | ast.While | ast.If | ast.With):
                title = f"detach {name} on line {statement.lineno}"
                yield wanted.proposal(title, CUTS, *(followed(text, use, ".detach()") for use in uses[:1]))
                break
    yield from detached_at_top(wanted, name, scopes)
    yield from detached_attribute(wanted, name)


def detached_where_kept(wanted: Wanted) -> Iterator[Proposal]:
    """What was built is kept for the next turn without its history: `self.memory[key] = h.detach()`."""
    text, built = wanted.text, wanted.at("built")
    names = targets(built) if built is not None else set()
    for statement in text.block(built) if built is not None else []:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Subscript | ast.Attribute):
            continue
        if isinstance(statement.value, ast.Name) and statement.value.id in names:
            title = f"keep {text.get(statement.targets[0])} detached on line {statement.lineno}"
            yield wanted.proposal(title, CUTS, followed(text, statement.value, ".detach()"))
            parts = f"tuple(part.detach() for part in {statement.value.id})"
            yield wanted.proposal(title, CUTS, text.replaced(statement.value, parts))


def carried_over(wanted: Wanted) -> Iterator[Proposal]:
    """What one turn of the loop leaves to the next is detached: names that a turn reads before it binds them anew."""
    text, raised = wanted.text, wanted.at("raised")
    loop = text.loop(raised) if raised is not None else None
    if loop is None:
        return
    bound: set[str] = set()
    carried: dict[str, None] = {}
    for statement in loop.body:
        reads = {
            part.id for part in ast.walk(statement) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
        }
        later = set().union(*(bound_in(text, other) for other in loop.body[loop.body.index(statement) :]))
        carried |= dict.fromkeys(sorted((reads - bound) & later))
        bound |= bound_in(text, statement)
    for name in carried:
        yield from detached_at_top(wanted, name, [loop.body])
    for name in carried:
        yield from detached_at_top(wanted, f"{name}[0]", [loop.body])
    yield from kept_attributes(wanted)


def bound_in(text: Text, statement: ast.stmt) -> set[str]:
    """The plain names that `statement`, or what stands in it, binds anew."""
    return set().union(*(targets(part) for part in text.parts(statement, ast.Assign)))


def kept_attributes(wanted: Wanted) -> Iterator[Proposal]:
    """What a module keeps for its next call is detached where it is read: `self.h = self.cell(x, self.h)`."""
    text = wanted.text
    methods = [node for node in text.parts(text.tree, ast.FunctionDef) if node.name != "__init__"]
    for statement in [part for method in methods for part in text.parts(method, ast.Assign)]:
        for goal in [part for whole in statement.targets for part in text.parts(whole, ast.Attribute)]:
            if ast.unparse(goal.value) == "self" and loads(statement.value, ast.unparse(goal)):
                yield from detached_attribute(wanted, ast.unparse(goal))
                yield from detached_attribute(wanted, f"{ast.unparse(goal)}[0]")


def detached_at_top(wanted: Wanted, name: str, scopes: list[list[ast.stmt]]) -> Iterator[Proposal]:
    """A tuple of states, or a state that an inner loop uses, is detached at the top of the turn."""
    text = wanted.text
    base = name.partition("[")[0]
    for body in scopes:
        first = body[0]
        if base != name:
            for kind in ("tuple", f"type({base})"):
                line = f"{base} = {kind}(part.detach() for part in {base})"
                title = f"detach every part of {base} at the top of the turn"
                yield wanted.proposal(title, CUTS, text.before(first, [line]))
                title = f"detach every part of {base} at the end of the turn"
                yield wanted.proposal(title, CUTS, text.after(body[-1], [line]))
        elif "." not in base:
            yield wanted.proposal(
                f"detach {base} at the top of the turn", CUTS, text.before(first, [f"{base} = {base}.detach()"])
            )
        last = body[-1]
        if base == name:
            yield wanted.proposal(
                f"detach {base} at the end of the turn", CUTS, text.after(last, [f"{base} = {base}.detach()"])
            )


def detached_attribute(wanted: Wanted, name: str) -> Iterator[Proposal]:
    """A state kept on an object, `net.h`, is detached where a method first reads it as `self.h`."""
    text = wanted.text
    attribute = name.rpartition(".")[2].partition("[")[0]
    if "." not in name:
        return
    for node in ast.walk(text.tree):
        if isinstance(node, ast.FunctionDef) and node.name not in ("__init__",):
            for statement in node.body:
                uses = loads(statement, f"self.{attribute}")
                if uses:
                    path = f"self.{attribute}"
                    line = f"{path} = {path}.detach()"
                    if "[" in name.rpartition(".")[2]:
                        line = f"{path} = type({path})(part.detach() for part in {path})"
                    if re.search(rf"{re.escape(path)}\s*(=|is|is not)\s*None\b", text.source):
                        line = f"if {path} is not None: {line}"
                    title = f"detach {path} before line {statement.lineno}"
                    yield wanted.proposal(title, CUTS, text.before(statement, [line]))
                    break


def detached_built(wanted: Wanted) -> Iterator[Proposal]:
    """The shared part is cut off where it is made."""
    text, built = wanted.text, wanted.at("built")
    statements = [built, *stack_statements(wanted, "built")] if built is not None else []
    for statement in dict.fromkeys(statements):
        value = value_of(statement)
        if isinstance(statement, ast.Assign) and value is not None and not isinstance(value, ast.Tuple):
            names = ", ".join(sorted(targets(statement)))
            title = f"detach {names or 'it'} where it is made, on line {statement.lineno}"
            yield wanted.proposal(title, CUTS, followed(text, value, ".detach()"))


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


def unrecorded(wanted: Wanted) -> Iterator[Proposal]:
    """The loop runs under no_grad."""
    text, loop = wanted.text, wanted.at("shows")
    if isinstance(loop, ast.For | ast.While):
        title = f"with torch.no_grad(): around the loop on line {loop.lineno}"
        yield wanted.proposal(
            title, "no gradient can go through the loop", text.wrapped([loop], "with torch.no_grad():")
        )


REPEATED = (ast.For, ast.While, ast.FunctionDef, ast.Lambda)
"""What may run again and again."""


def growing(wanted: Wanted) -> Iterator[Proposal]:
    """Sums of losses become sums of numbers; what is carried over is detached."""
    text = wanted.text
    name = wanted.name("target")
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
