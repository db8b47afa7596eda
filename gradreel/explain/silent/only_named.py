"""A method that is named and not called: `opt.step` without brackets does nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..narration.words import code, on
from ..replay.world import World

METHODS = frozenset({"step", "zero_grad", "backward", "train", "eval"})


@watcher(e.LineReached)
class OnlyNamed:
    """Looks for a statement that only names such a method, and sees whether it is reached."""

    def __init__(self, world: World) -> None:
        self.world = world
        nodes = [node for node in world.source.nodes if isinstance(node, ast.Expr)]
        self.statements = {node.lineno: ast.unparse(part) for node in nodes if (part := only_named(node)) is not None}
        self.reached: tuple[int, int] | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.LineReached: self.line} if self.statements else {}

    def line(self, event: e.LineReached) -> None:
        if self.reached is None and event.line in self.statements:
            self.reached = event.line, self.world.count - 1

    def found(self) -> list[Diagnosis]:
        if self.reached is None:
            return []
        line, number = self.reached
        text = self.statements[line]
        return [
            Diagnosis(
                title="A method that was not called",
                lines={"built": line, "raised": None},
                story=(
                    f"{code(text)} {on(line)} names a method and does not call it, so nothing happens there.",
                    f"Brackets call it: {code(text + '()')}.",
                ),
                events={"built": number},
                cause="only_named",
                names=named(target=text),
            )
        ]


def only_named(node: ast.Expr) -> ast.Attribute | None:
    """The method that a statement names and does not call: `opt.zero_grad`, `[o.zero_grad for o in opts]`."""
    value = node.value
    part = value.elt if isinstance(value, ast.ListComp | ast.GeneratorExp | ast.SetComp) else value
    return part if isinstance(part, ast.Attribute) and part.attr in METHODS else None
