"""What a run shows of its gradients: what rules on fixes compare between the program before an edit and after it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gradreel.trace import Trace
from gradreel.trace import events as e
from gradreel.trace.events import Value

from ..replay.graph_queries import all_zero

COMPARED_TO_NONE = re.compile(r"\bis (?:not )?None\b|\bhasattr\b|^\s*(?:if|elif|while)\b")
"""Lines that read a gradient only to see whether it is there."""
ASKED = re.compile(r"\bgrad\(")
"""Calls of the program's own; what `gradcheck` and the like ask for is their affair."""
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,30}\.\d{0,30}(?:[eE][-+]?\d{1,3})?|nan|inf)(?![\w.])")
LONGEST = 64_000


@dataclass(slots=True)
class Backward:
    """An outermost call: the values that its roots had, the nodes that ran, and the leaves that were written since."""

    roots: tuple[Value, ...]
    line: int
    at: int
    plain: bool
    """Whether it is a `backward` that goes to all leaves."""
    step: int | None
    """The step of an optimizer that it was made in, by its closure."""
    nodes: set[int] = field(default_factory=set)
    reached: set[int] = field(default_factory=set)
    """The leaves in whose `.grad` it put something."""
    finished: bool = False
    failed: bool = False


@dataclass
class Observation:
    """One run, read once."""

    trace: Trace
    names: dict[int, set[str]] = field(default_factory=dict)
    requires_grad: dict[str, bool] = field(default_factory=dict)
    """Whether what a name stood for last wants a gradient."""
    leaves: set[int] = field(default_factory=set)
    """Leaves that want a gradient."""
    results: set[int] = field(default_factory=set)
    """Tensors that have a grad_fn."""
    node_names: Counter[str] = field(default_factory=Counter)
    """How many nodes were made of each name, those of leaves left out."""
    node_ops: dict[str, str] = field(default_factory=dict)
    """The operator that makes the nodes of each name."""
    made_by: Counter[str] = field(default_factory=Counter)
    """How many tensors each operator made, recorded or not."""
    cut_off: dict[int, float] = field(default_factory=dict)
    """The largest magnitude of what was detached, by the line."""
    variables: dict[int, int] = field(default_factory=dict)
    """The leaf of each AccumulateGrad."""
    ran: set[str] = field(default_factory=set)
    """The names of the nodes that ran."""
    edges: dict[int, tuple[int, ...]] = field(default_factory=dict)
    backwards: list[Backward] = field(default_factory=list)
    gradients: dict[int, list[Value | None]] = field(default_factory=dict)
    """What came to each tensor: in its `.grad`, or as a result."""
    missing: Counter[str] = field(default_factory=Counter)
    """The names whose gradient was read and was None."""
    withheld: set[int] = field(default_factory=set)
    """Leaves to which a node handed None."""
    unused: Counter[str] = field(default_factory=Counter)
    """What `autograd.grad` was asked for in vain, by name: None, or zeros in the place of it, is what it gave."""
    captured: dict[int, Counter[str]] = field(default_factory=dict)
    """By the line how often `autograd.grad` was asked there for what has which name, and gave no zeros."""
    leaf_writes: list[tuple[int, int, Value]] = field(default_factory=list)
    """(event, leaf, value) of each write into the memory of a leaf."""
    steps: list[int] = field(default_factory=list)
    """When optimizers began a step."""
    stale_steps: Counter[int] = field(default_factory=Counter)
    """How often an optimizer wrote a leaf to which no gradient had come since its last step."""
    mixed_steps: Counter[int] = field(default_factory=Counter)
    """How often an optimizer wrote a leaf with a sum of gradients between which another step had been taken."""
    vain_steps: int = 0
    """How often an optimizer stepped nothing, since nothing it has had a gradient."""
    stepped: set[int] = field(default_factory=set)
    """Leaves that were written, by an optimizer or by hand, once a gradient had come to them."""
    begins: bool = True
    """Whether what the first backward came to is told: turns that were left out may have held it."""

    @cached_property
    def output(self) -> str:
        return "".join(event.text for event in self.trace.events if isinstance(event, e.Printed))[:LONGEST]

    @property
    def arrived(self) -> int:
        """How often a gradient came."""
        return self.arrivals(self.gradients)

    def arrivals(self, tensors: Iterable[int]) -> int:
        """How often a gradient came to one of `tensors`."""
        return sum(value is not None for tensor in tensors for value in self.gradients[tensor])

    def leaf_names(self, leaves: Iterable[int]) -> set[str]:
        return set().union(*(self.names.get(leaf, set()) for leaf in leaves))

    def reached(self) -> set[str]:
        """The names of what a gradient came to."""
        return self.leaf_names(
            tensor for tensor, came in self.gradients.items() if any(value is not None for value in came)
        )

    def led_to(self, roots: Iterable[int]) -> set[int]:
        """The leaves that the graphs of these nodes end in."""
        seen: set[int] = set()
        todo = list(roots)
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(self.edges.get(node, ()))
        return {self.variables[node] for node in seen if node in self.variables}


def observe(trace: Trace) -> Observation:
    """Reads a run once."""
    reader = Reader(Observation(trace))
    handlers = reader.handlers()
    for number, event in enumerate(trace.events):
        handler = handlers.get(type(event))
        if handler is not None:
            reader.number = number
            handler(event)
    reader.end()
    return reader.seen


class Reader:
    """Goes through the events of a run and fills an Observation."""

    def __init__(self, seen: Observation) -> None:
        self.seen = seen
        self.number = 0
        self.line = self.end_line = 0
        self.callers: list[tuple[int, int]] = []
        self.lines = seen.trace.source.split("\n")
        self.last: dict[int, Value] = {}
        """The latest value of each tensor."""
        self.node_names: dict[int, str] = {}
        self.flags: dict[int, bool] = {}
        self.storages: dict[int, set[int]] = {}
        self.owners: dict[int, int] = {}
        self.open: list[tuple[int, bool]] = []
        self.asked: dict[int, set[int]] = {}
        """What a call is to take gradients of that have not come yet."""
        self.stepping = False
        self.fresh: set[int] = set()
        """Leaves to which a gradient came since the last step."""
        self.stepped: set[int] = set()
        self.came: dict[int, set[int]] = {}
        """For each leaf after how many steps the gradients came that its `.grad` is the sum of."""
        self.wrote_in_step = False
        """Whether that step has written anything, be it a leaf that no graph was ever made of."""
        self.in_step: set[int] = set()
        """Leaves that the step under way has written, with weight decay more than once."""

    def handlers(self) -> dict[type[e.Event], Any]:
        return {
            e.LineReached: self.on_line,
            e.FunctionEntered: self.on_entered,
            e.FunctionLeft: self.on_left,
            e.TensorMade: self.on_tensor,
            e.Written: self.on_write,
            e.FlagChanged: self.on_flag,
            e.NameBound: self.on_name,
            e.NodeMade: self.on_node,
            e.BackwardStarted: self.on_backward,
            e.NodeRan: self.on_node_ran,
            e.BackwardFinished: self.on_backward_finished,
            e.BackwardFailed: self.on_backward_failed,
            e.GradStored: self.on_grad_stored,
            e.GradCaptured: self.on_grad_captured,
            e.GradMissing: self.on_grad_missing,
            e.OptimizerStepped: self.on_step,
            e.TurnsSkipped: self.on_turns_skipped,
            e.Raised: self.on_broken_off,
            e.Stopped: self.on_broken_off,
        }

    def end(self) -> None:
        for tensor in (tensor for left in self.asked.values() for tensor in left):
            self.seen.unused[min(self.seen.names.get(tensor, ()), default="an unnamed tensor")] += 1

    def on_line(self, event: e.LineReached) -> None:
        self.line, self.end_line = event.line, event.end_line

    def on_entered(self, event: e.FunctionEntered) -> None:
        self.callers.append((self.line, self.end_line))

    def on_left(self, event: e.FunctionLeft) -> None:
        if self.callers:
            self.line, self.end_line = self.callers.pop()

    def on_tensor(self, event: e.TensorMade) -> None:
        self.last[event.tensor] = event.value
        self.flags[event.tensor] = event.requires_grad
        self.owners[event.tensor] = event.storage
        self.seen.made_by[event.op] += 1
        if event.op in ("detach", "data"):
            self.seen.cut_off[self.line] = max(self.seen.cut_off.get(self.line, 0.0), magnitude(event.value))
        if event.node is not None:
            self.seen.results.add(event.tensor)
        elif event.requires_grad:
            self.seen.leaves.add(event.tensor)

    def on_write(self, event: e.Written) -> None:
        self.last[event.tensor] = event.value
        for leaf in self.storages.get(event.storage, ()):
            self.seen.leaf_writes.append((self.number, leaf, event.value))
            if leaf in self.seen.gradients:
                self.seen.stepped.add(leaf)
            if self.stepping and leaf == event.tensor:
                self.in_step.add(leaf)
        self.wrote_in_step |= self.stepping

    def on_flag(self, event: e.FlagChanged) -> None:
        self.flags[event.tensor] = event.requires_grad
        if not event.requires_grad:
            self.seen.leaves.discard(event.tensor)
        for name in self.seen.names.get(event.tensor, ()):
            self.seen.requires_grad[name] = event.requires_grad

    def on_name(self, event: e.NameBound) -> None:
        if event.tensor is not None:
            self.seen.names.setdefault(event.tensor, set()).add(event.name)
            self.seen.requires_grad[event.name] = self.flags.get(event.tensor, False)

    def on_node(self, event: e.NodeMade) -> None:
        self.seen.edges[event.node] = tuple(node for node, _ in event.edges if node is not None)
        if event.variable is None:
            self.seen.node_names[event.name] += 1
            self.seen.node_ops[event.name] = event.op
            self.node_names[event.node] = event.name
        else:
            self.seen.leaves.add(event.variable)
            self.seen.variables[event.node] = event.variable
            self.storages.setdefault(self.owners.get(event.variable, -1), set()).add(event.variable)

    def on_backward(self, event: e.BackwardStarted) -> None:
        self.open.append((event.call, event.parent is None))
        known = bool(event.nodes)  # behind turns that were left out, what a call starts from may be missing
        if (
            event.called == "grad"
            and known
            and ASKED.search("\n".join(self.lines[self.line - 1 : self.end_line])[:LONGEST])
        ):
            self.asked[event.call] = set(event.inputs)
        for tensor in event.inputs if event.called == "grad" and known else ():
            self.count_captured(tensor, False)
        if event.parent is None:
            roots = tuple(self.last[root] for root in event.roots if root in self.last)
            plain = event.called == "backward" and not event.inputs
            step = len(self.seen.steps) if self.stepping else None
            self.seen.backwards.append(Backward(roots, self.line, self.number, plain, step))

    def on_node_ran(self, event: e.NodeRan) -> None:
        self.seen.ran.add(self.node_names.get(event.node, ""))
        if not self.seen.backwards:
            return
        if event.node not in self.seen.variables:
            self.seen.backwards[-1].nodes.add(event.node)
        if not self.seen.backwards[-1].plain:
            return
        edges = self.seen.edges.get(event.node, ())
        if len(edges) == len(event.grads):
            for node, grad in zip(edges, event.grads, strict=True):
                if grad is None and node in self.seen.variables:
                    self.seen.withheld.add(self.seen.variables[node])

    def on_backward_finished(self, event: e.BackwardFinished) -> None:
        if (event.call, True) in self.open and self.seen.backwards:
            self.seen.backwards[-1].finished = True
        self.open = [entry for entry in self.open if entry[0] != event.call]

    def on_backward_failed(self, event: e.BackwardFailed) -> None:
        if any(outermost for call, outermost in self.open if call == event.call) and self.seen.backwards:
            self.seen.backwards[-1].failed = True
        self.open = [entry for entry in self.open if entry[0] != event.call]

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.after is not None:
            self.fresh.add(event.tensor)
        if event.how != "assigned" and event.after is not None:
            self.seen.gradients.setdefault(event.tensor, []).append(event.after)
        if event.how == "assigned" or event.before is None or all_zero(event.before):
            self.came[event.tensor] = set()
        self.came.setdefault(event.tensor, set()).add(len(self.seen.steps))
        if event.call is not None and event.how != "retained" and self.seen.backwards:
            self.seen.backwards[-1].reached.add(event.tensor)

    def on_grad_captured(self, event: e.GradCaptured) -> None:
        if event.value is not None:
            self.asked.get(event.call, set()).discard(event.tensor)
        self.seen.gradients.setdefault(event.tensor, []).append(event.value)
        self.count_captured(event.tensor, event.value is not None and not all_zero(event.value))

    def count_captured(self, tensor: int, given: bool) -> None:
        here = self.seen.captured.setdefault(self.line, Counter())
        for name in self.seen.names.get(tensor, ()):
            here[name] += given

    def on_grad_missing(self, event: e.GradMissing) -> None:
        text = self.lines[self.line - 1] if 0 < self.line <= len(self.lines) else ""
        if not COMPARED_TO_NONE.search(text[:400]):
            self.seen.missing.update(sorted(self.seen.names.get(event.tensor, ()))[:1] or ["an unnamed tensor"])

    def on_step(self, event: e.OptimizerStepped) -> None:
        self.stepping = event.phase == "began"
        if self.stepping:
            self.wrote_in_step = False
            self.seen.steps.append(self.number)
        else:
            arrives = event.optimizer == "LBFGS"  # and stops there
            self.seen.vain_steps += not self.wrote_in_step and not arrives
            self.seen.stale_steps.update((self.in_step & self.stepped) - self.fresh)
            self.seen.mixed_steps.update(leaf for leaf in self.in_step if len(self.came.get(leaf, ())) > 1)
            self.fresh -= self.in_step
            self.stepped |= self.in_step
            self.in_step = set()

    def on_broken_off(self, event: e.Raised | e.Stopped) -> None:
        """What a call was asked for that raised, or that a budget stopped, is not what it gave."""
        if self.asked:
            self.asked.popitem()

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.seen.begins = self.seen.begins and bool(self.seen.backwards)
        self.fresh.update(self.stepped)


def numbers(text: str) -> list[float]:
    """The fractions that were printed, in order."""
    return [float(found) for found in NUMBER.findall(text[:LONGEST])]


def flat(data: Any) -> Iterator[float]:
    """The numbers in nested lists."""
    if isinstance(data, list | tuple):
        for part in data:
            yield from flat(part)
    else:
        yield data


def magnitude(value: Value) -> float:
    """The largest magnitude among the entries of a value."""
    ends = list(flat(value.data)) if value.whole else [value.minimum, value.maximum]
    return max((abs(end) for end in ends if isinstance(end, float | int)), default=0.0)


def finite(value: Value) -> bool:
    return all(math.isfinite(entry) for entry in flat(value.data) if isinstance(entry, float))


def alike(one: Value, other: Value) -> bool:
    """Whether two values are the same but for rounding."""
    if one.shape != other.shape:
        return False
    pairs = zip(flat(one.data), flat(other.data), strict=False)
    return all(close(a, b) for a, b in pairs) and close(one.mean or 0.0, other.mean or 0.0)


def close(one: Any, other: Any) -> bool:
    try:
        return bool(one == other or abs(one - other) <= 1e-5 + 1e-4 * abs(other) or (one != one and other != other))
    except TypeError:
        return False
