"""Judges fixes: `python -m tests.explain.fixes [FOLDER] [--material] [--stored] [--only PATTERN] [--torch PYTHON]`.

Every edit that is offered as a fix of a program in FOLDER (`NNN_*.py`), of the lessons and the gallery (`--material`)
or of those kept with the tests (`--stored`) is run, and so is the program before it: under this engine, and with
`--torch` under real torch, where reads of `.grad`, steps and backwards are watched. A fix is good if afterwards there
is no error; what the program reads, or steps with, has a gradient, a fresh one, that is not zero; no graph from before
a step goes backward again and no loss repeats for ever; and what was right before an error is as it was. The rules are
written without a look at those by which fixes are offered. The exit status is 1 if any is bad.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gradreel.explain import Diagnosis
from gradreel.explain.fixes import Fix, find_fixes
from gradreel.interpreter import Limits, run
from gradreel.material.gallery import exhibits
from gradreel.material.lessons import lessons
from gradreel.trace import Trace
from gradreel.trace import events as e

from .causes import cases
from .corpus import stored, without_header

HARNESS = Path(__file__).parent / "torch_record.py"
LIMITS = replace(Limits(), events=60_000, seconds=5.0)
COMPARED = re.compile(r"\bis (?:not )?None\b|\bhasattr\b|^\s*(?:if|elif|while)\b")
FRACTION = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?")
KEEP_FORWARD = ("second_backward", "saved_modified", "leaf_inplace", "view_inplace")
STILL = 3


@dataclass
class Step:
    """A step of an optimizer: of each parameter whether it has a gradient (none, zero, some), an old one, and what it
    holds afterwards."""

    parameters: list[tuple[str, bool, float]]


@dataclass
class Backward:
    line: int
    roots: list[float]
    outdated: bool
    """Whether it goes again through a graph whose leaves have been changed since."""
    withheld: int
    """How many leaves of its graph have no gradient afterwards."""
    failed: bool
    steps: int
    """How many steps were before it."""


@dataclass
class Record:
    """What became of the gradients of a run."""

    error: str | None = None
    stopped: bool = False
    output: str = ""
    reads: list[tuple[str, str, bool]] = field(default_factory=list)
    """Gradients read by the program: the line's text, none or zero or nan or some, whether the tensor wants one."""
    none_results: int = 0
    begins: bool = True
    """Whether the first backward is told; turns that are left out of a recording may have held it."""
    steps: list[Step] = field(default_factory=list)
    backwards: list[Backward] = field(default_factory=list)


def record_of(told: dict[str, Any]) -> Record:
    """The record that the harness wrote."""
    steps = [Step([tuple(one) for one in step]) for step in told.pop("steps")]
    backwards = [Backward(**one) for one in told.pop("backwards")]
    reads = [tuple(read) for read in told.pop("reads")]
    return Record(**told, reads=reads, steps=steps, backwards=backwards)


# ---- the rules


ASKS = re.compile(r"\b(?:backward|grad|jacobian|hessian)\(")


STEPS_ELSEWHERE = frozenset(
    {"old_chances_in_a_dict", "old_chances_in_a_dataclass", "ppo_lists", "losses_in_pairs_with_steps_between"}
)
"""Programs whose first step leads elsewhere once they are mended, and is to: before, both sides of a ratio of chances
had the same graph, so that it moved nothing; or another optimizer is to be first."""

ZEROS_MEANT = frozenset({"meta_second_task_params", "report_of_one_loss_of_two"})
"""Programs that ask for the gradients of all parameters, some of which the loss does not depend on: zeros are
their derivative."""


def faults(
    before: Record, after: Record, found: Diagnosis, source: str = "backward()", name: str | None = None
) -> list[str]:
    """What is bad about a fix of `source`, as sentences; none for a good one. Of a stored program, its `name` says
    whether its first step is to lead elsewhere and whether zeros are meant."""
    told = [
        f"it raises {after.error}" if after.error else None,
        none_read(before, after),
        "grad() gives None, or zeros for it" if in_vain(before, after, found) and name not in ZEROS_MEANT else None,
        no_gradient(before, after, found.kind) if ASKS.search(source) and found.cause != "unread_setting" else None,
        zeroed(before, after),
        "a parameter steps with an old gradient" if old_steps(after) and not old_steps(before) else None,
        "a graph from before a step goes backward again" if outdated(after) and not outdated(before) else None,
        "one loss repeats" if repeats(after) and not repeats(before) and not at_rest(before) else None,
        "a leaf of the graph gets no gradient" if withheld(after) and not withheld(before) else None,
        *(
            (text for text in kept(before, after) if text != ELSEWHERE or name not in STEPS_ELSEWHERE)
            if before.error and found.kind in KEEP_FORWARD and before.begins and after.begins
            else ()
        ),
    ]
    return [sentence for sentence in told if sentence]


def in_vain(before: Record, after: Record, found: Diagnosis) -> bool:
    """Whether a call gives nothing; of a slope that was taken and is constant, zeros are the derivative."""
    again = found.kind == "unused" and len(before.backwards) > 1
    return after.none_results > before.none_results and not again


def none_read(before: Record, after: Record) -> str | None:
    earlier = Counter(text for text, state, _ in before.reads if state == "none")
    later = Counter(text for text, state, _ in after.reads if state == "none")
    wanted = {text for text, state, wants in after.reads if state == "none" and wants}
    for text, times in later.items():
        if times > earlier[text] and (text in wanted or (before.error or "").find("does not require grad") >= 0):
            return f"None is read: {text}"
    return None


def no_gradient(before: Record, after: Record, kind: str) -> str | None:
    if before.backwards and not any(not call.failed for call in after.backwards):
        return "nothing goes backward"
    if after.steps and all(state == "none" for step in after.steps for state, _, _ in step.parameters):
        return "steps without any gradient"
    had = [
        any(step.parameters[at][0] == "some" for step in before.steps if at < len(step.parameters))
        for at in widths(before)
    ]
    for at, alive in enumerate(had):
        now = [step.parameters[at][0] for step in after.steps if at < len(step.parameters)]
        if alive and now and all(state == "none" for state in now):
            return "a parameter that had a gradient steps without one"
    if in_vain_steps(after) and not in_vain_steps(before):
        return "a step finds no gradient"
    if kind in LEAVES_STAY and before.steps and after.steps and most_alive(after) < most_alive(before):
        return "fewer parameters step with a gradient"
    return None


LEAVES_STAY = ("second_backward", "saved_modified", "no_graph")


def in_vain_steps(record: Record) -> bool:
    """Whether an optimizer steps, and nothing it has had a gradient."""
    return any(all(state == "none" for state, _, _ in step.parameters) for step in record.steps)


def most_alive(record: Record) -> int:
    """How many parameters have a gradient in the step where most have one."""
    return max(sum(state == "some" for state, _, _ in step.parameters) for step in record.steps)


def widths(record: Record) -> range:
    """The places of the parameters, where one optimizer steps them."""
    sizes = {len(step.parameters) for step in record.steps}
    return range(sizes.pop()) if len(sizes) == 1 else range(0)


def zeroed(before: Record, after: Record) -> str | None:
    alive = {text for text, state, _ in before.reads if state == "some"}
    states: dict[str, set[str]] = {}
    for text, state, _ in after.reads:
        states.setdefault(text, set()).add(state)
    if any(states.get(text) == {"zero"} for text in alive):
        return "a gradient that was not zero is"
    every = {state for step in after.steps for state, _, _ in step.parameters}
    earlier = {state for step in before.steps for state, _, _ in step.parameters}
    if every == {"zero"} and earlier != {"zero"} and not at_rest(before):
        return "all steps are with zero gradients"
    return None


def at_rest(record: Record) -> bool:
    """Whether the loss was zero at once: nothing is to be learnt, and the gradient is zero."""
    return bool(record.backwards) and record.backwards[0].roots == [0.0]


def old_steps(record: Record) -> bool:
    return any(old for step in record.steps for _, old, _ in step.parameters)


def outdated(record: Record) -> bool:
    return any(call.outdated and not call.failed for call in record.backwards)


def withheld(record: Record) -> int:
    return sum(call.withheld for call in record.backwards if not call.failed)


def repeats(record: Record) -> bool:
    """Whether a loss comes back unchanged on one line, though steps were made."""
    by_line: dict[int, list[Backward]] = {}
    for call in record.backwards:
        if len(call.roots) == 1 and not call.failed:
            by_line.setdefault(call.line, []).append(call)
    return any(
        len(calls) >= STILL
        and len({call.roots[0] for call in calls}) == 1
        and calls[0].roots[0] != 0
        and len({call.steps for call in calls}) == len(calls)
        for calls in by_line.values()
    )


ELSEWHERE = "the first step leads elsewhere"


def kept(before: Record, after: Record) -> Iterable[str]:
    """What was right before the error is as it was: printed numbers, the first loss, what the first step gave."""
    old, new = numbers(before.output), numbers(after.output)
    if len(new) < len(old) or not all(map(same, old, new)):
        yield "numbers printed before the error are others"
    if not (before.begins and after.begins):
        return
    first = next(iter(before.backwards), None)
    if first and len(first.roots) == 1 and after.backwards:
        values = [call.roots[0] for call in after.backwards if len(call.roots) == 1]
        both = sum(call.roots[0] for call in before.backwards[:2] if len(call.roots) == 1)
        if values and not any(same(first.roots[0], value) or same(both, value) for value in values):
            yield "the first loss is another"
    if before.steps and after.steps and len(before.steps[0].parameters) == len(after.steps[0].parameters):
        pairs = zip(before.steps[0].parameters, after.steps[0].parameters, strict=True)
        if not all(same(one[2], other[2]) for one, other in pairs if one[0] == "some"):
            yield ELSEWHERE


def numbers(text: str) -> list[float]:
    return [float(found) for found in FRACTION.findall(text)]


def same(one: float, other: float) -> bool:
    return one == other or abs(one - other) <= 1e-4 * (1 + abs(one)) or (one != one and other != other)


# ---- who runs


def by_torch(python: str, sources: list[str]) -> list[Record]:
    done = subprocess.run(
        [python, str(HARNESS)], input=json.dumps(sources), capture_output=True, text=True, check=True, timeout=3600
    )
    return [record_of(told) for told in json.loads(done.stdout)]


def by_engine(source: str) -> Record:
    return Listener(run(source, limits=LIMITS)).record


class Listener:
    """Makes a Record of the events of a run."""

    def __init__(self, trace: Trace) -> None:
        self.record = Record()
        self.lines = trace.source.split("\n")
        self.line = self.end_line = self.at = 0
        self.tensors: dict[int, e.TensorMade] = {}
        self.wants: dict[int, bool] = {}
        self.value: dict[int, float] = {}
        self.variables: dict[int, int] = {}
        self.edges: dict[int, list[int]] = {}
        self.leaf_of: dict[int, int] = {}
        self.states: dict[int, str] = {}
        self.fresh: set[int] = set()
        self.stepped: set[int] = set()
        self.in_step: set[int] = set()
        self.changed: dict[int, int] = {}
        """When each leaf was last written."""
        self.ran: dict[int, int] = {}
        self.depth = 0
        self.asked: dict[int, set[int]] = {}
        self.reachable: set[int] = set()
        for self.at, event in enumerate(trace.events):
            handler = getattr(self, type(event).__name__, None)
            if handler is not None:
                handler(event)
        self.record.none_results = sum(map(len, self.asked.values()))
        self.record.stopped = trace.outcome.kind == "stopped"

    def LineReached(self, event: e.LineReached) -> None:
        self.line, self.end_line = event.line, event.end_line

    def TensorMade(self, event: e.TensorMade) -> None:
        self.tensors[event.tensor] = event
        self.wants[event.tensor] = event.requires_grad
        self.value[event.tensor] = total(event.value)

    def FlagChanged(self, event: e.FlagChanged) -> None:
        self.wants[event.tensor] = event.requires_grad

    def Written(self, event: e.Written) -> None:
        self.value[event.tensor] = total(event.value)
        known = event.tensor in self.states or event.tensor in self.variables.values()
        leaf = event.tensor if known else self.leaf_of.get(event.storage)
        if leaf is not None:
            self.changed[leaf] = self.at
            if self.record.steps and self.stepping and leaf not in self.in_step:  # weight decay writes it twice
                old = leaf in self.stepped and leaf not in self.fresh
                self.in_step.add(leaf)
                self.record.steps[-1].parameters.append((self.states.get(leaf, "none"), old, total(event.value)))
                self.stepped.add(leaf)
                self.fresh.discard(leaf)

    stepping = False

    def OptimizerStepped(self, event: e.OptimizerStepped) -> None:
        self.stepping = event.phase == "began"
        self.in_step = set()
        if self.stepping:
            self.record.steps.append(Step([]))

    def TurnsSkipped(self, event: e.TurnsSkipped) -> None:
        self.fresh |= self.stepped
        self.record.begins = self.record.begins and bool(self.record.backwards)

    def NodeMade(self, event: e.NodeMade) -> None:
        self.edges[event.node] = [node for node, _ in event.edges if node is not None]
        if event.variable is not None:
            self.variables[event.node] = event.variable
            if event.variable in self.tensors:
                self.leaf_of[self.tensors[event.variable].storage] = event.variable

    def BackwardStarted(self, event: e.BackwardStarted) -> None:
        self.depth += 1
        if event.called == "grad" and re.search(r"\bgrad\(", "\n".join(self.lines[self.line - 1 : self.end_line])):
            self.asked[event.call] = set(event.inputs)
        if self.depth > 1:
            return
        nodes = self.behind(event.nodes)
        again = nodes & self.ran.keys() - self.variables.keys()
        outdated = any(self.changed_behind(node) > self.ran[node] for node in again)
        self.reachable = {self.variables[node] for node in nodes if node in self.variables}
        roots = [self.value[root] for root in event.roots if root in self.value]
        self.record.backwards.append(Backward(self.line, roots, outdated, 0, True, len(self.record.steps)))
        self.plain = event.called == "backward" and not event.inputs
        self.ran.update(dict.fromkeys(nodes, self.at))

    plain = True

    def changed_behind(self, node: int) -> int:
        """When a leaf behind `node` was last written."""
        ends = self.behind([node]) & self.variables.keys()
        return max((self.changed.get(self.variables[end], -1) for end in ends), default=-1)

    def behind(self, nodes: Iterable[int]) -> set[int]:
        seen: set[int] = set()
        todo = list(nodes)
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(self.edges.get(node, ()))
        return seen

    def BackwardFinished(self, event: e.BackwardFinished) -> None:
        self.depth -= 1
        if not self.depth and self.record.backwards:
            self.record.backwards[-1].failed = False
            if self.plain:
                without = [leaf for leaf in self.reachable if self.states.get(leaf, "none") == "none"]
                self.record.backwards[-1].withheld = len(without)

    def BackwardFailed(self, event: e.BackwardFailed) -> None:
        self.depth -= 1

    def GradStored(self, event: e.GradStored) -> None:
        self.states[event.tensor] = "none" if event.after is None else "some" if nonzero(event.after) else "zero"
        if event.after is not None:
            self.fresh.add(event.tensor)

    def GradCaptured(self, event: e.GradCaptured) -> None:
        self.asked.get(event.call, set()).discard(event.tensor)

    def GradMissing(self, event: e.GradMissing) -> None:
        text = self.lines[self.line - 1].strip()
        if not COMPARED.search(text):
            self.record.reads.append((text, "none", self.wants.get(event.tensor, False)))

    def Printed(self, event: e.Printed) -> None:
        self.record.output += event.text

    def Raised(self, event: e.Raised) -> None:
        if self.asked:
            self.asked.popitem()
        if not event.caught:
            self.record.error = f"{event.type}: {event.message}"


def flat(data: Any) -> Iterable[float]:
    if isinstance(data, list | tuple):
        for part in data:
            yield from flat(part)
    elif isinstance(data, int | float):
        yield float(data)


def total(value: Any) -> float:
    return sum(flat(value.data)) if value.whole else value.mean


def nonzero(value: Any) -> bool:
    return any(flat(value.data)) if value.whole else bool(value.minimum or value.maximum)


# ---- the programs


def programs(folder: Path | None, material: bool, kept_with_tests: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    if folder is not None:
        for path in sorted(folder.glob("[0-9]*.py")):
            if ".fixed" not in path.name:
                found[path.name] = without_header(path.read_text(encoding="utf-8"))
    if material:
        found |= {f"lesson {lesson.slug}": lesson.source for lesson in lessons()}
        found |= {f"exhibit {exhibit.slug}": exhibit.source for exhibit in exhibits()}
    if kept_with_tests:
        found |= {case.name: case.source for case in cases() if case.kind != "fine"}
        found |= {record["file"]: record["source"] for record in stored() if record["cause"] is not None}
    return found


@dataclass
class Offer:
    name: str
    source: str
    found: Diagnosis
    mend: Fix
    faults: list[str] = field(default_factory=list)


def offers(sources: dict[str, str]) -> Iterable[Offer]:
    """Every fix that is offered for the programs."""
    for name, source in sources.items():
        trace = run(source)
        if trace.outcome.kind == "refused":
            continue
        for found, mends in find_fixes(trace, lambda edited: run(edited, limits=LIMITS)):
            yield from (Offer(name, source, found, mend) for mend in mends if mend.fixes)


def judged(every: list[Offer], python: str | None) -> None:
    """Fills in the faults of each offer."""
    for offer in every:
        offer.faults += [
            f"engine: {text}"
            for text in faults(
                by_engine(offer.source), by_engine(offer.mend.source), offer.found, offer.source, offer.name
            )
        ]
    if python is None:
        return
    sources = list(dict.fromkeys(source for offer in every for source in (offer.source, offer.mend.source)))
    records = dict(zip(sources, by_torch(python, sources), strict=True))
    for offer in every:
        found = faults(records[offer.source], records[offer.mend.source], offer.found, offer.source, offer.name)
        offer.faults += [f"torch: {text}" for text in found]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--material", action="store_true", help="lessons and gallery")
    parser.add_argument("--stored", action="store_true", help="the programs that the tests keep")
    parser.add_argument("--only", metavar="PATTERN", default="", help="the programs whose names a pattern is found in")
    parser.add_argument("--torch", metavar="PYTHON", help="a Python with torch, which then judges too")
    given = parser.parse_args(arguments)
    chosen = re.compile(given.only)
    named = programs(given.folder, given.material, given.stored)
    every = list(offers({name: source for name, source in named.items() if chosen.search(name)}))
    judged(every, given.torch)
    bad = [offer for offer in every if offer.faults]
    for offer in bad:
        print(
            f"{offer.name}: {offer.found.kind}/{offer.found.cause}: {offer.mend.title}\n    " + "; ".join(offer.faults)
        )
    helped = len({offer.name for offer in every})
    print(f"fixes that are good: {len(every) - len(bad)} of {len(every)}, for {helped} programs")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
