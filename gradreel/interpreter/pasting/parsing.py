"""Whether lines are Python, and how much of them is looked at: a paste takes time in proportion to its length."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

STATEMENT = re.compile(
    r"\s*+(import |from \w|def |class |for |while |if |elif |else:|with |try:|except|finally:|return\b|print\s*\(|@\w"
    r"|[\w.\[\]'\", ]++\s*+[-+*/@]?=[^=]|[\w.]+\.(backward|step|zero_grad)\()"
)
"""What looks like code, even where it does not parse."""

LOOKED = 400
"""Characters of a line that patterns look at."""
ALLOWED = 400_000
"""Characters that are parsed for one paste, all attempts together."""
LEAST = 40
"""As many are charged for an attempt, however short."""


class TooMuch(Exception):
    """Nothing more of this paste may be parsed."""


class Meter:
    """What may still be parsed."""

    def __init__(self) -> None:
        self.left = ALLOWED

    def charge(self, characters: int) -> None:
        self.left -= max(characters, LEAST)
        if self.left < 0:
            raise TooMuch


METER: ContextVar[Meter | None] = ContextVar("METER", default=None)


@contextmanager
def metered() -> Iterator[None]:
    """Within it, TooMuch is raised by who would parse more than ALLOWED."""
    token = METER.set(Meter())
    try:
        yield
    finally:
        METER.reset(token)


def fault(lines: Sequence[str]) -> SyntaxError | None:
    """Why the lines are no program; None if they are one."""
    found = tree_or_fault(lines)
    return found if isinstance(found, SyntaxError) else None


def tree_or_fault(lines: Sequence[str]) -> ast.Module | SyntaxError:
    """The lines as a program, or why they are none."""
    text, meter = "\n".join(lines), METER.get()
    if meter is not None:
        meter.charge(len(text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, MemoryError, RecursionError):
        return SyntaxError("too deeply nested")


def compiles(lines: Sequence[str]) -> bool:
    """Whether the lines are a program that Python starts, without a `return` outside of functions and the like."""
    text, meter = "\n".join(lines), METER.get()
    if meter is not None:
        meter.charge(len(text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<program>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def bare(line: str) -> bool:
    """Whether the line is a value and no more: a number, a list of them, `tensor(...)`."""
    return re.fullmatch(r"\s*(-?\d[\d.e+-]*|nan|inf|True|False|None|tensor\(.*\)|\[[-\d.,e+ ]*\])\s*", line) is not None


GAP = re.compile(r"\s{17,}")


def shown(line: str) -> str:
    """What patterns see of a line: its beginning, without wide gaps."""
    return GAP.sub(" " * 16, line[:LOOKED])


def like_code(line: str) -> bool:
    return STATEMENT.match(shown(line)) is not None


def longest_program(lines: Sequence[str]) -> int:
    """How many of the first lines are a program together; those behind are something else."""
    count = len(lines)
    for _ in range(40):
        error = fault(lines[:count])
        if error is None:
            return count
        at = min((error.lineno or 1) - 1, count - 1)
        if at <= 0:
            return 0
        count = at
    return 0
