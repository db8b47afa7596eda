"""What each event changes in the picture: a table from kinds of events to the properties they set.

- Of nodes: `state`, `order`, `grad_in`, `hint`; `arrived` and `expected` where more than one gradient is waited for,
  and at leaves, which have `grad`, `came`, `before` and `how` as well.
- Of each slot: `slot:NAME`, its state; `found:NAME`, the version at which the node found it; `now:NAME`, the value that
  was written over what it keeps; `silent:NAME`, that no version tells of it.
- Of wires: `state`, `value`. Of tensors: `state`, `version`, `value`, `requires_grad`, `box`, `grad`.
- Of sums: `terms`, each with the node it came from and its value; `wires`, the wire of each; `total`; and `wire`, which
  the last came over.
- Of names: `text` or `tensor`. Of the program: `line`, `end_line`, `frames`, `loops`, `printed`, `call`, `bytes`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Any

from gradreel.explain import World
from gradreel.trace import Values
from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from .ledger import Ledger, Tracks
from .names import Names
from .wires import Wires

EARLIER = ""
"""In the place of where a term came from: several did before. None stands for what a call was given."""

TERMS, MOST = 5, 20
"""Of a sum of more terms, the earlier ones are shown as one; of one of very many, only the total."""


class Stage:
    """The picture while events are applied to it. `world` is always one event ahead: it has seen the event."""

    def __init__(self, world: World, shown: set[int], nodes: Collection[int]) -> None:
        self.world = world
        self.shown = shown
        self.values = Values()
        self.wires = Wires()
        self.wires_of: dict[int, list[int | None]] = {}
        self.lit: list[int] = []
        self.running: list[int] = []
        """The nodes that are shown running in this step and will have run in the next."""
        self.moved = False
        self.around: object = None
        """The calls and loops that are shown."""
        self.marked: dict[int, None] = {}
        self.used: dict[int, None] = {}
        self.added: dict[int, None] = {}
        """The nodes, wires and sums that the present outermost call has marked, to be wiped when the next begins."""
        self.keeping: dict[int, list[tuple[int, str]]] = defaultdict(list)
        """By storage the slots that keep it, and some that did."""
        self.handing: dict[int, list[int]] = {}
        """The wires over which each node sent something when it last ran, of which nothing has arrived yet."""
        self.sums: dict[tuple[int, int], int] = {}
        """By node and input the numbers of the sums that anything was added to."""
        self.ledger = Ledger({"n": nodes, "t": shown})
        self.slots: dict[str, Tracks] = {}
        program = self.ledger.kind("program")
        of_nodes, of_wires, of_tensors, of_sums = map(self.ledger.kind, ("n", "w", "t", "sum"))
        self.line, self.end_line = program("line"), program("end_line")
        self.frames, self.loops = program("frames"), program("loops")
        self.printed_parts, self.call = program("printed"), program("call")
        self.names = Names(world.names_in, self.ledger)
        self.life, self.version, self.value = of_tensors("state"), of_tensors("version"), of_tensors("value")
        self.flag, self.box, self.gradient = of_tensors("requires_grad"), of_tensors("box"), of_tensors("grad")
        self.state, self.order, self.grad_in = of_nodes("state"), of_nodes("order"), of_nodes("grad_in")
        self.hint, self.how, self.grad = of_nodes("hint"), of_nodes("how"), of_nodes("grad")
        self.came, self.before = of_nodes("came"), of_nodes("before")
        self.arrived, self.expected = of_nodes("arrived"), of_nodes("expected")
        self.wire_state, self.wire_value = of_wires("state"), of_wires("value")
        self.terms, self.total = of_sums("terms"), of_sums("total")
        self.ways, self.wire = of_sums("wires"), of_sums("wire")

    def settle(self) -> None:
        """Begin a step: what ran in the last one has run."""
        for node in self.running:
            if self.state.now(node) == "running":
                self.mark(node, "freed" if self.all_freed(node) else "ran")
        self.running.clear()

    def all_freed(self, node: int) -> bool:
        """Whether all that a node saved is freed."""
        slots = self.world.nodes[node].slots
        for slot in slots.values():
            if slot.state != "freed":
                return False
        return bool(slots)

    def index(self, value: Value | None) -> int | None:
        return None if value is None else self.values.index(value)

    def mark(self, node: int, state: str) -> None:
        """Let a node stand so until the next call wipes it."""
        self.marked[node] = None
        self.state.put(node, state)

    def slot(self, name: str) -> Tracks:
        found = self.slots.get(name)
        if found is None:
            found = self.slots[name] = self.ledger.tracks("n", f"slot:{name}")
        return found

    # ---- the program

    def line_reached(self, event: e.LineReached) -> None:
        self.moved = True

    def arrive(self) -> None:
        """End a step: of the places that the program came by, the last is shown, and the names as they now are."""
        if self.names.changed or self.names.left:
            self.names.settle()
        if not self.moved:
            return
        self.moved = False
        place = self.world.place
        self.line.put(0, place.line)
        self.end_line.put(0, place.end_line)
        if place.around is not self.around:
            self.around = place.around
            self.frames.put(0, self.world.whereabouts.frames)
            self.loops.put(0, self.world.whereabouts.loops)

    def name_changed(self, event: e.NameBound | e.NameUnbound) -> None:
        self.names.changed.append(event)

    def function_left(self, event: e.FunctionLeft) -> None:
        self.moved = True
        self.names.left.append(event.scope)

    def printed(self, event: e.Printed) -> None:
        self.printed_parts.put(0, len(self.world.printed))

    # ---- tensors

    def tensor_made(self, event: e.TensorMade) -> None:
        number = event.tensor
        if number not in self.shown:
            return
        self.life.put(number, "alive")
        self.version.put(number, event.version)
        self.value.put(number, self.values.index(event.value))
        self.flag.put(number, event.requires_grad)
        self.box.put(number, event.node)

    def written(self, event: e.Written | e.AliasChanged) -> None:
        if event.tensor in self.shown:
            self.version.put(event.tensor, event.version)
            self.value.put(event.tensor, self.values.index(event.value))
        owner = self.world.owner_of(event.tensor)
        if owner is not None:
            self.holds(owner.number, event.value)
            self.unsum(owner.number)
        self.overwrites(event)

    def overwrites(self, event: e.Written | e.AliasChanged) -> None:
        """Show in the slots that keep what was written over what they hold now, and whether no version tells of it."""
        kept = self.keeping.get(self.world.tensors[event.tensor].storage if event.tensor in self.world.tensors else -1)
        if not kept:
            return
        kept[:] = [pair for pair in kept if self.keeps(*pair)]
        for number, name in kept:
            slot = self.world.nodes[number].slots[name]
            if slot.tensor == event.tensor or slot.value.shape == event.value.shape:
                self.ledger.tracks("n", f"now:{name}").put(number, self.index(event.value))
                if isinstance(event, e.Written) and not event.counted:
                    self.ledger.tracks("n", f"silent:{name}").put(number, True)

    def keeps(self, number: int, name: str) -> bool:
        node = self.world.nodes[number]
        return node.alive and node.slots[name].state != "freed"

    def unsum(self, tensor: int) -> None:
        """What is in `.grad` now is no longer the sum that a backward made."""
        leaf = self.world.leaves.get(tensor)
        if leaf is not None and self.how.now(leaf) is not None:
            self.how.put(leaf, None)
            self.before.put(leaf, None)
            self.came.put(leaf, None)

    def holds(self, tensor: int, grad: Value | None) -> None:
        """Show `grad` as the `.grad` of `tensor`, and on its leaf if there is one."""
        if tensor in self.shown:
            self.gradient.put(tensor, self.index(grad))
        leaf = self.world.leaves.get(tensor)
        if leaf is not None:
            self.grad.put(leaf, self.index(grad))

    def flag_changed(self, event: e.FlagChanged) -> None:
        if event.tensor in self.shown:
            self.flag.put(event.tensor, event.requires_grad)

    def tensor_released(self, event: e.TensorReleased) -> None:
        if event.tensor in self.shown:
            self.life.put(event.tensor, "released")

    # ---- graph

    def node_made(self, event: e.NodeMade) -> None:
        number = event.node
        self.state.put(number, "built")
        wires = self.wires_of[number] = self.wires.out_of(number, event.edges)
        self.wire_state.begin([wire for wire in wires if wire is not None], "idle")
        if event.variable is not None:
            self.box.put(event.variable, number)
            self.grad.put(number, self.index(self.world.tensors[event.variable].grad))

    def tensor_saved(self, event: e.TensorSaved) -> None:
        self.slot(event.slot).put(event.node, "held")
        self.keeping[event.storage].append((event.node, event.slot))

    def history_rebased(self, event: e.HistoryRebased) -> None:
        if event.tensor in self.shown:
            self.box.put(event.tensor, event.node)

    def node_released(self, event: e.NodeReleased) -> None:
        number = event.node
        node = self.world.nodes[number]
        self.state.put(number, "released")
        for slot in node.slots:
            self.slot(slot).put(number, "freed")
        for wire in self.wires_of[number]:
            if wire is not None:
                self.wire_state.put(wire, "gone")
        if node.variable is not None and self.box.now(node.variable) == number:
            self.box.put(node.variable, None)

    # ---- engine

    def backward_started(self, event: e.BackwardStarted) -> None:
        if event.parent is None:
            self.wipe()
        self.call.put(0, event.call)
        for number, expected in self.world.calls[event.call].expected.items():
            if expected > 1 or self.world.nodes[number].variable is not None:
                self.marked[number] = None
                self.expected.put(number, expected)
                self.arrived.put(number, 0)

    def wipe(self) -> None:
        """Take the marks of the last call off whatever still lives."""
        for node in self.marked:
            if self.state.now(node) != "released":
                self.state.put(node, self.between(node))
                for tracks in (self.order, self.grad_in, self.hint):
                    tracks.put(node, None)
                for tracks in (self.came, self.before, self.how, self.arrived, self.expected):
                    tracks.put(node, None)
        for wire in self.used:
            if self.wire_state.now(wire) != "gone":
                self.wire_state.put(wire, "idle")
                self.wire_value.put(wire, None)
        for total in self.added:
            for tracks in (self.terms, self.total, self.ways, self.wire):
                tracks.put(total, None)
        for marks in (self.marked, self.used, self.added, self.lit):
            marks.clear()

    def between(self, number: int) -> str:
        """How a node stands once its call is over: one that keeps something for another call stands as it was built."""
        node = self.world.nodes[number]
        if self.all_freed(number):
            return "freed"
        return "ran" if node.runs and not node.slots and node.variable is None else "built"

    def node_ready(self, event: e.NodeReady) -> None:
        self.mark(event.node, "ready")

    def node_started(self, event: e.NodeStarted) -> None:
        node = self.world.nodes[event.node]
        self.mark(event.node, "running")
        self.order.put(event.node, node.runs[-1][1])
        self.grad_in.put(event.node, self.index(node.came))
        self.dim()

    def dim(self) -> None:
        """The gradients that travelled have arrived."""
        self.wire_state.change(self.lit, "lit", "done")
        self.lit.clear()

    def slot_read(self, event: e.SlotRead) -> None:
        if event.found is not None and event.found != event.kept:
            self.slot(event.slot).put(event.node, "stale")
            self.ledger.tracks("n", f"found:{event.slot}").put(event.node, event.found)

    def node_ran(self, event: e.NodeRan) -> None:
        self.running.append(event.node)
        handing = self.handing[event.node] = []
        for wire, grad in zip(self.wires_of[event.node], event.grads, strict=False):
            if wire is not None and grad is not None:
                self.used[wire] = None
                self.wire_state.put(wire, "lit")
                self.wire_value.put(wire, self.values.index(grad))
                self.lit.append(wire)
                handing.append(wire)

    def grad_added(self, event: e.GradAdded) -> None:
        number, call = event.node, self.world.calls[event.call]
        expected = call.expected.get(number, 0)
        if expected != 1:
            self.adds(event, expected <= MOST)
        leaf = self.world.nodes[number].variable is not None
        if leaf or expected > 1:
            self.marked[number] = None
            self.arrived.put(number, call.arrived[number])
        if leaf:
            self.came.put(number, self.index(event.came))

    def adds(self, event: e.GradAdded, few: bool) -> None:
        """The sum at an input of a node; of `few` terms each with where it came from, and over which wire."""
        number = self.sums.setdefault((event.node, event.input_nr), len(self.sums))
        self.added[number] = None
        self.total.put(number, self.index(event.after))
        wire = self.came_over(event)
        self.wire.put(number, wire)
        if few:
            terms, ways = self.terms.now(number) or [], self.ways.now(number) or []
            if len(terms) >= TERMS:
                terms, ways = [[EARLIER, self.index(event.before)]], [EARLIER]
            source = None if event.source is None else f"n{event.source}"
            self.terms.put(number, [*terms, [source, self.index(event.came)]])
            self.ways.put(number, [*ways, None if wire is None else f"w{wire}"])

    def came_over(self, event: e.GradAdded) -> int | None:
        """The wire that a gradient came over: of several from the same node it hands on the first one first."""
        place = event.node, event.input_nr
        for wire in self.handing.get(event.source, ()) if event.source is not None else ():
            if self.wires.end(wire) == place:
                self.handing[event.source].remove(wire)  # type: ignore[index]
                return wire
        return None

    def grad_stored(self, event: e.GradStored) -> None:
        self.holds(event.tensor, event.after)
        leaf = self.world.leaves.get(event.tensor)
        if leaf is not None:
            self.marked[leaf] = None
            self.how.put(leaf, event.how)
            self.before.put(leaf, self.index(event.before))
            self.came.put(leaf, self.index(event.came))

    def grad_captured(self, event: e.GradCaptured) -> None:
        node = self.world.grad_node(event.tensor)
        if node is not None:
            self.marked[node] = None
            self.hint.put(node, "taken by autograd.grad")
            self.grad_in.put(node, self.index(event.value))

    def slot_freed(self, event: e.SlotFreed) -> None:
        number = event.node
        for slot in self.world.nodes[number].slots_named(event.slot):
            self.slot(slot.slot).put(number, "freed")
        if number not in self.running and self.all_freed(number):
            self.mark(number, "freed")

    def slot_retained(self, event: e.SlotRetained) -> None:
        for slot in self.world.nodes[event.node].slots_named(event.slot):
            self.slot(slot.slot).put(event.node, "retained")

    def call_ended(self, event: e.BackwardFinished | e.BackwardFailed) -> None:
        self.call.put(0, self.world.calls[event.call].parent)
        self.dim()
        if isinstance(event, e.BackwardFailed) and event.node is not None:
            self.mark(event.node, "failed")

    # ---- hooks

    def hook_ran(self, event: e.HookRan) -> None:
        node = event.node if event.tensor is None else self.world.grad_node(event.tensor)
        if node is not None:
            self.marked[node] = None
            self.hint.put(node, "hook changed it" if event.after is not None else "hook ran")


HAPPENINGS: dict[type[Event], Callable[[Stage, Any], None]] = {
    e.LineReached: Stage.line_reached,
    e.NameBound: Stage.name_changed,
    e.NameUnbound: Stage.name_changed,
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
