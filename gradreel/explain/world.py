"""The World: a fold over events that knows, at each moment, who lives, who holds what, and where it came from.

Sentences, diagnoses and scenes all ask the same World, so they cannot disagree. Apply the events one after another
with `apply`; everything else is a question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import Trace
from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from .reach import arrivals
from .source import Source
from .states import Binding, Call, NodeState, Place, Seen, SlotState, TensorState, Turn, Write
from .whereabouts import Whereabouts


class World:
    """The state of a run after the events applied so far."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.source = Source(trace.source)
        self.count = 0
        self.place = Place()
        self.tensors: dict[int, TensorState] = {}
        self.nodes: dict[int, NodeState] = {}
        self.leaves: dict[int, int] = {}
        self.owners: dict[int, int] = {}
        """For a tensor that is a `.grad`: whose."""
        self.names: dict[tuple[int, str], Binding] = {}
        self.writes: dict[int, list[Write]] = {}
        self.calls: dict[int, Call] = {}
        self.open_calls: list[int] = []
        self.running: list[int] = []
        self.functions: dict[int, str] = {}
        self.optimizer: str | None = None
        self.printed: list[tuple[str, int]] = []
        self.gone: list[tuple[int, str]] = []
        """The names that were rebound, deleted or left behind since the line was reached: why things are released."""
        self.refused: tuple[int, e.SlotRead] | None = None
        """The last time a node asked for what was freed or changed: the event and its number."""
        self.missing: list[Seen] = []
        """Each time the program read a `.grad` and got None."""
        self.taken: list[Seen] = []
        """Each time plain numbers were taken out of a tensor."""
        self.warnings: list[tuple[e.Warned, int]] = []
        self.on_contexts: dict[str, tuple[int, int, int]] = {}
        """What forwards of Functions put on their contexts: line, event and tensor by the path, `ctx.kept`."""
        self.ends: dict[int, int] = {}
        """The last line of the statement that begins on a line."""
        self.lately: dict[str, int | None] = {}
        """What names stood for that went since the line was reached: an error takes the names of its function away."""
        self.saved_bytes = 0
        self._holders: dict[int, list[int]] = {}
        self._whereabouts = Whereabouts()
        self._names_in: dict[int, dict[str, None]] = {}
        self._keepers: dict[int, dict[int, None]] = {}

    def apply(self, event: Event) -> None:
        """Let `event` happen."""
        change = CHANGES.get(type(event))
        if change is not None:
            change(self, event)
        self.count += 1

    # ---- the program

    def line_reached(self, event: e.LineReached) -> None:
        self.gone.clear()
        self.lately.clear()
        self.ends[event.line] = event.end_line
        self.place = self._whereabouts.reach(event, self.place, self.count)

    def name_bound(self, event: e.NameBound) -> None:
        key = (event.scope, event.name)
        self._unbind(key, event.tensor)
        self.names[key] = Binding(event.tensor, event.text)
        self._names_in.setdefault(event.scope, {})[event.name] = None
        if event.tensor is not None and (tensor := self.tensors.get(event.tensor)) is not None:
            if key not in tensor.names:
                tensor.names.append(key)
            if tensor.called is None or event.name.isidentifier():
                tensor.called = event.name
            if event.name.isidentifier():
                tensor.bound = self.place
            elif self.functions.get(event.scope) == "forward" and self.is_context(event):
                self.on_contexts[event.name] = self.place.line, self.count, event.tensor

    def is_context(self, event: e.NameBound) -> bool:
        """Whether a path leads to a part of the context of a Function: its root is shown as a node."""
        root = self.names.get((event.scope, event.name.partition(".")[0]))
        return root is not None and (root.text or "").endswith("Backward")

    def name_unbound(self, event: e.NameUnbound) -> None:
        before = self.names.get((event.scope, event.name))
        self.lately.setdefault(event.name, before.tensor if before is not None else None)
        self._unbind((event.scope, event.name), None)
        self.names.pop((event.scope, event.name), None)

    def _unbind(self, key: tuple[int, str], successor: int | None) -> None:
        before = self.names.get(key)
        if before is None or before.tensor is None or before.tensor == successor:
            return
        self.gone.append(key)
        tensor = self.tensors.get(before.tensor)
        if tensor is not None and key in tensor.names:
            tensor.names.remove(key)

    def function_entered(self, event: e.FunctionEntered) -> None:
        self.functions[event.scope] = event.function
        self._whereabouts.enter(event, self.place)

    def function_left(self, event: e.FunctionLeft) -> None:
        """The function's names go, and the program is back on the line that called it."""
        self.place = self._whereabouts.leave(event, self.place)
        for name in self._names_in.pop(event.scope, ()):
            self._unbind((event.scope, name), None)
            self.names.pop((event.scope, name), None)

    def optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        self.optimizer = event.optimizer if event.phase == "began" else None

    def told(self, event: e.Printed) -> None:
        self.printed.append((event.text, self.count))

    def warned(self, event: e.Warned) -> None:
        self.warnings.append((event, self.count))

    def grad_missing(self, event: e.GradMissing) -> None:
        self.missing.append(Seen(self.count, self.place, event.tensor))

    def numbers_taken(self, event: e.NumbersTaken) -> None:
        self.taken.append(Seen(self.count, self.place, event.tensor, event.how))

    # ---- tensors

    def tensor_made(self, event: e.TensorMade) -> None:
        self.tensors[event.tensor] = TensorState(
            event.tensor,
            event.storage,
            event.op,
            event.inputs,
            event.shape,
            event.dtype,
            event.requires_grad,
            event.version,
            event.node,
            event.base,
            event.value,
            self.place,
            self.count,
        )
        if event.node is not None and (node := self.nodes.get(event.node)) is not None:
            node.outputs.append(event.tensor)

    def written(self, event: e.Written) -> None:
        write = Write(
            self.count,
            self.place,
            event.tensor,
            event.op,
            event.version,
            event.counted,
            self.optimizer,
            event.inputs,
        )
        self.writes.setdefault(event.storage, []).append(write)
        tensor = self.tensors.get(event.tensor)
        if tensor is not None:
            tensor.version, tensor.value = event.version, event.value
            tensor.storage = event.storage
            self._seen_as_grad(event.tensor, event.value)

    def _seen_as_grad(self, tensor: int, value: Value) -> None:
        owner = self.owner_of(tensor)
        if owner is not None:
            owner.grad = value

    def alias_changed(self, event: e.AliasChanged) -> None:
        tensor = self.tensors[event.tensor]
        tensor.version, tensor.value = event.version, event.value
        self._seen_as_grad(event.tensor, event.value)

    def flag_changed(self, event: e.FlagChanged) -> None:
        tensor = self.tensors[event.tensor]
        tensor.requires_grad = event.requires_grad
        tensor.cut = None if event.requires_grad else (self.place, self.count)

    def tensor_released(self, event: e.TensorReleased) -> None:
        if (tensor := self.tensors.get(event.tensor)) is not None:
            tensor.alive = False

    # ---- graph

    def node_made(self, event: e.NodeMade) -> None:
        call = self.calls[self.open_calls[-1]] if self.open_calls else None
        self.nodes[event.node] = NodeState(
            event.node,
            event.name,
            event.op,
            event.sequence_nr,
            event.edges,
            event.inputs,
            event.variable,
            self.place,
            self.count,
            call.level if call is not None and call.create_graph and event.variable is None else 0,
            call.number if call is not None else None,
        )
        if event.variable is not None:
            self.leaves[event.variable] = event.node

    def tensor_saved(self, event: e.TensorSaved) -> None:
        slot = SlotState(event.slot, event.tensor, event.storage, event.version, event.nbytes, event.value, self.count)
        self.nodes[event.node].slots[event.slot] = slot
        self._keepers.setdefault(event.storage, {})[event.node] = None
        holders = self._holders.setdefault(event.storage, [])
        holders.append(event.nbytes)
        if len(holders) == 1:
            self.saved_bytes += event.nbytes

    def value_saved(self, event: e.ValueSaved) -> None:
        self.nodes[event.node].values[event.slot] = event.text

    def history_rebased(self, event: e.HistoryRebased) -> None:
        tensor = self.tensors[event.tensor]
        tensor.node = event.node
        if event.node is not None and event.node in self.nodes:
            self.nodes[event.node].outputs.append(event.tensor)

    def node_released(self, event: e.NodeReleased) -> None:
        node = self.nodes[event.node]
        node.alive = False
        for slot in node.slots.values():
            if slot.state != "freed":
                self._let_go(slot)
        if node.variable is not None and self.leaves.get(node.variable) == node.number:
            del self.leaves[node.variable]

    def _let_go(self, slot: SlotState) -> None:
        holders = self._holders.get(slot.storage)
        if holders:
            nbytes = holders.pop(0)
            if not holders:
                self.saved_bytes -= nbytes
            elif holders[0] != nbytes:
                self.saved_bytes += holders[0] - nbytes

    # ---- engine

    def backward_started(self, event: e.BackwardStarted) -> None:
        goals = {self.grad_node(tensor) for tensor in event.inputs}
        expected = arrivals(self.nodes, event.nodes, goals)
        level = 1 + max((self.nodes[number].generation for number in expected), default=0)
        self.calls[event.call] = Call(
            event.call,
            event.called,
            self.place,
            self.source.call_text(self.place.line, self.place.end_line, event.called),
            event.retain_graph,
            event.create_graph,
            event.parent,
            self.count,
            event.roots,
            level,
            expected,
            event.inputs,
        )
        self.open_calls.append(event.call)

    def node_started(self, event: e.NodeStarted) -> None:
        call = self.calls[event.call]
        call.order += 1
        node = self.nodes[event.node]
        node.runs.append((event.call, call.order))
        node.came = next((grad for grad in event.grads if grad is not None), None)
        self.running.append(event.node)

    def node_ran(self, event: e.NodeRan) -> None:
        if event.node in self.running:
            self.running.remove(event.node)

    def slot_read(self, event: e.SlotRead) -> None:
        if event.found == event.kept:
            return
        self.refused = self.count, event
        slot = self.nodes[event.node].slots.get(event.slot)
        if slot is not None and event.found is not None:
            slot.state, slot.found = "stale", event.found

    def grad_added(self, event: e.GradAdded) -> None:
        arrived = self.calls[event.call].arrived
        arrived[event.node] = arrived.get(event.node, 0) + 1

    def grad_stored(self, event: e.GradStored) -> None:
        tensor = self.tensors[event.tensor]
        if event.after is None and tensor.grad is not None:
            tensor.emptied = self.place, self.count
        tensor.grad, tensor.grad_tensor = event.after, event.grad
        if event.grad is not None:
            self.owners[event.grad] = event.tensor

    def grad_captured(self, event: e.GradCaptured) -> None:
        self.calls[event.call].captured[event.index] = event.value

    def slot_freed(self, event: e.SlotFreed) -> None:
        for slot in self.nodes[event.node].slots_named(event.slot):
            if slot.state != "freed":
                slot.state, slot.freed, slot.freed_by = "freed", self.count, event.call
                self._let_go(slot)

    def slot_retained(self, event: e.SlotRetained) -> None:
        for slot in self.nodes[event.node].slots_named(event.slot):
            slot.state = "retained"

    def call_ended(self, event: e.BackwardFinished | e.BackwardFailed) -> None:
        call = self.calls[event.call]
        call.ended, call.failed = self.count, isinstance(event, e.BackwardFailed)
        self.open_calls.remove(event.call)
        if not self.open_calls:
            self.running.clear()

    # ---- questions

    @property
    def scope(self) -> int:
        """The scope of the innermost call, 0 outside of all."""
        return self._whereabouts.scope

    def grad_node(self, tensor: int) -> int | None:
        """The node that the gradient of `tensor` flows into: its grad_fn, or its AccumulateGrad."""
        state = self.tensors.get(tensor)
        return state.node if state is not None and state.node is not None else self.leaves.get(tensor)

    def owner_of(self, tensor: int) -> TensorState | None:
        """The tensor whose `.grad` is `tensor`."""
        owner = self.tensors.get(self.owners.get(tensor, -1))
        return owner if owner is not None and owner.grad_tensor == tensor else None

    def kept(self, storage: int) -> list[tuple[int, SlotState]]:
        """The slots of living nodes that keep `storage`, each with its node."""
        return [
            (number, slot)
            for number in self._keepers.get(storage, ())
            if self.nodes[number].alive
            for slot in self.nodes[number].slots.values()
            if slot.storage == storage
        ]

    def loop_value(self, turn: Turn) -> str | None:
        """`step = 2`, if the loop names what it counts and the name is still known."""
        for name in self.source.loop_names(turn.line):
            for (_, bound), binding in self.names.items():
                if bound == name and binding.text is not None:
                    return f"{name} = {binding.text}"
        return None


CHANGES: dict[type[Event], Callable[[World, Any], None]] = {
    e.LineReached: World.line_reached,
    e.NameBound: World.name_bound,
    e.NameUnbound: World.name_unbound,
    e.FunctionEntered: World.function_entered,
    e.FunctionLeft: World.function_left,
    e.OptimizerStepped: World.optimizer_stepped,
    e.Printed: World.told,
    e.Warned: World.warned,
    e.GradMissing: World.grad_missing,
    e.NumbersTaken: World.numbers_taken,
    e.TensorMade: World.tensor_made,
    e.Written: World.written,
    e.AliasChanged: World.alias_changed,
    e.FlagChanged: World.flag_changed,
    e.TensorReleased: World.tensor_released,
    e.NodeMade: World.node_made,
    e.TensorSaved: World.tensor_saved,
    e.ValueSaved: World.value_saved,
    e.HistoryRebased: World.history_rebased,
    e.NodeReleased: World.node_released,
    e.BackwardStarted: World.backward_started,
    e.NodeStarted: World.node_started,
    e.NodeRan: World.node_ran,
    e.SlotRead: World.slot_read,
    e.GradAdded: World.grad_added,
    e.GradStored: World.grad_stored,
    e.GradCaptured: World.grad_captured,
    e.SlotFreed: World.slot_freed,
    e.SlotRetained: World.slot_retained,
    e.BackwardFinished: World.call_ended,
    e.BackwardFailed: World.call_ended,
}
"""What each kind of event does to the World; kinds that change nothing in it are not listed."""
