"""What every trace must satisfy: a table of rules, each a sentence and a test of one event against what went before.

`validate(trace)` walks the events once. A rule looks at the ledger as it stood before the event; only then is the
event entered.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from . import events as e
from .events import Event, Value
from .trace import Trace

Test = Callable[["Ledger", Any], Iterator[str]]


@dataclass(frozen=True)
class Rule:
    """`sentence` says what holds; `test` yields what is wrong with one event of `kinds`."""

    sentence: str
    kinds: tuple[type[Event], ...]
    test: Test


@dataclass
class Ledger:
    """What is known before an event: who lives, what is kept, which calls are open."""

    trace: Trace
    tensors: dict[int, str] = field(default_factory=dict)
    shapes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    nodes: dict[int, str] = field(default_factory=dict)
    edges_into: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    edges_of: dict[int, e.Edges] = field(default_factory=dict)
    saved: set[tuple[int, str]] = field(default_factory=set)
    slots: dict[tuple[int, str], str] = field(default_factory=dict)
    parts: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    calls: dict[int, str] = field(default_factory=dict)
    started: set[tuple[int, int]] = field(default_factory=set)
    ran: set[tuple[int, int]] = field(default_factory=set)
    scopes: dict[int, str] = field(default_factory=lambda: {0: "open"})
    uncaught: e.Raised | None = None

    def enter(self, event: Event) -> None:
        match event:
            case e.TensorMade():
                self.tensors[event.tensor] = "alive"
                self.shapes[event.tensor] = event.shape
            case e.TensorReleased():
                self.tensors[event.tensor] = "released"
            case e.NodeMade():
                self.nodes[event.node] = "alive"
                self.edges_of[event.node] = event.edges
                for target, _ in event.edges:
                    if target is not None:
                        self.edges_into[target].add(event.node)
            case e.NodeReleased():
                self.nodes[event.node] = "released"
                for target, _ in self.edges_of.pop(event.node, ()):
                    if target is not None:
                        self.edges_into[target].discard(event.node)
            case e.TensorSaved() | e.SavedPacked():
                self.saved.add((event.node, event.slot))
                whole = bare(event.slot)
                self.slots[event.node, whole] = self.slots[event.node, event.slot] = "held"
                self.parts.setdefault((event.node, whole), []).append(event.slot)
            case e.SlotFreed():
                for slot in (event.slot, *self.parts.get((event.node, event.slot), ())):
                    self.slots[event.node, slot] = "freed"
            case e.Written() if event.counted:
                self.versions[event.storage] = event.version
            case e.BackwardStarted():
                self.calls[event.call] = "open"
            case e.BackwardFinished() | e.BackwardFailed():
                self.calls[event.call] = "closed"
            case e.NodeStarted():
                self.started.add((event.call, event.node))
            case e.NodeRan():
                self.ran.add((event.call, event.node))
            case e.FunctionEntered():
                self.scopes[event.scope] = "open"
            case e.FunctionLeft():
                self.scopes[event.scope] = "left"
            case e.Raised() if not event.caught:
                self.uncaught = event


def bare(slot: str) -> str:
    """`indices` of `indices[0]`: a slot may hold a list, saved part by part, freed so or as a whole."""
    return slot.partition("[")[0]


TENSORS: dict[type[Event], tuple[str, ...]] = {
    e.TensorMade: ("inputs",),
    e.Written: ("tensor", "inputs"),
    e.AliasChanged: ("tensor",),
    e.FlagChanged: ("tensor",),
    e.TensorReleased: ("tensor",),
    e.NodeMade: ("inputs", "variable"),
    e.TensorSaved: ("tensor",),
    e.HistoryRebased: ("tensor",),
    e.BackwardStarted: ("roots", "inputs"),
    e.GradStored: ("tensor", "grad"),
    e.GradCaptured: ("tensor",),
    e.HookRan: ("tensor",),
    e.NameBound: ("tensor",),
}
"""The fields that number tensors, by kind of event."""

NODES: dict[type[Event], tuple[str, ...]] = {
    e.TensorMade: ("node",),
    e.NodeMade: ("edges",),
    e.TensorSaved: ("node",),
    e.ValueSaved: ("node",),
    e.HistoryRebased: ("node",),
    e.NodeReleased: ("node",),
    e.BackwardStarted: ("nodes",),
    e.NodeReady: ("node",),
    e.NodeStarted: ("node",),
    e.SlotRead: ("node",),
    e.NodeRan: ("node",),
    e.GradAdded: ("source", "node"),
    e.SlotFreed: ("node",),
    e.SlotRetained: ("node",),
    e.BackwardFailed: ("node",),
    e.HookRan: ("node",),
    e.SavedPacked: ("node",),
    e.SavedUnpacked: ("node",),
    e.Recomputed: ("node",),
}
"""The fields that number nodes, by kind of event."""

IN_A_CALL = (e.NodeReady, e.NodeStarted, e.NodeRan, e.GradAdded, e.SlotFreed, e.SlotRetained)


def numbers(event: Event, names: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """The numbers in the fields `names`; an edge counts with its node."""
    for name in names:
        held = getattr(event, name)
        for part in held if isinstance(held, tuple) else (held,):
            number = part[0] if isinstance(part, tuple) else part
            if number is not None:
                yield name, number


# ---- the tests


def is_alive(kind: str, table: dict[type[Event], tuple[str, ...]]) -> Test:
    def test(ledger: Ledger, event: Event) -> Iterator[str]:
        alive = ledger.tensors if kind == "tensor" else ledger.nodes
        for name, number in numbers(event, table[type(event)]):
            status = alive.get(number, "unknown")
            if status != "alive":
                yield f"{name} is {kind} {number}, which is {status}"

    return test


def numbered_once(ledger: Ledger, event: e.TensorMade | e.NodeMade) -> Iterator[str]:
    number, given = (event.tensor, ledger.tensors) if isinstance(event, e.TensorMade) else (event.node, ledger.nodes)
    if number in given:
        yield f"{number} was given before"


def version_grows(ledger: Ledger, event: e.Written) -> Iterator[str]:
    last = ledger.versions.get(event.storage, -1)
    if event.counted and event.version <= last:
        yield f"storage {event.storage} goes from version {last} to {event.version}"


def read_as_it_is(ledger: Ledger, event: e.SlotRead) -> Iterator[str]:
    state = ledger.slots.get((event.node, event.slot))
    if state is None:
        yield f"node {event.node} never kept {event.slot}"
    elif state == "freed" and event.found is not None:
        yield f"{event.slot} of node {event.node} was freed, yet version {event.found} was found"
    elif state == "held" and event.found is None:
        yield f"{event.slot} of node {event.node} is held, yet nothing was found"


def found_after_kept(ledger: Ledger, event: e.SlotRead) -> Iterator[str]:
    if event.found is not None and event.found < event.kept:
        yield f"{event.slot} of node {event.node} was kept at {event.kept} and found at {event.found}"


def held_before(ledger: Ledger, event: e.SlotFreed | e.SlotRetained) -> Iterator[str]:
    if ledger.slots.get((event.node, event.slot)) != "held":
        yield f"node {event.node} does not hold {event.slot}"


def saved_once(ledger: Ledger, event: e.TensorSaved) -> Iterator[str]:
    if (event.node, event.slot) in ledger.saved:
        yield f"node {event.node} keeps {event.slot} twice"


def once_a_call(ledger: Ledger, event: e.NodeStarted) -> Iterator[str]:
    if (event.call, event.node) in ledger.started:
        yield f"node {event.node} starts a second time in call {event.call}"


def ran_after_start(ledger: Ledger, event: e.NodeRan) -> Iterator[str]:
    if (event.call, event.node) not in ledger.started or (event.call, event.node) in ledger.ran:
        yield f"node {event.node} ran in call {event.call} without having started"


def within_a_call(ledger: Ledger, event: Any) -> Iterator[str]:
    if ledger.calls.get(event.call) != "open":
        yield f"call {event.call} is not open"


def new_call(ledger: Ledger, event: e.BackwardStarted) -> Iterator[str]:
    if event.call in ledger.calls:
        yield f"call {event.call} starts a second time"


def call_ends(ledger: Ledger, event: e.BackwardFinished | e.BackwardFailed) -> Iterator[str]:
    if ledger.calls.get(event.call) != "open":
        yield f"call {event.call} ends without being open"


ROUNDING = {"bfloat16": 2**-7, "float16": 2**-9}
"""By how much a sum may be off, where the dtype rounds coarsely."""


def adds_up(ledger: Ledger, event: e.GradAdded) -> Iterator[str]:
    """Sums are compared within the rounding of their dtype, relative to the larger term."""
    before, came, after = event.before, event.came, event.after
    if before is None or came is None:
        if repr(after) != repr(came if before is None else before):  # by their text, in which nan equals nan
            yield f"the only gradient of node {event.node} changed on arrival"
        return
    if after is None or not before.shape == came.shape == after.shape:
        yield f"shapes differ at node {event.node}"
    elif before.whole and came.whole and after.whole:
        rounding = ROUNDING.get(after.dtype, 1e-5)
        for one, two, total in zip(leaves(before), leaves(came), leaves(after), strict=True):
            if math.isfinite(one + two) and not abs(one + two - total) <= rounding * max(abs(one), abs(two)):
                yield f"{one} + {two} is not {total}"


def stored_as_said(ledger: Ledger, event: e.GradStored) -> Iterator[str]:
    first = event.how in ("taken", "copied")
    if event.how != "assigned" and event.how != "retained" and first != (event.before is None):
        yield f"{event.how}, with {'nothing' if event.before is None else 'a gradient'} there before"
    if event.after is not None and event.after.shape != ledger.shapes.get(event.tensor):
        yield f"the gradient of tensor {event.tensor} has another shape than the tensor"


def outlives_users(ledger: Ledger, event: e.NodeReleased) -> Iterator[str]:
    holders = ledger.edges_into.get(event.node)
    if holders:
        yield f"node {event.node} goes while {sorted(holders)} lead to it"


def leaf_or_number(ledger: Ledger, event: e.NodeMade) -> Iterator[str]:
    counted = event.sequence_nr is not None or event.name == "NotImplemented"  # which torch does not count
    if (event.variable is None) != counted:
        yield f"node {event.node} has sequence number {event.sequence_nr} and variable {event.variable}"


def scope_open(ledger: Ledger, event: Any) -> Iterator[str]:
    if ledger.scopes.get(event.scope) != "open":
        yield f"scope {event.scope} is not open"


def line_exists(ledger: Ledger, event: e.LineReached) -> Iterator[str]:
    if not 1 <= event.line <= event.end_line <= ledger.trace.source.count("\n") + 1:
        yield f"line {event.line} to {event.end_line} is not in the program"


def over_after_error(ledger: Ledger, event: e.LineReached) -> Iterator[str]:
    if ledger.trace.mode == "script" and ledger.uncaught is not None:
        yield f"line {event.line} is reached after an uncaught {ledger.uncaught.type}"


RULES: tuple[Rule, ...] = (
    Rule("a number is given to one tensor and one node only", (e.TensorMade, e.NodeMade), numbered_once),
    Rule("no event names an unknown or released tensor", tuple(TENSORS), is_alive("tensor", TENSORS)),
    Rule("no event names an unknown or released node", tuple(NODES), is_alive("node", NODES)),
    Rule("versions only grow", (e.Written,), version_grows),
    Rule("a freed tensor is never read successfully, a saved one always", (e.SlotRead,), read_as_it_is),
    Rule("a saved tensor is never found older than it was saved", (e.SlotRead,), found_after_kept),
    Rule("only what is held can be freed or retained", (e.SlotFreed, e.SlotRetained), held_before),
    Rule("a node saves one thing under a name", (e.TensorSaved,), saved_once),
    Rule("a node runs at most once in a call", (e.NodeStarted,), once_a_call),
    Rule("a node that ran had started", (e.NodeRan,), ran_after_start),
    Rule("what a call does happens while it is open", IN_A_CALL, within_a_call),
    Rule("a call starts once", (e.BackwardStarted,), new_call),
    Rule("only an open call finishes or fails", (e.BackwardFinished, e.BackwardFailed), call_ends),
    Rule("what was there and what came add up to the sum", (e.GradAdded,), adds_up),
    Rule("a first gradient is taken or copied, a later one added", (e.GradStored,), stored_as_said),
    Rule("a node lives as long as an edge leads to it", (e.NodeReleased,), outlives_users),
    Rule("every node but AccumulateGrad and NotImplemented has a sequence number", (e.NodeMade,), leaf_or_number),
    Rule("a name is bound where its function runs", (e.NameBound, e.NameUnbound, e.FunctionLeft), scope_open),
    Rule("a line reached is a line of the program", (e.LineReached,), line_exists),
    Rule("a script stops at its first uncaught error", (e.LineReached,), over_after_error),
)

ENDINGS = "a call that starts finishes or fails"
OUTCOME = "the outcome says how the events end"


def leaves(value: Value) -> Iterator[float]:
    """The numbers of a whole value, row after row."""

    def walk(data: Any) -> Iterator[float]:
        if isinstance(data, list):
            for part in data:
                yield from walk(part)
        else:
            yield data

    return walk(value.data)


def validate(trace: Trace) -> list[str]:
    """The rules that `trace` breaks, each as "rule: what is wrong (event number)". A sound trace gives none."""
    ledger = Ledger(trace)
    by_kind: dict[type[Event], list[Rule]] = defaultdict(list)
    for rule in RULES:
        for kind in rule.kinds:
            by_kind[kind].append(rule)
    broken: list[str] = []
    for number, event in enumerate(trace.events):
        for rule in by_kind[type(event)]:
            broken.extend(f"{rule.sentence}: {wrong} (event {number})" for wrong in rule.test(ledger, event))
        ledger.enter(event)
    return broken + list(endings(ledger))


def endings(ledger: Ledger) -> Iterator[str]:
    """What must hold when all is over. A run that a budget stopped may leave calls open."""
    kind = ledger.trace.outcome.kind
    if kind != "stopped":
        for call, status in ledger.calls.items():
            if status == "open":
                yield f"{ENDINGS}: call {call} does neither"
    if ledger.trace.mode != "script" or kind == "stopped":
        return
    raised = ledger.uncaught.message if ledger.uncaught else None
    said = ledger.trace.outcome.message or ""
    if (kind == "raised") != (raised is not None) or (raised is not None and not said.startswith(raised)):
        yield f"{OUTCOME}: {kind} with {ledger.trace.outcome.message!r}, and the last uncaught error is {raised!r}"
