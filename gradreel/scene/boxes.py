"""The boxes of a scene: every node of a run with what it works on and keeps, column by column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from gradreel.explain import World, formulas, label
from gradreel.explain.replay.states import NodeState

from .happenings import Stage
from .model import Box, Input, Output, Slot
from .table import Ids, Lists, Picks, Table

Formula = tuple[tuple[str, str], ...]
"""For each edge of a node the input that it stands for, and the formula of its gradient."""


class Labels(NamedTuple):
    """What the program called things when it built a node: its inputs, what it keeps, the iteration it was in."""

    inputs: list[str | None]
    slots: dict[str, str | None]
    iteration: str | None


def boxes_of(
    world: World,
    stage: Stage,
    labels: Mapping[int, Labels],
    placed: Mapping[int, str | None],
    ways: Ways,
    selves: Mapping[int, tuple[str, int]],
) -> Table[Box]:
    """A box for each node; `placed` tells the group of each."""
    states = world.nodes.values()
    modules = Modules(world, stage, selves)
    inputs, slots = Inputs(world), Slots(world, stage)
    formula: Picks[Formula] = Picks()
    output: Picks[Output | None] = Picks()
    made: list[int | None] = []
    for state in states:
        told = labels[state.number]
        names, formula_of = ways.of(state)
        formula.append(formula_of)
        inputs.add(state, told.inputs, names)
        slots.add(state, told.slots)
        first = world.tensors[state.outputs[0]] if state.outputs else None
        output.append(Output(first.shape, first.dtype) if first is not None else None)
        made.append(state.variable if state.variable is not None else first.number if first is not None else None)
    leaf = [state.variable is not None for state in states]
    return Table(
        Box,
        (
            Ids("n", list(world.nodes)),
            ["leaf" if is_leaf else "node" for is_leaf in leaf],
            [state.name for state in states],
            [state.op for state in states],
            [state.nr for state in states],
            [state.place.line for state in states],
            Picks([labels[state.number].iteration for state in states]),
            functions(states),
            [state.generation for state in states],
            [state.call for state in states],
            [placed.get(number) for number in world.nodes],
            formula,
            inputs.table(),
            output,
            slots.table(),
            [full_name(world, stage, state.variable) if state.variable is not None else None for state in states],
            Ids("t", [tensor if tensor in stage.shown else None for tensor in made]),
            modules.of_all(states),
        ),
    )


class Ways:
    """The formulas of nodes, found once for all that are alike."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int, bool], tuple[list[str], Formula]] = {}

    def of(self, state: NodeState) -> tuple[list[str], Formula]:
        """The names of the inputs of an operator, and for each edge the input it stands for and its formula."""
        edges = len(state.edges)
        sort = state.name, state.op, edges, state.variable is None
        found = self._known.get(sort)
        if found is None:
            ways = formulas(state)
            found = self._known[sort] = [name for name, _ in ways], tuple(ways[:edges])
        return found


class Inputs:
    """What nodes work on."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lengths: list[int] = []
        self._names: list[str] = []
        self._labels: list[str] = []
        self._shapes: list[tuple[int, ...]] = []

    def add(self, state: NodeState, labels: list[str | None], names: list[str]) -> None:
        inputs, world = state.inputs, self._world
        self._lengths.append(len(inputs))
        if not inputs:
            return
        self._names += (
            names[: len(inputs)] if len(names) >= len(inputs) else [*names, *[""] * (len(inputs) - len(names))]
        )
        for tensor, text in zip(inputs, labels, strict=True):
            self._labels.append(text or late(world, tensor))
            self._shapes.append(world.tensors[tensor].shape)

    def table(self) -> Lists[Input]:
        return Lists(self._lengths, Table(Input, (self._names, self._labels, self._shapes)))


class Slots:
    """What nodes keep: tensors, then plain values."""

    def __init__(self, world: World, stage: Stage) -> None:
        self._world, self._stage = world, stage
        self._lengths: list[int] = []
        self._rows: list[tuple[Any, ...]] = []

    def add(self, state: NodeState, labels: dict[str, str | None]) -> None:
        shown, index = self._stage.shown, self._stage.values.index
        self._lengths.append(len(state.slots) + len(state.values))
        for name, slot in state.slots.items():
            told, value = labels.get(name) or late(self._world, slot.tensor), slot.value
            facts = value.shape, slot.nbytes, index(value), slot.version, slot.storage
            self._rows.append((name, told, "tensor", None, *facts, slot.tensor if slot.tensor in shown else None))
        self._rows += [Slot(name, name, "value", text) for name, text in state.values.items()]

    def table(self) -> Lists[Slot]:
        *columns, tensors = zip(*self._rows, strict=True) if self._rows else [()] * len(Slot._fields)
        return Lists(self._lengths, Table(Slot, (*columns, Ids("t", tensors))))


def late(world: World, tensor: int | None) -> str:
    """A label that was not there when the node was built may be there now."""
    return label(world, tensor) or "temporary"


PATH = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
OWN = re.compile(r"(self|cls)[.\[]")
"""How a module calls what is its own, which says nothing outside of it."""


def full_name(world: World, stage: Stage, tensor: int) -> str | None:
    """What the program calls a leaf: of a module's own the name from outside, if it ever had one."""
    found = label(world, tensor)
    if found is None or not OWN.match(found):
        return found
    return next((name for name in stage.names.of(tensor) if not OWN.match(name)), found)


class Modules:
    """The modules that built nodes: those whose parameters they use, else those in whose `forward` they stand."""

    def __init__(self, world: World, stage: Stage, selves: Mapping[int, tuple[str, int]]) -> None:
        self._world, self._stage = world, stage
        self._paths = {scope: self._outer(*own) for scope, own in selves.items()}
        self._of_leaves: dict[int, str | None] = {}

    def _outer(self, own: str, tensor: int) -> str | None:
        """`model.blocks.0`, whose `self.ln.weight` is `model.blocks.0.ln.weight` outside."""
        name = full_name(self._world, self._stage, tensor)
        return name.removesuffix(f".{own}") if name is not None and name.endswith(f".{own}") else None

    def of_all(self, states: Iterable[NodeState]) -> list[str | None]:
        return [self._of_parameters(state) or self._around(state) for state in states]

    def _of_parameters(self, state: NodeState) -> str | None:
        leaves = (state.variable,) if state.variable is not None else self._leaves_below(state)
        for leaf in leaves:
            if leaf not in self._of_leaves:
                name = full_name(self._world, self._stage, leaf)
                path = name.rpartition(".")[0] if name is not None else ""
                self._of_leaves[leaf] = path if PATH.fullmatch(path) else None
            if (found := self._of_leaves[leaf]) is not None:
                return found
        return None

    def _leaves_below(self, state: NodeState) -> list[int]:
        nodes = [self._world.nodes[target] for target, _ in state.edges if target is not None]
        return [node.variable for node in nodes if node.variable is not None]

    def _around(self, state: NodeState) -> str | None:
        if not self._paths:
            return None
        frames = reversed(state.place.frames)
        return next((path for frame in frames if (path := self._paths.get(frame.scope)) is not None), None)


def functions(states: Iterable[NodeState]) -> list[str | None]:
    """The function in which each node was built; neighbours mostly share what is around them."""
    found: list[str | None] = []
    around: object = None
    function: str | None = None
    for state in states:
        if state.place.around is not around:
            around, function = state.place.around, state.place.function
        found.append(function)
    return found
