"""Prose: the words around code that nobody fenced in.

A line is prose if it cannot be a line of Python and has words side by side, as no Python has outside its strings.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence

from .parsing import fault, like_code, shown
from .pasted import Note

STRING = re.compile(r"""(?<![^\W_])(?:'[^']*'|"[^"]*"|`[^`]*`)(?![^\W_])""")
SIDE_BY_SIDE = re.compile(r"(?<![\w.)\]}])([^\W\d][\w'-]*),? +(?=([^\W\d][\w'-]*))")
SAID = re.compile(r"^\s*(Traceback \(most|File \"|(?:[\w.]+\.)?\w*(?:Error|Exception|Warning)\b)")
"""What Python says of an error: that is output."""
ASSIGNED = re.compile(r"[\w\])]\s*[-+*/@|&]?=(?!=)\s*\S")
GREETING = re.compile(r"[^\W\d_]{2,}[,.!:?]+\s*$")
FEW_WORDS = re.compile(r"[^\W\d_]+( [^\W\d_]+){0,3}[,.!:?]*\s*$")
"""`Thanks,` and below it who says so."""
ASKING = re.compile(r"\w\s+[^\W\d]+[?!]+\s*$")
BEGINS = re.compile(r"\s*(print|exec|del|raise|assert|global|nonlocal|yield|async|await|pass|match|case|type)\b")
HEADED = re.compile(r"\s*(if|for|while|with|class)\b")
BRACKETS = re.compile(r"[()\[\]{}]|:\s*$")
"""Code that begins so has one of these."""
TRIPLE = re.compile(r'"""|' + r"'''")
OPENERS = 3
"""So many words side by side make prose of a line that begins as a statement does: `for each of the two models`."""
QUOTING = 4
"""So many of one that quotes a piece of code: `it works for all of my tensors with requires_grad = True`."""


def without_prose(lines: Sequence[str], notes: list[Note]) -> list[str]:
    """The lines, those of prose empty; as they were if nothing like code would be left."""
    made = list(lines)
    for first, last in paragraphs(lines):
        for nr in prose_in(lines, first, last):
            made[nr] = ""
    for nr in errors_between(made):
        made[nr] = ""
    if made == list(lines) or not any(map(like_code, made)):
        return list(lines)
    blocks = [nr for nr in range(len(lines)) if lines[nr] != made[nr] and (nr == 0 or lines[nr - 1] == made[nr - 1])]
    notes += [Note(nr + 1, "words around the code were left out") for nr in blocks]
    return made


def errors_between(lines: Sequence[str]) -> list[int]:
    """The lines of tracebacks and errors with code behind them; those at the end are what the program printed."""
    found: list[int] = []
    inside, last = False, 0
    for nr, line in enumerate(lines):
        begins = SAID.match(shown(line)) is not None
        if begins or inside:
            found.append(nr)
            inside = line.lstrip().startswith("Traceback") or (inside and line[:1] in (" ", "\t"))
        elif like_code(line):
            last = nr
    return [nr for nr in found if nr < last]


def paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last line of each stretch without an empty line; strings over several lines are in none."""
    start, quoted = None, False
    for nr, line in enumerate([*lines, ""]):
        turned = len(TRIPLE.findall(line)) % 2 == 1
        if quoted or turned or not line.strip():
            if start is not None:
                yield start, nr - 1
            start = None
        elif start is None:
            start = nr
        quoted ^= turned


def prose_in(lines: Sequence[str], first: int, last: int) -> list[int]:
    """The lines of a paragraph that are prose. One without any code in it is prose as a whole once a line of it is."""
    block = range(first, last + 1)
    found = [nr for nr in block if is_prose(lines[nr]) and not follows(lines, nr, first)]
    taken_out = set(found)
    rest = [lines[nr] for nr in block if nr not in taken_out]
    if found and not any(like_code(line) or SAID.match(line) or fault([line]) is None for line in rest):
        return list(block)
    if GREETING.match(lines[first]) and all(FEW_WORDS.match(lines[nr]) for nr in block):
        return list(block)
    return found


def follows(lines: Sequence[str], nr: int, first: int) -> bool:
    """Whether the line goes on with a block of code above it."""
    return nr > first and lines[nr][:1].isspace() and not is_prose(lines[nr - 1])


def is_prose(line: str) -> bool:
    seen = shown(line)
    words = STRING.sub("0", seen.partition(" #")[0] if "#" in seen else seen)
    if line.lstrip().startswith(("#", "@", ">>>")) or SAID.match(seen):
        return False
    pairs = sum(not (taken(before) or taken(after)) for before, after in SIDE_BY_SIDE.findall(words))
    if pairs < wanted(words) and not ASKING.search(words):
        return False
    return fault([line.strip()]) is not None and fault([f"{line.strip()} pass"]) is not None


def wanted(words: str) -> int:
    """How many words side by side tell prose from a line of code with a mistake in it."""
    if ASSIGNED.search(words):
        return QUOTING
    if HEADED.match(words) and not BRACKETS.search(words):
        return 1
    return OPENERS if like_code(words) or BEGINS.match(words) else 1


def taken(word: str) -> bool:
    """Whether Python has a meaning for the word, so that it can stand beside a name."""
    return keyword.iskeyword(word) or word in ("print", "exec")
