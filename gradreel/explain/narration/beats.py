"""Beats: consecutive events that one sentence tells. A beat is what a learner calls a step.

Every event has a part to play. A *lead* begins a beat of its kind; a *follower* goes along with the events before it
(what a node saved, with the making of the node); an *opener* waits for the lead that comes next (a tensor is made,
then a name bound to it). JOINS says which leads go on with a beat instead of beginning one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gradreel.trace import KINDS
from gradreel.trace import events as e
from gradreel.trace.events import Event

FOLLOWER, OPENER = "", "opener"

FOLLOWERS = (
    e.AliasChanged,
    e.TensorReleased,
    e.TensorSaved,
    e.ValueSaved,
    e.HistoryRebased,
    e.NodeReady,
    e.SlotRead,
    e.SavedPacked,
    e.SavedUnpacked,
    e.GradMissing,
    e.NumbersTaken,
)

GOES_ON = (
    "name_bound",
    "name_unbound",
    "function_left",
    "node_released",
    "slot_freed",
    "slot_retained",
    "grad_assigned",
    "grad_captured",
    "optimizer_stepped",
    "printed",
)

JOINS: dict[tuple[str, str], str] = {
    **{(kind, kind): kind for kind in GOES_ON},
    ("name_bound", "name_unbound"): "name_bound",
    ("name_unbound", "name_bound"): "name_bound",
    ("function_entered", "name_bound"): "function_entered",
    ("function_left", "name_unbound"): "function_left",
    ("name_unbound", "function_left"): "function_left",
    ("node_made", "written"): "written",
    ("written", "flag_changed"): "written",
    ("written", "grad_stored"): "grad_stored",
    ("optimizer_stepped", "written"): "optimizer_stepped",
    ("backward_started", "backward_refused"): "backward_refused",
    ("backward_refused", "raised"): "backward_refused",
    ("backward_failed", "raised"): "backward_failed",
}
"""Which leads go on with a beat of a kind, and what the beat is then. A line goes on with what happens first on it."""

BRISK: dict[tuple[str, str], str] = {
    **JOINS,
    ("node_ran", "slot_freed"): "node_ran",
    ("node_ran", "slot_retained"): "node_ran",
    ("node_ran", "grad_added"): "node_ran",
    ("node_made", "name_bound"): "node_made",
    ("node_made", "name_unbound"): "node_made",
}
"""In a long run a node's work is one beat: that it ran, let go of what it kept, and added to what had come before."""

QUIET = frozenset({"line", "name_bound", "name_unbound", "function_entered", "function_left"})
"""In a long run these go along with the next thing that autograd does."""

LONG = 10_000
"""So many events make a run long."""


class Beat(NamedTuple):
    """The events from `start` up to `stop`, told as a `kind`; `opens` if the program reaches a line with it."""

    kind: str
    start: int
    stop: int
    opens: bool


def beats(events: tuple[Event, ...]) -> Iterator[Beat]:
    """The beats of `events`, in order and without gaps.

    A write into what the line has only just made is part of making it (`fresh`): so are weights initialised.
    What skipped turns left goes along with their being skipped.
    """
    brisk = len(events) > LONG
    joins, quiet = (BRISK, QUIET) if brisk else (JOINS, frozenset({"line"}))
    kind, start, opens = "line", 0, False
    waiting: int | None = None
    fresh: set[int | None] = set()
    told = 0
    for number, event in enumerate(events):
        sort: type[Event] = type(event)
        part = PARTS[sort]
        if part is FOLLOWER or number < told:
            continue
        if type(part) is not str:
            part = part(event)  # type: ignore[operator]
            if part is FOLLOWER:
                continue
        if sort is e.NameBound:
            fresh.discard(event.tensor)  # type: ignore[attr-defined]
        elif part == "line":
            fresh.clear()
        elif sort is e.TensorMade and (event.base is None or event.base in fresh):  # type: ignore[attr-defined]
            fresh.add(event.tensor)  # type: ignore[attr-defined]
        elif sort is e.TurnsSkipped:
            if number > start:
                yield Beat(kind, start, number, opens)
            kind, start, opens, waiting = "turns_skipped", number, False, None
            told = number + 1 + event.left  # type: ignore[attr-defined]
            continue
        if part == OPENER or (sort is e.Written and event.tensor in fresh):  # type: ignore[attr-defined]
            waiting = number if waiting is None else waiting
            continue
        if kind in quiet and (brisk or part != "line" or same_line(events[start], event)):
            kind, opens = part, opens or part == "line"
        elif (joined := joins.get((kind, part))) is not None:
            kind = joined
        else:
            begin = number if waiting is None or part == "line" else waiting
            if begin > start:
                yield Beat(kind, start, begin, opens)
            kind, start, opens = part, begin, part == "line"
        waiting = None
    if start < len(events):
        yield Beat(kind, start, len(events), opens)


def same_line(one: Event, two: Event) -> bool:
    """A loop reaches its line once to begin and once for each turn."""
    return isinstance(one, e.LineReached) and isinstance(two, e.LineReached) and one.line == two.line


def tensor_part(event: e.TensorMade) -> str:
    """The result of a node follows it; any other tensor is made for what comes next."""
    return OPENER if event.node is None else FOLLOWER


def node_part(event: e.NodeMade) -> str:
    """An AccumulateGrad is made for the node that first uses its leaf."""
    return "node_made" if event.variable is None else OPENER


def ran_part(event: e.NodeRan) -> str:
    """An AccumulateGrad, which hands nothing on, has its say when it stores the gradient."""
    return "node_ran" if event.grads else FOLLOWER


def added_part(event: e.GradAdded) -> str:
    """The first gradient to arrive is no sum yet."""
    return FOLLOWER if event.before is None else "grad_added"


def failed_part(event: e.BackwardFailed) -> str:
    """A call that fails before any node runs is refused."""
    return "backward_refused" if event.node is None else "backward_failed"


def stored_part(event: e.GradStored) -> str:
    return "grad_assigned" if event.how == "assigned" else "grad_stored"


PARTS: dict[type[Event], str | Callable[[Any], str]] = {
    **{kind: name for name, kind in KINDS.items()},
    **dict.fromkeys(FOLLOWERS, FOLLOWER),
    e.LineReached: "line",
    e.NodeStarted: OPENER,
    e.TensorMade: tensor_part,
    e.NodeMade: node_part,
    e.NodeRan: ran_part,
    e.GradAdded: added_part,
    e.GradStored: stored_part,
    e.BackwardFailed: failed_part,
}
"""The part of each kind of event, or a function that tells it from the event; a new kind leads a beat of its name."""
