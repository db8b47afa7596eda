"""Fixes that were run: each proposed edit is executed by a function handed in, and offered as a fix only if it is one.

An edited program is fixed if it runs, shows no trouble any more, and keeps what verify.py asks for: gradients that
arrive, fresh ones, and the numbers that were right. What only ends the error stands apart, with what is lost, and is
told only where nothing fixes the program. Where the edited program meets another error, that one is mended in turn.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gradreel.trace import Trace

from ..diagnostics.diagnose import diagnose
from ..diagnostics.diagnosis import Diagnosis
from .observe import NUMBER, Observation, close, numbers, observe
from .proposal import FixContext, Proposal
from .registry import REFERENCES, proposals
from .text import changed_blocks, difference, posted_errors, read, readable, weave
from .verify import Verdict, verify

Run = Callable[[str], Trace]
"""What runs a program."""

MOST_RUNS, MOST_FIXES, DEEPEST = 60, 3, 4
MOST_APART = 1
SECONDS = 20.0
AT_LINE = re.compile(r"(.*\b)line (\d+)")


LEAST_EVENTS, LONGER = 10_000, 8
"""An edited program may take so much longer than the one before it."""
TRIAL_SECONDS = SECONDS / 8


def trial_events(trace: Trace) -> int:
    """How many events an edited program may take: it has to get on past the point of failure, not to its end."""
    return max(LEAST_EVENTS, LONGER * len(trace.events))


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that was run: its name, what it costs, the whole edited program, and the difference.

    It `fixes` the program, or else something is `lost`. `prints` is what the edited program prints from where that
    differs, `printed` what stood there before.
    """

    title: str
    cost: str
    source: str
    diff: str
    fixes: bool = True
    lost: str = ""
    prints: str = ""
    printed: str = ""


@dataclass(slots=True)
class Budget:
    """How many runs and how much time are left."""

    runs: int
    until: float

    def spend(self) -> bool:
        self.runs -= 1
        return self.runs >= 0 and time.monotonic() < self.until


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mend, with what it is sorted by: whether it only gets around the trouble, and whether it changes the output."""

    workaround: bool
    change: int
    mend: Fix


@dataclass(slots=True)
class Candidates:
    """The edits that were tried and run: fixes, and what stands apart."""

    fixes: list[Candidate] = field(default_factory=list)
    apart: list[Candidate] = field(default_factory=list)

    def add(self, proposal: Proposal, before: Observation, after: Observation, verdict: Verdict, source: str) -> None:
        goal = self.fixes if verdict.fixes else self.apart
        if proposal.title in [good.mend.title for good in goal]:
            return
        prints, printed = excerpt(after.output, before.output), excerpt(before.output, after.output)
        shown = difference(weave(before.trace.source, code_of(before.trace), code_of(before.trace)), source)
        mend = Fix(proposal.title, proposal.cost, source, shown, verdict.fixes, verdict.lost, prints, printed)
        goal.append(Candidate(proposal.workaround, changes(before, after), mend))

    @property
    def enough(self) -> bool:
        return sum(not (good.workaround or good.change) for good in self.fixes) >= MOST_FIXES

    def best(self) -> list[Fix]:
        """What only gets around the trouble is for where nothing fixes it; what changes what was printed comes last."""
        real = [good for good in self.fixes if not good.workaround] or self.fixes
        chosen = sorted(real, key=lambda good: good.change)[:MOST_FIXES] or self.apart[:MOST_APART]
        return [replace(good.mend, title=together(good.mend.title), cost=together(good.mend.cost)) for good in chosen]


def find_fixes(
    trace: Trace, run: Run, seconds: float = SECONDS, found: list[Diagnosis] | None = None
) -> list[tuple[Diagnosis, list[Fix]]]:
    """The diagnoses of `trace` (those `found` already, if they are at hand), each with its fixes.

    Where the source is a page with more than a program on it, the program is edited, and the page around it is kept.
    All of it shares `seconds`.
    """
    until = time.monotonic() + seconds
    diagnoses = diagnose(trace) if found is None else found
    if not diagnoses or time.monotonic() >= until:
        return [(diagnosis, []) for diagnosis in diagnoses]
    before = observe(trace)
    pairs = [
        (diagnosis, fixes_for(before, diagnosis, run, until) if time.monotonic() < until else [])
        for diagnosis in diagnoses
    ]
    return [(with_edit(trace, diagnosis, found), found) for diagnosis, found in pairs]


EDIT_ROLES = ("edit", "edit_2", "edit_3")
LINES_NAMED = re.compile(r"\blines? (\d[\d, and]*)")


def with_edit(trace: Trace, diagnosis: Diagnosis, found: list[Fix]) -> Diagnosis:
    """`diagnosis` with the lines that the first edit changes among its own, if that is a fix: what is told already is
    told once."""
    if not found or not found[0].fixes:
        return diagnosis
    told = set(diagnosis.lines.values())
    fresh = [line for line in edited_lines(trace, found[0]) if line not in told]
    return replace(diagnosis, lines={**diagnosis.lines, **dict(zip(EDIT_ROLES, fresh, strict=False))})


def edited_lines(trace: Trace, mend: Fix) -> list[int]:
    """The lines that an edit changes or takes away, and those that the title names: beside them something is added."""
    old, new, lines = trace.source.split("\n"), mend.source.split("\n"), []
    posted = posted_errors(old, code_of(trace).split("\n"))
    for kind, start, stop, new_start, new_stop in changed_blocks(old, new):
        left = {line.strip() for line in new[new_start:new_stop]}
        if kind != "equal":
            lines += [at + 1 for at in range(start, stop) if at not in posted and old[at].strip() not in {"", *left}]
    named = " ".join(LINES_NAMED.findall(mend.title.partition(";")[0]))
    return list(dict.fromkeys([*lines, *map(int, re.findall(r"\d+", named))]))


def code_of(trace: Trace) -> str:
    """What is edited: the source itself, or the program on it."""
    return trace.source if readable(trace.source) else trace.code


def fixes_for(before: Observation, found: Diagnosis, run: Run, until: float) -> list[Fix]:
    """What fixes `found`: at most MOST_FIXES edits, best first."""
    budget, tried = Budget(MOST_RUNS, until), Candidates()
    code = code_of(before.trace)
    sources = {code}
    autograds = compared_with(before, found, run)
    level = [(Proposal("", "", code), found)]
    for depth in range(DEEPEST):
        deeper: list[tuple[Proposal, Diagnosis]] = []
        for earlier, wanted in level:
            for proposal in propose(earlier, wanted, until):
                if proposal.source in sources or is_known(tried.fixes, proposal):
                    continue
                sources.add(proposal.source)
                if not budget.spend():
                    return tried.best()
                edited = weave(before.trace.source, code, proposal.source)
                again = run(edited)
                left = diagnose(again) if again.outcome.kind in RAN else []
                if left:
                    if depth + 1 < DEEPEST and further(wanted, left[0]):
                        deeper.append((proposal, left[0]))
                    continue
                after = observe(again)
                verdict = verify(before, after, found, autograds)
                if verdict.runs:
                    tried.add(proposal, before, after, verdict, edited)
                if tried.enough:
                    return tried.best()
        if not all(good.workaround for good in tried.fixes) and tried.fixes:
            break
        level = deeper[:8]
    return tried.best()


def compared_with(before: Observation, found: Diagnosis, run: Run) -> Observation | None:
    """What autograd itself gives, where the formula of a backward is in question."""
    try:
        wanted = FixContext(read(code_of(before.trace)), found)
        source = next(filter(None, (reference(wanted) for reference in REFERENCES)), None)
    except (SyntaxError, ValueError):
        return None
    return observe(run(source)) if source is not None else None


RAN = ("finished", "raised", "stopped")


def is_known(good: list[Candidate], proposal: Proposal) -> bool:
    """Whether a mend of the same kind was found: one of each is to be had before there is a second of any."""
    same = [one for one in good if not one.change and one.workaround <= proposal.workaround]
    return bool(proposal.cost) and any(one.mend.cost == proposal.cost for one in same)


def propose(before: Proposal, wanted: Diagnosis, until: float) -> list[Proposal]:
    """The proposals for `wanted` in an already edited program, as far as they can be made `until` then; none for a text
    that cannot be edited."""
    try:
        in_time = iter(lambda: time.monotonic() < until, False)
        made = [
            proposal for proposal, _ in zip(proposals(FixContext(read(before.source), wanted)), in_time, strict=False)
        ]
    except (SyntaxError, ValueError):
        return []
    if not before.title:
        return made
    joined = [(one, f"{before.title}; {one.title}", f"{before.cost}; {one.cost}") for one in made]
    return [
        replace(one, title=title, cost=cost, workaround=one.workaround or before.workaround)
        for one, title, cost in joined
    ]


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


# ---- what else is compared


def changes(before: Observation, after: Observation) -> int:
    """0 if all that was printed before is still printed, but for how it is rounded; else 1."""
    old, new = before.output.splitlines(), after.output.splitlines()
    same = len(new) >= len(old) and all(map(reads_alike, old, new))
    return 0 if same or after.output.startswith(before.output) else 1


def reads_alike(line: str, other: str) -> bool:
    """Whether two lines are the same, or differ in the last places of their numbers alone."""
    if line == other:
        return True
    return NUMBER.sub("", line) == NUMBER.sub("", other) and all(map(close, numbers(line), numbers(other)))


SHOWN_LINES, SHOWN_LETTERS = 6, 100


def excerpt(output: str, beside: str) -> str:
    """The lines of `output` from the first on that are not `beside` it too, cut to what can be taken in at a look."""
    lines, others = output.splitlines(), beside.splitlines()
    same = next((at for at, (one, two) in enumerate(zip(lines, others, strict=False)) if one != two), None)
    start = min(len(lines), len(others)) if same is None else same
    start = max(min(start, len(lines) - 1), 0)
    shown = [line if len(line) <= SHOWN_LETTERS else line[:SHOWN_LETTERS] + "…" for line in lines[start:]]
    more = [] if len(shown) <= SHOWN_LINES else ["…"]
    return "\n".join([*(["…"] if start else []), *shown[:SHOWN_LINES], *more])


def further(wanted: Diagnosis, left: Diagnosis) -> bool:
    """Whether what is left is another trouble than what was to be mended."""
    return (wanted.cause, wanted.lines.get("raised"), wanted.names) != (
        left.cause,
        left.lines.get("raised"),
        left.names,
    )
