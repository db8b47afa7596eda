"""Mends for writes into a part of something that was saved: the whole is built anew, of the parts as they are now."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.proposal import Proposal, Wanted
from ..fixes.text import Text
from .out_of_place import COPY, SIGNS, plain

SUMS = {"sub_": "-", "add_": "+"}


def rebuild_entries(wanted: Wanted) -> Iterator[Proposal]:
    """`for w, g in zip(ws, gs): w.sub_(lr * g)` becomes `ws = [w - lr * g for w, g in zip(ws, gs)]`."""
    text, changed = wanted.text, wanted.at("changed")
    loop = text.parents.get(changed) if changed is not None else None
    if not isinstance(loop, ast.For) or len(loop.body) != 1 or loop.orelse or changed is None:
        return
    zipped = isinstance(loop.iter, ast.Call) and callee(loop.iter) == "zip"
    sources = loop.iter.args if zipped and isinstance(loop.iter, ast.Call) else [loop.iter]
    goals = loop.target.elts if zipped and isinstance(loop.target, ast.Tuple) else [loop.target]
    made = value_out_of_place(text, changed)
    for source, goal in zip(sources, goals, strict=False):
        name = text.get(goal)
        if made is None or made[0] != name or not isinstance(source, ast.Name | ast.Attribute):
            continue
        ws = text.get(source)
        line = f"{ws} = [{made[1]} for {text.get(loop.target)} in {text.get(loop.iter)}]"
        title = f"make {ws} anew, and write into none of them, on line {loop.lineno}"
        yield wanted.proposal(title, COPY, text.replaced(loop, line))


def value_out_of_place(text: Text, statement: ast.stmt) -> tuple[str, str] | None:
    """What a statement writes into, and what it comes to: `w` and `w - lr * g` of `w.sub_(lr * g)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and callee(call) in SUMS and len(call.args) == 1 and not call.keywords:
        assert isinstance(call.func, ast.Attribute)
        name, value = text.get(call.func.value), text.get(call.args[0])
        if isinstance(call.args[0], ast.BinOp) and isinstance(call.args[0].op, ast.Add | ast.Sub):
            value = f"({value})"
        return name, f"{name} {SUMS[callee(call)]} {value}"
    name, mark, value = (plain(text, statement) or "").partition(" = ")
    return (name, value) if mark else None


def join_parts(wanted: Wanted) -> Iterator[Proposal]:
    """`x[:, k:] = e` becomes `x = torch.cat([x[:, :k], e], dim=1)`."""
    text, changed = wanted.text, wanted.at("changed")
    goal = changed.targets[0] if isinstance(changed, ast.Assign) else None
    goal = changed.target if isinstance(changed, ast.AugAssign) else goal
    if not isinstance(goal, ast.Subscript) or not isinstance(goal.value, ast.Name | ast.Attribute) or changed is None:
        return
    places = goal.slice.elts if isinstance(goal.slice, ast.Tuple) else [goal.slice]
    *before, last = map(text.get, places)
    part = places[-1]
    if not isinstance(part, ast.Slice) or part.step is not None or any(place not in (":", "...") for place in before):
        return
    if (part.lower is None) == (part.upper is None):
        return
    dim = -1 if "..." in before else len(before)
    name, value = text.get(goal.value), text.get(changed.value)  # type: ignore[attr-defined]
    if isinstance(changed, ast.AugAssign):
        value = f"({value})" if isinstance(changed.value, ast.BinOp | ast.IfExp | ast.UnaryOp) else value
        value = f"{text.get(goal)} {SIGNS[type(changed.op)]} {value}"
    turned = last.removesuffix(":") if part.upper is None else last.removeprefix(":")
    rest = ", ".join([*before, f":{turned}" if part.upper is None else f"{turned}:"])
    joined = [f"{name}[{rest}]", value] if part.upper is None else [value, f"{name}[{rest}]"]
    title = f"join the parts anew: {name} = torch.cat(…) on line {changed.lineno}"
    yield wanted.proposal(title, COPY, text.replaced(changed, f"{name} = torch.cat([{', '.join(joined)}], dim={dim})"))
