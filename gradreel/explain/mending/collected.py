"""Mends for what is collected from one update to the next and never let go: lists of losses, say, and sums of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee
from ..fixes.edits import enumerated, stack_statements
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text, names_in

SINCE = "each update learns from what was collected since the last one"
GROWING = ("append", "appendleft", "extend", "insert", "add")
DRAWING = ("sample", "choices", "choice")
"""Who draws some of a list keeps the others for later: such a memory is not to be cleared."""
JOINING = ("cat", "stack", "concat", "hstack", "vstack")
SCOPES = (ast.For, ast.While, ast.FunctionDef)
Path = ast.Name | ast.Attribute | ast.Subscript


@fix(second_backward=5, step_between=2)
def begun_anew(wanted: Wanted) -> Iterator[Proposal]:
    """Lists that the update went through are cleared behind it, and what was added up begins anew. Whatever else lets
    the error go would keep what is old among what is new."""
    text = wanted.text
    grown, sums = growths(text), summed(text)
    old = in_border(wanted)
    for goal in stack_statements(wanted, "raised"):
        for inner in (goal, *(node for node in text.around(goal) if isinstance(node, ast.stmt))):
            scope = next((outer for outer in text.around(inner) if isinstance(outer, SCOPES)), None)
            if scope is None or isinstance(inner, ast.FunctionDef):
                break
            lists = collected(text, scope, grown, old)
            totals = {path: start for path, start in begun(text, scope, sums).items() if path_end(path) in old}
            if not lists and not totals:
                continue
            lines = [f"{path}.clear()" for path in lists] + [f"{path} = {start}" for path, start in totals.items()]
            last = text.block(inner)[-1]
            leaves = isinstance(last, ast.Return | ast.Continue | ast.Break)
            edit = text.before(last, lines) if leaves else text.after(last, lines)
            where = f"{'before' if leaves else 'after'} line {last.lineno}"
            emptied = [f"clear {enumerated(list(lists))}"] if lists else []
            again = [f"begin {enumerated(list(totals))} anew"] if totals else []
            title = f"{enumerated(emptied + again)} once the update is done, {where}"
            yield replace(wanted.proposal(title, SINCE, edit), decisive=bool(lists))


def collected(text: Text, scope: ast.AST, grown: dict[str, list[ast.AST]], old: set[str]) -> list[str]:
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


def summed(text: Text) -> set[str]:
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


def begun(text: Text, scope: ast.AST, sums: set[str]) -> dict[str, str]:
    """What of `sums` begins outside of `scope`, as it is called in it, and what it begins with."""
    inside = {id(node) for node in ast.walk(scope)}
    starts = {
        path_end(text.get(node.targets[0])): text.get(node.value)
        for node in text.parts(text.tree, ast.Assign)
        if id(node) not in inside and path_end(text.get(node.targets[0])) not in ends_in(text, node.value)
    }
    here = [text.get(path) for path in paths(scope)]
    return {path: starts[path_end(path)] for path in here if path in sums and path_end(path) in starts}


def in_border(wanted: Wanted) -> set[str]:
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
