"""What a program compares with what it computed once before: targets, and chances that are divided by old ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee
from ..diagnostics.diagnosis import Diagnosis
from .edits import loads, stack_statements
from .proposal import FixContext
from .text import Text, read, targets

NAMES = re.compile(r"(?:^|_)(?:old|prev|previous|targets?|teacher|ref|reference|frozen|fixed|behaviou?r|gt)(?:_|\d*$)")
LOSSES = re.compile(r"loss|criterion|cost|mse|l1|kl_div|huber|entropy|distance|similarity", re.IGNORECASE)


def is_ratio(text: Text, uses: list[ast.expr]) -> bool:
    """Whether chances are divided by it: with its graph, the gradient of such a ratio begins at nothing."""
    return all(is_divisor(text, use) for use in uses)


def of_ratio(code: str, found: Diagnosis) -> bool:
    """Whether the old graph was that of what chances are divided by."""
    try:
        text = read(code)
    except (SyntaxError, ValueError):
        return False
    return any(is_ratio(text, uses) for _, uses in references(FixContext(text, found)))


def references(wanted: FixContext) -> Iterator[tuple[str, list[ast.expr]]]:
    """What was made once, before the loop, to be compared with, and where the loop reads it."""
    text = wanted.text
    for goal in stack_statements(wanted, "raised"):
        loop = text.loop(goal)
        for name in made_before(wanted, loop) if loop is not None else ():
            uses = [use for statement in loop.body for use in loads(statement, name)] if loop is not None else []
            if uses and compared_with(text, name, uses):
                yield name, uses


def made_before(wanted: FixContext, loop: ast.stmt) -> list[str]:
    """The names through which `loop` may reach what was built before it."""
    border = wanted.name("border")
    built = wanted.beside("built", loop)
    before = built is not None and built.lineno < loop.lineno
    return [*([border] if border else []), *(sorted(targets(built)) if built is not None and before else [])]


def compared_with(text: Text, name: str, uses: list[ast.expr]) -> bool:
    """Whether its name says so, or every use of it does: a loss's second argument, `old` of `exp(new - old)`."""
    last = re.split(r"[.\[]", name)[-1].strip("'\"]").lower()
    return bool(NAMES.search(last)) or all(is_target(text, use) or is_divisor(text, use) for use in uses)


def is_target(text: Text, use: ast.expr) -> bool:
    """Whether `use` stands second among the arguments of a loss, or under the name of a target."""
    outer = text.parents.get(use)
    if isinstance(outer, ast.keyword):
        return outer.arg in ("target", "targets")
    if not isinstance(outer, ast.Call) or not LOSSES.search(text.get(outer.func).rpartition(".")[2]):
        return False
    return len(outer.args) > 1 and outer.args[1] is use


def is_divisor(text: Text, use: ast.expr) -> bool:
    """Whether `use` is what a ratio of chances is taken by: `torch.exp(new - use)`, `(new - use).exp()`."""
    outer = text.parents.get(use)
    if not isinstance(outer, ast.BinOp) or outer.right is not use or not isinstance(outer.op, ast.Sub):
        return False
    around = text.parents.get(outer)
    call = text.parents.get(around) if isinstance(around, ast.Attribute) else around
    if isinstance(call, ast.Call) and callee(call) == "exp":
        return True
    names = targets(around) if isinstance(around, ast.Assign) else set()
    return any(part.id in names for other in text.calls(text.tree, "exp") for part in text.parts(other, ast.Name))
