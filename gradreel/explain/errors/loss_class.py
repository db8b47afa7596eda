"""A name that stands for the class of a loss, `criterion = nn.MSELoss`, where a loss made of it is to be called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import calls_in
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import begun, statement
from ..diagnostics.registry import rule
from ..narration.words import code, on
from ..replay.world import World


@rule
def loss_class(world: World, failure: Failure) -> Diagnosis | None:
    """The line gives scores and targets to what was never made."""
    if "Boolean value of Tensor" not in failure.raised.message:
        return None
    asked = {ast.unparse(call.func) for call in calls_in(statement(world, failure))}
    kept = next((node for node in classes_kept(world.source.tree) if ast.unparse(node.targets[0]) in asked), None)
    if kept is None:
        return None
    name, loss = ast.unparse(kept.targets[0]), ast.unparse(kept.value)
    return Diagnosis(
        title="A loss is made first, and called then",
        message=failure.raised.message,
        lines={"built": kept.lineno, "raised": failure.raised.line},
        story=(
            f"{begun(world, failure)} calls {code(name)}, which {on(kept.lineno)} became the class {code(loss)}, "
            "not a loss made of it. A class takes settings, and asks whether they are true or false.",
            f"Brackets make a loss, {code(loss + '()')}, and that takes scores and targets.",
        ),
        events={"raised": failure.number},
        cause="loss_class",
        names=named(target=name),
    )


def classes_kept(tree: ast.AST) -> Iterator[ast.Assign]:
    """Where a name is given to a class of losses: `self.criterion = nn.CrossEntropyLoss`."""
    made = (node for node in ast.walk(tree) if isinstance(node, ast.Assign))
    return (node for node in made if is_name(node.value) and ast.unparse(node.value).endswith("Loss"))


def is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)
