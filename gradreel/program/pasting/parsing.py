"""Whether lines are Python."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence

STATEMENT = re.compile(
    r"\s*(import |from \w|def |class |for |while |if |elif |else:|with |try:|except|finally:|return\b|print\s*\(|@\w"
    r"|[\w.\[\]'\", ]+\s*[-+*/@]?=[^=]|[\w.]+\.(backward|step|zero_grad)\()"
)
"""What looks like code, even where it does not parse."""


def fault(lines: Sequence[str]) -> SyntaxError | None:
    """Why the lines are no program; None if they are one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join(lines))
    except SyntaxError as error:
        return error
    except (ValueError, MemoryError, RecursionError):
        return SyntaxError("too deeply nested")
    return None


def bare(line: str) -> bool:
    """Whether the line is a value and no more: a number, a list of them, `tensor(...)`."""
    return re.fullmatch(r"\s*(-?\d[\d.e+-]*|nan|inf|True|False|None|tensor\(.*\)|\[[-\d.,e+ ]*\])\s*", line) is not None


def like_code(line: str) -> bool:
    return STATEMENT.match(line) is not None


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
