"""A checkpoint of the reentrant kind whose inputs ask for no gradient: what is inside gets none either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, on

WARNING = "None of the inputs have requires_grad=True"


@watcher(e.Warned, e.BackwardStarted)
class Reentrant(FirstTrouble):
    """Waits for PyTorch's warning while something is recorded, and for a step or a backward behind it."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.Warned: self.warned, e.Printed: self.showing.printed}

    def warned(self, event: e.Warned) -> None:
        if self.diagnosis is not None or not event.message.startswith(WARNING):
            return
        world, line = self.world, event.line
        text = code(world.source.text(line))
        self.tell(
            Diagnosis(
                kind="no_graph",
                title="A checkpoint that no gradient comes to",
                lines={"cut": line, "raised": None},
                story=(
                    f"{text} {on(line)} saves nothing, and runs its function again on the way back. The reentrant kind "
                    "comes to that only if one of its inputs asks for a gradient.",
                    "Here all of them are plain data, so the graph has no node for it: the parameters inside get no "
                    "gradient, and PyTorch only warns.",
                    "`use_reentrant=False` asks nothing of the inputs, and is what PyTorch advises.",
                ),
                events={"cut": world.count - 1},
                cause="reentrant_inputs",
            )
        )
