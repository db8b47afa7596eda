"""Mends for choices that vmap cannot make: both ways are computed, and `torch.where` takes one for each example."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import enclosing, enumerated, grouped
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text

BOTH = "both ways are computed for every example"


@fix(truth_of_many=4, vmap_choice=2)
def where_taken(wanted: Wanted) -> Iterator[Proposal]:
    """`if c: return a` and `return b` become `return torch.where(c, a, b)`; assignments and `a if c else b` alike."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    for node in ast.walk(raised):
        if isinstance(node, ast.IfExp):
            made = chosen(text, node.test, text.get(node.body), text.get(node.orelse))
            yield wanted.proposal(f"torch.where on line {node.lineno}", BOTH, text.replaced(node, made))
    if not isinstance(raised, ast.If) or len(raised.body) != 1:
        return
    title = f"torch.where instead of if, on line {raised.lineno}"
    first, block = raised.body[0], text.block(raised)
    after = block[block.index(raised) + 1] if raised is not block[-1] else None
    other = raised.orelse[0] if len(raised.orelse) == 1 else after if not raised.orelse else None
    if isinstance(first, ast.Return) and isinstance(other, ast.Return) and first.value and other.value:
        made = f"return {chosen(text, raised.test, text.get(first.value), text.get(other.value))}"
        gone = [text.removed(other)] if other is after else []
        yield wanted.proposal(title, BOTH, text.replaced(raised, made), *gone)
        return
    one = assigned(text, first)
    two = assigned(text, raised.orelse[0]) if len(raised.orelse) == 1 else None
    if one is not None and (two is not None or not raised.orelse):
        name, value = one
        rest = two[1] if two is not None and two[0] == name else name if not raised.orelse else None
        if rest is not None:
            made = f"{name} = {chosen(text, raised.test, value, rest)}"
            yield wanted.proposal(title, BOTH, text.replaced(raised, made))


def assigned(text: Text, statement: ast.stmt) -> tuple[str, str] | None:
    """The name that gets a value, and the value: `x + 1` for `x += 1`, too."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return text.get(statement.targets[0]), text.get(statement.value)
    if isinstance(statement, ast.AugAssign):
        whole = ast.BinOp(ast.Name(ast.unparse(statement.target)), statement.op, statement.value)
        return text.get(statement.target), ast.unparse(whole)
    return None


def chosen(text: Text, test: ast.expr, one: str, two: str) -> str:
    return f"torch.where({of_entries(text, test)}, {one}, {two})"


def of_entries(text: Text, test: ast.expr) -> str:
    """A condition entry by entry: `and` becomes `&`, `a < b < c` becomes `(a < b) & (b < c)`."""
    if isinstance(test, ast.BoolOp):
        sign = " & " if isinstance(test.op, ast.And) else " | "
        return sign.join(f"({of_entries(text, part)})" for part in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return f"~({of_entries(text, test.operand)})"
    if isinstance(test, ast.Compare) and len(test.ops) > 1:
        sides = [test.left, *test.comparators]
        pairs = [
            ast.unparse(ast.Compare(left, [sign], [right]))
            for left, sign, right in zip(sides, test.ops, sides[1:], strict=False)
        ]
        return " & ".join(f"({pair})" for pair in pairs)
    return text.get(test) if isinstance(test, ast.Compare) else f"{grouped(text, test)} != 0"


@fix(vmap_choice=1, vmap_item=1)
def turns_counted(wanted: Wanted) -> Iterator[Proposal]:
    """`while x.item() > c: x = x - p` takes as many `p` away at once as it takes: `p * torch.ceil((x - c) / p)`."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    made = [(loop, stepped_at_once(text, loop)) for loop in text.parts(home, ast.While)] if home is not None else []
    if raised not in [loop for loop, one in made if one is not None]:
        return
    edits = [text.replaced(loop, one) for loop, one in made if one is not None]
    lines = [str(loop.lineno) for loop, one in made if one is not None]
    title = f"count the turns instead of making them, on line{'s'[: len(lines) > 1]} {enumerated(lines)}"
    yield wanted.proposal(title, "the number of turns is computed for every example", *edits)


def stepped_at_once(text: Text, loop: ast.While) -> str | None:
    """What `loop` does to the number that it moves by steps of one size up to a limit."""
    test, step = loop.test, loop.body[0]
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or len(loop.body) != 1 or loop.orelse:
        return None
    left, limit = test.left, grouped(text, test.comparators[0])
    if isinstance(left, ast.Call) and callee(left) == "item" and isinstance(left.func, ast.Attribute):
        left = left.func.value
    name, down = text.get(left), isinstance(test.ops[0], ast.Gt | ast.GtE)
    if isinstance(step, ast.AugAssign):
        goal, sign, size = step.target, step.op, step.value
    elif isinstance(step, ast.Assign) and isinstance(step.value, ast.BinOp) and text.get(step.value.left) == name:
        goal, sign, size = step.targets[0], step.value.op, step.value.right  # type: ignore[assignment]
    else:
        return None
    if text.get(goal) != name or not isinstance(sign, ast.Sub if down else ast.Add):
        return None
    if not down and not isinstance(test.ops[0], ast.Lt | ast.LtE):
        return None
    shown = grouped(text, size)
    way = f"{name}.detach() - {limit}" if down else f"{limit} - {name}.detach()"
    turns = f"torch.ceil(({way}) / {shown})"
    if isinstance(test.ops[0], ast.GtE | ast.LtE):
        turns = f"(torch.floor(({way}) / {shown}) + 1)"
    return f"{name} = {name} {'-' if down else '+'} {shown} * {turns}.clamp(min=0)"


@fix(truth_of_many=1, vmap_choice=3)
def larger_or_smaller(wanted: Wanted) -> Iterator[Proposal]:
    """`max(a, b)` and `min(a, b)` of Python have names of their own in torch."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "max", "min"):
        if isinstance(call.func, ast.Name) and len(call.args) == 2:
            one, two = (
                f"torch.tensor({text.get(arg)})" if isinstance(arg, ast.Constant) else text.get(arg)
                for arg in call.args
            )
            made = f"torch.{call.func.id}imum({one}, {two})"
            yield wanted.proposal(f"{made} on line {call.lineno}", "costs nothing", text.replaced(call, made))


@fix(vmap_choice=4)
def one_by_one(wanted: Wanted) -> Iterator[Proposal]:
    """The examples go through one after another, each its own way."""
    text = wanted.text
    for call in ast.walk(text.tree):
        if not isinstance(call, ast.Call) or callee(call.func) != "vmap" or call.keywords or not call.args:
            continue
        inner = call.func
        if not isinstance(inner, ast.Call) or len(inner.args) != 1 or inner.keywords:
            continue
        function = grouped(text, inner.args[0])
        given = [text.get(arg) for arg in call.args]
        each = f"{function}(one) for one in {given[0]}"
        if len(given) > 1:
            each = f"{function}(*one) for one in zip({', '.join(given)})"
        title = f"one example after another, without vmap, on line {call.lineno}"
        yield wanted.makeshift(title, "slower: a run for each example", text.replaced(call, f"torch.stack([{each}])"))
