"""Before and after under one memory: `before = net.weight` copies nothing, so a step changes both at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee, names_in
from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import bare, code, on
from ..replay.states import TensorState
from ..replay.world import World

KEEPING = re.compile(r"=.*\.(?:weight|bias|data)\b")
DIFFERENCES = frozenset({"sub", "eq", "ne"})


@watcher(e.Written, e.NameBound)
class SameMemory(FirstTrouble):
    """Looks at what is compared with itself after it was written into: under a name of its own, or as its `.data`."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        nodes = world.source.nodes if KEEPING.search(world.source.whole) else []
        plain = [node for node in nodes if isinstance(node, ast.Assign) and keeps(node.value)]
        self.kept = {ast.unparse(node.targets[0]): node for node in plain}
        self.bound: dict[str, tuple[int, int]] = {}
        """By name that was to keep something the storage that it stands for, and the event that gave it the name."""
        self.written: dict[int, int] = {}
        """By storage when a step wrote into it last."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not self.kept:
            return {}
        return {
            e.NameBound: self.name_bound,
            e.Written: self.wrote,
            e.TensorMade: self.made,
            e.Printed: self.showing.printed,
        }

    def name_bound(self, event: e.NameBound) -> None:
        if event.name in self.kept and event.tensor is not None:
            self.bound[event.name] = self.world.tensors[event.tensor].storage, self.world.count - 1

    def wrote(self, event: e.Written) -> None:
        if self.world.optimizer is not None:
            self.written[event.storage] = self.world.count - 1

    def made(self, event: e.TensorMade) -> None:
        if self.diagnosis is not None or bare(event.op) not in DIFFERENCES or len(event.inputs) != 2:
            return
        one, two = (self.world.tensors[number] for number in event.inputs)
        if one.storage != two.storage or self.past_cuts(one) is not self.past_cuts(two):
            return
        said = self.world.source.statement(self.world.place.line, self.world.ends.get(self.world.place.line))
        words = names_in(said)
        for name, (storage, since) in self.bound.items():
            if name in words and storage == one.storage and self.written.get(storage, -1) > since:
                self.tell(self.told(name))
                return

    def past_cuts(self, tensor: TensorState) -> TensorState:
        """What `tensor` was cut off, all of it: `net.weight` of `net.weight.data`."""
        while bare(tensor.op) in ("data", "detach") and tensor.base is not None:
            tensor = self.world.tensors[tensor.base]
        return tensor

    def told(self, name: str) -> Diagnosis:
        world, node = self.world, self.kept[name]
        title, names = "Before and after are one memory", named(target=name)
        return Diagnosis(
            title=title,
            lines={"built": node.lineno, "raised": None},
            story=(
                f"{code(world.source.text(node.lineno))} {on(node.lineno)} copies nothing: {code(name)} shows the "
                "memory of the parameter itself.",
                f"A step has written into that since, so {code(world.source.text(world.place.line))} "
                f"{on(world.place.line)} compares the new numbers with the new numbers.",
                "`.detach().clone()` keeps the numbers as they are.",
            ),
            cause="same_memory",
            names=names,
        )


def keeps(value: ast.expr) -> bool:
    """Whether `value` is an attribute of a layer, `net.weight`, perhaps with `.data` or `.detach()`: no copy."""
    if callee(value) == "detach" and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return isinstance(value, ast.Attribute) and value.attr in ("weight", "bias", "data")
