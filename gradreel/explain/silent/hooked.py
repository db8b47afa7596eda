"""A hook that changed a gradient in place: others who look at the same memory see the change, too."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..narration.words import called, code, on
from ..replay.states import NodeState
from ..replay.world import World
from .piled import from_gradient

GRADIENT_NAME = re.compile(r"(?i)g$|d?grads?\b|gradient|\w*_grad$")
"""How an argument is called by somebody who takes it for a gradient."""


@watcher(e.HookRan, e.Written)
class Hooked:
    """Follows what is written between a node's being ready and its hook's end."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.entered: list[tuple[int, int]] = []
        """Functions that the engine called: scope, and with how many calls open."""
        self.given: dict[int, str] = {}
        """Gradients that such a function was given, and their names."""
        self.writes: list[tuple[int, int, str]] = []
        self.latest: dict[int, e.Written] = {}
        """The last write into each of them."""
        self.from_gradient = False
        """Whether one of the writes was computed from the gradient of what it went into."""
        self.waiting: dict[tuple[int, int, int], e.GradAdded] = {}
        """The gradients that nodes wait with, by call, node and which of its inputs: as each last arrived."""
        self.returned: tuple[e.HookRan, tuple[int, int, str]] | None = None
        """A hook that gave back the very gradient that it wrote into, and the write."""
        self.diagnosis: Diagnosis | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.FunctionEntered: self.enter,
            e.NameBound: self.bound,
            e.Written: self.written,
            e.HookRan: self.ran,
            e.GradAdded: self.added,
            e.NodeStarted: self.started,
        }

    def added(self, event: e.GradAdded) -> None:
        self.waiting[event.call, event.node, event.input_nr] = event

    def started(self, event: e.NodeStarted) -> None:
        """Another node that starts with what the hook made of a gradient, though something else had come to it."""
        for place, grad in enumerate(event.grads):
            came = self.waiting.pop((event.call, event.node, place), None)
            if came is None or self.returned is None or self.diagnosis is not None:
                continue
            ran, write = self.returned
            if event.node != ran.node and alike(grad, ran.after) and not alike(grad, came.after):
                self.diagnosis = self.told(ran, write, self.world.nodes[event.node])

    def enter(self, event: e.FunctionEntered) -> None:
        if self.world.open_calls:
            self.entered.append((event.scope, len(self.world.open_calls)))
            self.given.clear()
            self.writes.clear()
            self.latest.clear()
            self.from_gradient = False

    def bound(self, event: e.NameBound) -> None:
        if not self.entered or event.scope != self.entered[-1][0] or event.tensor is None:
            return
        if self.world.place.frames and self.world.place.frames[-1].scope == event.scope:
            return  # a name that the function gave itself; its arguments come before its first line
        self.given[event.tensor] = event.name

    def written(self, event: e.Written) -> None:
        if event.tensor in self.given and self.world.open_calls:
            self.latest[event.tensor] = event
            self.from_gradient |= from_gradient(self.world, event.inputs, event.tensor)
            self.writes.append((self.world.count - 1, self.world.place.line, self.given[event.tensor]))

    def ran(self, event: e.HookRan) -> None:
        """A hook that writes and returns nothing says one thing and does another; returning what it wrote is a fault
        only if others look at the same memory, which shows later."""
        if event.node is not None:
            self.waiting = {key: came for key, came in self.waiting.items() if key[1] != event.node}
        if event.hook == "post_accumulate" and self.diagnosis is None and event.tensor is not None:
            self.diagnosis = self.of_parameter(event.tensor)
        if self.writes and event.hook in ("tensor", "pre", "post") and self.diagnosis is None:
            if event.after is None:
                self.diagnosis = self.told(event, self.writes[0], None)
            else:
                self.returned = event, self.writes[0]
        self.given.clear()
        self.writes.clear()
        self.latest.clear()
        self.from_gradient = False

    def of_parameter(self, tensor: int) -> Diagnosis | None:
        """A hook behind accumulation is given the parameter, whose `.grad` it may change: this one scaled the former.

        Writes that use the gradient are steps of an optimizer of its own; clamping and masking are about weights.
        """
        write, world = self.latest.get(tensor), self.world
        if write is None or self.from_gradient:
            return None
        number, line, name = next(one for one in self.writes if one[2] == self.given[tensor])
        scaled = write.op.partition(".")[0] in ("mul", "div") and not any(
            world.tensors[source].shape for source in write.inputs if source in world.tensors and source != tensor
        )
        if not scaled and not GRADIENT_NAME.match(name):
            return None
        owner = called(world, tensor)
        title, names = "A hook that changes the parameter instead of its gradient", named(target=name)
        return Diagnosis(
            title=title,
            lines={"changed": line, "raised": None, "shows": line},
            story=(
                f"`register_post_accumulate_grad_hook` hands its hooks the tensor itself, here {owner}, and no "
                "gradient.",
                f"{code(world.source.text(line))} {on(line)} so changes the numbers of {owner}, in every backward, and "
                "leaves its `.grad` as it was.",
                "The gradient is in the `.grad` of what is given; hooks of `register_hook` are given the gradient "
                "itself.",
            ),
            events={"changed": number, "seen": world.count - 1},
            cause="parameter_hooked",
            names=names,
        )

    def told(self, ran: e.HookRan, write: tuple[int, int, str], other: NodeState | None) -> Diagnosis:
        number, line, name = write
        gave = (
            "It returned nothing, which says “leave it as it is”, and still the gradient is another now. That memory "
            "may belong to others as well, to a second branch or to a `.grad` that was kept."
            if other is None
            else f"The same memory was on its way to **{other.title}** of **line {other.place.line}**, too. It started "
            "with the changed numbers, though no hook was asked for there."
        )
        nodes = [] if ran.node is None else [ran.node]
        return Diagnosis(
            title="A hook changed a gradient in place",
            lines={"changed": line, "raised": None, "shows": line},
            story=(
                f"The hook writes into the gradient it was given: {code(self.world.source.text(line))} {on(line)}.",
                gave,
                "A hook that wants another gradient should compute a new one and return it.",
            ),
            nodes=(*nodes, *([] if other is None else [other.number])),
            events={"changed": number, "seen": self.world.count - 1},
            cause="hooked",
            names=named(target=name),
        )

    def found(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None else []


def alike(one: Value | None, other: Value | None) -> bool:
    return repr(one) == repr(other)
