"""A gradient computed from numbers that were changed behind autograd's back: through `.data`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.program_layers import built, kept_name
from ..narration.words import code, during, label, name_of, on, value
from ..replay.graph_queries import origin
from ..replay.states import NodeState, SlotState, Write

UNREAD = ("running_mean", "running_var")
"""What a batch norm keeps for evaluation: in training, when it writes them, its gradient does not need them."""

WAYS = {"numpy": "an array that shows its memory", "storage": "its storage"}
"""How a tensor was written that did not count it, by what the write was told as."""


@watcher(e.Written)
class Stale(FirstTrouble):
    """Slots that were read after an uncounted write had changed what they hold."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.SlotRead: self.read, e.Printed: self.showing.printed}

    def read(self, event: e.SlotRead) -> None:
        if self.diagnosis is not None or event.found != event.kept:
            return
        node = self.world.nodes[event.node]
        slot = node.slots.get(event.slot)
        if slot is None or event.slot in UNREAD:
            return
        writes = [
            write
            for write in self.world.writes.get(slot.storage, ())
            if not write.counted and write.event > slot.saved and write.op not in ("known before", "set_")
        ]
        if writes and self.changed(slot, writes[-1]):
            diagnosis = self.told(node, slot, writes[0])
            self.tell(diagnosis, self.world.source.assigned(diagnosis.lines["shows"] or 0))

    def changed(self, slot: SlotState, write: Write) -> bool:
        """Whether the numbers are others than those that were kept."""
        tensor = self.world.tensors.get(slot.tensor if slot.tensor is not None else write.tensor)
        now = tensor.value if tensor is not None else None
        return now is None or now.shape != slot.value.shape or repr(now.data) != repr(slot.value.data)

    def told(self, node: NodeState, slot: SlotState, write: Write) -> Diagnosis:
        world = self.world
        source = origin(world, world.tensors.get(slot.tensor) if slot.tensor is not None else None)
        call = world.calls[world.open_calls[-1]] if world.open_calls else None
        shows = call.place.line if call else world.place.line
        doing = f"{code(call.text)} {on(shows)}" if call else f"Line {shows}"
        way = WAYS.get(write.op, "`.data`")
        return Diagnosis(
            kind="saved_modified",
            title="A gradient from numbers that have changed",
            lines={
                "built": node.place.line,
                "saved": source.place.line if source is not None else node.place.line,
                "changed": write.place.line,
                "raised": None,
                "shows": shows,
            },
            story=(
                f"{built(world, node)}, saved {kept_name(world, slot)} as it was then ({value(slot.value)}).",
                f"{code(world.source.text(write.place.line))} {on(write.place.line)}{during(write.place)} then wrote "
                f"over it through {way}. That does not count as a change: the version stays the same.",
                f"{doing} computes the gradient with the new numbers, as if they had always been there; nothing warns.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "changed": write.event, "seen": world.count - 1},
            cause="stale",
            names=named(
                kept=label(world, slot.tensor) if slot.tensor is not None else None,
                whole=name_of(world, source) if source is not None else None,
            ),
        )
