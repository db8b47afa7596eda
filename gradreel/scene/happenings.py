"""What each event changes in the picture: a table from kinds of events to the properties they set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.explain import World
from gradreel.trace import Values
from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from .ledger import Ledger
from .model import Wire

TERMS, MOST = 5, 20
"""Of a sum of more terms, the earlier ones are shown as one; of one of very many, only the total."""


class Stage:
    """The picture while events are applied to it. `world` is always one event ahead: it has seen the event."""

    def __init__(self, world: World, shown: set[int]) -> None:
        self.world = world
        self.shown = shown
        self.ledger = Ledger()
        self.values = Values()
        self.names_in: dict[int, dict[str, None]] = {}
        self.wires: list[Wire] = []
        self.wires_of: dict[int, list[Wire | None]] = {}
        self.lit: list[Wire] = []
        self.running: list[int] = []
        """The nodes that are shown running in this step and will have run in the next."""
        self.touched: dict[str, None] = {}
        """What the present outermost call has marked, to be wiped when the next begins."""

    def apply(self, event: Event) -> None:
        happening = HAPPENINGS.get(type(event))
        if happening is not None:
            happening(self, event)

    def settle(self) -> None:
        """Begin a step: what ran in the last one has run."""
        for node in self.running:
            if self.ledger.get(f"n{node}", "state") == "running":
                slots = self.world.nodes[node].slots.values()
                empty = bool(slots) and all(slot.state == "freed" for slot in slots)
                self._mark(f"n{node}", state="empty" if empty else "ran")
        self.running.clear()

    def index(self, value: Value | None) -> int | None:
        return None if value is None else self.values.index(value)

    # ---- the program

    def line_reached(self, event: e.LineReached) -> None:
        self._place()

    def _place(self) -> None:
        place = self.world.place
        self.ledger.set("program", "line", place.line)
        self.ledger.set("program", "end_line", place.end_line)
        self.ledger.set("program", "frames", tuple((frame.function, frame.line) for frame in place.frames))
        self.ledger.set("program", "loops", tuple((turn.line, turn.number, turn.of) for turn in place.turns))

    def name_bound(self, event: e.NameBound) -> None:
        self._name(event.scope, event.name, event.tensor, event.text)

    def name_unbound(self, event: e.NameUnbound) -> None:
        self._name(event.scope, event.name, None, None)

    def function_left(self, event: e.FunctionLeft) -> None:
        self._place()
        for thing in self.names_in.pop(event.scope, ()):
            self.ledger.set(thing, "tensor", None)
            self.ledger.set(thing, "text", None)

    def _name(self, scope: int, name: str, tensor: int | None, text: str | None) -> None:
        thing = f"name:{scope}:{name}"
        self.names_in.setdefault(scope, {})[thing] = None
        self.ledger.set(thing, "tensor", None if tensor is None else f"t{tensor}")
        self.ledger.set(thing, "text", text)

    def printed(self, event: e.Printed) -> None:
        self.ledger.set("program", "printed", len(self.world.printed))

    # ---- tensors

    def tensor_made(self, event: e.TensorMade) -> None:
        if event.tensor not in self.shown:
            return
        thing = f"t{event.tensor}"
        self.ledger.set(thing, "state", "alive")
        self.ledger.set(thing, "version", event.version)
        self.ledger.set(thing, "value", self.index(event.value))
        self.ledger.set(thing, "requires_grad", event.requires_grad)
        self.ledger.set(thing, "box", None if event.node is None else f"n{event.node}")

    def written(self, event: e.Written | e.AliasChanged) -> None:
        if event.tensor in self.shown:
            self.ledger.set(f"t{event.tensor}", "version", event.version)
            self.ledger.set(f"t{event.tensor}", "value", self.index(event.value))
        owner = self.world.owner_of(event.tensor)
        if owner is not None:
            self._grad(owner.number, event.value)

    def _grad(self, tensor: int, grad: Value | None) -> None:
        """Show `grad` as the `.grad` of `tensor`, and on its leaf if there is one."""
        if tensor in self.shown:
            self.ledger.set(f"t{tensor}", "grad", self.index(grad))
        leaf = self.world.leaves.get(tensor)
        if leaf is not None:
            self.ledger.set(f"n{leaf}", "grad", self.index(grad))

    def flag_changed(self, event: e.FlagChanged) -> None:
        if event.tensor in self.shown:
            self.ledger.set(f"t{event.tensor}", "requires_grad", event.requires_grad)

    def tensor_released(self, event: e.TensorReleased) -> None:
        if event.tensor in self.shown:
            self.ledger.set(f"t{event.tensor}", "state", "released")

    # ---- graph

    def node_made(self, event: e.NodeMade) -> None:
        thing = f"n{event.node}"
        self.ledger.set(thing, "state", "built")
        wires: list[Wire | None] = []
        for output, (target, input_nr) in enumerate(event.edges):
            wire = None if target is None else Wire(f"w{len(self.wires)}", thing, f"n{target}", output, input_nr)
            wires.append(wire)
            if wire is not None:
                self.wires.append(wire)
                self.ledger.set(wire.id, "state", "idle")
        self.wires_of[event.node] = wires
        if event.variable is not None:
            self.ledger.set(f"t{event.variable}", "box", thing)
            self.ledger.set(thing, "grad", self.index(self.world.tensors[event.variable].grad))

    def tensor_saved(self, event: e.TensorSaved) -> None:
        self.ledger.set(f"n{event.node}", f"slot:{event.slot}", "held")

    def history_rebased(self, event: e.HistoryRebased) -> None:
        if event.tensor in self.shown:
            self.ledger.set(f"t{event.tensor}", "box", None if event.node is None else f"n{event.node}")

    def node_released(self, event: e.NodeReleased) -> None:
        thing = f"n{event.node}"
        self.ledger.set(thing, "state", "released")
        for slot in self.world.nodes[event.node].slots:
            self.ledger.set(thing, f"slot:{slot}", "freed")
        for wire in self.wires_of[event.node]:
            if wire is not None:
                self.ledger.set(wire.id, "state", "gone")
        variable = self.world.nodes[event.node].variable
        if variable is not None and self.ledger.get(f"t{variable}", "box") == thing:
            self.ledger.set(f"t{variable}", "box", None)

    # ---- engine

    def backward_started(self, event: e.BackwardStarted) -> None:
        if event.parent is None:
            self._wipe()
        self.ledger.set("program", "call", event.call)
        for number, expected in self.world.calls[event.call].expected.items():
            if self.world.nodes[number].variable is not None:
                self._mark(f"n{number}", expected=expected, arrived=0)

    def _wipe(self) -> None:
        """Take the marks of the last call off whatever still lives."""
        for thing in self.touched:
            if thing.startswith("sum:"):
                self._all(thing, terms=None, total=None)
            elif self.ledger.get(thing, "state") not in ("released", "gone"):
                self._clean(thing)
        self.touched.clear()
        self.lit.clear()

    def _clean(self, thing: str) -> None:
        if thing.startswith("w"):
            self._all(thing, state="idle", value=None)
            return
        slots = self.world.nodes[int(thing[1:])].slots.values()
        empty = bool(slots) and all(slot.state == "freed" for slot in slots)
        self._all(thing, state="empty" if empty else "built", order=None, grad_in=None, hint=None)
        for name in ("came", "before", "how", "arrived", "expected"):
            if self.ledger.get(thing, name) is not None:
                self.ledger.set(thing, name, None)

    def _all(self, thing: str, **properties: Any) -> None:
        for name, new in properties.items():
            self.ledger.set(thing, name, new)

    def _mark(self, thing: str, **properties: Any) -> None:
        """Set what the next call will wipe."""
        self.touched[thing] = None
        for name, new in properties.items():
            self.ledger.set(thing, name, new)

    def node_ready(self, event: e.NodeReady) -> None:
        self._mark(f"n{event.node}", state="ready")

    def node_started(self, event: e.NodeStarted) -> None:
        came = next((grad for grad in event.grads if grad is not None), None)
        order = self.world.nodes[event.node].runs[-1][1]
        self._mark(f"n{event.node}", state="running", order=order, grad_in=self.index(came))
        for wire in self.lit:
            if self.ledger.get(wire.id, "state") == "lit":
                self.ledger.set(wire.id, "state", "done")
        self.lit.clear()

    def slot_read(self, event: e.SlotRead) -> None:
        if event.found is not None and event.found != event.kept:
            self.ledger.set(f"n{event.node}", f"slot:{event.slot}", "stale")
            self.ledger.set(f"n{event.node}", f"found:{event.slot}", event.found)

    def node_ran(self, event: e.NodeRan) -> None:
        self.running.append(event.node)
        for wire, grad in zip(self.wires_of[event.node], event.grads, strict=False):
            if wire is not None and grad is not None:
                self._mark(wire.id, state="lit", value=self.index(grad))
                self.lit.append(wire)

    def grad_added(self, event: e.GradAdded) -> None:
        thing = f"n{event.node}"
        term = [None if event.source is None else f"n{event.source}", self.index(event.came)]
        expected = self.world.calls[event.call].expected.get(event.node, 0)
        if expected != 1:
            total = f"sum:{thing}:{event.input_nr}"
            self._mark(total, total=self.index(event.after))
            if expected <= MOST:
                terms = self.ledger.get(total, "terms") or []
                if len(terms) >= TERMS:
                    terms = [[None, self.index(event.before)]]
                self._mark(total, terms=[*terms, term])
        if self.world.nodes[event.node].variable is not None:
            arrived = self.world.calls[event.call].arrived[event.node]
            self._mark(thing, came=self.index(event.came), arrived=arrived)

    def grad_stored(self, event: e.GradStored) -> None:
        self._grad(event.tensor, event.after)
        leaf = self.world.leaves.get(event.tensor)
        if leaf is not None:
            parts = {"before": self.index(event.before), "came": self.index(event.came)}
            self._mark(f"n{leaf}", how=event.how, **parts)

    def grad_captured(self, event: e.GradCaptured) -> None:
        node = self.world.grad_node(event.tensor)
        if node is not None:
            self._mark(f"n{node}", hint="taken by autograd.grad", grad_in=self.index(event.value))

    def slot_freed(self, event: e.SlotFreed) -> None:
        thing = f"n{event.node}"
        node = self.world.nodes[event.node]
        for slot in node.slots_named(event.slot):
            self.ledger.set(thing, f"slot:{slot.slot}", "freed")
        if event.node not in self.running and all(slot.state == "freed" for slot in node.slots.values()):
            self._mark(thing, state="empty")

    def slot_retained(self, event: e.SlotRetained) -> None:
        for slot in self.world.nodes[event.node].slots_named(event.slot):
            self.ledger.set(f"n{event.node}", f"slot:{slot.slot}", "retained")

    def call_ended(self, event: e.BackwardFinished | e.BackwardFailed) -> None:
        call = self.world.calls[event.call]
        self.ledger.set("program", "call", call.parent)
        for wire in self.lit:
            if self.ledger.get(wire.id, "state") == "lit":
                self.ledger.set(wire.id, "state", "done")
        self.lit.clear()
        if isinstance(event, e.BackwardFailed) and event.node is not None:
            self._mark(f"n{event.node}", state="failed")

    # ---- hooks

    def hook_ran(self, event: e.HookRan) -> None:
        node = event.node if event.tensor is None else self.world.grad_node(event.tensor)
        if node is not None:
            self._mark(f"n{node}", hint="hook changed the gradient" if event.after is not None else "hook ran")


HAPPENINGS: dict[type[Event], Callable[[Stage, Any], None]] = {
    e.LineReached: Stage.line_reached,
    e.NameBound: Stage.name_bound,
    e.NameUnbound: Stage.name_unbound,
    e.FunctionLeft: Stage.function_left,
    e.Printed: Stage.printed,
    e.TensorMade: Stage.tensor_made,
    e.Written: Stage.written,
    e.AliasChanged: Stage.written,
    e.FlagChanged: Stage.flag_changed,
    e.TensorReleased: Stage.tensor_released,
    e.NodeMade: Stage.node_made,
    e.TensorSaved: Stage.tensor_saved,
    e.HistoryRebased: Stage.history_rebased,
    e.NodeReleased: Stage.node_released,
    e.BackwardStarted: Stage.backward_started,
    e.NodeReady: Stage.node_ready,
    e.NodeStarted: Stage.node_started,
    e.SlotRead: Stage.slot_read,
    e.NodeRan: Stage.node_ran,
    e.GradAdded: Stage.grad_added,
    e.GradStored: Stage.grad_stored,
    e.GradCaptured: Stage.grad_captured,
    e.SlotFreed: Stage.slot_freed,
    e.SlotRetained: Stage.slot_retained,
    e.BackwardFinished: Stage.call_ended,
    e.BackwardFailed: Stage.call_ended,
    e.HookRan: Stage.hook_ran,
}
"""What each kind of event does to the picture; kinds that change nothing in it are not listed."""
