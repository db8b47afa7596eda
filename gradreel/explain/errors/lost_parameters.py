"""An optimizer without parameters: they were made, and what a module keeps is a result of them, or a plain tensor."""

from __future__ import annotations

import ast

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import shown
from ..diagnostics.registry import rule
from ..narration.words import code, on
from ..replay.world import World
from ..source import nodes_of

EMPTY = "optimizer got an empty parameter list"


@rule
def parameter_lost(world: World, failure: Failure) -> Diagnosis | None:
    if EMPTY not in failure.raised.message:
        return None
    found = lost_parameters(world.source.tree)
    if not found:
        return None
    statement, line = found[0], failure.raised.line
    name = ast.unparse(statement.targets[0])
    if made_last(statement):
        what = f"{code(name)}, set {on(statement.lineno)}, is a plain tensor: a module lists what is an `nn.Parameter`."
    else:
        what = (
            f"{code(name)}, set {on(statement.lineno)}, is computed from an `nn.Parameter`: a result, which is none, "
            "and the Parameter itself has no name left."
        )
    title, message = "A parameter that its module does not have", failure.raised.message
    return Diagnosis(
        title=title,
        message=message,
        lines={"built": statement.lineno, "raised": line},
        story=(
            f"{code(shown(world, failure))} {on(line)} finds nothing to optimize.",
            what,
            "Compute first and make it a Parameter last, or keep the Parameter and compute in forward.",
        ),
        events={"raised": failure.number},
        cause="parameter_lost",
        names=named(target=name),
    )


def lost_parameters(tree: ast.AST) -> list[ast.Assign]:
    """Where a method sets an attribute to something computed from a Parameter, or to a plain tensor that learns."""
    return [
        node
        for kind in nodes_of(tree)
        if isinstance(kind, ast.ClassDef)
        for node in ast.walk(kind)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Attribute)
        and ast.unparse(node.targets[0].value) == "self"
        and (computed_from_parameter(node.value) or made_last(node))
    ]


def computed_from_parameter(value: ast.expr) -> bool:
    """Whether a Parameter is made within `value`, and something computed from it: `nn.Parameter(w).t()`."""
    if is_parameter(value) or isinstance(value, ast.List | ast.Tuple | ast.Dict | ast.ListComp | ast.DictComp):
        return False
    inner = [part for part in ast.walk(value) if is_parameter(part)]
    lists = [part for part in ast.walk(value) if isinstance(part, ast.Call) and "List" in ast.unparse(part.func)]
    return bool(inner) and not lists


def is_parameter(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Parameter"


def made_last(statement: ast.Assign) -> bool:
    """Whether it is a tensor that was asked for a gradient, and made no Parameter."""
    value = statement.value
    if not isinstance(value, ast.Call) or any(is_parameter(part) for part in ast.walk(value)):
        return False
    asked = any(word.arg == "requires_grad" and ast.unparse(word.value) == "True" for word in value.keywords)
    return asked or ast.unparse(value.func).endswith(".requires_grad_")
