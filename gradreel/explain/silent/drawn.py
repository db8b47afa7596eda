"""A sample that stands where a gradient is to go through it: `sample()` draws numbers, `rsample()` a function.

Where the sample's own `log_prob` is computed, that carries the gradient, and the sample is to be a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import Showing
from ..errors.cuts import SAMPLED
from ..narration.words import bare, called, code, listed, name_of, on
from ..replay.graph_queries import origin
from ..replay.states import TensorState
from ..replay.world import World

DISCRETE = frozenset({"bernoulli", "multinomial", "poisson", "binomial"})
"""What draws from a distribution that has no `rsample`."""
FAR = 300
"""So many nodes back it is looked for what a sample was drawn from."""


@watcher(e.BackwardStarted)
class Drawn:
    """Follows samples to the first nodes that take them, and asks of each what else it takes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.samples: dict[int, TensorState] = {}
        """By tensor the sample that it is, or was computed from without a graph."""
        self.contacts: dict[int, TensorState] = {}
        """By node the sample that it takes."""
        self.scored: set[int] = set()
        """The lines whose samples meet what they were drawn from, as in their `log_prob`."""
        self.found_in: tuple[TensorState, Diagnosis] | None = None
        self.showing = Showing(world)

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not any(SAMPLED.search(line) for line in self.world.source.code):
            return {}
        return {
            e.TensorMade: self.made,
            e.NodeMade: self.node,
            e.BackwardStarted: self.backward,
            e.Printed: self.showing.printed,
        }

    def made(self, event: e.TensorMade) -> None:
        if event.requires_grad or not event.dtype.startswith("float"):
            return
        before = next((self.samples[number] for number in event.inputs if number in self.samples), None)
        if before is None and event.base in self.samples:
            before = self.samples[event.base]
        if before is not None:
            self.samples[event.tensor] = before
        elif self.draws(event):
            self.samples[event.tensor] = self.world.tensors[event.tensor]

    def draws(self, event: e.TensorMade) -> bool:
        source, place = self.world.source, self.world.place
        lines = {place.line, *(frame.line for frame in place.frames)}
        return (
            any(self.world.tensors[number].requires_grad for number in event.inputs)
            and bare(event.op) not in DISCRETE
            and bool(SAMPLED.search(source.statement(place.line, place.end_line)))
            and not lines & source.quiet_lines
            and not source.switches
        )

    def sources(self, sample: TensorState) -> list[TensorState]:
        """The tracked tensors that `sample` was drawn from, past the views that fit them to its shape."""
        given = [origin(self.world, self.world.tensors[number]) for number in sample.inputs]
        return [tensor for tensor in given if tensor is not None and tensor.requires_grad]

    def drawn_from(self, sample: TensorState) -> set[int]:
        """The nodes of what `sample` was drawn from."""
        nodes = [self.world.grad_node(tensor.number) for tensor in self.sources(sample)]
        return {node for node in nodes if node is not None}

    def node(self, event: e.NodeMade) -> None:
        sample = next((self.samples[number] for number in event.inputs if number in self.samples), None)
        if sample is None or event.variable is not None:
            return
        goals, todo, seen = self.drawn_from(sample), [event.node], {event.node}
        for number in todo:
            ways = [target for target, _ in self.world.nodes[number].edges if target is not None]
            if goals.intersection(ways) or len(todo) > FAR:
                self.scored.add(sample.place.line)
                return
            todo += [target for target in ways if target not in seen]
            seen.update(ways)
        self.contacts[event.node] = sample

    def backward(self, event: e.BackwardStarted) -> None:
        """Alarming is a sample in what is differentiated, if what it was drawn from is trained by the same loss."""
        if event.called != "backward" or self.found_in is not None or not self.contacts:
            return
        reached = self.world.calls[event.call].expected
        for node, sample in self.contacts.items():
            if node in reached and any(source in reached for source in self.drawn_from(sample)):
                self.found_in = sample, self.told(sample, node)
                self.showing.wait()
                return

    def told(self, sample: TensorState, node: int) -> Diagnosis:
        world, line = self.world, sample.place.line
        given = [called(world, tensor.number) for tensor in self.sources(sample)]
        user = world.nodes[node]
        return Diagnosis(
            kind="no_graph",
            title="No gradient goes through a sample",
            lines={"built": line, "cut": line, "raised": None},
            story=(
                f"{code(world.source.text(line, sample.place.end_line))} {on(line)} draws numbers without a graph from "
                f"{listed(given)}.",
                f"**{user.title}** {on(user.place.line)} computes with the sample, and no gradient goes back through "
                "it. What the loss says of the sample never reaches what it was drawn from.",
                "`rsample()` draws the same as a function of the parameters, noise apart, so that a gradient goes "
                "back.",
            ),
            nodes=(node,),
            events={"built": sample.made, "cut": sample.made, "seen": world.count - 1},
            cause="drawn",
            names=named(how="sample", target=name_of(world, sample)),
        )

    def found(self) -> list[Diagnosis]:
        if self.found_in is None or self.found_in[0].place.line in self.scored:
            return []
        return [self.showing.shown(self.found_in[1])]
