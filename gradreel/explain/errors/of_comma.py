"""A comma at the end of a line makes a tuple of one: `loss = criterion(out, y),`."""

from __future__ import annotations

import ast

from ..calls import parsed
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import begun, statement
from ..diagnostics.registry import rule
from ..narration.words import code, on
from ..replay.world import World


@rule
def of_comma(world: World, failure: Failure) -> Diagnosis | None:
    """Told where what raised speaks of a name that got such a tuple."""
    if failure.raised.type not in ("TypeError", "AttributeError"):
        return None
    here = parsed(statement(world, failure).strip())
    if here is None:
        return None
    read = {ast.unparse(node) for node in ast.walk(here) if isinstance(node, ast.Name | ast.Attribute)}
    found = next((node for node in commas(world.source.tree) if kept_as(node) in read), None)
    if found is None:
        return None
    name, text = kept_as(found), world.source.text(found.lineno, found.end_lineno)
    title, names = "A comma made a tuple", named(target=name)
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines={"built": found.lineno, "raised": failure.raised.line},
        story=(
            f"{begun(world, failure)} takes {code(name)} for one thing, and it is a tuple that has one thing in it.",
            f"{code(text)} {on(found.lineno)} ends with a comma, and a comma makes a tuple, with brackets or without.",
        ),
        events={"raised": failure.number},
        cause="comma",
        names=names,
    )


def commas(tree: ast.AST) -> list[ast.Assign]:
    """The assignments whose value is a tuple by its comma alone, which no bracket begins."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Tuple)
        and len(node.value.elts) == 1
        and place(node.value) == place(node.value.elts[0])
    ]


def place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def kept_as(node: ast.Assign) -> str:
    return ast.unparse(node.targets[0])
