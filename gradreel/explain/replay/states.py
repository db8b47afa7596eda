"""The records that a World keeps: one for each place, tensor, slot, node, write, call and name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from gradreel.trace import events as e
from gradreel.trace.events import Value

SUFFIX = re.compile(r"Backwards?\d*$")


class Turn(NamedTuple):
    """One iteration, from 1, of the loop on `line`; `run` tells the runs of the same loop apart."""

    line: int
    number: int
    of: int | None
    run: int


class Frame(NamedTuple):
    """A call of `function`, made on `line`."""

    function: str
    line: int
    scope: int


class Place(NamedTuple):
    """Where the program is: the line, and around it calls and loop iterations, outermost first."""

    line: int = 0
    end_line: int = 0
    around: tuple[Turn | Frame, ...] = ()
    since: int = 0
    """The number of the event that reached it."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(part for part in self.around if isinstance(part, Turn))

    @property
    def frames(self) -> tuple[Frame, ...]:
        return tuple(part for part in self.around if isinstance(part, Frame))

    @property
    def function(self) -> str | None:
        frames = self.frames
        return frames[-1].function if frames else None


@dataclass(slots=True)
class TensorState:
    number: int
    storage: int
    op: str
    inputs: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    version: int
    node: int | None
    base: int | None
    value: Value | None
    place: Place
    made: int
    alive: bool = True
    bound: Place | None = None
    """Where a plain name was last bound to it, that of a parameter only if it had none before."""
    cut: tuple[Place, int] | None = None
    """Where, and with which event, it was last said that no gradient is wanted for it."""
    names: list[tuple[int, str]] = field(default_factory=list)
    called: str | None = None
    """The last name it had: what to call it when it has none now."""
    grad: Value | None = None
    grad_tensor: int | None = None
    came: int | None = None
    """With which event a gradient came to it before the last one did."""
    arrived: int | None = None
    emptied: tuple[Place, int] | None = None
    """Where, and with which event, its gradient was last set to None."""


@dataclass(slots=True)
class SlotState:
    slot: str
    tensor: int | None
    storage: int
    version: int
    nbytes: int
    value: Value
    saved: int
    state: str = "held"
    found: int | None = None
    freed: int | None = None
    freed_by: int | None = None


@lru_cache(1024)
def kind_of(name: str) -> str:
    return SUFFIX.sub("", name).rpartition("::")[2]


def is_custom(name: str) -> bool:
    return name.endswith("Backward")


@dataclass(slots=True)
class NodeState:
    number: int
    name: str
    op: str
    nr: int | None
    edges: e.Edges
    inputs: tuple[int, ...]
    variable: int | None
    place: Place
    made: int
    generation: int
    call: int | None
    alive: bool = True
    slots: dict[str, SlotState] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    outputs: list[int] = field(default_factory=list)
    came: Value | None = None
    """The gradient that it started with when it last ran."""
    runs: list[tuple[int, int]] = field(default_factory=list)
    """(call, which in the order of that call) of each run."""

    def slots_named(self, name: str) -> list[SlotState]:
        """The slot `name`, or all parts of it where it holds a list: `indices[0]`, `indices[1]`."""
        if name in self.slots:
            return [self.slots[name]]
        return [slot for slot in self.slots.values() if slot.slot.startswith(f"{name}[")]

    @property
    def title(self) -> str:
        return self.name if self.nr is None else f"{self.name} #{self.nr}"

    @property
    def kind(self) -> str:
        """The name without its last Backward and number: "Mul" of MulBackward0, "TanhBackward" of its own backward."""
        return kind_of(self.name)

    @property
    def custom(self) -> bool:
        """Whether a Function of the program's own made it: those have no number behind Backward."""
        return is_custom(self.name)


@dataclass(slots=True)
class Write:
    """One in-place change of a storage."""

    event: int
    place: Place
    tensor: int
    op: str
    version: int
    counted: bool
    optimizer: str | None
    inputs: tuple[int, ...] = ()


@dataclass(slots=True)
class Call:
    number: int
    called: str
    place: Place
    text: str
    retain_graph: bool
    create_graph: bool
    parent: int | None
    started: int
    roots: tuple[int, ...]
    level: int
    expected: dict[int, int]
    """For each node that this call will reach: how many gradients it waits for."""
    inputs: tuple[int, ...] = ()
    captured: dict[int, Value | None] = field(default_factory=dict)
    """What autograd.grad got, by the number of the input."""
    arrived: dict[int, int] = field(default_factory=dict)
    order: int = 0
    ended: int | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """Something that happened to `tensor`: with which event, and where the program was."""

    event: int
    place: Place
    tensor: int
    how: str = ""
