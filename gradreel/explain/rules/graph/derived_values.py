"""Values that `__init__` computes once, of parameters: edits that compute them every time they are read."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator

from ...calls import callee
from ...fixes.edits import assigned_pairs, copies, enclosing, join_names, loads, stack_statements
from ...fixes.proposal import FixContext, Proposal
from ...fixes.text import Edit, Text, names_in

MAKES_LEAVES = re.compile(r"requires_grad|\bParameter\(|\bnn\.[A-Z]\w*\((?!\)\()|\boptim\.\w+\(")
"""What makes a leaf, a layer or an optimizer; a loss that is made and called at once is none of these."""
EACH_READ = "one forward more each time that it is read"


def makes_leaves(text: Text, statement: ast.stmt) -> bool:
    """Whether `statement` makes what is trained, itself or by a function or class of the program: made anew in every
    turn, it would never learn."""
    names = {callee(call) for call in text.parts(statement, ast.Call)}
    makers = [node for node in ast.walk(text.tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    parts = [statement, *(maker for maker in makers if maker.name in names)]
    return any(MAKES_LEAVES.search(ast.unparse(part)) for part in parts)


def rebuilt_in_method(wanted: FixContext) -> Iterator[Proposal]:
    """What `__init__` computed once is computed by the method that goes backward through it."""
    text, raised = wanted.text, wanted.at("raised")
    method = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    for built in stack_statements(wanted, "built"):
        home = enclosing(text, built, ast.FunctionDef)
        if not isinstance(method, ast.FunctionDef) or not isinstance(home, ast.FunctionDef):
            continue
        if home.name != "__init__" or home is method or text.parents.get(home) is not text.parents.get(method):
            continue
        block = text.block(built)
        moved, made = [built], attributes(built)
        for statement in block[block.index(built) + 1 :]:
            read = {ast.unparse(part) for part in text.parts(statement, ast.Attribute)}
            if isinstance(statement, ast.Assign) and made & read and not makes_leaves(text, statement):
                moved.append(statement)
                made |= attributes(statement)
        if made and all(isinstance(part, ast.Assign) and text.alone(part) for part in moved):
            yield wanted.proposal(
                f"compute {join_names(sorted(made))} in {method.name}, every time",
                "one forward more in each call",
                *(text.removed(statement) for statement in moved),
                text.before(method.body[0], copies(text, moved)),
            )


def as_property(wanted: FixContext) -> Iterator[Proposal]:
    """`self.table = f(self.weight)` of `__init__` becomes a property `table`, with what led to it there."""
    text = wanted.text
    for built, home in stores_in_init(wanted):
        name, value = stored_attribute(text, built)
        if name is None or value is None or is_set_elsewhere(text, built, name):
            continue
        steps = leading_to(home, built, value)
        if any(makes_leaves(text, part) for part in (*steps, built)) or not all(map(text.alone, (*steps, built))):
            continue
        renamed, added = kept_arguments(text, home, [*steps, value])
        lines = [line for step in steps for line in render(text, step, renamed)]
        first, *more = render(text, value, renamed)
        lines += [f"return {first}", *more]
        rest = [part for part in home.body if part not in steps and part is not built]
        read = set().union(*(names_in(part) - loop_names(part) for part in rest))
        gone = [step for step in steps if not bound_names(step) & read]
        block = "".join(f"\n    {line}" for line in lines)
        made = f"\n@property\ndef {name}(self):{block}"
        indent = text.indent(home)
        below = (home.end_lineno or home.lineno) + 1
        if below > len(text.code):
            continue
        after = Edit(below, 0, below, 0, indent_block(made, indent) + "\n")
        edits = [text.removed(step) for step in gone]
        if len(home.body) == len(gone) + 1 and not added:
            added = ["pass"]
        edits.append(text.replaced(built, f"\n{text.indent(built)}".join(added)) if added else text.removed(built))
        yield wanted.proposal(f"compute {name} anew every time: a property", EACH_READ, *edits, after)


def stores_in_init(wanted: FixContext) -> Iterator[tuple[ast.stmt, ast.FunctionDef]]:
    """The statements of `__init__` that keep what was built, themselves or by way of plain names."""
    text = wanted.text
    for built in stack_statements(wanted, "built"):
        home = enclosing(text, built, ast.FunctionDef)
        if not isinstance(home, ast.FunctionDef) or home.name != "__init__":
            continue
        outer = next(node for node in (built, *text.around(built)) if node in home.body)
        for statement in home.body[home.body.index(outer) :]:
            value = stored_attribute(text, statement)[1]
            if statement is outer or (value is not None and outer in leading_to(home, statement, value)):
                yield statement, home


def build_where_read(wanted: FixContext) -> Iterator[Proposal]:
    """What `__init__` lets a method of its own compute, as `self.build()`, is computed by those that read it."""
    text = wanted.text
    for built in stack_statements(wanted, "built"):
        home = enclosing(text, built, ast.FunctionDef)
        owner = text.parents.get(home) if isinstance(home, ast.FunctionDef) and home.name == "__init__" else None
        call = built.value if isinstance(built, ast.Expr) else None
        if not isinstance(owner, ast.ClassDef) or not isinstance(call, ast.Call) or call.args or call.keywords:
            continue
        methods = {part.name: part for part in owner.body if isinstance(part, ast.FunctionDef)}
        maker = methods.get(callee(call))
        if maker is None or text.get(call.func) != f"self.{maker.name}" or makes_leaves(text, maker):
            continue
        made = set().union(*map(attributes, text.parts(maker, ast.Assign)))
        others = [method for method in methods.values() if method not in (home, maker)]
        readers = [method for method in others if any(loads(method, name) for name in made)]
        inner = {callee(part) for method in readers for part in text.parts(method, ast.Call)}
        outer = [method for method in readers if method.name not in inner]
        if outer:
            title = f"{text.get(call)} in {join_names([method.name for method in outer])}, every time"
            edits = [text.before(method.body[0], [text.get(call)]) for method in outer]
            yield wanted.proposal(title, "one forward more in each call", text.removed(built), *edits)


def indent_block(block: str, indent: str) -> str:
    return "\n".join(f"{indent}{line}" if line else line for line in block.split("\n"))


def stored_attribute(text: Text, built: ast.stmt) -> tuple[str | None, ast.expr | None]:
    """The attribute that a statement sets on its object, and what to: by assignment, or as a buffer."""
    names = attributes(built)
    if isinstance(built, ast.Assign) and len(names) == 1 and len(built.targets) == 1:
        owner, _, name = min(names).rpartition(".")
        return (name, built.value) if owner == "self" else (None, None)
    call = built.value if isinstance(built, ast.Expr) else None
    if isinstance(call, ast.Call) and callee(call) == "register_buffer" and len(call.args) == 2:
        key = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
        return (key, call.args[1]) if isinstance(key, str) and key.isidentifier() else (None, None)
    return None, None


def is_set_elsewhere(text: Text, built: ast.stmt, name: str) -> bool:
    """Whether another statement sets or deletes the attribute too: a property could not be set."""
    stores = [part for part in text.parts(text.tree, ast.Attribute) if part.attr == name]
    inside = {id(part) for part in ast.walk(built)}
    return any(not isinstance(part.ctx, ast.Load) and id(part) not in inside for part in stores)


def bound_names(statement: ast.AST) -> set[str]:
    """The plain names that are bound anywhere in `statement`, and stay so: not those within brackets."""
    if isinstance(statement, ast.Name):
        return {statement.id} if isinstance(statement.ctx, ast.Store) else set()
    inner = () if isinstance(statement, ast.comprehension) else ast.iter_child_nodes(statement)
    return set().union(*map(bound_names, inner))


def loop_names(statement: ast.stmt) -> set[str]:
    """The names that loops in `statement` give to what they go through."""
    loops = [part.target for part in ast.walk(statement) if isinstance(part, ast.For | ast.comprehension)]
    return set().union(*map(names_in, loops))


def leading_to(home: ast.FunctionDef, built: ast.stmt, value: ast.expr) -> list[ast.stmt]:
    """The statements of `home` before `built` that bind what `value` reads."""
    needed, found = names_in(value), []
    for statement in reversed(home.body[: home.body.index(built)]):
        if bound_names(statement) & needed:
            found.append(statement)
            needed |= names_in(statement) - loop_names(statement)
    return list(reversed(found))


def kept_arguments(
    text: Text, home: ast.FunctionDef, parts: list[ast.stmt | ast.expr]
) -> tuple[dict[str, str], list[str]]:
    """What the arguments of `home` are called on the object, and the lines that keep those not kept so far."""
    given = [*home.args.posonlyargs, *home.args.args, *home.args.kwonlyargs, home.args.vararg, home.args.kwarg]
    read = set().union(*map(names_in, parts)) - set().union(*(bound_names(p) for p in parts if isinstance(p, ast.stmt)))
    names = [part.arg for part in given if part is not None and part.arg in read and part.arg != "self"]
    kept: dict[str, str] = {}
    for target, source in assigned_pairs(home):
        if isinstance(source, ast.Name) and text.get(target).startswith("self."):
            kept.setdefault(source.id, text.get(target))
    added = [f"self.{name} = {name}" for name in names if name not in kept]
    return {name: kept.get(name, f"self.{name}") for name in names}, added


def render(text: Text, node: ast.expr | ast.stmt, renamed: dict[str, str]) -> list[str]:
    """The lines of `node`, with other names for some."""
    if renamed.keys() & names_in(node):
        return ast.unparse(RenameNames(renamed).visit(copy.deepcopy(node))).split("\n")
    return text.lines_of(node) if isinstance(node, ast.stmt) else [text.get(node)]


class RenameNames(ast.NodeTransformer):
    """A part of a program with other names for some."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(self.names[node.id], mode="eval").body if node.id in self.names else node


def computed_where_read(wanted: FixContext) -> Iterator[Proposal]:
    """What `__init__` computed once from parameters is computed by each method that reads it."""
    text = wanted.text
    for built in stack_statements(wanted, "built"):
        home = enclosing(text, built, ast.FunctionDef)
        owner = text.parents.get(home) if isinstance(home, ast.FunctionDef) and home.name == "__init__" else None
        names = attributes(built)
        if not isinstance(owner, ast.ClassDef) or not isinstance(built, ast.Assign) or len(names) != 1:
            continue
        name, value = names.pop(), text.get(built.value)
        local = local_names(home)
        readers = [part for part in owner.body if isinstance(part, ast.FunctionDef) and loads(part, name)]
        if names_in(built.value) & local or home in readers or not readers or makes_leaves(text, built):
            continue
        edits = [text.removed(built)]
        for method in readers:
            uses, plain = loads(method, name), name.rpartition(".")[2]
            if len(uses) == 1 and isinstance(built.value, ast.Call):
                edits.append(text.replaced(uses[0], value))
                continue
            plain = plain if plain not in names_in(method) else f"{plain}_now"
            edits += [text.replaced(use, plain) for use in uses]
            edits.append(text.before(method.body[0], [f"{plain} = {value}"]))
        title = f"compute {name} in {join_names([method.name for method in readers])}, every time"
        yield wanted.proposal(title, "one forward more in each call", *edits)


def local_names(function: ast.AST | None) -> set[str]:
    """The plain names that `function` binds, its arguments among them; not the object itself."""
    given = {part.arg for part in ast.walk(function) if isinstance(part, ast.arg)} if function is not None else set()
    bound = [part for part in ast.walk(function) if isinstance(part, ast.Name)] if function is not None else []
    return (given | {part.id for part in bound if isinstance(part.ctx, ast.Store)}) - {"self"}


def attributes(statement: ast.stmt) -> set[str]:
    """The attributes that `statement` sets: `self.loss`."""
    goals = statement.targets if isinstance(statement, ast.Assign) else []
    return {ast.unparse(goal) for goal in goals if isinstance(goal, ast.Attribute)}
