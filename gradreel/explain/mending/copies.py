"""Mends for writes and views that took a copy for the tensor, or the tensor for a copy."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import followed
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, names_in
from .out_of_place import COPY, written_name


@fix(moving_views=1)
def cloned_in_list(wanted: Wanted) -> Iterator[Proposal]:
    """`path.append(state[:2])` keeps a copy: `path.append(state[:2].clone())`."""
    text, saved = wanted.text, wanted.at("saved")
    for call in text.calls(saved, "append", "insert"):
        if call.args:
            title = f"keep a copy: .clone() on line {call.lineno}"
            yield wanted.proposal(title, COPY, followed(text, call.args[-1], ".clone()"))
    if isinstance(saved, ast.Assign):
        title = f"keep a copy: .clone() on line {saved.lineno}"
        yield wanted.proposal(title, COPY, followed(text, saved.value, ".clone()"))


@fix(lost_write=1)
def written_by_index(wanted: Wanted) -> Iterator[Proposal]:
    """`x[mask].fill_(v)` becomes `x = x.masked_fill(mask, v)` or `x[mask] = v`."""
    text, changed = wanted.text, wanted.at("changed")
    for call in text.calls(changed):
        func = call.func
        if changed is None or not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Subscript):
            continue
        picked, name = func.value, callee(call)
        if not name.endswith("_") or name.endswith("__"):
            continue
        owner, index, shown = text.get(picked.value), text.get(picked.slice), text.get(picked)
        given = ", ".join(text.get(part) for part in [*call.args, *(word.value for word in call.keywords)])
        value = {"fill_": given, "zero_": "0", "copy_": given}.get(name, f"{shown}.{name[:-1]}({given})")
        if name in ("fill_", "zero_") and isinstance(picked.value, ast.Name | ast.Attribute):
            made = f"{owner} = {owner}.masked_fill({index}, {value})"
            yield wanted.proposal(f"{made} on line {changed.lineno}", COPY, text.replaced(changed, made))
        made = f"{shown} = {value}"
        yield wanted.proposal(f"{made} on line {changed.lineno}", FREE, text.replaced(changed, made))
    if isinstance(changed, ast.Assign | ast.AugAssign):
        yield from written_at_once(wanted, changed)


def written_at_once(wanted: Wanted, changed: ast.Assign | ast.AugAssign) -> Iterator[Proposal]:
    """`x[mask][0] = v` writes into the copy that `x[mask]` is: the copy is named, written into and put back."""
    text = wanted.text
    goal = changed.targets[0] if isinstance(changed, ast.Assign) else changed.target
    if not isinstance(goal, ast.Subscript) or not isinstance(goal.value, ast.Subscript):
        return
    picked = text.get(goal.value)
    lines = [f"part = {picked}", text.get(changed).replace(picked, "part", 1), f"{picked} = part"]
    edits = [text.replaced(changed, lines[0]), text.after(changed, lines[1:])]
    yield wanted.proposal(f"write into the part, and put it back: line {changed.lineno}", COPY, *edits)


@fix(many_views=1)
def written_by_place(wanted: Wanted) -> Iterator[Proposal]:
    """`for row in x: row += 1` becomes `for i, row in enumerate(x): x[i] += 1`, as each `x[i]` is a view of its own."""
    text, changed = wanted.text, wanted.at("changed")
    loop = text.loop(changed) if changed is not None else None
    name = written_name(changed)
    if not isinstance(loop, ast.For) or name is None or changed is loop:
        return
    found = rows_of(loop, name)
    if found is None:
        return
    whole, place = found
    index = place or next(letter for letter in "ijkn" if letter not in names_in(text.tree))
    part = f"{text.get(whole)}[{index}]"
    uses = [node for one in loop.body for node in ast.walk(one) if isinstance(node, ast.Name) and node.id == name]
    edits = [text.replaced(use, part) for use in uses]
    if place is None:
        goal = text.get(loop.target)
        goal = f"({goal})" if isinstance(loop.target, ast.Tuple) else goal
        edits.append(text.replaced(loop.target, f"{index}, {goal}"))
        edits.append(text.replaced(loop.iter, f"enumerate({text.get(loop.iter)})"))
    yield wanted.proposal(f"write into {part} on line {loop.body[0].lineno}", FREE, *edits)


@fix(many_views=2)
def made_anew(wanted: Wanted) -> Iterator[Proposal]:
    """`[p.mul_(3) for p in parts]` becomes `parts = [p.mul(3) for p in parts]`."""
    text, changed = wanted.text, wanted.at("changed")
    listed = changed.value if isinstance(changed, ast.Expr) else None
    if not isinstance(listed, ast.ListComp) or len(listed.generators) != 1 or not isinstance(changed, ast.Expr):
        return
    call, over = listed.elt, listed.generators[0].iter
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
        owner, name = text.get(call.func.value), call.func.attr[:-1]
        if isinstance(over, ast.Name) and owner == text.get(listed.generators[0].target):
            start = text.place(changed.lineno, changed.col_offset)
            title = f"new tensors in {over.id}: {owner}.{name}(…) on line {changed.lineno}"
            naming = Edit(*start, *start, f"{over.id} = ")
            yield wanted.proposal(title, COPY, naming, text.replaced(call.func, f"{owner}.{name}"))


def unbound(over: ast.expr) -> ast.expr | None:
    """The `x` of `x.unbind()`, which gives the rows of x."""
    if not isinstance(over, ast.Call) or not isinstance(over.func, ast.Attribute) or over.func.attr != "unbind":
        return None
    rows = not over.keywords and all(ast.unparse(part) == "0" for part in over.args)
    return over.func.value if rows else None


def rows_of(loop: ast.For, name: str) -> tuple[ast.expr, str | None] | None:
    """What `name` goes through the rows of in `for name in x`, `enumerate(x)` or `zip(x, ...)`; and the name of their
    places, if there is one."""
    goal, over = loop.target, loop.iter
    if isinstance(goal, ast.Name) and goal.id == name:
        whole = unbound(over)
        return (whole, None) if whole is not None else None if isinstance(over, ast.Call) else (over, None)
    if not isinstance(goal, ast.Tuple) or not isinstance(over, ast.Call):
        return None
    parts = [part.id if isinstance(part, ast.Name) else None for part in goal.elts]
    if callee(over) == "enumerate" and parts[1:] == [name] and not isinstance(over.args[0], ast.Call):
        return over.args[0], parts[0]
    if callee(over) == "zip" and name in parts and len(over.args) == len(parts):
        return over.args[parts.index(name)], None
    return None
