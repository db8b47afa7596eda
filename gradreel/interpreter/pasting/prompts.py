"""Prompts: `>>> ` and `... ` of Python, `In [3]:` and `Out[3]:` of notebooks, with outputs between."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .parsing import bare, longest_program
from .pasted import Posted
from .prose import is_prose

PYTHON = re.compile(r"^\s*(>>>|\.\.\.)( ?)(.*)$")
FIRST = re.compile(r"^\s*>>>")
IN = re.compile(r"^\s*In\s*\[[\s\d]*\]:\s?(.*)$")
MORE = re.compile(r"^\s*\.\.\.+:\s?(.*)$")
OUT = re.compile(r"^\s*Out(?:\s*\[[\s\d]*\])?:\s?(.*)$")

Found = tuple[list[str], list[Posted], list[tuple[int, int]]]
"""The program's lines, what was posted behind which, and the cells."""


OPENING = (":", "(", "[", "{", ",")
"""A line that ends so goes on below, where the dots before that may have been lost."""


def has_python(lines: Sequence[str]) -> bool:
    return any(FIRST.match(line) for line in lines)


def has_cells(lines: Sequence[str]) -> bool:
    return any(IN.match(line) for line in lines)


def python(lines: Sequence[str]) -> Found:
    """The lines behind `>>>` and `...`; the others are outputs."""
    program: list[str] = []
    posted: list[Posted] = []
    output: list[str] = []
    first = last = 0
    below = False
    for nr, line in enumerate(lines, 1):
        match = PYTHON.match(line)
        if below and not match and not output and line[:1] in (" ", "\t", ")", "]", "}"):
            last = nr
            program.append(line)
            continue
        below = match is not None and match[1] == ">>>" and match[3].rstrip().endswith(OPENING)
        if match and (match[1] == ">>>" or (first and not output)):
            if match[1] == ">>>":
                keep(posted, first, last, output)
                first, output = nr, []
            last = nr
            program.append(match[3])
        else:
            program.append("")
            output.append(line)
    keep(posted, first, last, output)
    return program, posted, []


def before_output(lines: Sequence[str], marked: bool) -> int:
    """How many lines of a cell are its code, where what it printed stands below as bare values."""
    count = len(lines)
    while count > 1 and (not lines[count - 1].strip() or lines[count - 1].startswith("#")):
        count -= 1
    prints = next((nr for nr, line in enumerate(lines) if "print(" in line), len(lines))
    while count > 1 and prints < count - 1 and not marked:
        if lines[count - 1].strip() and not bare(lines[count - 1]):
            break
        count -= 1
    return count


def keep(posted: list[Posted], first: int, last: int, output: list[str]) -> None:
    if first:
        posted.append(Posted(first, last, "\n".join(output[: before_words(output)]).strip("\n")))


def before_words(output: Sequence[str]) -> int:
    """How many of the lines are output, where a page goes on below with a heading or in words."""
    for nr in range(1, len(output)):
        if not output[nr - 1].strip() and (output[nr].startswith("#") or is_prose(output[nr])):
            return nr
    return len(output)


def cells(lines: Sequence[str]) -> Found:
    """The code behind `In [3]:`, on the same line (a terminal's) or on those below (a notebook's)."""
    program = [""] * len(lines)
    posted: list[Posted] = []
    found: list[tuple[int, int]] = []
    starts = [nr for nr, line in enumerate(lines) if IN.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = IN.match(lines[start])
        assert match is not None
        code = {start: match[1]} if match[1].strip() else {}
        body = range(start + 1, end)
        out = next((nr for nr in body if OUT.match(lines[nr])), end)
        if code:
            at = start + 1
            while at < out and (more := MORE.match(lines[at])):
                code[at] = more[1]
                at += 1
        else:
            count = longest_program(lines[start + 1 : out])
            at = start + 1 + before_output(lines[start + 1 : start + 1 + count], out < end)
            code = {nr: lines[nr] for nr in range(start + 1, at)}
        for nr, line in code.items():
            program[nr] = line
        output = [
            behind[1] if (behind := OUT.match(lines[nr])) else lines[nr]
            for nr in range(at, end)
            if not (OUT.match(lines[nr]) and not OUT.match(lines[nr])[1].strip())  # type: ignore[index]
        ]
        last = max(code, default=start)
        found.append((start + 1, last + 1))
        keep(posted, start + 1, last + 1, output)
    return program, posted, found
