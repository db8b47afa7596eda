"""Tracebacks and error messages that come without their program."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .parsing import like_code

BEFORE = re.compile(r"\s*(?:E\s{1,8}|\[?\(?rank\s?\d+\)?\]?:\s?|[>|#]\s+|\d{4}-\d\d-\d\d[T ][\d:.,]+\s+)")
"""What pytest, torchrun, mail and logs put before a line."""
HEAD = re.compile(
    r"\s*(?:Traceback \(most recent call last\)|During handling of the above|The above exception was the direct"
    r"|[-=_]{5,}\s*(?:Traceback.*)?$|Cell In ?\[\d+\],? |\w+(?:Error|Exception)\s{2,}Traceback)"
)
FRAME = re.compile(
    r"\s*(?:File \"?[^\"\n]{1,300}(?:\"(?:, line \d+)?|$)|-{2,}>\s?\d+|~*\^+~*\s*$|<ipython-input"
    r"|[\w./\\<>~-]{1,200} in \w+\("
    r"|\S{1,200}\.py(?::\d+:?|\(\d+\))|\s*\[Previous line repeated|\.{3}\s\d+ frames)"
)
NUMBERED = re.compile(r"\s+\d{1,5}\s")
ERROR = re.compile(
    r"\s*(?:[A-Za-z_]\w*\.){0,8}[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|StopIteration"
    r"|OutOfMemory)\b\s*(?::|$)"
)
CRASH = re.compile(
    r"\s*(?:terminate called after|Segmentation fault|Aborted \(core|Killed$|CUDA error:|CUDA out of memory"
    r"|libc\+\+abi"
    r"|Process finished with exit code [1-9]|\w*Error in |what\(\):)"
)
PYTEST = re.compile(r"E\s{3,10}(?=\S)(?:\w+\.)*\w*(?:Error|Exception)\b")
PHRASE = re.compile(
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
