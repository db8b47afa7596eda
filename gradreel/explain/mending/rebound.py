"""Mends for parameters that stayed as they were: what was computed is written into them; a draw is made a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..fixes.edits import grouped, loads
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text
from ..optimizers import makings
from .out_of_place import SIGNS


@fix(rebound_parameter=1)
def written_into(wanted: Wanted) -> Iterator[Proposal]:
    """`p = p - lr * p.grad` becomes `p -= lr * p.grad`, under no_grad if it is not already."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("target")
    if not isinstance(built, ast.Assign) or name is None:
        return
    made = in_place(text, built.value, name)
    quiet = any(isinstance(outer, ast.With) and "no_grad" in text.source for outer in text.around(built))
    header = "" if quiet else "with torch.no_grad(): "
    title = f"write into the parameter: {made} on line {built.lineno}"
    yield wanted.proposal(title, "the write leaves no trace in the graph", text.replaced(built, f"{header}{made}"))


@fix(second_backward=8)
def optimized_in_place(wanted: Wanted) -> Iterator[Proposal]:
    """`img = img.clamp(0, 1)` gives the name of what an optimizer changes to something else: it is written into it."""
    text = wanted.text
    listed = [call.args[0] for call in makings(text.tree) if call.args and isinstance(call.args[0], ast.List)]
    names = {text.get(part) for given in listed for part in given.elts if isinstance(part, ast.Name)}
    for node in text.parts(text.tree, ast.Assign):
        name = text.get(node.targets[0])
        if name in names and text.loop(node) is not None and loads(node.value, name):
            made = in_place(text, node.value, name)
            title = f"write into {name}, which the optimizer has: {made} on line {node.lineno}"
            edit = text.replaced(node, f"with torch.no_grad(): {made}")
            yield replace(wanted.proposal(title, "the write leaves no trace in the graph", edit), decisive=True)


def in_place(text: Text, value: ast.expr, name: str) -> str:
    if isinstance(value, ast.BinOp) and text.get(value.left) == name and type(value.op) in SIGNS:
        return f"{name} {SIGNS[type(value.op)]}= {text.get(value.right)}"
    return f"{name}.copy_({text.get(value)})"


@fix(flat_draw=1)
def as_function(wanted: Wanted) -> Iterator[Proposal]:
    """`torch.normal(mean, std)` becomes `mean + std * torch.randn_like(mean)`, which draws the same."""
    text = wanted.text
    for call in text.calls(wanted.at("built"), "normal"):
        given = [*call.args, *(word.value for word in call.keywords if word.arg in ("mean", "std"))]
        if len(given) == 2:
            mean, std = (grouped(text, part) for part in given)
            like = std if isinstance(given[0], ast.Constant) else mean
            made = f"({mean} + {std} * torch.randn_like({like}))"
            bare = isinstance(text.parents.get(call), ast.Assign | ast.Return)
            title = f"{made[1:-1]} on line {call.lineno}: the same, as a function of both"
            yield wanted.proposal(title, FREE, text.replaced(call, made[1:-1] if bare else made))


@fix(same_memory=1)
def kept_apart(wanted: Wanted) -> Iterator[Proposal]:
    """`before = net.weight` becomes `before = net.weight.detach().clone()`."""
    text, built = wanted.text, wanted.at("built")
    if isinstance(built, ast.Assign):
        shown = text.get(built.value)
        made = f"{shown}.clone()" if shown.endswith((".detach()", ".data")) else f"{shown}.detach().clone()"
        title = f"keep a copy: {made} on line {built.lineno}"
        yield wanted.proposal(title, "one tensor more in memory", text.replaced(built.value, made))
