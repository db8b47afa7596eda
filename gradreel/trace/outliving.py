"""What outlives a stretch of a run: those of its events that whoever comes later must know of.

Tensors, nodes and names that are still there, what holds them up, the last write and the last gradient of each, all
output. An event that stays is as it was told, but for mentions of what is not there any more (`without_gone`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from . import events as e
from .events import Event

PLACED = (e.TensorMade, e.NodeMade, e.Written, e.GradStored, e.NameBound, e.BackwardStarted)
"""Of these it matters where the program was."""


def outliving(stretch: Sequence[Event]) -> tuple[int, list[Event]]:
    """How many events `stretch` tells of, and those that stay, in order."""
    stay = Staying(stretch)
    for number in range(len(stretch) - 1, -1, -1):
        event = stretch[number]
        test = TESTS.get(type(event))
        if test is not None and test(stay, event):
            stay.numbers.append(number)
            stay.placed = stay.placed or isinstance(event, PLACED)
    kept = [told for number in reversed(stay.numbers) if (told := stay.without_gone(stretch[number])) is not None]
    return stay.told, kept + stay.join_output()


class Staying:
    """What is found out about a stretch, from its end to its beginning: what stays, and what that needs to be told."""

    def __init__(self, stretch: Sequence[Event]) -> None:
        self.stretch = stretch
        self.numbers: list[int] = []
        """The events that stay, or may: that of a release or of the end of a call depends on earlier ones."""
        self.placed = False
        """Whether something stays that happened on the line reached before."""
        self.follows = False
        """Whether the write before stays, for the sake of what it changed, too."""
        self.wrote = False
        """Whether a write stays that is part of an optimizer's step."""
        self.step: int | None = None
        """Which of `numbers` is the end of that step."""
        self.seen: set[object] = set()
        self.tensors: set[int] = set()
        self.nodes: set[int] = set()
        self.calls: set[int] = set()
        """What is needed though it is gone in the end."""
        self.made: set[int] = set()
        self.built: set[int] = set()
        self.begun: set[int] = set()
        """All tensors, nodes and calls of the stretch."""
        self.kept: set[int] = set()
        self.standing: set[int] = set()
        """The tensors and nodes of the stretch that stay."""
        self.gone: set[int] = set()
        self.fallen: set[int] = set()
        """The tensors and nodes that are released."""
        self.scopes: dict[int, bool] = {}
        """For each call of a function that begins or ends here, whether the program is in it in the end."""
        self.was_in: dict[int, bool] = {}
        self.told = 0
        self.look()

    def look(self) -> None:
        """A first look at all of it."""
        before = 0
        for number, event in enumerate(self.stretch):
            kind = type(event)
            if number >= before:
                self.told += event.events if kind is e.TurnsSkipped else 1  # type: ignore[attr-defined]
            if kind is e.TurnsSkipped:
                before = number + 1 + event.left  # type: ignore[attr-defined]
            note = NOTES.get(kind)
            if note is not None:
                note(self, event)

    def note_scope(self, scope: int, inside: bool) -> None:
        self.was_in.setdefault(scope, not inside)
        self.scopes[scope] = inside

    def first(self, *what: object) -> bool:
        """Whether this is the last event that says `what`: the first that is met."""
        if what in self.seen:
            return False
        self.seen.add(what)
        return True

    def there(self, tensor: int) -> bool:
        """Whether `tensor` is there in the end."""
        return tensor not in self.gone

    def stands(self, node: int) -> bool:
        return node not in self.fallen or node in self.nodes

    # ---- what stays

    def tensor_made(self, event: e.TensorMade) -> bool:
        if event.tensor in self.gone and event.tensor not in self.tensors:
            return False
        self.kept.add(event.tensor)
        if event.base is not None:
            self.tensors.add(event.base)
        if event.node is not None:
            self.nodes.add(event.node)
        return True

    def node_made(self, event: e.NodeMade) -> bool:
        if not self.stands(event.node):
            return False
        self.standing.add(event.node)
        self.tensors.update(event.inputs)
        if event.variable is not None:
            self.tensors.add(event.variable)
        self.nodes.update(target for target, _ in event.edges if target is not None)
        return True

    def tensor_saved(self, event: e.TensorSaved) -> bool:
        if not self.stands(event.node):
            return False
        if event.tensor is not None:
            self.tensors.add(event.tensor)
        return True

    def value_saved(self, event: e.ValueSaved | e.SavedPacked) -> bool:
        return self.stands(event.node)

    def slot_changed(self, event: e.SlotFreed | e.SlotRetained) -> bool:
        if event.node in self.fallen or not self.first("slot", event.node, event.slot):
            return False
        self.calls.add(event.call)
        return True

    def storage_written(self, event: e.Written) -> bool:
        follows, self.follows = self.follows, False
        last = self.there(event.tensor) and self.first("written", event.tensor)
        if not (last or follows):
            return False
        self.tensors.add(event.tensor)
        self.wrote = True
        return True

    def alias_changed(self, event: e.AliasChanged) -> bool:
        if not self.there(event.tensor) or not self.first("written", event.tensor):
            return False
        self.follows = True
        return True

    def flag_changed(self, event: e.FlagChanged) -> bool:
        return self.there(event.tensor) and self.first("flag", event.tensor)

    def history_rebased(self, event: e.HistoryRebased) -> bool:
        if not self.there(event.tensor) or not self.first("rebased", event.tensor):
            return False
        if event.node is not None:
            self.nodes.add(event.node)
        return True

    def grad_stored(self, event: e.GradStored) -> bool:
        if not self.there(event.tensor) or not self.first("grad", event.tensor):
            return False
        if event.grad is not None:
            self.tensors.add(event.grad)
        if event.call is not None:
            self.calls.add(event.call)
        return True

    def backward_started(self, event: e.BackwardStarted) -> bool:
        if event.call not in self.calls:
            return False
        if event.parent is not None:
            self.calls.add(event.parent)
        return True

    def name_bound(self, event: e.NameBound) -> bool:
        if not self.scopes.get(event.scope, True):
            return False
        last = self.first("name", event.scope, event.name)
        return last or (event.tensor in self.made and event.tensor not in self.gone)

    def name_unbound(self, event: e.NameUnbound) -> bool:
        return self.scopes.get(event.scope, True) and self.first("name", event.scope, event.name)

    def scope_changed(self, event: e.FunctionEntered | e.FunctionLeft) -> bool:
        """Of each function call only that it began, or ended, and no more than once."""
        changed = self.was_in[event.scope] != self.scopes[event.scope]
        return changed and self.first("scope", event.scope)

    def line_reached(self, event: e.LineReached) -> bool:
        placed, self.placed = self.placed, False
        return placed

    def optimizer_stepped(self, event: e.OptimizerStepped) -> bool:
        """The beginning of a step in which something was written, and its end."""
        if event.phase != "began":
            self.wrote, self.step = False, len(self.numbers)
            return True
        if not self.wrote and self.step is not None:
            del self.numbers[self.step]
        self.step = None
        return self.wrote

    def may_stay(self, event: Event) -> bool:
        return True

    # ---- how it is told

    def without_gone(self, event: Event) -> Event | None:
        """`event` without mention of tensors, nodes and calls that did not stay; None if nothing remains of it."""
        match event:
            case e.TensorReleased():
                return event if self.knows(event.tensor) else None
            case e.NodeReleased():
                return event if self.knows_node(event.node) else None
            case e.BackwardFinished():
                return event if self.knows_call(event.call) else None
            case e.BackwardFailed():
                if not self.knows_call(event.call):
                    return None
                return replace(event, node=event.node if self.knows_node(event.node) else None)
            case e.TensorMade() | e.Written():
                inputs = tuple(filter(self.knows, event.inputs))
                return event if inputs == event.inputs else replace(event, inputs=inputs)
            case e.HistoryRebased():
                return event if self.knows_node(event.before) else replace(event, before=None)
            case e.BackwardStarted():
                roots, inputs = (tuple(filter(self.knows, given)) for given in (event.roots, event.inputs))
                return replace(event, roots=roots, inputs=inputs, nodes=())
        return event

    def knows(self, tensor: int) -> bool:
        return tensor not in self.made or tensor in self.kept

    def knows_node(self, node: int | None) -> bool:
        return node not in self.built or node in self.standing

    def knows_call(self, call: int) -> bool:
        return call not in self.begun or call in self.calls

    def join_output(self) -> list[Event]:
        """All that was written, as one."""
        text = "".join([event.text for event in self.stretch if type(event) is e.Printed])
        return [e.Printed(text)] if text else []


NOTES: dict[type[Event], Callable[[Staying, Any], None]] = {
    e.TensorMade: lambda stay, event: stay.made.add(event.tensor),
    e.TensorReleased: lambda stay, event: stay.gone.add(event.tensor),
    e.NodeMade: lambda stay, event: stay.built.add(event.node),
    e.NodeReleased: lambda stay, event: stay.fallen.add(event.node),
    e.BackwardStarted: lambda stay, event: stay.begun.add(event.call),
    e.FunctionEntered: lambda stay, event: stay.note_scope(event.scope, True),
    e.FunctionLeft: lambda stay, event: stay.note_scope(event.scope, False),
}
"""What is to be known of a stretch before anything of it is kept."""

TESTS: dict[type[Event], Callable[[Staying, Any], bool]] = {
    e.TensorMade: Staying.tensor_made,
    e.NodeMade: Staying.node_made,
    e.TensorSaved: Staying.tensor_saved,
    e.ValueSaved: Staying.value_saved,
    e.SavedPacked: Staying.value_saved,
    e.SlotFreed: Staying.slot_changed,
    e.SlotRetained: Staying.slot_changed,
    e.Written: Staying.storage_written,
    e.AliasChanged: Staying.alias_changed,
    e.FlagChanged: Staying.flag_changed,
    e.HistoryRebased: Staying.history_rebased,
    e.GradStored: Staying.grad_stored,
    e.BackwardStarted: Staying.backward_started,
    e.NameBound: Staying.name_bound,
    e.NameUnbound: Staying.name_unbound,
    e.FunctionEntered: Staying.scope_changed,
    e.FunctionLeft: Staying.scope_changed,
    e.LineReached: Staying.line_reached,
    e.OptimizerStepped: Staying.optimizer_stepped,
    **dict.fromkeys(
        (e.TensorReleased, e.NodeReleased, e.BackwardFinished, e.BackwardFailed, e.Warned, e.Stopped),
        Staying.may_stay,
    ),
}
"""Whether an event stays; kinds that are not listed never do."""
