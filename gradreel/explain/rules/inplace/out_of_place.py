"""A new tensor in place of a write: what `h += s` and `h.mul_(2)` compute, bound to the name instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...calls import callee, keyword
from ...fixes.edits import enclosing, loads, root_name
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text, head, names_in

COPY = "one tensor more in memory"
PLAINLY = "compute a new tensor instead of writing into the old one"
SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.Mod: "%",
    ast.FloorDiv: "//",
}


@fix(no_grad_view=2, expanded=1)
def write_out_of_place(wanted: FixContext) -> Iterator[Proposal]:
    """The statement that wrote makes a new tensor instead."""
    yield from made_plain(wanted, PLAINLY, COPY)


@fix(detach_view=1, saved_detached=1)
def detach_apart(wanted: FixContext) -> Iterator[Proposal]:
    """The statement that detached in place takes another tensor over the same memory instead."""
    yield from made_plain(wanted, "take another tensor, outside of the graph, and leave the old one in it", FREE)


def made_plain(wanted: FixContext, title: str, cost: str) -> Iterator[Proposal]:
    """The statement that changed something in place, without doing so."""
    text, statement = wanted.text, wanted.at("changed")
    made = plain(text, statement)
    if made is not None and statement is not None and not turns_over(text, statement):
        offered = wanted.proposal if read_after(text, statement) else wanted.workaround
        yield offered(f"{title}: line {statement.lineno}", cost, text.replaced(statement, made))


def plain(text: Text, statement: ast.stmt | None) -> str | None:
    """`h += s` as `h = h + s`, `h.mul_(2)` as `h = h.mul(2)`, `torch.sin_(h)` as `h = torch.sin(h)`."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name | ast.Attribute):
        return plain_sum(text, statement)
    if isinstance(statement, ast.Expr | ast.Assign) and isinstance(statement.value, ast.Call):
        return plain_call(text, statement, statement.value)
    return plain_within(text, statement) if isinstance(statement, ast.Return) else None


def plain_sum(text: Text, statement: ast.AugAssign) -> str | None:
    name, sign = text.get(statement.target), SIGNS.get(type(statement.op))
    value = text.get(statement.value)
    product = isinstance(statement.value, ast.BinOp) and isinstance(statement.value.op, ast.Mult | ast.Div)
    if isinstance(statement.value, ast.BinOp | ast.IfExp | ast.UnaryOp | ast.Compare):
        value = value if product and sign in ("+", "-") else f"({value})"
    return f"{name} = {name} {sign} {value}" if sign else None


def plain_call(text: Text, statement: ast.Expr | ast.Assign, call: ast.Call) -> str | None:
    """The statement with the in-place call made plain."""
    name = callee(call)
    if not name.endswith("_") or name.endswith("__") or not isinstance(call.func, ast.Attribute):
        return None
    whole = text.get(call)
    owner = text.get(call.func.value)
    plain = whole.replace(f".{name}(", f".{name[:-1]}(", 1)
    written = text.get(call.args[0]) if owner in ("torch", "F", "nn.functional") and call.args else owner
    if name in ("zero_", "fill_", "copy_"):
        like = {"zero_": "zeros_like({0})", "fill_": "full_like({0}, {1})", "copy_": "clone({1})"}[name]
        given = [text.get(arg) for arg in call.args] or ["0"]
        plain = "torch." + like.format(written, given[0])
    if isinstance(statement, ast.Assign):
        return f"{text.get(statement.targets[0])} = {plain}"
    return f"{written} = {plain}" if written.replace(".", "").replace("_", "").isalnum() else None


def plain_within(text: Text, statement: ast.Return) -> str | None:
    """`return t.sub_(1)` as `return t.sub(1)`."""
    for call in text.calls(statement):
        name = callee(call)
        if name.endswith("_") and not name.endswith("__") and isinstance(call.func, ast.Attribute):
            whole = text.get(call)
            plain = f"{text.get(call.func.value)}.{name[:-1]}{whole[len(text.get(call.func)) :]}"
            return text.get(statement).replace(whole, plain, 1)
    return None


def read_after(text: Text, statement: ast.stmt) -> bool:
    """Whether somebody reads the name that `statement` writes into afterwards, so that a new tensor bound to it would
    not be lost: `x` of `x.zero_()` at the end of a function that was given x would be."""
    if isinstance(statement, ast.Return):
        return True
    name = written_name(statement)
    function = enclosing(text, statement, ast.FunctionDef)
    if name is None or "." in name or function is None:
        return True
    loop = text.loop(statement)
    others = [part for part in text.parts(function, ast.stmt) if part is not statement and reads_more(part, name)]
    inside = {id(node) for node in ast.walk(loop)} if loop is not None else set()
    return any(part.lineno > statement.lineno or id(part) in inside for part in others if part is not function)


def turns_over(text: Text, statement: ast.stmt) -> bool:
    """Whether `statement` writes into the name that its loop binds anew in each turn, and nobody reads it more than to
    write into it again: a new tensor bound to it would be lost."""
    loop, name = text.loop(statement), written_name(statement)
    if not isinstance(loop, ast.For) or name not in names_in(loop.target):
        return False
    later = [part for part in text.parts(loop, ast.stmt) if part.lineno > statement.lineno]
    return not any(reads_more(part, name or "") for part in later)


def reads_more(statement: ast.stmt, name: str) -> bool:
    """Whether `statement`, or its head, reads `name`, and not only to write into it again."""
    only_writes = isinstance(statement, ast.Expr | ast.AugAssign) and written_name(statement) == name
    return not only_writes and any(loads(part, name) for part in head(statement))


def written_name(statement: ast.stmt | None) -> str | None:
    """The name of what `statement` writes into."""
    goal: ast.expr | None = None
    if isinstance(statement, ast.AugAssign):
        goal = root_name(statement.target)
    elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        goal = root_name(statement.targets[0])
    elif isinstance(statement, ast.Expr | ast.Assign | ast.Return) and isinstance(statement.value, ast.Call):
        call = statement.value
        if isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
            goal = root_name(chain_start(call.func.value))
            if isinstance(goal, ast.Name) and goal.id in ("torch", "F") and call.args:
                goal = root_name(call.args[0])
        elif call.args and keyword(call, "inplace") is not None:
            goal = root_name(call.args[0])
    return ast.unparse(goal) if isinstance(goal, ast.Name | ast.Attribute) else None


def chain_start(node: ast.expr) -> ast.expr:
    """`x` of `x.mul_(2).add_(1)`, whose calls all write into it."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
        node = node.func.value
    return node


SUMS = {"sub_": "-", "add_": "+"}


def rebuild_entries(wanted: FixContext) -> Iterator[Proposal]:
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


def join_parts(wanted: FixContext) -> Iterator[Proposal]:
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
