"""What was found in pasted text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Posted:
    """Output that was posted behind the statements from line `first` to line `last`."""

    first: int
    last: int
    text: str


@dataclass(frozen=True)
class Note:
    """What was left out or changed, and on which line."""

    line: int
    text: str


@dataclass(frozen=True)
class Answer:
    """What is said of a text that is no program: its kind, one sentence with what to do, and the line it speaks of."""

    kind: str
    sentence: str
    line: int | None = None


@dataclass(frozen=True)
class Skipped:
    """Lines, from `first` to `last`, that are not run, and why."""

    first: int
    last: int
    reason: str


@dataclass(frozen=True)
class Pasted:
    """`text` is what the person sees; `program` has the same number of lines, empty where there is no code.

    `transcript`: it was typed at prompts, so an error ends one statement and not the whole. `cells` are the pieces that
    were run as one, by first and last line: of each only the last expression shows its value; without cells every
    expression does. With an `answer` there is nothing to run.
    """

    text: str
    program: str
    transcript: bool = False
    cells: tuple[tuple[int, int], ...] = ()
    posted: tuple[Posted, ...] = ()
    notes: tuple[Note, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    answer: Answer | None = None
