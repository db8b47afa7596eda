"""Hooks that are registered anew in every turn and never removed: in turn ten, ten of them run."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee
from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, on
from ..replay.world import World
from ..source import is_simple

CALLS = 4
"""In so many backwards there must be once, twice, three times as many."""


@watcher(e.HookRan, e.BackwardStarted)
class HooksPile(FirstTrouble):
    """In each backward: how often hooks of a leaf ran, and how often a registered function did at one node; a module
    that is called more often has more nodes."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.registering = find_registrations(world.source.tree)
        self.names = {name for _, name in self.registering}
        self.now: Counter[tuple[str, object]] = Counter()
        self.at_node: Counter[str] = Counter()
        self.before: list[Counter[tuple[str, object]]] = []
        self.reached: dict[int, int] = {}

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not self.registering:
            return {}
        return {
            e.BackwardFinished: self.finished,
            e.NodeRan: self.node,
            e.HookRan: self.ran,
            e.FunctionEntered: self.entered,
            e.LineReached: self.line,
            e.Printed: self.showing.printed,
        }

    def line(self, event: e.LineReached) -> None:
        self.reached.setdefault(event.line, self.world.count - 1)

    def ran(self, event: e.HookRan) -> None:
        if event.hook == "tensor" and event.tensor is not None and self.world.tensors[event.tensor].node is None:
            self.now["leaf", event.tensor] += 1

    def node(self, event: e.NodeRan) -> None:
        self.at_node.clear()

    def entered(self, event: e.FunctionEntered) -> None:
        name = event.function
        if self.world.open_calls and name in self.names:
            self.at_node[name] += 1
            self.now["function", name] = max(self.now["function", name], self.at_node[name])

    def finished(self, event: e.BackwardFinished) -> None:
        if self.world.open_calls or self.diagnosis is not None:
            return
        self.before.append(self.now)
        self.now = Counter()
        if len(self.before) == CALLS:
            first = self.before[0]
            for key, once in first.items():
                if [count[key] for count in self.before] == [once * (at + 1) for at in range(CALLS)]:
                    self.tell(self.told(key, once))
                    return

    def told(self, key: tuple[str, object], once: int) -> Diagnosis:
        world = self.world
        line = next((line for line, name in self.registering if key[0] == "leaf" or name == key[1]))
        text = code(world.source.text(line))
        return Diagnosis(
            title="Hooks that pile up",
            lines={"built": line, "raised": None},
            story=(
                f"{text} {on(line)} registers a hook each time that it is reached, and nobody removes the one before.",
                f"In the first backward hooks ran {once} times there, in the fourth {CALLS * once} times. What a hook "
                "does to a gradient is done again and again, or written down again and again.",
                "A hook is registered once, before the loop, or removed after its backward by the handle that "
                "registering gives.",
            ),
            events={"built": self.reached.get(line, world.count - 1), "seen": world.count - 1},
            cause="hooks_pile",
            names=named(target=text),
        )


def find_registrations(tree: ast.AST) -> list[tuple[int, str]]:
    """The lines that register a hook in a loop, or in a function, and what they register."""
    found = []
    for home in ast.walk(tree):
        if not isinstance(home, ast.For | ast.While | ast.FunctionDef) or getattr(home, "name", "") == "__init__":
            continue
        for part in [node for node in ast.walk(home) if is_simple(node)]:
            for call in [node for node in ast.walk(part) if isinstance(node, ast.Call)]:
                if callee(call).startswith("register_") and callee(call).endswith("hook") and call.args:
                    hook = call.args[0]
                    name = "<lambda>" if isinstance(hook, ast.Lambda) else ast.unparse(hook).rpartition(".")[2]
                    found.append((part.lineno, name))
    return found
