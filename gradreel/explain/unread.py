"""Settings under names that nobody reads: `p.require_grad = False` makes an attribute and no difference."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from .calls import callee
from .optimizers import optimizers
from .source import nodes_of

FLAG, GRADIENT, GROUPS = "requires_grad", "grad", "param_groups"

OTHERWISE = {
    **dict.fromkeys(("trainable", "is_trainable", "frozen_grad"), FLAG),
    **dict.fromkeys(("grads", "gradient", "gradients"), GRADIENT),
}
"""What other libraries, or people, call it."""

IN_GROUPS = {"lr": "lr", "learning_rate": "lr", "momentum": "momentum", "weight_decay": "weight_decay"}
"""What an optimizer keeps for each group of its parameters, by what it is called when it is set on the optimizer."""


@dataclass(frozen=True, slots=True)
class Unread:
    """`owner.attribute = value` on `line`, where `meant` is what would be read."""

    line: int
    owner: str
    attribute: str
    meant: str
    value: ast.expr

    @property
    def flag(self) -> bool | None:
        """What the flag is to be, if it is said in so many words."""
        plain = self.value.value if isinstance(self.value, ast.Constant) else None
        return bool(plain) if isinstance(plain, bool | int) else None


def unread(tree: ast.AST) -> Iterator[Unread]:
    """The settings that `tree` makes and nothing in it reads."""
    nodes = nodes_of(tree)
    if not any(map(may_be_unread, nodes)):
        return
    attributes = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)]
    read, paths = {node.attr for node in attributes}, {ast.unparse(node) for node in attributes}
    read |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    read |= {
        part.value
        for node in nodes
        if callee(node) in ("getattr", "hasattr", "setattr")
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }
    own = optimizers(tree)
    for node in nodes:
        goal = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(goal, ast.Attribute) or ast.unparse(goal) in paths:
            continue
        owner, attribute = ast.unparse(goal.value), goal.attr
        if owner in own:
            meant = GROUPS if attribute in IN_GROUPS else None
        elif attribute == FLAG:
            meant = FLAG
        else:
            meant = None if attribute in read else near(attribute)
        if meant is not None:
            yield Unread(node.lineno, owner, attribute, meant, node.value)


def may_be_unread(node: ast.AST) -> bool:
    """Whether `node` sets an attribute of such a name, on whatever it be."""
    goal = node.targets[0] if isinstance(node, ast.Assign) else None
    if not isinstance(goal, ast.Attribute):
        return False
    return goal.attr == FLAG or goal.attr in IN_GROUPS or near(goal.attr) is not None


def near(attribute: str) -> str | None:
    """What of a tensor is meant by `attribute`, which is no attribute of it."""
    if attribute in OTHERWISE:
        return OTHERWISE[attribute]
    alike = difflib.SequenceMatcher(None, attribute.lower(), FLAG).ratio()
    return FLAG if attribute != FLAG and alike >= 0.8 else None
