"""Programs as people post them print, raise and keep alive here what they do in PyTorch."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from autograd_core import events
from gradreel.interpreter import run
from gradreel.trace import Trace
from gradreel.trace.events import LineReached, NameBound, NameUnbound, Printed, Raised
from tests.printing import ADDRESS, same_text

from .not_yet import NOT_YET, NOT_YET_ALIVE
from .recorded import Recorded, programs

EVERY = programs()
BY_NAME = {program.name: program for program in EVERY}


def printed(trace: Trace) -> str:
    return "".join(event.text for event in trace.events if isinstance(event, Printed))


@pytest.mark.parametrize("name", [program.name for program in EVERY if program.name not in NOT_YET])
def test_a_program_prints_and_raises_what_pytorch_does(name: str) -> None:
    program = BY_NAME[name]
    trace = run(program.source)
    raised = [
        [event.type, ADDRESS.sub("0x...", event.message), event.line]
        for event in trace.events
        if isinstance(event, Raised) and not event.caught
    ]
    assert raised == [[kind, ADDRESS.sub("0x...", message), line] for kind, message, line in program.exceptions]
    assert same_text(program.stdout, printed(trace), program.values), f"printed {printed(trace)!r}"
    assert trace.outcome.kind in ("finished", "raised")


def test_the_list_of_what_is_not_yet_possible_names_real_programs() -> None:
    assert NOT_YET.keys() | NOT_YET_ALIVE.keys() <= BY_NAME.keys()


RECORDED = re.compile(r"\w+(\[[^\]]*\])?|[\w.]+")
"""The names that the recordings follow: parts of containers one level deep, parameters of modules."""


class Graph:
    """What lives, from the events, and what of it was ever reached from a name."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.edges: dict[int, events.Edges] = {}
        self.alive: set[int] = set()
        self.seen: set[int] = set()
        self.node_of: dict[int, int | None] = {}
        self.bound: dict[str, int] = {}

    def take(self, event: events.Event) -> None:
        match event:
            case events.NodeMade():
                self.names[event.node], self.edges[event.node] = event.name, event.edges
                self.alive.add(event.node)
            case events.NodeReleased():
                self.alive.discard(event.node)
            case events.TensorMade() | events.HistoryRebased():
                self.node_of[event.tensor] = event.node
            case NameBound(scope=0, tensor=None) | NameUnbound(scope=0):
                self.bound.pop(event.name, None)
            case NameBound(scope=0, tensor=int(tensor)) if RECORDED.fullmatch(event.name):
                self.bound[event.name] = tensor

    def look(self) -> tuple[Counter[str], Counter[str]]:
        """All nodes alive, and those alive that were at some time within reach of a name."""
        waiting = [self.node_of.get(tensor) for tensor in self.bound.values()]
        reached: set[int] = set()
        while waiting:
            node = waiting.pop()
            if node is not None and node in self.alive and node not in reached:
                reached.add(node)
                waiting.extend(target for target, _ in self.edges[node])
        self.seen |= reached
        return Counter(self.names[n] for n in self.alive), Counter(self.names[n] for n in self.alive & self.seen)


def after_each_statement(trace: Trace, lines: list[int]) -> list[tuple[Counter[str], Counter[str]]]:
    graph, looks, at = Graph(), [], -1
    for event in trace.events:
        if isinstance(event, LineReached) and not event.frames and not event.loops:
            if at + 1 < len(lines) and event.line == lines[at + 1]:
                if at >= 0:
                    looks.append(graph.look())
                at += 1
        else:
            graph.take(event)
    return [*looks, graph.look()]


WITH_LIFETIMES = [p.name for p in EVERY if p.alive and p.name not in NOT_YET and p.name not in NOT_YET_ALIVE]


@pytest.mark.parametrize("name", WITH_LIFETIMES)
def test_a_program_keeps_alive_what_pytorch_does(name: str) -> None:
    """After each statement every node of the recording lives, and none that was seen lives longer."""
    program: Recorded = BY_NAME[name]
    assert program.alive is not None
    looks = after_each_statement(run(program.source), [line for line, _ in program.alive])
    assert len(looks) == len(program.alive)
    for (line, expected), (alive, seen) in zip(program.alive, looks, strict=True):
        assert not Counter(expected) - alive, f"line {line}: released too early"
        assert not seen - Counter(expected), f"line {line}: kept too long"
