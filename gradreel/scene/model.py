"""The Scene: what a player needs to play a run, and no rule of autograd.

Boxes are backward nodes, wires the ways that gradients take, groups a tree to fold them by. What changes is kept as
histories: for each property the steps at which that of a thing changed, and to what. `Scene.changes` tells the same by
steps, as `{thing: {property: [old, new]}}`, so a player goes forward and back alike. Names of fields are those of the
JSON; a trailing underscore, which Python needs for `from`, is dropped. What there are thousands of is a NamedTuple, of
which a Table keeps the columns; the rest are dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gradreel.trace import Outcome

from .history import History, Track

SCHEMA = "gradreel-scene/1"

Changes = dict[str, dict[str, list[Any]]]
Histories = Mapping[str, Mapping[str, History]]
"""By kind and property what becomes of it. What kinds of things there are, and how they go by, says KEYS."""

KEYS: dict[str, Callable[[Any], str]] = {
    "program": lambda thing: "program",
    "n": lambda number: f"n{number}",
    "w": lambda number: f"w{number}",
    "t": lambda number: f"t{number}",
    "sum": lambda place: f"sum:n{place[0]}:{place[1]}",
    "name": lambda place: f"name:{place[0]}:{place[1]}",
}
"""How a thing is called: boxes, wires and tensors by their number, sums by box and input, names by scope and text."""

NUMBERED = ("n", "w", "t")
"""Kinds of things whose keys are a letter and a number."""


POINTING = {("name", "tensor"): "t", ("t", "box"): "n", ("sum", "wire"): "w"}
"""Properties that are other things: the letter that goes before the number which a track has of each."""


class Input(NamedTuple):
    """An operand: its name in the operator, what the program calls it, its shape."""

    name: str
    label: str
    shape: tuple[int, ...]


class Slot(NamedTuple):
    """What a node keeps: a tensor (with size, value, version, storage) or a plain value told as `text`."""

    name: str
    label: str
    kind: str
    text: str | None = None
    shape: tuple[int, ...] | None = None
    nbytes: int = 0
    value: int | None = None
    version: int | None = None
    storage: int | None = None
    tensor: str | None = None


class Output(NamedTuple):
    shape: tuple[int, ...]
    dtype: str


class Box(NamedTuple):
    """A backward node, or (kind "leaf") the AccumulateGrad of a leaf.

    `module` is the path of the module that built it, `model.blocks.1.attn`, as far as names of parameters tell.
    """

    id: str
    kind: str
    name: str
    op: str
    nr: int | None
    line: int
    iteration: str | None
    function: str | None
    generation: int
    call: int | None
    group: str | None
    formula: tuple[tuple[str, str], ...]
    inputs: tuple[Input, ...]
    output: Output | None
    slots: tuple[Slot, ...]
    variable: str | None
    tensor: str | None
    module: str | None


class Wire(NamedTuple):
    """Gradient number `output` of one box flows into input `input_nr` of another.

    `slope` says in a few letters by what the box multiplies what came to it on this way: `× 3`, `× cos x = 0.54`,
    `· Wᵀ`, `× (1 - y²)` with `y` for its result; None where that cannot be said so. `factor` is it as a number,
    where it is one.
    """

    id: str
    from_: str
    to: str
    output: int
    input_nr: int
    slope: str | None
    factor: float | None


class Tensor(NamedTuple):
    """A tensor that had a name, or is a leaf: `box` is where its gradient flows when it is made."""

    id: str
    shape: tuple[int, ...]
    dtype: str
    storage: int
    box: str | None
    op: str
    base: str | None


class Group(NamedTuple):
    """What can be folded into one: a loop iteration, a call of a function, a line, a backward call."""

    id: str
    kind: str
    title: str
    line: int
    parent: str | None


@dataclass(frozen=True, slots=True)
class Call:
    """A backward call, from one step to another."""

    id: int
    kind: str
    line: int
    from_: int
    to: int
    retain_graph: bool
    create_graph: bool
    failed: bool
    text: str


class Step(NamedTuple):
    kind: str
    line: int
    sentence: str
    focus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Steps of one colour on the timeline: forward, backward, optimizer, error, or skipped turns."""

    from_: int
    to: int
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Mend:
    """An edit of the program that was run: it `fixes` it, or something is `lost`; what it `prints` and the program
    before `printed`, from where they differ.
    """

    title: str
    source: str
    diff: str
    cost: str
    fixes: bool = True
    lost: str = ""
    prints: str = ""
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What went wrong; `lines` of the program, `nodes` to show and `steps` to seek to."""

    kind: str
    title: str
    message: str
    lines: dict[str, int | None]
    story: tuple[str, ...]
    nodes: tuple[str, ...]
    steps: dict[str, int]
    mends: tuple[Mend, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value of an expression that can be edited."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Operation:
    """A step on the way to an expression's result: `op` makes `tensor`, with this `data`, of `inputs`, or it is there.

    `node` is the box that it built, `settings` are the plain values and `saved` the tensors that this keeps, None for
    its own result.
    """

    op: str
    tensor: str
    shape: tuple[int, ...]
    inputs: tuple[str, ...] = ()
    node: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    saved: Mapping[str, str | None] = field(default_factory=dict)
    data: Any = None


@dataclass(frozen=True, slots=True)
class Expression:
    """The expression that the program was made of; `ones` if its result is no scalar and ones are sent back.

    `tape`: how its result was computed, where a page can do that again by itself; else empty.
    """

    text: str
    leaves: tuple[Leaf, ...]
    ones: bool = False
    tape: tuple[Operation, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    source: str
    mode: str
    outcome: Outcome
    values: Sequence[dict[str, Any]]
    boxes: Sequence[Box]
    wires: Sequence[Wire]
    tensors: tuple[Tensor, ...]
    groups: tuple[Group, ...]
    calls: tuple[Call, ...]
    steps: Sequence[Step]
    stretches: tuple[Stretch, ...]
    diagnoses: tuple[Diagnosis, ...]
    output: tuple[tuple[str, int], ...]
    histories: Histories
    keyed: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Of kinds of things that have no numbers of their own, all things by the numbers that histories have for them.

    They are numbered as they come up: sums by box and input, names by scope and text.
    """
    expression: Expression | None = None
    schema: str = field(default=SCHEMA)

    def changes(self) -> list[Changes]:
        """What changes with each step, as {thing: {property: [old, new]}}."""
        changes: list[Changes] = [{} for _ in self.steps]
        for kind, name, place, (steps, numbers) in self.tracks():
            thing, letter, before = KEYS[kind](place), POINTING.get((kind, name)), None
            values = numbers if letter is None else [n if n is None else f"{letter}{n}" for n in numbers]
            for step, value in zip(steps, values, strict=True):
                changes[step].setdefault(thing, {})[name] = [before, value]
                before = value
        return changes

    def tracks(self) -> Iterator[tuple[str, str, Any, Track]]:
        """Every track with its kind, its property and its thing; those of names in the order of these."""
        for kind, properties in self.histories.items():
            all_tracks = {name: history.tracks() for name, history in properties.items()}
            if kind != "name":
                keys = self.keyed.get(kind)
                for name, tracks in all_tracks.items():
                    for number, track in tracks.items():
                        yield kind, name, number if keys is None else keys[number], track
                continue
            for number, place in enumerate(self.keyed[kind]):
                for name, tracks in all_tracks.items():
                    if number in tracks:
                        yield kind, name, place, tracks[number]
