"""Trace -> Scene: every beat becomes a step, every node a box."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cached_property
from itertools import groupby, islice
from types import MethodType

from gradreel.collecting import collector_paused
from gradreel.explain import Beat, Doctor, Slope, World, beats, label, saved_label, slope, tell
from gradreel.explain import Diagnosis as Found
from gradreel.explain.diagnostics.registry import Look
from gradreel.explain.fixes import Fix as Tried
from gradreel.explain.replay.states import NodeState
from gradreel.explain.replay.world import CHANGES
from gradreel.trace import KINDS, Trace
from gradreel.trace import events as e
from gradreel.trace.events import Event

from .boxes import Labels, Ways, boxes_of
from .cells import with_cells
from .groups import Groups
from .happenings import HAPPENINGS, Stage
from .model import Call, Diagnosis, Expression, Histories, Mend, Scene, Stretch, Tensor
from .shown import ShownValues
from .steps import Steps
from .tape import tape_of

START = "Nothing has happened yet. Each step tells one thing that the program or autograd does."
NOT_RUN = "The program was not run, so there is nothing to play."
ERRORS = ("backward_failed", "backward_refused", "raised", "stopped")
STRETCHES = {"optimizer_stepped": "optimizer", "turns_skipped": "skipped", **dict.fromkeys(ERRORS, "error")}


Mender = Callable[[Trace, list[Found]], list[tuple[Found, list[Tried]]]]
"""What finds edits that mend what was found in a run; only who can run programs has one."""


def build(
    trace: Trace,
    expression: Expression | None = None,
    mender: Mender | None = None,
    early: Callable[[Scene], None] | None = None,
) -> Scene:
    """The scene of a run; `expression` is what the program was made of, if it was.

    If there is something to mend, `early` gets the scene without mends, before these are looked for.
    """
    with collector_paused():
        builder = Builder(trace)
        builder.play()
        scene = builder.scene(expression)
        if mender is None or not scene.diagnoses:
            return scene
        if early is not None:
            early(scene)
        return replace(scene, diagnoses=builder.diagnoses(mender))


def without_mends(trace: Trace, found: list[Found]) -> list[tuple[Found, list[Tried]]]:
    return [(diagnosis, []) for diagnosis in found]


Hears = dict[type[Event], tuple[Look | None, tuple[Look, ...]]]
"""For each kind of event what changes the World by it, and who looks at it then: first of all the picture."""


class Builder:
    """Plays the events beat after beat and writes down what is to be drawn."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.world = World(trace)
        self.stage = Stage(self.world, *what_is_shown(trace))
        self.bytes = self.stage.ledger.tracks("program", "bytes")
        self.groups = Groups(self.world)
        self.steps = Steps()
        self.steps.add("start", 0, NOT_RUN if trace.outcome.kind == "refused" else START, ())
        self.starts = [-1]
        """For each step the first event that it tells."""
        self.labels: dict[int, Labels] = {}
        self.ways = Ways()
        self.in_call: list[int | None] = [None]
        self.doctor = Doctor(self.world)
        self.made: list[int] = []
        self.about: dict[int, None] = {}
        """The nodes that are built or go in this step."""
        self.call: int | None = None

    def play(self) -> None:
        """Every beat, in order."""
        own: dict[type[Event], Look] = {
            e.NodeMade: self.is_made,
            e.NodeReleased: self.goes,
            e.BackwardStarted: self.calls,
        }
        of_skipped = self.hears(self.doctor.subscriptions_skipped(), own)
        hears = self.hears(self.doctor.subscriptions(), own)
        of_skipped[e.TurnsSkipped] = hears[e.TurnsSkipped]
        for beat in beats(self.trace.events):
            self.add(beat, of_skipped if beat.kind == "turns_skipped" else hears)

    def hears(self, doctors: dict[type[Event], tuple[Look, ...]], own: dict[type[Event], Look]) -> Hears:
        pictured = {kind: (MethodType(happening, self.stage),) for kind, happening in HAPPENINGS.items()}
        changes = {kind: MethodType(change, self.world) for kind, change in CHANGES.items()}
        alone = {kind: (look,) for kind, look in own.items()}
        looks = (pictured, doctors, alone)
        return {kind: (changes.get(kind), sum((some.get(kind, ()) for some in looks), ())) for kind in KINDS.values()}

    def is_made(self, event: e.NodeMade) -> None:
        self.made.append(event.node)
        self.about[event.node] = None

    def goes(self, event: e.NodeReleased) -> None:
        self.about[event.node] = None

    def calls(self, event: e.BackwardStarted) -> None:
        self.call = self.world.open_calls[0]

    def add(self, beat: Beat, hears: Hears) -> None:
        world, stage = self.world, self.stage
        self.made.clear()
        self.about.clear()
        self.call = world.open_calls[0] if world.open_calls else None
        stage.ledger.begin(len(self.starts))
        stage.settle()
        events = self.trace.events[beat.start : beat.stop]
        for event in events:
            change, looks = hears[type(event)]
            if change is not None:
                change(event)
            world.count += 1
            for look in looks:
                look(event)
        stage.arrive()
        for number in self.made:
            self._label(number)
        self.bytes.put(0, world.saved_bytes)
        self.steps.add(beat.kind, world.place.line, tell(world, beat, events), self.focus(beat, events))
        self.starts.append(beat.start)
        self.in_call.append(self.call)

    def focus(self, beat: Beat, events: tuple[Event, ...]) -> tuple[int, ...]:
        """The nodes that a step is about: the first that acts, or all that are built or go together."""
        if beat.kind != "turns_skipped":
            for event in events:
                if type(event) in ACTORS and event.node is not None:  # type: ignore[attr-defined]
                    return (event.node,)  # type: ignore[attr-defined]
        return tuple(islice(self.about, FOCUSED))

    def step_of(self, event: int) -> int:
        """The step that tells event number `event`."""
        return bisect_right(self.starts, event) - 1

    def _label(self, number: int) -> None:
        """Names for what a new node works on, while the program still calls it so."""
        state = self.world.nodes[number]
        title = self.groups.place(number, state.place, state.call) if state.variable is None else None
        inputs = [label(self.world, tensor) for tensor in state.inputs]
        slots = {name: saved_label(self.world, slot) for name, slot in state.slots.items()}
        self.labels[number] = Labels(inputs, slots, title)

    # ---- the whole

    def scene(self, expression: Expression | None) -> Scene:
        trace, end = self.trace, len(self.starts) - 1
        placed = self.groups.settle()
        calls = tuple(
            Call(
                call.number,
                call.called,
                call.place.line,
                self.step_of(call.started),
                end if call.ended is None else self.step_of(call.ended),
                call.retain_graph,
                call.create_graph,
                call.failed,
                call.text,
            )
            for call in self.world.calls.values()
        )
        boxes = boxes_of(self.world, self.stage, self.labels, placed, self.ways, self.groups.selves)
        tensors = tuple(self._tensor(number) for number in sorted(self.stage.shown) if number in self.world.tensors)
        histories = self.stage.ledger.histories
        return Scene(
            trace.source,
            trace.mode,
            trace.outcome,
            self._values(histories),
            boxes,
            self.stage.wires.table(self._slope),
            tensors,
            tuple(self.groups.made),
            calls,
            self.steps.table(),
            tuple(self._stretches()),
            self.diagnoses(without_mends),
            tuple((text, self.step_of(event)) for text, event in self.world.printed),
            histories,
            {"sum": tuple(self.stage.sums), "name": tuple(self.stage.names.numbers)},
            None if expression is None else replace(expression, tape=tape_of(trace)),
        )

    def _slope(self, node: int, edge: int) -> Slope:
        state = self.world.nodes[node]
        ways = self.ways.of(state)[1]
        found = slope(state, ways[edge][1], self.labels[node].slots) if edge < len(ways) else Slope()
        # Of what was stretched, what comes back is added up: no number says by how much.
        return found._replace(number=None) if found.number is not None and self._stretches_to(state, edge) else found

    def _stretches_to(self, state: NodeState, edge: int) -> bool:
        """Whether a node makes more of what came on this way than there was."""
        target = state.edges[edge][0]
        below = None if target is None else self.world.nodes[target]
        if below is None or not state.outputs:
            return False
        made = below.outputs[0] if below.outputs else below.variable
        if made is None:
            return False
        sizes = [math.prod(self.world.tensors[each].shape) for each in (state.outputs[0], made)]
        return sizes[0] > sizes[1]

    def _values(self, histories: Histories) -> ShownValues:
        table, index = self.stage.values.table, self.stage.values.index
        slots = [slot for node in self.world.nodes.values() for slot in node.slots.values() if not slot.value.whole]
        kept = [(self.step_of(slot.saved), index(slot.value)) for slot in slots]
        return ShownValues(table, with_cells(table, histories, kept))

    def _tensor(self, number: int) -> Tensor:
        state = self.world.tensors[number]
        made = self.trace.events[state.made]
        assert isinstance(made, e.TensorMade)
        return Tensor(
            f"t{number}",
            state.shape,
            state.dtype,
            state.storage,
            None if made.node is None else f"n{made.node}",
            state.op,
            f"t{state.base}" if state.base in self.stage.shown else None,
        )

    def _stretches(self) -> list[Stretch]:
        numbered = {call: place for place, call in enumerate(dict.fromkeys(filter(None, self.in_call)), 1)}
        if self.world.skipped:
            numbered = {call: call for call in numbered}  # they count on where calls are left out

        def colour(number: int) -> tuple[str, str]:
            kind = STRETCHES.get(self.steps.kinds[number])
            call = self.in_call[number]
            if kind is None and call is not None:
                return "backward", f"call {numbered[call]}"
            return kind or "forward", ""

        runs = (list(run) for _, run in groupby(range(1, len(self.starts)), key=colour))
        return [Stretch(run[0], run[-1], *colour(run[0])) for run in runs]

    def diagnoses(self, mender: Mender) -> tuple[Diagnosis, ...]:
        return tuple(
            Diagnosis(
                found.kind,
                found.title,
                found.message,
                found.lines,
                found.story,
                tuple(f"n{node}" for node in found.nodes),
                {name: self.step_of(event) for name, event in found.events.items()},
                tuple(Mend(**asdict(mend)) for mend in mends),
            )
            for found, mends in mender(self.trace, self.found)
        )

    @cached_property
    def found(self) -> list[Found]:
        return self.doctor.diagnoses()


def what_is_shown(trace: Trace) -> tuple[set[int], list[int]]:
    """The tensors that a player can show (what ever has a name, leaves, and the bases of these), and all nodes."""
    shown: set[int] = set()
    nodes: list[int] = []
    bases: dict[int, int] = {}
    for event in trace.events:
        if type(event) is e.NameBound:
            if event.tensor is not None:
                shown.add(event.tensor)
        elif type(event) is e.NodeMade:
            nodes.append(event.node)
            if event.variable is not None:
                shown.add(event.variable)
        elif type(event) is e.TensorMade and event.base is not None:
            bases[event.tensor] = event.base
    return shown | {bases[tensor] for tensor in shown if tensor in bases}, nodes


ACTORS = frozenset((e.NodeStarted, e.SlotFreed, e.SlotRetained, e.GradAdded, e.BackwardFailed))
"""Kinds of events in which a node acts."""
FOCUSED = 12
"""A step is about so many boxes at most."""
