"""`F.dropout(x, 0.5)` goes on dropping after `eval()`: the function knows of no module, and of no mode."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee, keyword
from ..diagnostics.diagnosis import Diagnosis
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, on
from ..replay.world import World


@watcher(e.LineReached)
class Dropping(FirstTrouble):
    """Whether such a call is reached after a module was told to evaluate, and not to train again."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        source = world.source
        calls = [node for node in source.nodes if isinstance(node, ast.Call)] if "dropout(" in source.whole else []
        self.drops = {call.lineno: call for call in calls if is_drop(call)}
        self.modes = {call.lineno: mode for call in calls if (mode := mode_of(call)) is not None}
        self.since: int | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not self.drops or "eval" not in self.modes.values():
            return {}
        return {e.LineReached: self.line, e.Printed: self.showing.printed}

    def line(self, event: e.LineReached) -> None:
        mode = self.modes.get(event.line)
        if mode is not None:
            self.since = event.line if mode == "eval" else None
        elif event.line in self.drops and self.since is not None and self.diagnosis is None:
            self.tell(self.told(self.drops[event.line], self.since))

    def told(self, call: ast.Call, since: int) -> Diagnosis:
        line = call.lineno
        return Diagnosis(
            title="Dropout that goes on",
            lines={"built": line, "changed": since, "raised": None},
            story=(
                f"{code(self.world.source.text(since))} {on(since)} says that the model is not trained any more, and "
                f"{code(ast.unparse(call))} {on(line)} drops entries all the same.",
                "The function drops unless it is told `training=False`; only `nn.Dropout`, a module, knows the mode.",
            ),
            events={"built": self.world.count - 1},
            cause="dropping",
        )


def is_drop(call: ast.Call) -> bool:
    """Whether `call` is `F.dropout` and its kin without a word on training."""
    owner = ast.unparse(call.func).rpartition(".")[0]
    of_functions = owner in ("F", "functional", "nn.functional", "torch.nn.functional")
    return (
        of_functions and callee(call).endswith("dropout") and keyword(call, "training") is None and len(call.args) < 3
    )


def mode_of(call: ast.Call) -> str | None:
    """`eval` or `train`, if `call` switches the mode of a module."""
    name = callee(call)
    if name not in ("eval", "train") or not isinstance(call.func, ast.Attribute):
        return None
    off = name == "train" and call.args and isinstance(call.args[0], ast.Constant) and not call.args[0].value
    return "eval" if name == "eval" or off else "train"
