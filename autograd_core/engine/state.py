"""What belongs to one thread of execution: grad mode, the listener, hooks on saved tensors, the count of nodes.

Note [Usual threads]. Reading the state of a thread costs more than multiplying two numbers. So the quick paths
of operators and engine look at `special` first: the threads that are not as a fresh one is. While it is empty, nobody
listens, grad mode is on everywhere and nothing else needs to be asked. `State` keeps it up to date.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..events.recording import Tape
    from ..events.session import Session
    from ..functorch.batch import Level as Mapping
    from ..functorch.levels import Level
    from ..graph.node import Node
    from .engine import Call

PackHooks = tuple[Callable[[Any], Any], Callable[[Any], Any]]

special: set[int] = set()
"""The threads in whose state something is not as it usually is; see Note [Usual threads]."""

singular: dict[int, Tape | bool] = {}
"""Those of them that have more to ask than whether grad mode is on, with what an operator asks first: the tape that
takes facts, or False."""

next_usual: Callable[[], int] = count().__next__
"""The next sequence number of nodes made outside `isolated`."""

LAST = 2**64 - 1
"""The sequence number of nodes that are not counted, as every AccumulateGrad: they go before all others."""

irregular: set[str] = set()
"""What there ever was in this process that the quick engine must look out for; see Note [Sorted runs]."""

RESHAPED = "tensors that got memory of another shape, with nobody told"
COMPLEX = "complex numbers"
DETACHED = "tensors that were taken out of their graph in place"

irregular_memory: set[str] = set()
"""Who else may write the memory of tensors that were made outside `isolated`; a tape must know."""

ASKED = frozenset(
    ("grad_enabled inference session saved_hooks reserve anomaly next_sequence mapped bfloat16 autocast").split()
)
"""The fields whose change may make a thread special."""


class State(threading.local):
    """The engine's state; every thread has its own."""

    usual: bool
    inference: bool
    session: Session | None
    aside: Tape | None
    """Who listened before and will again: releases of what it knows are told to it all the same."""
    tape: Tape | None
    saved_hooks: tuple[PackHooks, ...]
    saved_hooks_refused: str | None
    next_call: Callable[[], int]
    calls: list[Call]
    reserve: Callable[[str, tuple[Any, ...]], None] | None
    warned: set[str]
    anomaly: bool
    check_nan: bool
    levels: list[Level]
    dual: Level | None
    mapped: tuple[Mapping, ...]
    early_stop: bool | None
    warn_always: bool
    validate_args: bool
    grad_enabled: bool
    autocast: Any
    """The block of torch.autocast under way; see dispatch/autocast.py."""
    bfloat16: bool
    """Whether there was a tensor of it; see tensor/bfloat16.py."""
    next_sequence: Callable[[], int]
    tables: dict[int, tuple[dict[Any, Any], dict[Any, Any]]] | None
    stack: Callable[[], list[str]] | None = None
    """The calls under way, as a traceback has them, where a program's are not the host's."""
    as_callable: Callable[[Any], Any] | None = None
    """What is called for something that a program has put where hooks are, where its functions are not the host's."""

    def __init__(self) -> None:
        np.seterr(divide="ignore", over="ignore", under="ignore", invalid="ignore")  # torch has no such warnings
        self.thread = threading.get_ident()
        self.reset(next_usual)

    def reset(self, next_sequence: Callable[[], int]) -> None:
        """As in a fresh process: nothing counted, nobody listening, no warning shown yet."""
        self.__dict__.update(
            usual=False, inference=False, session=None, aside=None, tape=None, saved_hooks=(), saved_hooks_refused=None,
            next_call=count(1).__next__, calls=[], reserve=None, warned=set(), anomaly=False, check_nan=True,
            levels=[], dual=None, mapped=(), early_stop=None, warn_always=False, validate_args=True, grad_enabled=True,
            next_sequence=next_sequence, tables=None, bfloat16=False, autocast=None,
        )  # fmt: skip
        self.look()

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "grad_enabled":
            switch(self.__dict__, value)
            return
        super().__setattr__(name, value)
        if name in ASKED:
            self.look()

    def look(self) -> None:
        """Find out whether this thread is `usual` (grad mode aside), and whether it is special."""
        fields = self.__dict__
        usual = (
            fields["session"] is None
            and not fields["inference"]
            and not fields["saved_hooks"]
            and fields["reserve"] is None
            and not fields["anomaly"]
            and not fields["mapped"]
            and not fields["bfloat16"]
            and fields["autocast"] is None
            and fields["next_sequence"] is next_usual
        )
        fields["usual"] = usual
        fields["tape"] = None if usual else tape_of(fields)
        if usual:
            singular.pop(fields["thread"], None)
        else:
            singular[fields["thread"]] = fields["tape"] or False
        (special.discard if usual and fields["grad_enabled"] else special.add)(fields["thread"])


def own_table(table: dict[Any, Any]) -> dict[Any, Any]:
    """A table of the engine that programs enter things in, as this run has it: within `isolated`, a copy of its own."""
    if state.tables is None:
        return table
    if id(table) not in state.tables:
        state.tables[id(table)] = table, dict(table)  # kept, so that no other can have its id
    return state.tables[id(table)][1]


def ask_room(*lengths: int) -> None:
    """Ask whoever counts memory whether there is room for so many elements; what is asked may raise."""
    if state.reserve is not None:
        state.reserve("empty", lengths)


def visit() -> None:
    """Tell whoever counts work of a step through what may be inside itself, or be shared by many."""
    ask_room(1 << 11)


def forget(thread: int) -> None:
    """The thread of this number ends; another may get its number."""
    special.discard(thread)
    singular.pop(thread, None)


def switch(fields: dict[str, Any], grad_enabled: bool) -> None:
    """Grad mode on or off in the state with these fields: `state.grad_enabled = ...`, but quicker."""
    fields["grad_enabled"] = grad_enabled
    if fields["tape"] is not None:
        fields["tape"].grad = grad_enabled
    elif grad_enabled and fields["usual"]:
        special.discard(fields["thread"])
    else:
        special.add(fields["thread"])


def tape_of(fields: dict[str, Any]) -> Tape | None:
    """The tape that takes facts of this thread, if one listens and all else is usual; it is told of what is not."""
    tape = fields["session"]
    if not getattr(tape, "noting", False) or not tape.facts:
        return None
    if fields["inference"] or fields["saved_hooks"] or fields["anomaly"] or fields["mapped"]:
        return None
    if fields["bfloat16"] or fields["autocast"] is not None:
        return None
    tape.grad, tape.reserve, tape.next_sequence = fields["grad_enabled"], fields["reserve"], fields["next_sequence"]
    tape.free, tape.levels = getattr(tape.reserve, "free", 0), fields["levels"]
    counter = getattr(tape.next_sequence, "__self__", None)
    tape.sequence = counter if isinstance(counter, count) else None
    return tape


state = State()


def mark_exposed() -> None:
    """Numpy sees the memory of a tensor: it may be written with nobody told."""
    tape = state.tape or state.aside
    if tape is not None:
        tape.exposed()
    elif state.next_sequence is next_usual:
        irregular_memory.add("numpy")


def unusual(what: str) -> None:
    """There is something now that the quick engine must look out for, in this thread's recording, too."""
    irregular.add(what)
    session = state.session or state.aside
    if session is not None:
        session.plain = False


def watch(node: Node | None) -> None:
    """Others than its tensor and the graph may hold `node` now: whoever records can no longer tell when it goes."""
    if node is not None and singular and state.session is not None:
        state.session.node_number(node)


@contextmanager
def isolated() -> Iterator[State]:
    """Run as a fresh process would: a state of its own for this block, the old one back afterwards."""
    before = dict(state.__dict__)
    state.reset(count().__next__)
    state.tables = {}
    try:
        yield state
    finally:
        after = dict(state.__dict__)  # what goes with it asks for the state, and there is to be one
        state.__dict__.clear()
        state.__dict__.update(before)
        state.look()
        after.clear()
        irregular.add("sequence numbers given twice")
