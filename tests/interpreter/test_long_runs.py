"""Programs whose recording outgrows its budget: long loops are told by first and last turns, so the end is seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gradreel.explain import World, diagnose
from gradreel.interpreter import Limits, run
from gradreel.scene import build
from gradreel.trace import Trace
from gradreel.trace.events import LineReached, Printed, TensorMade, TurnsSkipped
from gradreel.trace.rules import validate
from gradreel.trace.skipping import Skipping, without

SMALL = Limits(events=4_000, nodes=2_000, seconds=60.0)
WHOLE = replace(Limits(), whole=10**9, seconds=60.0)

HEAD = """\
import torch
torch.manual_seed(0)
w = torch.ones(3, requires_grad=True)
"""

PLAIN = """\
total = 0
for i in range(4000):
    total += i
    if i % 1000 == 0:
        print(i)
print(total)
"""

WHILE = """\
t = 0
while t < 300:
    loss = (w * 2 - 1).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None
    t += 1
print(w)
"""

IN_A_FUNCTION = """\
def loss_of(w, x):
    h = torch.tanh(w * x)
    return h.sum()

def train(steps):
    opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    for step in range(steps):
        opt.zero_grad()
        loss = loss_of(w, torch.ones(3))
        loss.backward()
        opt.step()
    return loss

print(train(300))
"""

NESTED = """\
for epoch in range(40):
    for batch in range(40):
        loss = (w * batch).sum()
        loss.backward()
    w.grad.zero_()
    print(epoch)
"""

INNER = """\
for epoch in range(3):
    for batch in range(300):
        loss = (w * batch).sum()
        loss.backward()
    print(epoch)
"""

GENERATOR = """\
def batches(n):
    for k in range(n):
        x = torch.ones(3) * k
        yield x

for x in batches(400):
    loss = (w * x).sum()
    loss.backward()
print(w.grad)
"""

SEVERAL = """\
kept = []
for i in range(300):
    loss = (w * i).sum()
    if i % 100 == 0:
        kept.append(loss)
for i in range(300):
    w.data.mul_(0.99)
print(len(kept), sum(kept))
sum(kept).backward()
print(w.grad)
"""

LOOPS = {
    "plain": (PLAIN, {5}),
    "while": (WHILE, {5}),
    "function": (IN_A_FUNCTION, {10}),
    "nested": (NESTED, {4, 5}),
    "inner": (INNER, {5}),
    "generator": (GENERATOR, {9}),
    "several": (SEVERAL, {5, 9}),
}
"""Programs, and the lines of their loops that are told in short."""


def skipped(trace: Trace) -> list[TurnsSkipped]:
    return [event for event in trace.events if isinstance(event, TurnsSkipped)]


def printed(trace: Trace) -> str:
    return "".join(event.text for event in trace.events if isinstance(event, Printed))


@pytest.mark.parametrize("name", LOOPS)
def test_a_long_loop_is_told_by_its_first_and_last_turns(name: str) -> None:
    body, lines = LOOPS[name]
    trace, whole = run(HEAD + body, limits=SMALL), run(HEAD + body, limits=WHOLE)
    assert trace.outcome == whole.outcome and whole.outcome.kind == "finished"
    assert len(trace.events) <= SMALL.events < len(whole.events) and not skipped(whole)
    assert validate(trace) == [] and printed(trace) == printed(whole)
    assert {event.line for event in skipped(trace)} == lines
    assert all(1 < turns.first < turns.last for turns in skipped(trace))
    assert str(trace.events[-9:]) == str(whole.events[-9:])


def test_turns_are_left_out_as_often_as_need_be() -> None:
    trace = run(HEAD + PLAIN, limits=SMALL)
    (turns,) = skipped(trace)
    reached = [event for event in trace.events if isinstance(event, LineReached) and event.loops]
    numbers = sorted({event.loops[0][1] for event in reached})
    assert numbers == [*range(1, turns.first), *range(turns.last, 4001)]
    assert turns.events > 3 * SMALL.events and turns.first > 1 and turns.last < 4000


def test_an_error_after_many_turns_names_its_nodes_and_lines() -> None:
    trace = run(HEAD + WHILE.replace("t += 1", "t += 1\n    if t == 290: loss.backward()"), limits=SMALL)
    assert trace.outcome.kind == "raised" and trace.outcome.line == 12 and skipped(trace)
    (diagnosis,) = diagnose(trace)
    assert diagnosis.kind == "second_backward" and diagnosis.nodes
    assert diagnosis.lines == {"built": 6, "freed_by": 7, "raised": 12}
    assert "iteration 290" in " ".join(diagnosis.story)


def test_what_skipped_turns_built_is_told_with_its_line_and_turn() -> None:
    trace = run(HEAD + SEVERAL, limits=SMALL)
    made = [event for event in trace.events if isinstance(event, TensorMade) and event.op == "sum" and event.node]
    assert len(made) > 3  # the loss of turn 201 among them, which `kept` holds
    first = next(number for number, event in enumerate(trace.events) if isinstance(event, TurnsSkipped))
    left = trace.events[first + 1 : first + 1 + skipped(trace)[0].left]
    assert any(isinstance(event, LineReached) and event.loops == ((5, 101, 300),) for event in left)


RECURRENT = """\
h = torch.zeros(3)
for t in range(20_000):
    h = torch.tanh(w * h + 1)
h.sum().backward()
"""


def test_a_graph_that_all_turns_build_cannot_be_left_out() -> None:
    trace = run(HEAD + RECURRENT, limits=SMALL)
    assert trace.outcome.kind == "stopped" and trace.outcome.type in ("events", "nodes") and not skipped(trace)
    assert trace.outcome.message is not None and "is still held" in trace.outcome.message
    assert validate(trace) == []


def test_a_backward_through_all_turns_is_told_whole_or_not_at_all() -> None:
    """The loop before it leaves nothing, so its turns go; the one backward stays."""
    short = RECURRENT.replace("20_000", "10")
    trace = run(HEAD + PLAIN + short, limits=SMALL)
    assert trace.outcome.kind == "finished" and {event.line for event in skipped(trace)} == {5}


def test_a_loop_that_does_not_end_is_shown_with_its_last_turns() -> None:
    trace = run("n = 0\nwhile True:\n    n += 1\n", limits=Limits(events=4_000, steps=20_000))
    assert trace.outcome.type == "steps" and trace.outcome.message is not None
    assert "Perhaps a loop does not end" in trace.outcome.message
    assert skipped(trace) and len(trace.events) < 4_000 and validate(trace) == []


def test_a_long_program_without_a_loop_of_statements_says_so() -> None:
    trace = run(HEAD + "rows = [(w * i).sum() for i in range(2000)]\n", limits=SMALL)
    assert trace.outcome.kind == "stopped" and trace.outcome.message is not None
    assert "no loop made it" in trace.outcome.message


NOTHING_CLEARED = """\
for step in range(6):
    scale = torch.ones(())
    for i in range(300):
        scale = scale + 0.001
    (w * scale).pow(2).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
"""
SUM_KEPT = """\
total = 0
for step in range(6):
    scale = torch.ones(())
    for i in range(300):
        scale = scale + 0.001
    loss = (w * scale).pow(2).sum()
    w.grad = None
    loss.backward()
    total += loss
"""
SECOND_GRAPH = """\
for step in range(4):
    scale = torch.ones(())
    for i in range(400):
        scale = scale + 0.001
    (w * scale).pow(3).sum().backward(create_graph=True)
"""
CLEARED_IN_THE_LOOP = """\
for step in range(6):
    scale = torch.ones(())
    for i in range(300):
        scale = scale + 0.001
        if i == 150:
            w.grad = None
    (w * scale).pow(2).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
"""
SILENT = [
    (NOTHING_CLEARED, ["piled"]),
    (SUM_KEPT, ["growing"]),
    (SECOND_GRAPH, ["second_order"]),
    (CLEARED_IN_THE_LOOP, []),
]


@pytest.mark.parametrize(("body", "causes"), SILENT)
def test_turns_left_out_of_a_loop_in_the_loop_hide_no_trouble_of_the_loop_around_it(
    body: str, causes: list[str]
) -> None:
    trace = run(HEAD + body, limits=SMALL)
    assert trace.outcome.kind == "finished" and skipped(trace)
    assert [found.cause for found in diagnose(trace)] == causes


# ---- the middle of a loop, which is not recorded

PAUSED = replace(Limits(), whole=300, seconds=60.0)
FREE = replace(PAUSED, free=True)

BROKEN_OFF = """\
for i in range(1000):
    loss = (w * 2 - 1).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None
    if loss < 0.01:
        break
print(i, w)
"""
HELD = """\
kept, view = [], w.detach()[:2]
h = torch.zeros(3)
first = (w * 3).exp()
for i in range(200):
    h = torch.tanh(h.detach() + w)
    w.data.mul_(0.99)
    if i % 60 == 0:
        kept.append(h)
    if i == 100:
        later = first * h
        del first
    h.sum().backward()
later.sum()
print(view, len(kept), w.grad)
"""
CAUGHT = """\
def risky(i):
    for k in range(100):
        v = w * k
        if k == 60 + i:
            raise ValueError(k)

for i in range(3):
    try:
        risky(i)
    except ValueError as error:
        print(error)
"""
CLOSURE = """\
opt = torch.optim.LBFGS([w], lr=0.1, max_iter=4)
def closure():
    opt.zero_grad()
    loss = (w - 2).pow(4).sum()
    loss.backward()
    return loss
for i in range(60):
    loss = opt.step(closure)
print(w, loss.item())
"""
ONE_STEP = """\
opt = torch.optim.LBFGS([w], lr=0.01, max_iter=150, tolerance_change=0, tolerance_grad=0)
def closure():
    opt.zero_grad()
    loss = (w - 2).pow(4).sum()
    loss.backward()
    return loss
opt.step(closure)
print(w)
"""
COMPREHENSION = """\
opt = torch.optim.SGD([w], lr=0.001)
def step(i):
    opt.zero_grad()
    loss = (w * i).pow(2).sum()
    loss.backward()
    opt.step()
    return loss.item()
losses = [step(i / 100) for i in range(100) if i % 2]
print(len(losses), losses[-1], w)
"""
IN_NO_GRAD = """\
with torch.no_grad():
    total = torch.zeros(3)
    for i in range(300):
        total += w * i
        w.mul_(0.999)
print(total, w)
"""
WITH_NUMPY = """\
x = torch.zeros(3)
shown = x.numpy()
for i in range(200):
    shown += 1
    y = (w * x).sum()
print(x, y)
"""
PAUSING = LOOPS | {
    "broken off": (BROKEN_OFF, {4}),
    "held": (HELD, {7}),
    "caught": (CAUGHT, {5}),
    "closure": (CLOSURE, {10}),
    "one step": (ONE_STEP, {10}),
    "comprehension": (COMPREHENSION, {11}),
    "no grad": (IN_NO_GRAD, {6}),
    "numpy": (WITH_NUMPY, {6}),
}


def by_name(trace: Trace) -> dict[str, Any]:
    """What the names of the program stand for in the end."""
    world = World(trace)
    for event in trace.events:
        world.apply(event)
    found: dict[str, Any] = {"alive": sum(node.alive for node in world.nodes.values()), "bytes": world.saved_bytes}
    for (scope, name), bound in world.names.items():
        tensor = None if bound.tensor is None else world.tensors[bound.tensor]
        if scope == 0 and tensor is not None:
            node = None if tensor.node is None else world.nodes[tensor.node]
            shown = repr(tensor.value), tensor.version, tensor.requires_grad, tensor.alive, repr(tensor.grad)
            slots = [] if node is None else node.slots.values()
            kept = [(slot.slot, slot.version) for slot in slots if slot.state == "held"]
            found[name] = *shown, node and node.name, kept
        elif scope == 0:
            found[name] = bound.text
    return found


@pytest.mark.parametrize("limits", [PAUSED, FREE], ids=["charged", "free"])
@pytest.mark.parametrize("name", PAUSING)
def test_after_an_unrecorded_middle_all_stands_as_if_it_had_been_recorded(name: str, limits: Limits) -> None:
    body, lines = PAUSING[name]
    trace, whole = run(HEAD + body, limits=limits), run(HEAD + body, limits=WHOLE)
    assert trace.outcome == whole.outcome and whole.outcome.kind == "finished" and not skipped(whole)
    assert validate(trace) == [] and printed(trace) == printed(whole) and by_name(trace) == by_name(whole)
    found = skipped(trace)
    assert {event.line for event in found} == lines and not any(event.events for event in found)
    assert [one.cause for one in diagnose(trace)] == [one.cause for one in diagnose(whole)]
    assert len(trace.events) < len(whole.events) / 2


RECURSIVE = """\
def grow(depth, w):
    y = w * depth
    if depth:
        for side in (1, 2):
            grow(depth - 1, y.detach() * side)
    return y

for i in range(3):
    y = grow(5, w)
    y.sum().backward()
    print(i)
print(w.grad)
"""


def test_the_rest_of_a_turn_that_makes_the_recording_too_long_is_not_recorded() -> None:
    trace, whole = run(HEAD + RECURSIVE, limits=replace(FREE, whole=200)), run(HEAD + RECURSIVE, limits=WHOLE)
    assert trace.outcome == whole.outcome and validate(trace) == [] and by_name(trace) == by_name(whole)
    assert {(turns.line, turns.first, turns.last) for turns in skipped(trace)} == {(11, 2, 2), (11, 3, 3)}
    assert printed(trace) == printed(whole) and len(trace.events) < len(whole.events) * 2 / 3 and build(trace).steps
    stopped = run(HEAD + RECURSIVE, limits=replace(PAUSED, whole=200, events=1000))
    assert stopped.outcome.type == "events"  # in public there is a budget for it


ENDS = {
    "an error": ("t += 1", "t += 1\n    if t == 290: loss.backward()", "raised"),
    "a budget": ("t += 1", "t += 1\n    if t == 290: torch.zeros(10**12)", "stopped"),
    "a condition": ("t += 1", "t += 1", "finished"),
}


@pytest.mark.parametrize("how", ENDS)
def test_the_turns_before_an_end_that_nobody_foresaw_are_recorded_in_a_second_run(how: str) -> None:
    old, new, kind = ENDS[how]
    trace = run(HEAD + WHILE.replace(old, new), limits=FREE)
    (turns,) = skipped(trace)
    reached = {event.loops[0][1] for event in trace.events if isinstance(event, LineReached) and event.loops}
    assert trace.outcome.kind == kind and validate(trace) == []
    assert max(reached) - turns.last in (1, 2) and max(reached) == (300 if kind == "finished" else 290)
    if how == "an error":
        (diagnosis,) = diagnose(trace)
        assert diagnosis.lines == {"built": 6, "freed_by": 7, "raised": 12} and diagnosis.nodes


def test_a_loop_that_a_budget_stops_is_recorded_shortly_before() -> None:
    limits = replace(FREE, steps=100_000)
    trace = run(HEAD + "for i in range(10**6):\n    y = (w * i).sum()\n", limits=limits)
    assert trace.outcome.type == "steps" and trace.outcome.message is not None
    assert "of 1,000,000 of the loop on line 4: so about" in trace.outcome.message
    (turns,) = skipped(trace)
    last = [event for event in trace.events if isinstance(event, LineReached)][-1].loops[0][1]
    assert 2 <= last - turns.last < 30 and len(trace.events) < 1000 and validate(trace) == []


def test_a_gap_keeps_nothing_alive_and_takes_no_memory() -> None:
    body = "for i in range({}):\n    loss = (w * torch.ones(3)).sum()\n    loss.backward()\n    w.grad = None\n"
    few, many = (run(HEAD + body.format(turns), limits=FREE) for turns in (200, 2000))
    assert len(few.events) == len(many.events)


def test_it_is_told_how_far_a_run_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradreel.interpreter.limits.BEAT", -1.0)
    heard: list[dict[str, Any]] = []
    run(HEAD + "for i in range(900):\n    if i == 50: print('fifty')\n    x = i\n", limits=FREE, hear=heard.append)
    assert {one["line"] for one in heard} == {4} and {one["total"] for one in heard} == {900}
    turns = [one["turn"] for one in heard]
    assert len(turns) > 2 and turns == sorted(turns) and heard[-1]["printed"] == "fifty"
    assert all(one["seconds"] >= 0 for one in heard)


def test_more_turns_can_be_left_out_before_a_gap_with_which_a_loop_ended() -> None:
    body = "for i in range(3000):\n    y = w * 2\nprint(y)\n"
    trace = run(HEAD + body, limits=replace(PAUSED, whole=2000))
    (gap,) = skipped(trace)
    end = trace.events.index(gap) + gap.left + 1
    for rest in (trace.events[end:], (Printed("over"),)):
        told = without([*trace.events[:end], *rest], Skipping([*trace.events[:end], *rest]).gaps(2))
        (turns,) = [event for event in told if isinstance(event, TurnsSkipped)]
        assert len(told) < end and turns.first == 3 and turns.last == (2998 if len(rest) > 1 else gap.last)
        assert validate(replace(trace, events=tuple(told))) == []
