"""Mends that cut off what is old: what is kept, carried over or read again is detached."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import enclosing, followed, loads, stack_statements, value_of
from ..fixes.proposal import Proposal, Wanted
from ..fixes.text import Text, names_in, targets

CUTS = "no gradient goes back beyond this point"


def detached_after(wanted: Wanted) -> Iterator[Proposal]:
    """What is kept for the next call is cut off its history as soon as its graph is used up."""
    text, name, freed = wanted.text, wanted.name("border"), wanted.at("freed_by")
    if name is None or freed is None or not is_rebound(wanted, name):
        return
    base = name.partition("[")[0]
    whole = f"{base}.detach()" if base == name else f"tuple(part.detach() for part in {base})"
    title = f"detach {base} once its graph is used up, after line {freed.lineno}"
    yield wanted.proposal(title, CUTS, text.after(freed, [f"{base} = {whole}"]))


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


def detached_beside(wanted: Wanted) -> Iterator[Proposal]:
    """Of a state of several parts, as `h, c`, some are detached already: those beside them are, too."""
    text = wanted.text
    states = [part for part in text.parts(text.tree, ast.Tuple) if isinstance(part.ctx, ast.Store)]
    for statement in text.parts(text.tree, ast.Assign):
        name = ast.unparse(statement.targets[0])
        if not isinstance(statement.targets[0], ast.Name) or not is_detached(statement.value, name):
            continue
        beside = [part for state in states if name in targets_in(state) for part in targets_in(state)]
        for other in [part for part in dict.fromkeys(beside) if not any_detached(text, part)]:
            title = f"detach {other}, too, after line {statement.lineno}"
            yield wanted.proposal(title, CUTS, text.after(statement, [f"{other} = {other}.detach()"]))
    for state in text.parts(text.tree, ast.Tuple):
        kept = [part for part in state.elts if isinstance(part, ast.Name | ast.Attribute)]
        apart = [part for part in state.elts if isinstance(part, ast.Call) and callee(part) == "detach"]
        if isinstance(state.ctx, ast.Load) and apart and kept and len(apart) + len(kept) == len(state.elts):
            shown = " and ".join(map(text.get, kept))
            title = f"detach {shown}, too, on line {state.lineno}"
            yield wanted.proposal(title, CUTS, *(followed(text, part, ".detach()") for part in kept))


def is_detached(value: ast.expr, name: str) -> bool:
    """Whether `value` is what is called `name`, cut off its history: `name.detach()`, `name.data`."""
    whole = value.func if isinstance(value, ast.Call) else value
    return isinstance(whole, ast.Attribute) and whole.attr in ("detach", "data") and ast.unparse(whole.value) == name


def any_detached(text: Text, name: str) -> bool:
    attributes = text.parts(text.tree, ast.Attribute)
    return any(part.attr in ("detach", "detach_", "data") and ast.unparse(part.value) == name for part in attributes)


def targets_in(state: ast.Tuple) -> list[str]:
    return [part.id for part in state.elts if isinstance(part, ast.Name)]


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
    if (name := wanted.name("border")) is not None:
        yield from detached_at_store(wanted, name)


def detached_at_store(wanted: Wanted, name: str) -> Iterator[Proposal]:
    """Where the program puts something under the attribute that `name` tells of, as `self.memory[who] = h`, or hands
    `name` itself to what is kept, it is kept without its history."""
    text, attribute = wanted.text, name.partition("[")[0].rpartition(".")[2]
    for statement in text.parts(text.tree, ast.Assign):
        goal, value = statement.targets[0], statement.value
        shown = text.get(goal)
        if not isinstance(goal, ast.Subscript | ast.Attribute) or "." not in shown:
            continue
        kept = shown.partition("[")[0].rpartition(".")[2]
        alike = "." in name and kept == attribute and not (isinstance(goal, ast.Subscript) and "[" not in name)
        if not alike and text.get(value) != name:
            continue
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        if all(isinstance(part, ast.Name | ast.BinOp | ast.Call | ast.Attribute) for part in parts):
            title = f"keep {shown} detached on line {statement.lineno}"
            yield wanted.proposal(title, CUTS, *(followed(text, part, ".detach()") for part in parts))


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


def is_rebound(wanted: Wanted, path: str) -> bool:
    """Whether the attribute that `path` ends with gets another value after its object was made, or a plain name before
    each backward. What does not, such as a table computed once of a parameter, is to be computed again, and not cut
    off for good."""
    text = wanted.text
    if "." not in path:
        return "[" in path or not is_computed_once(wanted, path)
    attribute = path.rpartition(".")[2].partition("[")[0]
    made = {
        id(part)
        for each in text.parts(text.tree, ast.FunctionDef)
        if each.name == "__init__"
        for part in ast.walk(each)
    }
    stores = [part for part in text.parts(text.tree, ast.Attribute) if isinstance(part.ctx, ast.Store)]
    return any(part.attr == attribute and id(part) not in made for part in stores)


def is_computed_once(wanted: Wanted, name: str) -> bool:
    """Whether the plain `name` is bound outside of the loop, or of the function, that goes backward again and again."""
    text = wanted.text
    if is_shared(text, name):
        return False
    for depth, goal in enumerate(stack_statements(wanted, "raised")):
        home = enclosing(text, goal, ast.FunctionDef) or text.tree
        own = [node for node in bindings(text, name) if (enclosing(text, node, ast.FunctionDef) or text.tree) is home]
        if own:
            loops = [node for node in text.around(goal) if isinstance(node, ast.For | ast.While)]
            loops = [loop for loop in loops if home in text.around(loop)]
            return bool(loops or depth) and not any(loop in text.around(node) for node in own for loop in loops)
    return False


def bindings(text: Text, name: str) -> list[ast.AST]:
    """Where a function, or the program itself, binds the plain `name`."""
    stores = [part for part in text.parts(text.tree, ast.Name) if part.id == name and isinstance(part.ctx, ast.Store)]
    return [*stores, *(part for part in text.parts(text.tree, ast.arg) if part.arg == name)]


def is_shared(text: Text, name: str) -> bool:
    """Whether something other than its own function may bind the plain `name`, or write into what it stands for."""
    return any(
        (isinstance(part, ast.Global | ast.Nonlocal) and name in part.names)
        or (isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store) and ast.unparse(part.value) == name)
        or (isinstance(part, ast.Call) and callee(part).endswith("_") and name in names_in(part.func))
        for part in ast.walk(text.tree)
    )


def detached_at_top(wanted: Wanted, name: str, scopes: list[list[ast.stmt]]) -> Iterator[Proposal]:
    """A tuple of states, or a state that an inner loop uses, is detached at the top of the turn."""
    text = wanted.text
    base = name.partition("[")[0]
    if not is_rebound(wanted, name):
        return
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
    if "." not in name or not is_rebound(wanted, name):
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
            names = ", ".join(map(text.get, statement.targets))
            title = f"detach {names} where it is made, on line {statement.lineno}"
            yield wanted.proposal(title, CUTS, followed(text, value, ".detach()"))
