"""Mends for a state that an object, a module or a closure keeps from one update to the next, graph and all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import arguments_of, assigned_pairs, enclosing, enumerated, followed, loads, stack_statements
from ..fixes.proposal import Proposal, Wanted
from ..fixes.text import Text, targets
from .collected import GROWING, path_end
from .detaching import CUTS

READING = ("get", "pop", "setdefault")
MAPPINGS = ("dict", "defaultdict", "OrderedDict")
SEQUENCES = ("list", "deque")


def detached_state(wanted: Wanted) -> Iterator[Proposal]:
    """What methods keep on their object is cut off its history once the update is done, by the path under which the
    update knows it, or where it is read for the next."""
    yield from detached_when_done(wanted)
    yield from detached_where_read(wanted)
    yield from detached_in_closure(wanted)


def detached_when_done(wanted: Wanted) -> Iterator[Proposal]:
    """`model.memory.table = model.memory.table.detach()` behind the backward that used its graph up."""
    text = wanted.text
    for freed in stack_statements(wanted, "freed") or filter(None, [wanted.at("freed_by")]):
        scope = enclosing(text, freed, ast.FunctionDef)
        scope = scope if isinstance(scope, ast.FunctionDef) else None
        goal = last_step(text, freed)
        for kind, attribute in find_states(wanted):
            start = initial_value(kind, attribute)
            for owner in paths_to(text, kind.name, scope):
                for lines in without_graph(f"{owner}.{attribute}", start):
                    title = f"detach {owner}.{attribute} once the update is done, after line {goal.lineno}"
                    yield wanted.proposal(title, CUTS, text.after(goal, lines))
        for name, start in containers(text).items():
            for lines in without_graph(name, start):
                title = f"detach what {name} keeps once the update is done, after line {goal.lineno}"
                yield wanted.proposal(title, CUTS, text.after(goal, lines))


def containers(text: Text) -> dict[str, ast.expr]:
    """The lists and dicts of the program itself whose entries are set anew, with what they begin as."""
    entries = [part for part in text.parts(text.tree, ast.Subscript) if isinstance(part.ctx, ast.Store)]
    names = {part.value.id for part in entries if isinstance(part.value, ast.Name)}
    return {
        goal.id: value
        for goal, value in assigned_pairs(
            ast.Module([part for part in text.tree.body if isinstance(part, ast.Assign)], [])
        )
        if isinstance(goal, ast.Name) and goal.id in names and holds_many(value)
    }


def holds_many(start: ast.expr | None) -> bool:
    many = isinstance(start, ast.Dict | ast.DictComp | ast.List | ast.ListComp)
    return many or (start is not None and callee(start) in (*MAPPINGS, *SEQUENCES))


OF_UPDATE = ("step", "clip_grad_norm_", "zero_grad")


def last_step(text: Text, freed: ast.stmt) -> ast.stmt:
    """The optimizer's step that follows `freed`; itself, if none does."""
    goal, block = freed, text.block(freed)
    for statement in block[block.index(freed) + 1 :] if freed in block else []:
        if not isinstance(statement, ast.Expr) or callee(statement.value) not in OF_UPDATE:
            break
        goal = statement if text.calls(statement, "step") else goal
    return goal


def without_graph(path: str, start: ast.expr | None) -> list[list[str]]:
    """How the tensors that `path` holds are cut off their history, by what it begins as: there may be several ways."""
    name = callee(start) if start is not None else ""
    each = ["part.detach()", "tuple(one.detach() for one in part)"]
    if isinstance(start, ast.Dict | ast.DictComp) or name in MAPPINGS:
        return [[f"for key, part in {path}.items():", f"    {path}[key] = {cut}"] for cut in each]
    if isinstance(start, ast.List | ast.ListComp) or name in SEQUENCES:
        return [[f"for at, part in enumerate({path}):", f"    {path}[at] = {cut}"] for cut in each]
    parts = f"{path} = tuple(part.detach() for part in {path})"
    return [[parts]] if isinstance(start, ast.Tuple) else [[f"{path} = {path}.detach()"], [parts]]


def find_states(wanted: Wanted) -> list[tuple[ast.ClassDef, str]]:
    """The attributes that methods of a class set or let grow once it is made: that of the old graph first."""
    text, border = wanted.text, wanted.name("border") or wanted.name("held") or ""
    found: dict[tuple[ast.ClassDef, str], None] = {}
    for kind in text.parts(text.tree, ast.ClassDef):
        for method in kind.body:
            if isinstance(method, ast.FunctionDef) and method.name != "__init__" and method.args.args:
                own = method.args.args[0].arg
                found |= dict.fromkeys((kind, attribute) for attribute in find_stores(method, own))
    known = path_end(border.partition("[")[0])
    return sorted(found, key=lambda pair: f".{pair[1]}" != known)


def find_stores(method: ast.FunctionDef, own: str) -> list[str]:
    """The attributes of `own` that `method` sets, writes into or lets grow."""
    goals: list[ast.expr] = []
    found: list[str] = []
    for node in ast.walk(method):
        if isinstance(node, ast.Assign):
            goals += [part for goal in node.targets for part in (goal.elts if isinstance(goal, ast.Tuple) else [goal])]
        elif isinstance(node, ast.AugAssign):
            goals.append(node.target)
        elif isinstance(node, ast.Call) and callee(node) in GROWING and isinstance(node.func, ast.Attribute):
            goals.append(node.func.value)
        elif isinstance(node, ast.Call) and callee(node) == "setattr" and len(node.args) == 3:
            whose, name, _ = node.args
            if ast.unparse(whose) == own and isinstance(name, ast.Constant):
                found.append(str(name.value))
    for goal in goals:
        while isinstance(goal, ast.Subscript):
            goal = goal.value
        if isinstance(goal, ast.Attribute) and ast.unparse(goal.value) == own:
            found.append(goal.attr)
    return list(dict.fromkeys(found))


def initial_value(kind: ast.ClassDef, attribute: str) -> ast.expr | None:
    """What an attribute of `kind` begins as."""
    return next((value for goal, value in assigned_pairs(kind) if ast.unparse(goal) == f"self.{attribute}"), None)


DEEPEST = 4


def paths_to(text: Text, kind: str, scope: ast.FunctionDef | None, depth: int = DEEPEST) -> list[str]:
    """What the objects of the class `kind` are called in `scope`, as far as the text tells: `self.memory`."""
    if not depth:
        return []
    heirs = [
        node.name
        for node in text.parts(text.tree, ast.ClassDef)
        if any(ast.unparse(base) == kind for base in node.bases)
    ]
    found: dict[str, None] = {}
    owner = text.parents.get(scope) if scope is not None else None
    if isinstance(owner, ast.ClassDef) and owner.name == kind:
        found["self"] = None
    for goal, value in assigned_pairs(text.tree):
        home = enclosing(text, goal, ast.FunctionDef)
        if callee(value) != kind:
            continue
        if isinstance(goal, ast.Name) and home in (None, scope):
            found[goal.id] = None
        elif isinstance(goal, ast.Attribute) and ast.unparse(goal.value) == "self":
            holder = enclosing(text, goal, ast.ClassDef)
            holders = paths_to(text, holder.name, scope, depth - 1) if isinstance(holder, ast.ClassDef) else []
            found |= dict.fromkeys(f"{path}.{goal.attr}" for path in holders)
    if scope is not None:
        pairs = [pair for call in text.calls(text.tree, scope.name) for pair in arguments_of(scope, call)]
        found |= dict.fromkeys([name for name, given in pairs if callee(given) == kind or text.get(given) in found])
    for heir in heirs:
        found |= dict.fromkeys(paths_to(text, heir, scope, depth - 1))
    return list(found)


def detached_where_read(wanted: Wanted) -> Iterator[Proposal]:
    """`h = self.memory.get(user, zeros)` becomes `h = self.memory.get(user, zeros).detach()`."""
    text = wanted.text
    for kind, attribute in find_states(wanted):
        for statement in text.parts(kind, ast.Assign):
            value = statement.value
            whole = value.value if isinstance(value, ast.Subscript) else None
            if isinstance(value, ast.Call) and callee(value) in READING and isinstance(value.func, ast.Attribute):
                whole = value.func.value
            if whole is not None and ast.unparse(whole) == f"self.{attribute}":
                title = f"detach what is read of self.{attribute}, on line {statement.lineno}"
                yield wanted.proposal(title, CUTS, followed(text, value, ".detach()"))


def detached_in_closure(wanted: Wanted) -> Iterator[Proposal]:
    """What a function keeps in names of the function or program around it, each call begins with cut off its history;
    where one update makes many calls, the function gets another beside it for that, `step.detach()`."""
    text = wanted.text
    for function in text.parts(text.tree, ast.FunctionDef):
        outer = [part for part in function.body if isinstance(part, ast.Nonlocal | ast.Global)]
        bound = set().union(*(targets(part) for part in text.parts(function, ast.Assign)))
        names = [name for part in outer for name in part.names if name in bound]
        if not names:
            continue
        averages = [part for part in text.parts(function, ast.Assign) if targets(part) & set(names)]
        uses = [use for part in averages for name in names for use in loads(part.value, name)]
        uses = [use for use in uses if isinstance(text.parents.get(use), ast.BinOp)]
        if uses:
            title = f"detach {enumerated(names)} where {function.name} goes on from it, on line {uses[0].lineno}"
            cost = "no gradient goes back into earlier calls"
            yield wanted.proposal(title, cost, *(followed(text, use, ".detach()") for use in uses))
        line = f"{', '.join(names)} = {', '.join(f'{name}.detach()' for name in names)}"
        title = f"detach {enumerated(names)} at the head of {function.name}"
        yield wanted.proposal(title, "no gradient goes back into earlier calls", text.after(outer[-1], [line]))
        maker, freed = text.parents.get(function), next(iter(stack_statements(wanted, "freed")), wanted.at("freed_by"))
        makes = isinstance(maker, ast.FunctionDef) and isinstance(outer[-1], ast.Nonlocal)
        if not makes or freed is None:
            continue
        assert isinstance(maker, ast.FunctionDef)
        goal = last_step(text, freed)
        head = ["def detach():", f"    {text.get(outer[-1])}", f"    {line}", f"{function.name}.detach = detach"]
        for whole, value in assigned_pairs(text.tree):
            if callee(value) == maker.name and isinstance(whole, ast.Name):
                title = f"{whole.id}.detach() once the update is done, after line {goal.lineno}: it detaches "
                title += f"{enumerated(names)}"
                edits = [text.after(function, head), text.after(goal, [f"{whole.id}.detach()"])]
                yield wanted.proposal(title, CUTS, *edits)
