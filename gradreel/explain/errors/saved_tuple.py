"""What a Function had saved comes back as a tuple, however many tensors there are: one name then stands for all."""

from __future__ import annotations

import ast

from ..diagnosis import Diagnosis, Failure, named, on
from ..mentions import begun, statement
from ..words import code
from ..world.world import World


def saved_tuple(world: World, failure: Failure) -> Diagnosis | None:
    """`x = ctx.saved_tensors`, and the line computes with `x` as with a tensor."""
    if failure.raised.type not in ("TypeError", "AttributeError"):
        return None
    try:
        here = ast.parse(statement(world, failure).strip())
    except SyntaxError:
        return None
    used = {node.id for node in ast.walk(here) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    taken = [node for node in ast.walk(world.source.tree) if isinstance(node, ast.Assign) and of_context(node)]
    found = next((node for node in taken if ast.unparse(node.targets[0]) in used), None)
    if found is None or not 0 <= failure.raised.line - found.lineno < 40:
        return None
    name = ast.unparse(found.targets[0])
    lines: dict[str, int | None] = {"built": found.lineno, "raised": failure.raised.line}
    story = (
        f"{begun(world, failure)} computes with {code(name)} as with a tensor, and it is a tuple.",
        f"`saved_tensors`, read {on(found.lineno)}, gives all that was saved as a tuple, be it one tensor alone: "
        f"{code(f'{name}, = ' + ast.unparse(found.value))} takes it out.",
    )
    title = "What was saved comes as a tuple"
    events = {"raised": failure.number}
    return Diagnosis(
        "other", title, failure.raised.message, lines, story, (), events, "saved_tuple", named(target=name)
    )


def of_context(node: ast.Assign) -> bool:
    """Whether one name gets all that a Function saved."""
    value = node.value
    return isinstance(node.targets[0], ast.Name) and isinstance(value, ast.Attribute) and value.attr == "saved_tensors"
