"""What a program keeps from one update to the next, graph and all: edits that detach it or begin it anew."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...calls import callee
from ...fixes.edits import (
    append_suffix,
    arguments_of,
    assigned_pairs,
    enclosing,
    join_names,
    loads,
    stack_statements,
    value_of,
)
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text, names_in, targets
from ...narration.words import code, on

CUTS = "no gradient goes back beyond this point"


def detached_after(wanted: FixContext) -> Iterator[Proposal]:
    """What is kept for the next call is cut off its history as soon as its graph is used up."""
    text, name, freed = wanted.text, wanted.name("border"), wanted.at("freed_by")
    if name is None or freed is None or not is_rebound(wanted, name):
        return
    base = name.partition("[")[0]
    whole = f"{base}.detach()" if base == name else f"tuple(part.detach() for part in {base})"
    title = f"detach {base} once its graph is used up, after line {freed.lineno}"
    yield wanted.proposal(title, CUTS, text.after(freed, [f"{base} = {whole}"]))


def detached_carried(wanted: FixContext) -> Iterator[Proposal]:
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


def detached_border(wanted: FixContext) -> Iterator[Proposal]:
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
                yield wanted.proposal(title, CUTS, *(append_suffix(text, use, ".detach()") for use in uses[:1]))
                break
    yield from detached_at_top(wanted, name, scopes)
    yield from detached_attribute(wanted, name)


def detached_beside(wanted: FixContext) -> Iterator[Proposal]:
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
            yield wanted.proposal(title, CUTS, *(append_suffix(text, part, ".detach()") for part in kept))


def is_detached(value: ast.expr, name: str) -> bool:
    """Whether `value` is what is called `name`, cut off its history: `name.detach()`, `name.data`."""
    whole = value.func if isinstance(value, ast.Call) else value
    return isinstance(whole, ast.Attribute) and whole.attr in ("detach", "data") and ast.unparse(whole.value) == name


def any_detached(text: Text, name: str) -> bool:
    attributes = text.parts(text.tree, ast.Attribute)
    return any(part.attr in ("detach", "detach_", "data") and ast.unparse(part.value) == name for part in attributes)


def targets_in(state: ast.Tuple) -> list[str]:
    return [part.id for part in state.elts if isinstance(part, ast.Name)]


def detached_where_kept(wanted: FixContext) -> Iterator[Proposal]:
    """What was built is kept for the next turn without its history: `self.memory[key] = h.detach()`."""
    text, built = wanted.text, wanted.at("built")
    names = targets(built) if built is not None else set()
    for statement in text.block(built) if built is not None else []:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Subscript | ast.Attribute):
            continue
        if isinstance(statement.value, ast.Name) and statement.value.id in names:
            title = f"keep {text.get(statement.targets[0])} detached on line {statement.lineno}"
            yield wanted.proposal(title, CUTS, append_suffix(text, statement.value, ".detach()"))
            parts = f"tuple(part.detach() for part in {statement.value.id})"
            yield wanted.proposal(title, CUTS, text.replaced(statement.value, parts))
    if (name := wanted.name("border")) is not None:
        yield from detached_at_store(wanted, name)


def detached_at_store(wanted: FixContext, name: str) -> Iterator[Proposal]:
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
            yield wanted.proposal(title, CUTS, *(append_suffix(text, part, ".detach()") for part in parts))


def carried_over(wanted: FixContext) -> Iterator[Proposal]:
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


def kept_attributes(wanted: FixContext) -> Iterator[Proposal]:
    """What a module keeps for its next call is detached where it is read: `self.h = self.cell(x, self.h)`."""
    text = wanted.text
    methods = [node for node in text.parts(text.tree, ast.FunctionDef) if node.name != "__init__"]
    for statement in [part for method in methods for part in text.parts(method, ast.Assign)]:
        for goal in [part for whole in statement.targets for part in text.parts(whole, ast.Attribute)]:
            if ast.unparse(goal.value) == "self" and loads(statement.value, ast.unparse(goal)):
                yield from detached_attribute(wanted, ast.unparse(goal))
                yield from detached_attribute(wanted, f"{ast.unparse(goal)}[0]")


def is_rebound(wanted: FixContext, path: str) -> bool:
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


def is_computed_once(wanted: FixContext, name: str) -> bool:
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


def detached_at_top(wanted: FixContext, name: str, scopes: list[list[ast.stmt]]) -> Iterator[Proposal]:
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


def detached_attribute(wanted: FixContext, name: str) -> Iterator[Proposal]:
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


def detached_built(wanted: FixContext) -> Iterator[Proposal]:
    """The shared part is cut off where it is made."""
    text, built = wanted.text, wanted.at("built")
    statements = [built, *stack_statements(wanted, "built")] if built is not None else []
    for statement in dict.fromkeys(statements):
        value = value_of(statement)
        if isinstance(statement, ast.Assign) and value is not None and not isinstance(value, ast.Tuple):
            names = ", ".join(map(text.get, statement.targets))
            title = f"detach {names} where it is made, on line {statement.lineno}"
            yield wanted.proposal(title, CUTS, append_suffix(text, value, ".detach()"))


READING = ("get", "pop", "setdefault")
MAPPINGS = ("dict", "defaultdict", "OrderedDict")
SEQUENCES = ("list", "deque")


RESETS = re.compile(r"^(?:reset|restart|begin|start|clear|init)(?:_|$)|_reset$|^zero_state$")


def reset_attribute(wanted: FixContext) -> Iterator[Proposal]:
    """What `reset` leaves as the episode before left it is begun anew there, as `__init__` begins it."""
    text = wanted.text
    attribute = re.findall(r"\w+", wanted.name("border") or "")[-1:]
    for kind in text.parts(text.tree, ast.ClassDef) if attribute and "." in (wanted.name("border") or "") else ():
        methods = {part.name: part for part in kind.body if isinstance(part, ast.FunctionDef)}
        init, goal = methods.get("__init__"), f"self.{attribute[0]}"
        begins = [pair for pair in assigned_pairs(init) if ast.unparse(pair[0]) == goal]
        for name, method in methods.items() if init is not None and begins else ():
            sets = [
                part
                for part in method.body
                if any(ast.unparse(one).startswith("self.") for one, _ in assigned_pairs(part))
            ]
            if name == "__init__" or not RESETS.search(name) or goal in map(ast.unparse, stored(method)):
                continue
            value = in_terms_of_self(begins[-1][1], init)
            if value is None:
                continue
            where = (sets or method.body)[0]
            line = f"{goal} = {value}"
            edit = text.after(where, [line]) if sets else text.before(where, [line])
            title = (
                f"{line} in {name}, after line {where.end_lineno}"
                if sets
                else f"{line} in {name}, before line {where.lineno}"
            )
            yield replace(wanted.proposal(title, "each episode begins as the first did", edit), decisive=True)


def stored(method: ast.FunctionDef) -> list[ast.expr]:
    """What `method` gives a value, or writes into."""
    calls = [node.func for node in ast.walk(method) if isinstance(node, ast.Call)]
    written = [func.value for func in calls if isinstance(func, ast.Attribute) and func.attr.endswith("_")]
    return written + [goal for goal, _ in assigned_pairs(method)]


def in_terms_of_self(value: ast.expr, init: ast.FunctionDef | None) -> str | None:
    """`torch.zeros(n)` of an `__init__` that keeps `n` as `self.n`, as another method has to write it."""
    if init is None:
        return None
    kept = {
        ast.unparse(given): ast.unparse(goal)
        for goal, given in assigned_pairs(init)
        if ast.unparse(goal).startswith("self.")
    }
    own = {argument.arg for argument in (*init.args.args[1:], *init.args.kwonlyargs)}
    own |= {part.id for part in ast.walk(init) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    shown = ast.unparse(value)
    for name in sorted({part.id for part in ast.walk(value) if isinstance(part, ast.Name)} & own):
        if name not in kept:
            return None
        shown = re.sub(rf"(?<![\w.]){name}\b(?!\s*=)", kept[name], shown)
    return shown


def detached_state(wanted: FixContext) -> Iterator[Proposal]:
    """What methods keep on their object is cut off its history once the update is done, by the path under which the
    update knows it, or where it is read for the next."""
    yield from detached_when_done(wanted)
    yield from detached_where_read(wanted)
    yield from detached_in_closure(wanted)


def detached_when_done(wanted: FixContext) -> Iterator[Proposal]:
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


def find_states(wanted: FixContext) -> list[tuple[ast.ClassDef, str]]:
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


def detached_where_read(wanted: FixContext) -> Iterator[Proposal]:
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
                yield wanted.proposal(title, CUTS, append_suffix(text, value, ".detach()"))


def detached_in_closure(wanted: FixContext) -> Iterator[Proposal]:
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
            title = f"detach {join_names(names)} where {function.name} goes on from it, on line {uses[0].lineno}"
            cost = "no gradient goes back into earlier calls"
            yield wanted.proposal(title, cost, *(append_suffix(text, use, ".detach()") for use in uses))
        line = f"{', '.join(names)} = {', '.join(f'{name}.detach()' for name in names)}"
        title = f"detach {join_names(names)} at the head of {function.name}"
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
                title += f"{join_names(names)}"
                edits = [text.after(function, head), text.after(goal, [f"{whole.id}.detach()"])]
                yield wanted.proposal(title, CUTS, *edits)


SINCE = "each update learns from what was collected since the last one"
GROWING = ("append", "appendleft", "extend", "insert", "add")
DRAWING = ("sample", "choices", "choice")
"""Who draws some of a list keeps the others for later: such a memory is not to be cleared."""
JOINING = ("cat", "stack", "concat", "hstack", "vstack")
SCOPES = (ast.For, ast.While, ast.FunctionDef)
Path = ast.Name | ast.Attribute | ast.Subscript


@fix(second_backward=5, step_between=2)
def begin_anew(wanted: FixContext) -> Iterator[Proposal]:
    """Lists that the update went through are cleared behind it, and what was added up begins anew. Whatever else lets
    the error go would keep what is old among what is new."""
    text = wanted.text
    grown, sums = growths(text), running_sums(text)
    old = in_border(wanted)
    for goal in stack_statements(wanted, "raised"):
        for inner in (goal, *(node for node in text.around(goal) if isinstance(node, ast.stmt))):
            scope = next((outer for outer in text.around(inner) if isinstance(outer, SCOPES)), None)
            if scope is None or isinstance(inner, ast.FunctionDef):
                break
            lists = collected_lists(text, scope, grown, old)
            totals = {path: start for path, start in first_values(text, scope, sums).items() if path_end(path) in old}
            if not lists and not totals:
                continue
            lines = [f"{path}.clear()" for path in lists] + [f"{path} = {start}" for path, start in totals.items()]
            last = text.block(inner)[-1]
            leaves = isinstance(last, ast.Return | ast.Continue | ast.Break)
            edit = text.before(last, lines) if leaves else text.after(last, lines)
            where = f"{'before' if leaves else 'after'} line {last.lineno}"
            emptied = [f"clear {join_names(list(lists))}"] if lists else []
            again = [f"begin {join_names(list(totals))} anew"] if totals else []
            title = f"{join_names(emptied + again)} once the update is done, {where}"
            yield replace(wanted.proposal(title, SINCE, edit), decisive=bool(lists))


def collected_lists(text: Text, scope: ast.AST, grown: dict[str, list[ast.AST]], old: set[str]) -> list[str]:
    """The lists that `scope` reads and that grow elsewhere or in a loop of its own, as they are called in it."""
    bound = made_in(scope)
    found: dict[str, None] = {}
    for path in paths(scope):
        end = path_end(text.get(path))
        if end not in grown or text.get(path) in bound or grows(text, path):
            continue
        by_turns = any(scope_of(text, place) is not scope for place in grown[end])
        if by_turns or end in old:
            found[text.get(path)] = None
    return list(found)


def growths(text: Text) -> dict[str, list[ast.AST]]:
    """Where lists grow, by the last part of what they are called: `xs.append(x)`, `self.xs += [x]`."""
    found: dict[str, list[ast.AST]] = {}
    for call in text.calls(text.tree, *GROWING):
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, Path):
            found.setdefault(path_end(text.get(call.func.value)), []).append(call)
    for node in text.parts(text.tree, ast.AugAssign):
        if isinstance(node.value, ast.List) and isinstance(node.target, Path):
            found.setdefault(path_end(text.get(node.target)), []).append(node)
    drawn = {end for call in text.calls(text.tree, *DRAWING) for end in ends_in(text, call)}
    return {end: places for end, places in found.items() if end not in drawn}


def running_sums(text: Text) -> set[str]:
    """What is added to itself, or joined with itself: `total += loss`, `values = torch.cat([values, v])`."""
    adds = {text.get(node.target) for node in text.parts(text.tree, ast.AugAssign)}
    sums = {
        text.get(goal)
        for node in text.parts(text.tree, ast.Assign)
        for goal in node.targets
        if isinstance(goal, ast.Name | ast.Attribute) and adds_to(text, node.value, path_end(text.get(goal)))
    }
    return adds | sums


def adds_to(text: Text, value: ast.expr, end: str) -> bool:
    """Whether `value` is a sum of, or joined of, what ends so; a state that a cell gave from the one before is not."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return end in ends_in(text, value)
    return callee(value) in JOINING and end in ends_in(text, value)


def first_values(text: Text, scope: ast.AST, sums: set[str]) -> dict[str, str]:
    """What of `sums` begins outside of `scope`, as it is called in it, and what it begins with."""
    inside = {id(node) for node in ast.walk(scope)}
    starts = {
        path_end(text.get(node.targets[0])): text.get(node.value)
        for node in text.parts(text.tree, ast.Assign)
        if id(node) not in inside and path_end(text.get(node.targets[0])) not in ends_in(text, node.value)
    }
    here = [text.get(path) for path in paths(scope)]
    return {path: starts[path_end(path)] for path in here if path in sums and path_end(path) in starts}


def in_border(wanted: FixContext) -> set[str]:
    """What leads back to the old graph: of `model.saved[2][1]` its parts, `model` and `saved`."""
    name = wanted.name("border")
    try:
        tree = ast.parse(name or "", mode="eval")
    except SyntaxError:
        return set()
    return {path_end(ast.unparse(path)) for path in paths(tree)}


def paths(node: ast.AST) -> list[Path]:
    """The names, attributes and entries that `node` speaks of, in the order of the text."""
    found = [part for part in ast.walk(node) if isinstance(part, Path)]
    return sorted(found, key=lambda part: (part.lineno, part.col_offset))


def ends_in(text: Text, node: ast.AST) -> set[str]:
    return {path_end(text.get(path)) for path in paths(node)}


def path_end(path: str) -> str:
    """The last part of a path, by which `self.memory.rewards` is known elsewhere: `.rewards`, `['rewards']`."""
    name, dot, last = path.rpartition(".")
    base, bracket, key = last.rpartition("[")
    if bracket and base and key[:1] in "'\"":
        return f"[{key}".replace('"', "'")
    return f"{dot}{last}" if name else last


def made_in(scope: ast.AST) -> set[str]:
    """What `scope` binds itself."""
    goals = [goal for node in ast.walk(scope) if isinstance(node, ast.Assign) for goal in node.targets]
    goals += [node.target for node in ast.walk(scope) if isinstance(node, ast.For | ast.comprehension | ast.AnnAssign)]
    return {name for goal in goals for name in (*names_in(goal), ast.unparse(goal))}


def grows(text: Text, path: Path) -> bool:
    """Whether `path` stands there to be added to."""
    parent = text.parents.get(path)
    call = text.parents.get(parent) if isinstance(parent, ast.Attribute) else None
    return isinstance(call, ast.Call) and callee(call) in GROWING


def scope_of(text: Text, node: ast.AST) -> ast.AST | None:
    """The innermost loop or function around `node`."""
    return next((outer for outer in text.around(node) if isinstance(outer, SCOPES)), None)


@dataclass(frozen=True, slots=True)
class VainDetach:
    """A statement that detaches, and whose result nobody takes; the loop that it is all of, if it is one."""

    statement: ast.Expr
    loop: ast.For | None

    def told(self, name: str | None) -> str:
        vain = f"{code(ast.unparse(self.statement))} {on(self.statement.lineno)} gives a tensor without a history"
        return f"{vain}, and nobody takes it: {code(str(name))} keeps its own."


def find_vain_detach(nodes: list[ast.AST], name: str | None) -> VainDetach | None:
    """Where `name`, or each part of it, was to be cut off its history, and was not."""
    goal = last_part(name or "")
    for node in nodes:
        if (shown := detached_alone(node)) is not None and goal and last_part(shown) == goal:
            assert isinstance(node, ast.Expr)
            return VainDetach(node, None)
    for loop in [node for node in nodes if isinstance(node, ast.For)]:
        over = [ast.unparse(part) for part in getattr(loop.iter, "elts", [loop.iter])]
        for statement in loop.body if goal in map(last_part, over) else ():
            if isinstance(statement, ast.Expr) and detached_alone(statement) == ast.unparse(loop.target):
                return VainDetach(statement, loop if len(loop.body) == 1 and not loop.orelse else None)
    return None


def last_part(name: str) -> str:
    """`hidden` of `model.hidden[1]` and of `model.hidden.values()`."""
    words = re.findall(r"\w+", name.partition("[")[0].partition("(")[0].removesuffix(".values"))
    return words[-1] if words else ""


def detached_alone(node: ast.AST) -> str | None:
    """`h` of the statement `h.detach()`."""
    call = node.value if isinstance(node, ast.Expr) else None
    if callee(call) != "detach" or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    return ast.unparse(call.func.value)


@fix(second_backward=3, step_between=1, growing=1)
def take_detached(wanted: FixContext) -> Iterator[Proposal]:
    """`h.detach()` on a line of its own leaves `h` as it is: `h = h.detach()` was meant."""
    text, name = wanted.text, wanted.name("border") or wanted.name("target")
    vain = find_vain_detach(text.nodes, name)
    if vain is not None and vain.loop is not None:
        yield from detach_parts(wanted, vain.loop)
    for statement in text.parts(text.tree, ast.Expr):
        shown = detached_alone(statement)
        if shown is not None and (vain is None or vain.loop is None or statement not in vain.loop.body):
            title = f"take the result: {shown} = {shown}.detach() on line {statement.lineno}"
            made = wanted.proposal(title, FREE, text.replaced(statement, f"{shown} = {text.get(statement)}"))
            yield replace(made, decisive=shown == name or (vain is not None and statement is vain.statement))


def detach_parts(wanted: FixContext, loop: ast.For) -> Iterator[Proposal]:
    """`for h in self.hidden: h.detach()` becomes `self.hidden = tuple(h.detach() for h in self.hidden)`."""
    text, over, one = wanted.text, wanted.text.get(loop.iter), wanted.text.get(loop.target)
    if isinstance(loop.iter, ast.Tuple | ast.List):
        names = [text.get(part) for part in loop.iter.elts]
        makings = [f"{', '.join(names)} = {', '.join(f'{name}.detach()' for name in names)}"]
    elif isinstance(loop.iter, ast.Name | ast.Attribute):
        each = f"{one}.detach() for {one} in {over}"
        makings = [f"{over} = tuple({each})", f"{over} = [{each}]"]
    else:
        makings = []
    for made in makings:
        title = f"take the results: {made} on line {loop.lineno}"
        yield replace(wanted.proposal(title, CUTS, text.replaced(loop, made)), decisive=True)
