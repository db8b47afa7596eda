"""Transcripts: prompts with outputs between, and tracebacks that come without their program."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .parsing import bare, like_code, longest_program, regex
from .pasted_text import Posted
from .scripts import is_prose

PYTHON = regex(r"^\s*(>>>|\.\.\.)( ?)(.*)$")
FIRST = regex(r"^\s*>>>")
IN = regex(r"^\s*In\s*\[[\s\d]*\]:\s?(.*)$")
MORE = regex(r"^\s*\.\.\.+:\s?(.*)$")
OUT = regex(r"^\s*Out(?:\s*\[[\s\d]*\])?:\s?(.*)$")

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


# ---- tracebacks and error messages that come without their program

BEFORE = regex(r"\s*(?:E\s{1,8}|\[?\(?rank\s?\d+\)?\]?:\s?|[>|#]\s+|\d{4}-\d\d-\d\d[T ][\d:.,]+\s+)")
"""What pytest, torchrun, mail and logs put before a line."""
HEAD = regex(
    r"\s*(?:Traceback \(most recent call last\)|During handling of the above|The above exception was the direct"
    r"|[-=_]{5,}\s*(?:Traceback.*)?$|Cell In ?\[\d+\],? |\w+(?:Error|Exception)\s{2,}Traceback)"
)
FRAME = regex(
    r"\s*(?:File \"?[^\"\n]{1,300}(?:\"(?:, line \d+)?|$)|-{2,}>\s?\d+|~*\^+~*\s*$|<ipython-input"
    r"|[\w./\\<>~-]{1,200} in \w+\("
    r"|\S{1,200}\.py(?::\d+:?|\(\d+\))|\s*\[Previous line repeated|\.{3}\s\d+ frames)"
)
NUMBERED = regex(r"\s+\d{1,5}\s")
ERROR = regex(
    r"\s*(?:[A-Za-z_]\w*\.){0,8}[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|StopIteration"
    r"|OutOfMemory)\b\s*(?::|$)"
)
CRASH = regex(
    r"\s*(?:terminate called after|Segmentation fault|Aborted \(core|Killed$|CUDA error:|CUDA out of memory"
    r"|libc\+\+abi"
    r"|Process finished with exit code [1-9]|\w*Error in |what\(\):)"
)
PYTEST = regex(r"E\s{3,10}(?=\S)(?:\w+\.)*\w*(?:Error|Exception)\b")
PHRASE = regex(
    r"element 0 of tensors does not require grad|backward through the graph a second time"
    r"|modified by an inplace operation"
    r"|a leaf Variable that requires grad|grad can be implicitly created only|does not require grad and does not have"
    r"|shapes? cannot be multiplied|must match the size of tensor|expected scalar type|Expected all tensors to be on"
    r"|appears to not have been used in the graph|shape '\[.{0,80}\]' is invalid|device-side assert|is not defined\b"
    r"|has no attribute|unexpected keyword argument|missing \d+ required|object is not callable|out of range",
    re.I,
)
"""What messages of PyTorch and Python say, for those whose type was left behind."""


def plain(line: str) -> str:
    """The line without what tools put before it."""
    match = BEFORE.match(line)
    rest = line[match.end() :] if match else line
    return rest if any(pattern.match(rest) for pattern in (ERROR, HEAD, FRAME)) else line


def without_program(lines: Sequence[str]) -> str | None:
    """Whether the lines are a "traceback" or an "error", whole or in part; None if they hold a program of their own."""
    if any(PYTEST.match(line) for line in lines):
        return "traceback"
    found, frames, code, inside = False, False, 0, False
    first = True
    for raw in lines:
        line = plain(raw)
        if HEAD.match(line) or FRAME.match(line):
            frames = inside = True
        elif ERROR.match(line) or CRASH.match(line):
            found, inside = True, False
        elif PHRASE.search(line) and not like_code(line):
            found = True
        elif inside and (line[:1].isspace() or NUMBERED.match(line)):
            pass
        elif line[:1].isspace() and first_is_cut(lines):
            frames = True
        elif like_code(line) and not first:
            code += 1
            inside = False
        elif like_code(line) and line[:1] not in (")", "]"):
            code += 1
        first = False
    if code or not (frames or found):
        return None
    return "traceback" if frames else "error"


def first_is_cut(lines: Sequence[str]) -> bool:
    """Whether a traceback begins in the middle: a scrap, then lines further in, then what was raised."""
    if not len(lines) >= 2 or lines[0][:1].isspace() and len(lines) < 2:
        return False
    ends = [nr for nr, line in enumerate(lines) if ERROR.match(plain(line))]
    return bool(ends) and all(line[:1].isspace() for line in lines[1 : ends[0]])
