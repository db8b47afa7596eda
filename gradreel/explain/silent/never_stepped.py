"""A training loop in which the optimizer empties gradients and never takes a step."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee
from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, on
from ..optimizers import makings, optimizers
from ..replay.world import World

EMPTIED = re.compile(r"([\w.]+)\.zero_grad\(")
SCHEDULES = re.compile(r"LR$|lr_scheduler|Plateau$")
TURNS = 2
"""So many backwards in one loop there must be at least: a single one may be all that was to be seen."""


@watcher(e.GradStored, e.GradStored)
class NeverStepped(FirstTrouble):
    """Counts the backwards in each loop of a program that makes an optimizer, empties it, and never steps with it."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.idle = never_asked(world)
        self.backwards: dict[tuple[int, int], int] = {}
        """By line and run of a loop how many backwards there were in it."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if self.idle is None or any(isinstance(event, e.OptimizerStepped) for event in self.world.trace.events):
            return {}
        return {e.BackwardFinished: self.finished, e.Written: self.written, e.Printed: self.showing.printed}

    def written(self, event: e.Written) -> None:
        """A step by hand is one, too."""
        if self.world.tensors[event.tensor].grad is not None or not event.counted:
            self.idle = self.diagnosis = None

    def finished(self, event: e.BackwardFinished) -> None:
        call = self.world.calls[event.call]
        if self.idle is None or call.called != "backward" or not call.place.turns or self.diagnosis is not None:
            return
        turn = call.place.turns[-1]
        count = self.backwards[turn.line, turn.run] = self.backwards.get((turn.line, turn.run), 0) + 1
        if count >= TURNS:
            self.tell(self.told(self.idle, call.place.line, call.started))

    def told(self, name: str, line: int, event: int) -> Diagnosis:
        title, names = "An optimizer that never takes a step", named(target=name)
        return Diagnosis(
            title=title,
            lines={"built": line, "raised": None},
            story=(
                f"{code(self.world.source.text(line))} {on(line)} brings gradients in every turn, and no line asks "
                f"{code(name)} to take a step with them: no parameter changes.",
                f"{code(name + '.step()')} belongs behind the backward.",
            ),
            events={"built": event},
            cause="never_stepped",
            names=names,
        )


def never_asked(world: World) -> str | None:
    """The one optimizer of the program, if it empties gradients and nothing asks it for a step, or is given it but for
    a schedule of its rate."""
    tree, text = world.source.tree, world.source.whole
    if all(f"{name}.step(" in text for name in EMPTIED.findall(text)):
        return None
    names = optimizers(tree)
    if len(names) != 1 or len(makings(tree)) != 1:
        return None
    (name,) = names
    emptied = False
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        given = {ast.unparse(part) for part in (*call.args, *(word.value for word in call.keywords))}
        if name in given and not SCHEDULES.search(ast.unparse(call.func)):
            return None
        if owner == name and callee(call) != "zero_grad":
            return None
        emptied |= owner == name
    return name if emptied else None
