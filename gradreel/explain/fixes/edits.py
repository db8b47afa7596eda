"""Edits that many fixes are made of."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator

from ..calls import keyword
from .proposal import FixContext
from .text import Edit, Text, names_in, targets

ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List)


def in_brackets(text: Text, node: ast.expr) -> str:
    """The text of `node`, in brackets unless it can be followed by a dot as it is."""
    shown = text.get(node)
    return shown if isinstance(node, ATOMS) else f"({shown})"


def append_suffix(text: Text, node: ast.expr, suffix: str) -> Edit:
    """`node` followed by `.suffix`: past its brackets, if a dot follows them already."""
    line, end = text.place(node.end_lineno or node.lineno, node.end_col_offset or 0)
    rest = text.code[line - 1][end:]
    if isinstance(text.parents.get(node), ast.Attribute) and rest.startswith(")"):
        return Edit(line, end + 1, line, end + 1, suffix)
    return text.replaced(node, in_brackets(text, node) + suffix)


def with_argument(text: Text, call: ast.Call, added: str) -> Edit:
    """`call` with one more argument."""
    end = text.place(call.end_lineno or call.lineno, call.end_col_offset or 0)
    lines = text.code[end[0] - 1]
    close = end[1] - 1
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if not parts:
        return Edit(end[0], close, end[0], close, added)
    last = max(parts, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
    place = text.place(last.end_lineno or 0, last.end_col_offset or 0)
    between = lines[place[1] : close] if place[0] == end[0] else ""
    if "(" in between or ")" in between:  # the last argument stands in brackets of its own
        return Edit(end[0], close, end[0], close, f", {added}")
    return Edit(*place, *place, f", {added}")


def set_keyword(text: Text, call: ast.Call, name: str, value: str) -> Edit:
    """`call` with `name=value`, whether it had `name` or not."""
    given = keyword(call, name)
    return with_argument(text, call, f"{name}={value}") if given is None else text.replaced(given.value, value)


def without_keyword(text: Text, call: ast.Call, name: str) -> Edit | None:
    """`call` without `name=...`, and without the comma that went with it."""
    given = keyword(call, name)
    if given is None:
        return None
    start = text.place(given.lineno, given.col_offset)
    end = text.place(given.end_lineno or given.lineno, given.end_col_offset or 0)
    line = text.code[start[0] - 1]
    before = line[: start[1]].rstrip()
    if before.endswith(","):
        return Edit(start[0], len(before) - 1, *end, "")
    after = text.code[end[0] - 1][end[1] :]
    comma = len(after) - len(after.lstrip(" ,"))
    return Edit(*start, end[0], end[1] + comma, "")


def loads(node: ast.AST, name: str) -> list[ast.expr]:
    """Where `node` reads `name`, a plain name or a path such as `self.h`."""
    return [
        part
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript)
        and isinstance(part.ctx, ast.Load)
        and ast.unparse(part) == name
    ]


def root_name(node: ast.expr) -> ast.expr:
    """What is written into: `x` of `x[0][1]`; of `x.data` too."""
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "data"):
        node = node.value
    return node


def needed_before(text: Text, goal: ast.stmt, first: ast.stmt) -> list[ast.stmt]:
    """The statements from `first` on that compute, in the block of `goal`, the names that `goal` reads."""
    block = text.block(goal)
    until = block.index(goal)
    start = block.index(first) if first in block else 0
    wanted, found = names_in(goal), []
    for statement in reversed(block[start:until]):
        if isinstance(statement, ast.Assign) and targets(statement) & wanted:
            found.append(statement)
            wanted |= names_in(statement.value)
    return list(reversed(found))


def copies(text: Text, statements: Iterable[ast.stmt]) -> list[str]:
    return [line for statement in statements for line in text.lines_of(statement)]


def value_of(statement: ast.stmt | None) -> ast.expr | None:
    """The right side of an assignment, the value of a return or of a bare expression."""
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr):
        return statement.value
    return None


def enclosing(text: Text, node: ast.AST, kind: type[ast.AST]) -> ast.AST | None:
    """The innermost node of a `kind` that `node` is in."""
    return next((outer for outer in text.around(node) if isinstance(outer, kind)), None)


def join_names(names: list[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def stack_statements(wanted: FixContext, role: str) -> list[ast.stmt]:
    """The statements that led to `role`, innermost first."""
    lines = [wanted.line(role), *reversed(wanted.found.stacks.get(role, ()))]
    found = [wanted.text.statement(line) for line in dict.fromkeys(lines) if line]
    return [statement for statement in found if statement is not None]


def assigned_pairs(tree: ast.AST | None) -> list[tuple[ast.expr, ast.expr]]:
    """What assignments in `tree` bind, each with its value: two of `a, b = 1, 2`."""
    found: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign):
            goal, value = node.targets[0], node.value
            many = isinstance(goal, ast.Tuple) and isinstance(value, ast.Tuple)
            found += zip(goal.elts, value.elts, strict=False) if many else [(goal, value)]  # type: ignore[attr-defined]
    return found


def arguments_of(home: ast.FunctionDef, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """What `call` gives for the parameters of `home`; that of a method, for `self`, too."""
    names = [argument.arg for argument in (*home.args.posonlyargs, *home.args.args)]
    method = names[:1] == ["self"] and isinstance(call.func, ast.Attribute)
    yield from zip(names, [*([call.func.value] if method else []), *call.args], strict=False)  # type: ignore[attr-defined]
    yield from ((word.arg, word.value) for word in call.keywords if word.arg is not None)


def parse_shape(shown: str | None) -> list[int]:
    """A shape that a diagnosis names; that of a number where it names none."""
    return list(json.loads(shown)) if shown else []


# ---- fixes


def returns(text: Text, name: str) -> list[ast.Return]:
    """The returns of the functions of that name."""
    homes = [node for node in ast.walk(text.tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    return [part for home in homes for part in ast.walk(home) if isinstance(part, ast.Return)]


def bracket(shown: str) -> str:
    return shown if shown.replace(".", "").isidentifier() else f"({shown})"


def same_number(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return False
