"""A graph that grows from turn to turn: a state carried over, losses summed, an evaluation that records."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee, calls_in, keyword
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import Watcher, watcher
from ...fixes.edits import append_suffix, join_names, loads, without_keyword
from ...fixes.proposal import FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import read
from ...narration.words import code, count, name_of, on
from ...replay.graph_queries import nodes_behind
from ...replay.states import Frame, NodeState, Place, TensorState, Turn
from ...replay.world import World
from .carried_state import detached_at_store, detached_at_top, detached_attribute

TURNS = 3
"""So many turns in a row must each have left more behind than the one before."""


@dataclass(slots=True)
class Lap:
    """A turn of a loop: when it began, how many nodes were alive and how many bytes were kept at its end."""

    began: int
    alive: int = 0
    nbytes: int = 0
    backward: int = 0


@dataclass(slots=True)
class Loop:
    """A run of a loop: the turn it is in, and its laps so far."""

    turn: Turn
    laps: list[Lap]


@watcher(*[e.BackwardStarted] * (TURNS + 1))
class Growing(Watcher):
    """Follows every loop: what each turn leaves alive."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.open: dict[tuple[int, int], Loop] = {}
        """By the line of the loop and which run of it."""
        self.around: tuple[Turn | Frame, ...] = ()
        """The calls and loops that the line reached last was in."""
        self.alive = 0
        self.suspect: tuple[list[Lap], int, list[int], str | None] | None = None
        self.kept: TensorState | None = None
        """What leads back to it without a name of its own then: an attribute, bound in a method that is over."""
        self.ran: set[int] = set()
        self.called_in: set[int] = set()
        """The lines of the loops in which a backward was called."""
        self.recount = False
        """Whether turns were skipped, of which it is not known how many nodes they left."""

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        """Of the loop itself, and of those in it, turns in a row begin anew; those around it go on."""
        lines = [line for line, _ in self.open]
        for key in list(self.open)[lines.index(event.line) if event.line in lines else len(lines) :]:
            del self.open[key]
        self.around, self.recount = (), True

    def on_node_made(self, event: e.NodeMade) -> None:
        self.alive += event.variable is None

    def on_node_released(self, event: e.NodeReleased) -> None:
        self.alive -= self.world.nodes[event.node].variable is None

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        place = self.world.place
        self.called_in.update(turn.line for turn in place.turns)
        shown = self.world.source.statement(place.line, place.end_line)
        calls = calls_in(shown)  # none of a text that cannot be read
        for loop in self.open.values() if not calls or any(map(goes_back, calls)) else ():
            loop.laps[-1].backward += 1
        if self.suspect is not None:
            self.ran.update(self.world.calls[event.call].expected)

    def on_line_reached(self, event: e.LineReached) -> None:
        if self.recount:
            self.recount = False
            self.alive = sum(node.alive and node.variable is None for node in self.world.nodes.values())
        before, around = self.around, self.world.place.around
        if around is before:
            return
        self.around = around
        same = 0  # what is around both is left as it is
        for one, other in zip(before, around, strict=False):
            if one is not other:
                break
            same += 1
        turns = {(part.line, part.run): part for part in around[same:] if type(part) is Turn}
        for part in before[same:]:
            if type(part) is Turn and (part.line, part.run) not in turns:
                self.finish(self.open.pop((part.line, part.run)))
        for key, turn in turns.items():
            loop = self.open.get(key)
            if loop is None:
                self.open[key] = Loop(turn, [Lap(self.world.count - 1)])
            elif loop.turn.number != turn.number:
                self.finish(loop)
                loop.turn = turn
                loop.laps.append(Lap(self.world.count - 1))

    def finish(self, loop: Loop) -> None:
        """At the end of a turn: whether the last ones each left more nodes of their own behind than the one before."""
        last = loop.laps[-1]
        last.alive, last.nbytes = self.alive, self.world.saved_bytes
        laps = loop.laps[-TURNS - 1 :]
        if self.suspect is not None or len(laps) <= TURNS or not all(lap.backward for lap in laps):
            return
        if not all(a.alive < b.alive for a, b in zip(laps, laps[1:], strict=False)):
            return
        oldest = [node for node in self.world.nodes.values() if node.alive and self.within(node, laps[0], laps[1])]
        if oldest:
            name = holder(self.world, oldest, loop.turn.line)
            carried = self.world.source.carried_names(loop.turn.line)
            self.kept = kept_attribute(self.world, oldest) if name is None or name not in carried else None
            self.suspect = list(laps), loop.turn.line, [node.number for node in oldest], name

    def within(self, node: NodeState, lap: Lap, after: Lap) -> bool:
        return lap.began <= node.made < after.began and node.variable is None

    def report(self) -> list[Diagnosis]:
        """Told unless what was left behind was used by a later backward that the program made once for all turns."""
        if self.suspect is None:
            return []
        laps, line, oldest, name = self.suspect
        world = self.world
        states = [world.nodes[number] for number in oldest]
        again = [node for node in states if any(call_of(world, run).started > laps[-1].began for run, _ in node.runs)]
        if again and not self.repeatedly(states):
            return []
        if not again and self.goes_back_elsewhere(states, line):
            return []  # as an evaluation unrolls what a training unrolls, and goes back through
        hidden = any(turns.line in self.called_in for _, turns in world.skipped)
        if hidden and not again and not all(is_untouched(node) for node in states):
            return []  # a backward among the skipped turns may have used them
        grown = laps[-1].alive - laps[0].alive
        nbytes = laps[-1].nbytes - laps[0].nbytes
        name = holder(world, states, line) or name
        if self.kept is not None and name not in world.source.carried_names(line):
            name = self.kept.called  # what an object keeps is carried over, and not what a turn computed of it
        if name is None and any(node.custom for node in states):
            return []  # a Function that keeps its result on its context: both go when Python looks for such circles
        kept_on = self.kept.place.line if self.kept is not None and name == self.kept.called else None
        if kept_on is None and name is not None and "." in name:
            kept_on = next(
                (one.place.line for one in world.tensors.values() if is_called(one, name) and one.node), None
            )
        where = f", bound anew {on(kept_on)}," if kept_on is not None else ""
        held = f" {code(name)}{where} leads back to them, turn by turn." if name else ""
        weight = f", and {nbytes:,} bytes of saved tensors" if nbytes > 0 else ""
        story = [
            f"In {len(laps) - 1} turns of the loop {on(line)}, {grown} nodes more stayed alive{weight}. Each turn "
            f"leaves its graph behind.{held}",
        ]
        retained = self.retaining(states) if again else None
        if again:
            story.append("Each backward walks through all turns before it, so every turn takes longer than the last.")
        else:
            story.append("No backward will come back to them: they are kept for nothing.")
        if retained is not None:
            story.append(
                f"`retain_graph=True` {on(retained)} lets it: without that the second backward would say what is wrong."
            )
        story.append("`detach()` what is carried over, or take its number with `item()`.")
        shows = states[0].place.line
        lines: dict[str, int | None] = {"built": shows, "raised": None, "shows": line}
        lines |= {"changed": retained} if retained is not None else {}
        lines |= {"saved": kept_on} if kept_on is not None else {}
        return [
            Diagnosis(
                title="The graph grows with every turn",
                lines=lines,
                story=tuple(story),
                nodes=tuple(oldest[:6]),
                events={"built": states[0].made, "seen": laps[-1].began},
                cause="growing",
                names=known_names(target=name),
            )
        ]

    def retaining(self, states: list[NodeState]) -> int | None:
        """The line of a call that kept the graph, so that the old nodes could run again."""
        calls = [call_of(self.world, run) for node in states for run, _ in node.runs]
        return next((call.place.line for call in calls if "retain_graph=True" in call.text), None)

    def repeatedly(self, states: list[NodeState]) -> bool:
        """Whether calls in several turns each ran the old nodes again."""
        return any(len({run for run, _ in node.runs}) > TURNS for node in states)

    def goes_back_elsewhere(self, states: list[NodeState], line: int) -> bool:
        """Whether a backward from outside of the loop on `line` went through what another run of it built there."""
        own = {turn for node in states if (turn := turn_in(node.place, line)) is not None}
        runs, places = {turn.run for turn in own}, {node.place.line for node in states}
        return any(
            (turn := turn_in(node.place, line)) is not None
            and turn.run not in runs
            and any(turn_in(call_of(self.world, run).place, line) is None for run, _ in node.runs)
            for node in self.world.nodes.values()
            if node.runs and node.place.line in places
        )


def is_called(tensor: TensorState, name: str) -> bool:
    """Whether the program calls `tensor` so."""
    return any(own == name for _, own in tensor.names)


def goes_back(call: ast.Call) -> bool:
    """Whether `call` is `backward` or `autograd.grad`.

    A transform goes back within a function of its own, as an evaluation does, and is no step of a training.
    """
    argnums = [part for given in call.args[1:2] for part in getattr(given, "elts", [given])]
    inputs = keyword(call, "inputs") is not None or not all(isinstance(part, ast.Constant) for part in argnums)
    return callee(call) == "backward" or callee(call) == "grad" and inputs


def turn_in(place: Place, line: int) -> Turn | None:
    """The turn of the loop on `line` in which `place` is."""
    return next((turn for turn in place.turns if turn.line == line), None)


def holder(world: World, states: list[NodeState], line: int | None = None) -> str | None:
    """The name that leads to the old nodes: one that is bound again in every turn, and that of the loop on `line` reads
    what the turn before left in it, else what an object keeps, if there is such."""
    carried = world.source.carried_names(line) if line is not None else frozenset()
    first: str | None = None
    kept: str | None = None
    for name in holders(world, {node.number for node in states}):
        if name in carried:
            return name
        first = first or name
        kept = kept or (name if "." in name else None)
    return kept or first


def holders(world: World, old: set[int]) -> Iterator[str]:
    """The names of tensors of which the graph leads to nodes of `old`, latest first."""
    for tensor in reversed(world.tensors.values()):
        if tensor.names and leads_to(world, tensor.node, old) and (name := name_of(world, tensor)) is not None:
            yield name


def kept_attribute(world: World, states: list[NodeState]) -> TensorState | None:
    """What is still there, was made for an attribute, as `self.center`, and leads to the old nodes."""
    old = {node.number for node in states}
    for tensor in reversed(world.tensors.values()):
        if tensor.alive and not tensor.names and "." in (tensor.called or "") and leads_to(world, tensor.node, old):
            return tensor
    return None


def leads_to(world: World, start: int | None, goals: set[int]) -> bool:
    """Whether the graph behind node `start` leads to one of `goals`, which it is not itself."""
    if start is None or start in goals:
        return False
    return not goals.isdisjoint(nodes_behind(world, start, min(goals, default=0)))


def is_untouched(node: NodeState) -> bool:
    """Whether `node` is as it was built."""
    return node.alive and all(slot.state == "held" for slot in node.slots.values())


def call_of(world: World, number: int) -> Any:
    return world.calls[number]


EVALUATION_TURNS = 3
"""A loop of fewer turns is not told."""
LoopRun = tuple[int, int]
"""The line of a loop and which run of it."""


@dataclass(slots=True)
class EvaluationTurn:
    """A turn: its number, the event it began with, the bytes kept then, and the nodes made in it."""

    number: int
    began: int
    nbytes: int
    nodes: list[int] = field(default_factory=list)


@watcher(e.NodeMade, e.OptimizerStepped)
class Collected(Watcher):
    """Follows every loop in which no backward runs, once an optimizer has taken a step."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.trained = False
        self.open: dict[LoopRun, list[EvaluationTurn]] = {}
        self.place = world.place
        self.suspects: list[tuple[int, list[EvaluationTurn], int]] = []

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.LineReached: self.line,
            e.FunctionLeft: self.line,
            e.NodeMade: self.on_node_made,
            e.BackwardStarted: self.on_backward_started,
            e.OptimizerStepped: self.on_optimizer_stepped,
            e.TurnsSkipped: self.on_turns_skipped,
        }

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        """Of a loop with skipped turns too little is known."""
        for laps in self.open.values():
            laps.clear()

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        self.trained = True

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        """A loop with a backward in it is a training loop, which is not looked at here."""
        for laps in self.open.values():
            laps.clear()

    def on_node_made(self, event: e.NodeMade) -> None:
        if event.variable is None:
            for laps in self.open.values():
                if laps:
                    laps[-1].nodes.append(event.node)

    def line(self, event: e.LineReached | e.FunctionLeft) -> None:
        place = self.world.place
        if not self.trained or place is self.place:
            return
        self.place = place
        turns = {(turn.line, turn.run): turn for turn in place.around if isinstance(turn, Turn)}
        for key in [key for key in self.open if key not in turns]:
            self.judge(key[0], self.open.pop(key))
        for key, turn in turns.items():
            laps = self.open.get(key)
            if laps is None:
                laps = self.open[key] = []
                self.begin(laps, turn)
            elif laps and laps[-1].number != turn.number:
                self.begin(laps, turn)

    def begin(self, laps: list[EvaluationTurn], turn: Turn) -> None:
        laps.append(EvaluationTurn(turn.number, self.world.count - 1, self.world.saved_bytes))

    def judge(self, line: int, laps: list[EvaluationTurn]) -> None:
        """At the end of a loop: whether most of each turn's graph is alive, and none of it a continuation."""
        if len(laps) >= EVALUATION_TURNS and all(lap.nodes and self.kept(lap, laps[0].began) for lap in laps):
            self.suspects.append((line, laps, self.world.saved_bytes))

    def kept(self, lap: EvaluationTurn, first: int) -> bool:
        nodes = [self.world.nodes[number] for number in lap.nodes]
        carried: set[int] = set()
        for node in nodes:
            targets = [self.world.nodes[target] for target, _ in node.edges if target is not None]
            if any(
                target.number in carried or (target.variable is None and first <= target.made < lap.began)
                for target in targets
            ):
                carried.add(node.number)
        alive = sum(node.alive for node in nodes)
        return 2 * len(carried) <= len(nodes) and 2 * alive > len(nodes)

    def report(self) -> list[Diagnosis]:
        """Told unless a backward ran through what was kept after all, or might have if the run had gone on."""
        latest = {line: laps for line, laps, _ in self.suspects} if self.world.trace.outcome.kind == "stopped" else {}
        for line, laps, nbytes in self.suspects:
            if latest.get(line) is laps:
                continue
            states = [self.world.nodes[number] for lap in laps for number in lap.nodes]
            if self.world.skipped and not all(node.alive for node in states):
                continue  # perhaps a backward among the skipped turns came for them
            if not any(node.runs for node in states):
                return [self.describe(line, laps, states, nbytes)]
        return []

    def describe(self, line: int, laps: list[EvaluationTurn], states: list[NodeState], nbytes: int) -> Diagnosis:
        name = holder(self.world, [self.world.nodes[number] for number in laps[0].nodes])
        weight = f" with {nbytes - laps[0].nbytes:,} bytes of saved tensors" if nbytes > laps[0].nbytes else ""
        held = f"{code(name)} leads to all of them." if name else "What was kept of each turn leads to them."
        built = states[0]
        return Diagnosis(
            title="An evaluation that records a graph",
            lines={"built": built.place.line, "raised": None, "shows": line},
            story=(
                f"Each of the {count(len(laps))} turns of the loop {on(line)} recorded a graph. All of them stayed "
                f"alive: {len(states)} nodes{weight}.",
                held,
                "No backward ever came for them, so they were recorded and kept for nothing.",
                "`with torch.no_grad():` around an evaluation records nothing; `item()` takes a number without its "
                "graph.",
            ),
            nodes=tuple(node.number for node in states[:6]),
            events={"built": built.made, "seen": laps[-1].began},
            cause="collected",
            names=known_names(target=name),
        )


# ---- fixes


@fix(collected=1)
def record_nothing(wanted: FixContext) -> Iterator[Proposal]:
    """The loop runs under no_grad."""
    text, loop = wanted.text, wanted.at("shows")
    if isinstance(loop, ast.For | ast.While):
        title = f"with torch.no_grad(): around the loop on line {loop.lineno}"
        yield wanted.proposal(
            title, "no gradient can go through the loop", text.wrapped([loop], "with torch.no_grad():")
        )


def average_numbers(wanted: FixContext) -> Iterator[Proposal]:
    """A method that mixes what it is given into what the object keeps is given a number, or a tensor without its graph:
    where it is called, or at its head."""
    text = wanted.text
    for method in text.parts(text.tree, ast.FunctionDef):
        given = [argument.arg for argument in method.args.args[1:]]
        parts: list[ast.Assign | ast.AugAssign] = [*text.parts(method, ast.Assign), *text.parts(method, ast.AugAssign)]
        mixed: dict[str, None] = {}
        for statement in parts:
            goal = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
            grows = isinstance(statement, ast.AugAssign) or loads(statement.value, ast.unparse(goal))
            if ast.unparse(goal).startswith("self.") and grows:
                mixed |= dict.fromkeys(name for name in given if loads(statement.value, name))
        if not mixed or not method.body:
            continue
        places = [given.index(name) for name in mixed]
        calls = [call for call in text.calls(text.tree, method.name) if isinstance(call.func, ast.Attribute)]
        handed = [call.args[at] for call in calls for at in places if at < len(call.args)]
        handed = [part for part in handed if isinstance(part, ast.Name | ast.Subscript | ast.Attribute)]
        shown = dict.fromkeys(f"{text.get(part)}.item()" for part in handed)
        if shown:
            title = f"hand over the number: {join_names(list(shown))} on line {handed[0].lineno}"
            edits = [append_suffix(text, part, ".item()") for part in handed]
            yield wanted.proposal(title, "no gradient goes through the average", *edits)
        title = f"take {join_names(list(mixed))} without the graph, at the head of {method.name}"
        lines = [f"{name} = {name}.detach()" for name in mixed]
        yield wanted.proposal(title, "no gradient goes through the average", text.before(method.body[0], lines))
        first = next(iter(mixed))  # the value; a weight beside it is a number already
        title = f"take {first} as a number, float({first}), at the head of {method.name}"
        edit = text.before(method.body[0], [f"{first} = float({first})"])
        yield wanted.proposal(title, "no gradient goes through the average", edit)


def numbers_summed(wanted: FixContext) -> Iterator[Proposal]:
    """What is added to a running sum, or to one of a dict, is added as a number: `sums[k] = sums[k] + v.item()`."""
    text, kept = wanted.text, re.findall(r"\w+", (wanted.name("target") or "").partition("[")[0])[-1:]
    for statement in text.parts(text.tree, ast.Assign) + text.parts(text.tree, ast.AugAssign):
        goal = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        sums = goal.value if isinstance(goal, ast.Subscript) else goal
        if re.findall(r"\w+", text.get(sums))[-1:] != kept or not isinstance(statement.value, ast.BinOp | ast.Name):
            continue
        before = [*loads(statement.value, ast.unparse(goal)), *text.calls(statement.value, "get")]
        if isinstance(statement, ast.Assign) and not before:
            continue
        own = {part for node in (goal, *before) for part in ast.walk(node)}
        for part in [part for part in text.parts(statement.value, ast.Name) if part not in own and part.id != "self"]:
            for way, taken in (("add the number only", "item()"), ("add it detached", "detach()")):
                title = f"{way}: {part.id}.{taken} on line {part.lineno}"
                yield wanted.proposal(title, "no gradient goes through the sum", append_suffix(text, part, f".{taken}"))


def detach_argument(wanted: FixContext) -> Iterator[Proposal]:
    """What a turn hands to a container of the program's own, as `memory.push(s, a, error)`, it hands over detached."""
    text, loop = wanted.text, wanted.at("shows")
    for part in text.parts(loop, ast.Expr) if isinstance(loop, ast.For | ast.While) else ():
        call = part.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or callee(call) in TRAINING:
            continue
        for given in [given for given in call.args if isinstance(given, ast.Name)]:
            title = f"hand over {given.id}.detach() on line {call.lineno}"
            cost = "no gradient goes back through what is kept"
            yield wanted.proposal(title, cost, text.replaced(given, f"{given.id}.detach()"))


TRAINING = ("step", "backward", "zero_grad", "append")


REPEATED = (ast.For, ast.While, ast.FunctionDef, ast.Lambda)
"""What may run again and again."""


@fix(growing=2, collected=2)
def stop_growing(wanted: FixContext) -> Iterator[Proposal]:
    """What is carried over goes without its graph; then no graph need be retained."""
    for made in detach_growth(wanted):
        text = read(made.source)
        kept = [call for call in text.calls(text.tree, "backward", "grad") if keyword(call, "retain_graph")]
        edits = [edit for call in kept if (edit := without_keyword(text, call, "retain_graph")) is not None]
        if edits and wanted.line("changed") is not None:
            title = f"{made.title}; leave out retain_graph on line {wanted.line('changed')}"
            yield replace(made, title=title, source=text.edited(*edits))
        yield made


def detach_growth(wanted: FixContext) -> Iterator[Proposal]:
    """Sums of losses become sums of numbers; what is carried over is detached."""
    text = wanted.text
    name = wanted.name("target")
    yield from average_numbers(wanted)
    yield from numbers_summed(wanted)
    yield from detach_argument(wanted)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and name == ast.unparse(node.target):
            title = f"add the number only: .item() on line {node.lineno}"
            yield wanted.proposal(title, "no gradient goes through the sum", append_suffix(text, node.value, ".item()"))
            title = f"add it detached on line {node.lineno}"
            yield wanted.proposal(
                title, "no gradient goes through the sum", append_suffix(text, node.value, ".detach()")
            )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            title = f"keep the number only: .item() on line {node.lineno}"
            if node.args and any(isinstance(outer, REPEATED) for outer in text.around(node)):
                yield wanted.proposal(
                    title, "no gradient goes through the list", append_suffix(text, node.args[0], ".item()")
                )
                title = f"keep it detached on line {node.lineno}"
                yield wanted.proposal(
                    title, "no gradient goes through the list", append_suffix(text, node.args[0], ".detach()")
                )
    if name is not None:
        for loop in ast.walk(text.tree):
            if isinstance(loop, ast.For | ast.While) and text.loop(loop) is None:
                yield from detached_at_top(wanted, name, [loop.body])
        yield from detached_attribute(wanted, name)
        yield from detached_at_store(wanted, name)
