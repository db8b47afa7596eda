"""The World: a fold over events that knows, at each moment, who lives, who holds what, and where it came from.

Sentences, diagnoses and scenes all ask the same World, so they cannot disagree. Apply the events one after another
with `apply`; everything else is a question. What each kind of event changes stands in `program_events`,
`graph_events` and `engine_events`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import Any

from gradreel.trace import Trace
from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..source import Source
from . import engine_events, graph_events, program_events
from .program_position import Whereabouts
from .states import Call, NodeState, Place, Seen, SlotState, TensorState, Turn, Write


class World:
    """The state of a run after the events applied so far."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.source = Source(trace.code)
        self.count = 0
        self.place = Place()
        self.tensors: dict[int, TensorState] = {}
        self.nodes: dict[int, NodeState] = {}
        self.node_order: list[NodeState] = []
        """All nodes, in the order in which they were made."""
        self.on_storage: dict[int, list[int]] = {}
        """By storage the tensors that had it, in the order in which they came to it."""
        self.leaves: dict[int, int] = {}
        self.owners: dict[int, int] = {}
        """For a tensor that is a `.grad`: whose."""
        self.names_in: dict[int, dict[str, e.NameBound]] = {}
        """By scope what each name stands for, as it was told when it was bound."""
        self.writes: dict[int, list[Write]] = {}
        self.calls: dict[int, Call] = {}
        self.call_order: list[Call] = []
        """All calls, in the order of their beginnings."""
        self.open_calls: list[int] = []
        self.running: list[int] = []
        self.functions: dict[int, str] = {}
        self.stepping: tuple[str, int] | None = None
        """The optimizer that takes a step, and the scope that told it to."""
        self.printed: list[tuple[str, int]] = []
        self.gone: list[tuple[int, str]] = []
        """The names that were rebound, deleted or left behind since the line was reached: why things are released."""
        self.refused: tuple[int, e.SlotRead] | None = None
        """The last time a node asked for what was freed or changed: the event and its number."""
        self.missing: list[Seen] = []
        """Each time the program read a `.grad` and got None."""
        self.taken: list[Seen] = []
        """Each time plain numbers were taken out of a tensor."""
        self.skipped: list[tuple[int, e.TurnsSkipped]] = []
        """The turns that were left out, each with the number of its event."""
        self.warnings: list[tuple[e.Warned, int]] = []
        self.on_contexts: dict[str, tuple[int, int, int]] = {}
        """What forwards of Functions put on their contexts: line, event and tensor by the path, `ctx.kept`."""
        self.ends: dict[int, int] = {}
        """The last line of the statement that begins on a line."""
        self.lately: dict[str, int | None] = {}
        """What names stood for that went since the line was reached: an error takes the names of its function away."""
        self.saved_bytes = 0
        self.held: dict[int, list[int]] = {}
        """For each storage the bytes of each slot that holds it."""
        self.keepers: dict[int, dict[int, None]] = {}
        """For each storage the nodes that ever kept it."""
        self.whereabouts = Whereabouts()

    def apply(self, event: Event) -> None:
        """Let `event` happen."""
        change = CHANGES.get(type(event))
        if change is not None:
            change(self, event)
        self.count += 1

    # ---- questions

    @cached_property
    def gradients(self) -> list[Value | None]:
        """All that leaves store and that calls give back in the whole run."""
        stored = [event.after for event in self.trace.events if type(event) is e.GradStored]
        return stored + [event.value for event in self.trace.events if type(event) is e.GradCaptured]

    @property
    def names(self) -> dict[tuple[int, str], e.NameBound]:
        """What each name stands for, by scope and name."""
        return {(scope, name): bound for scope, names in self.names_in.items() for name, bound in names.items()}

    @property
    def scope(self) -> int:
        """The scope of the innermost call, 0 outside of all."""
        return self.whereabouts.scope

    @property
    def optimizer(self) -> str | None:
        """The optimizer that writes now: while it takes a step, unless the program computes in its closure."""
        if self.stepping is None:
            return None
        name, since = self.stepping
        return name if self.scope == since or self.functions.get(self.scope) == "step" else None

    def grad_node(self, tensor: int) -> int | None:
        """The node that the gradient of `tensor` flows into: its grad_fn, or its AccumulateGrad."""
        state = self.tensors.get(tensor)
        return state.node if state is not None and state.node is not None else self.leaves.get(tensor)

    def owner_of(self, tensor: int) -> TensorState | None:
        """The tensor whose `.grad` is `tensor`."""
        owner = self.tensors.get(self.owners.get(tensor, -1))
        return owner if owner is not None and owner.grad_tensor == tensor else None

    def in_skipped(self, event: int) -> e.TurnsSkipped | None:
        """The turns left out that event number `event` is of, if it tells of what they left."""
        at = bisect_right(self.skipped, event, key=lambda pair: pair[0]) - 1
        number, turns = self.skipped[at] if at >= 0 else (0, None)
        return turns if turns is not None and event <= number + turns.left else None

    def kept(self, storage: int) -> list[tuple[int, SlotState]]:
        """The slots of living nodes that keep `storage`, each with its node."""
        return [
            (number, slot)
            for number in self.keepers.get(storage, ())
            if self.nodes[number].alive
            for slot in self.nodes[number].slots.values()
            if slot.storage == storage
        ]

    def loop_value(self, turn: Turn) -> str | None:
        """`step = 2`, if the loop names what it counts and the name is still known."""
        for name in self.source.loop_names(turn.line):
            for names in self.names_in.values():
                if name in names and names[name].text:
                    return f"{name} = {names[name].text}"
        return None


CHANGES: dict[type[Event], Callable[[World, Any], None]] = {
    **program_events.CHANGES,
    **graph_events.CHANGES,
    **engine_events.CHANGES,
}
"""What each kind of event does to the World; kinds that change nothing in it are not listed."""
