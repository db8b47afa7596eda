"""What a Function had saved comes back as a tuple, however many tensors there are: one name then stands for all."""

from __future__ import annotations

import ast

from ..calls import callee, parsed
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import begun, statement
from ..diagnostics.registry import rule
from ..narration.words import code, listed, on
from ..replay.world import World


@rule
def saved_tuple(world: World, failure: Failure) -> Diagnosis | None:
    """`x = ctx.saved_tensors`, and the line computes with `x` as with a tensor."""
    if failure.raised.type not in ("TypeError", "AttributeError"):
        return None
    here = parsed(statement(world, failure).strip())
    if here is None:
        return None
    used = {node.id for node in ast.walk(here) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    taken = [node for node in world.source.nodes if isinstance(node, ast.Assign) and of_context(node)]
    found = next((node for node in taken if ast.unparse(node.targets[0]) in used), None)
    if found is None or not 0 <= failure.raised.line - found.lineno < 40:
        return None
    name = ast.unparse(found.targets[0])
    lines: dict[str, int | None] = {"built": found.lineno, "raised": failure.raised.line}
    several = saved_beside(world, found)
    way = f"be it one tensor alone: {code(f'{name}, = ' + ast.unparse(found.value))} takes it out."
    if several:
        way = f"here {listed(map(code, several))}: {code(', '.join(several) + ' = …')} takes them out."
    return Diagnosis(
        title="What was saved comes as a tuple",
        message=failure.raised.message,
        lines=lines,
        story=(
            f"{begun(world, failure)} computes with {code(name)} as with a tensor, and it is a tuple.",
            f"`saved_tensors`, read {on(found.lineno)}, gives all that was saved as a tuple, {way}",
        ),
        events={"raised": failure.number},
        cause="saved_tuple",
        names=named(target=name),
    )


def saved_beside(world: World, found: ast.Assign) -> list[str]:
    """What the Function that `found` stands in saved, if it is more than one tensor."""
    homes = [node for node in world.source.nodes if isinstance(node, ast.ClassDef)]
    home = next((node for node in homes if any(part is found for part in ast.walk(node))), None)
    calls = [node for node in ast.walk(home) if isinstance(node, ast.Call)] if home is not None else []
    saving = next((call for call in calls if callee(call) == "save_for_backward" and len(call.args) > 1), None)
    return [ast.unparse(part) for part in saving.args] if saving is not None else []


def of_context(node: ast.Assign) -> bool:
    """Whether one name gets all that a Function saved."""
    value = node.value
    return isinstance(node.targets[0], ast.Name) and isinstance(value, ast.Attribute) and value.attr == "saved_tensors"
