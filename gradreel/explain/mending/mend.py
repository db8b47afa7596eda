"""Mends that were run: each proposed edit is executed by a function handed in, and offered only if it helps.

An edited program helps if it runs through, shows no trouble any more, and still does what it was to do: gradients
arrive, and what was printed before the error is printed as before (an edit that changes the numbers comes later in
the list). Where the edited program meets another error, that one is mended in turn.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from gradreel.trace import Trace
from gradreel.trace import events as e

from ..diagnose import diagnose
from ..diagnosis import Diagnosis
from .proposal import Proposal, Wanted
from .table import proposals
from .text import Text, difference, readable, woven

Run = Callable[[str], Trace]
"""What runs a program."""

MOST_RUNS, MOST_MENDS, DEEPEST = 60, 3, 4
SECONDS = 20.0
AT_LINE = re.compile(r"(.*\b)line (\d+)")


@dataclass(frozen=True, slots=True)
class Mend:
    """An edit that was run and helps: its name, what it costs, the whole edited program, and the difference."""

    title: str
    cost: str
    source: str
    diff: str


@dataclass(slots=True)
class Budget:
    """How many runs and how much time are left."""

    runs: int
    until: float

    def spend(self) -> bool:
        self.runs -= 1
        return self.runs >= 0 and time.monotonic() < self.until


def mended(
    trace: Trace, run: Run, seconds: float = SECONDS, found: list[Diagnosis] | None = None
) -> list[tuple[Diagnosis, list[Mend]]]:
    """The diagnoses of `trace` (those `found` already, if they are at hand), each with its mends.

    Where the source is a page with more than a program on it, the program is edited, and the page around it is kept.
    """
    until = time.monotonic() + seconds
    diagnoses = diagnose(trace) if found is None else found
    code = trace.source if readable(trace.source) else trace.code
    return [(diagnosis, mends(trace, diagnosis, run, until, code)) for diagnosis in diagnoses]


def mends(trace: Trace, found: Diagnosis, run: Run, until: float, code: str) -> list[Mend]:
    """What mends `found`: at most MOST_MENDS edits of `code`, best first."""
    budget = Budget(MOST_RUNS, until)
    good: list[tuple[bool, int, Mend]] = []
    tried = {code}
    level = [(Proposal("", "", code), found)]
    for depth in range(DEEPEST):
        deeper: list[tuple[Proposal, Diagnosis]] = []
        for before, wanted in level:
            for proposal in offered(before, wanted):
                if proposal.source in tried:
                    continue
                tried.add(proposal.source)
                same = [other for makeshift, change, other in good if not change and makeshift <= proposal.makeshift]
                if any(enough(other, proposal) for other in same):
                    continue
                if not budget.spend():
                    return best(good)
                edited = woven(trace.source, code, proposal.source)
                again = run(edited)
                left = diagnose(again) if again.outcome.kind in ("finished", "raised") else []
                if not left and helps(trace, again, found):
                    if proposal.title not in [other.title for _, _, other in good]:
                        good.append((proposal.makeshift, changes(trace, again), mend(trace, proposal, edited, code)))
                    if sum(not (makeshift or change) for makeshift, change, _ in good) >= MOST_MENDS:
                        return best(good)
                elif left and depth + 1 < DEEPEST and further(wanted, left[0]):
                    deeper.append((proposal, left[0]))
        if not all(makeshift for makeshift, _, _ in good) and good:
            break
        level = deeper[:8]
    return best(good)


def enough(good: Mend, proposal: Proposal) -> bool:
    """Whether a mend of the same kind was found: one of each is to be had before there is a second of any."""
    return bool(proposal.cost) and good.cost == proposal.cost


def offered(before: Proposal, wanted: Diagnosis) -> list[Proposal]:
    """The proposals for `wanted` in an already edited program; none for a text that cannot be edited."""
    try:
        made = list(proposals(Wanted(Text(before.source), wanted)))
    except (SyntaxError, ValueError):
        return []
    if not before.title:
        return made
    joined = [(one, f"{before.title}; {one.title}", f"{before.cost}; {one.cost}") for one in made]
    return [
        replace(one, title=title, cost=cost, makeshift=one.makeshift or before.makeshift) for one, title, cost in joined
    ]


def best(good: list[tuple[bool, int, Mend]]) -> list[Mend]:
    """What only gets around the trouble is for where nothing mends it; what changes what was printed comes last."""
    real = [entry for entry in good if not entry[0]] or good
    chosen = [mend for _, _, mend in sorted(real, key=lambda entry: entry[1])[:MOST_MENDS]]
    return [replace(mend, title=together(mend.title), cost=together(mend.cost)) for mend in chosen]


def together(words: str) -> str:
    """What several edits do, each thing told once: `copy on line 5; copy on line 8` is `copy on lines 5 and 8`."""
    told: dict[str, list[str]] = {}
    for part in words.split("; "):
        at = AT_LINE.fullmatch(part)
        lines = told.setdefault(at[1] if at else part, [])
        if at and at[2] not in lines:
            lines.append(at[2])
    return "; ".join(what + told_lines(lines) for what, lines in told.items())


def told_lines(lines: list[str]) -> str:
    if not lines:
        return ""
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(lines[:-1])} and {lines[-1]}"


def mend(trace: Trace, proposal: Proposal, edited: str, code: str) -> Mend:
    return Mend(proposal.title, proposal.cost, edited, difference(woven(trace.source, code, code), edited))


# ---- the promise

CUT_SHORT = ("numbers", "detach", "tensor", "no_grad")
"""How a graph ends that led to leaves: what is to be had is their gradient."""


def helps(before: Trace, after: Trace, found: Diagnosis) -> bool:
    """Whether the edited program runs through, without an error, and gradients arrive where they should."""
    if after.outcome.kind != "finished" or any(isinstance(ev, e.Raised) and not ev.caught for ev in after.events):
        return False
    if (
        found.cause in ("lost", "not_leaf", "never_moved", "rebased")
        and found.lines.get("shows")
        and missed(after) >= missed(before)
    ):
        return False
    if found.kind in ("no_graph", "not_scalar", "second_backward", "saved_modified", "shape") and arrived(before) == 0:
        return arrived(after) > 0 or found.cause in ("not_tracked", "no_graph") or not asks(before)
    led_to = leaves(before)
    through = found.kind in ("saved_modified", "second_backward") or found.names.get("how") in CUT_SHORT
    if through and led_to and not led_to & reached(after):
        return False  # a new leaf was put where the graph was cut
    if found.cause == "unread_setting":  # what is frozen at last gets no gradient
        return True
    if found.cause == "growing":  # each turn goes back through its own graph only
        return arrived(after) > 0
    return arrived(after) >= arrived(before)


def arrived(trace: Trace) -> int:
    """How often a gradient arrived: in a `.grad`, or as a result."""
    return sum(
        1
        for event in trace.events
        if (isinstance(event, e.GradStored) and event.how != "assigned" and event.after is not None)
        or (isinstance(event, e.GradCaptured) and event.value is not None)
    )


def leaves(trace: Trace) -> set[str]:
    """The names of the leaves that graphs led to."""
    found = {event.variable for event in trace.events if isinstance(event, e.NodeMade)} - {None}
    return {event.name for event in trace.events if isinstance(event, e.NameBound) and event.tensor in found}


def reached(trace: Trace) -> set[str]:
    """The names of what a gradient came to."""
    came = {event.tensor for event in trace.events if isinstance(event, e.GradStored | e.GradCaptured)}
    return {event.name for event in trace.events if isinstance(event, e.NameBound) and event.tensor in came}


def missed(trace: Trace) -> int:
    """How often a gradient was read that was None."""
    return sum(isinstance(event, e.GradMissing) for event in trace.events)


def asks(trace: Trace) -> bool:
    return any(isinstance(event, e.BackwardStarted) for event in trace.events)


def changes(before: Trace, after: Trace) -> int:
    """0 if all that was printed before is still printed, else 1."""
    old, new = printed(before), printed(after)
    return 0 if new.startswith(old) else 1


def printed(trace: Trace) -> str:
    return "".join(event.text for event in trace.events if isinstance(event, e.Printed))


def further(wanted: Diagnosis, left: Diagnosis) -> bool:
    """Whether what is left is another trouble than what was to be mended."""
    return (wanted.cause, wanted.lines.get("raised"), wanted.names) != (
        left.cause,
        left.lines.get("raised"),
        left.names,
    )
