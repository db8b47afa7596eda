"""Programs that end in the middle: of a string, a bracket, a line or a block."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .parsing import fault, like_code

PIECE = re.compile(r"""#[^\n]*|'{3}|"{3}|'(?:\\.|[^'\\\n])*('?)|"(?:\\.|[^"\\\n])*("?)|[()\[\]{}]""", re.S)
CLOSES = {")": "(", "]": "[", "}": "{"}
GOES_ON = re.compile(
    r"(?:[-+*/%@&|^~=<>,.\\:]|\b(?:and|or|not|in|is|import|from|as|if|elif|while|for|with|def|class|lambda|assert|del|global|await|except))\s*$"
)
LAMBDA = re.compile(r".*\blambda\b[^:]*:?\s*$")


def open_at_end(text: str) -> tuple[str, int] | None:
    """What is open where the text ends, "bracket" or "string", and the line on which that begins."""
    stack: list[tuple[str, int]] = []
    at, line, counted = 0, 1, 0
    while match := PIECE.search(text, at):
        piece = match[0]
        line += text.count("\n", counted, match.start())
        counted = match.start()
        at = match.end()
        if piece in ("'''", '"""'):
            at = text.find(piece, at) + 3
            if at < 3:
                return "string", line
        elif piece[0] in "'\"":
            if not (match[1] or match[2]) or len(piece) < 2:
                return ("string", line) if not text[at:].strip() else None
        elif piece in "([{":
            stack.append((piece, line))
        elif piece in CLOSES and (not stack or stack.pop()[0] != CLOSES[piece]):
            return None
    return ("bracket", stack[0][1]) if stack else None


def where_cut(lines: Sequence[str]) -> tuple[int, str] | None:
    """The last line of a program that ends in the middle, and in the middle of what."""
    last = max((nr for nr, line in enumerate(lines) if line.strip()), default=-1)
    if last < 0:
        return None
    found = open_at_end("\n".join(lines[: last + 1]))
    if found is not None:
        kind, begins = found
        if not whole_before(lines, begins - 1) or (kind == "bracket" and goes_on_behind(lines, begins - 1, last)):
            return None
        if begins - 1 == last:
            return last + 1, f"inside a {kind}"
        return last + 1, f"inside a {kind} that begins in line {begins}"
    error = fault(lines[: last + 1])
    if error is not None and str(error.msg).startswith("expected 'except'") and (error.lineno or 0) > last:
        return last + 1, "inside a `try`"
    if not whole_before(lines, last):
        return None
    bare = lines[last].partition(" #")[0].rstrip()
    if bare.lstrip().startswith("@") and fault([*lines[: last + 1], indent(lines[last]) + "def f(): pass"]) is None:
        return last + 1, "before the function that this line decorates"
    if LAMBDA.match(bare) and fault([*lines[:last], f"{bare.rstrip(':')}: 0"]) is None:
        return last + 1, "before the value of its `lambda`"
    if bare.endswith(":") and fault([*lines[: last + 1], indent(lines[last]) + "    pass"]) is None:
        return last + 1, "before the block that this line opens"
    at_end = error is not None and ((error.lineno or 0) > last + 1 or (error.offset or 0) > len(bare))
    return (
        (last + 1, "in the middle of a statement")
        if at_end and GOES_ON.search(bare) and not bare.endswith(":")
        else None
    )


def indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def whole_before(lines: Sequence[str], at: int) -> bool:
    """Whether the lines before `at` are a program, if a block that they open has something in it."""
    before = [*lines[:at], indent(lines[at]) + "pass"]
    return fault(before) is None or fault([*before, indent(lines[at]) + "except: pass"]) is None


def goes_on_behind(lines: Sequence[str], begins: int, last: int) -> bool:
    """Whether other statements stand behind the line where something was opened: then it is a mistake in there."""
    margin = len(indent(lines[begins]))
    rest = [line for line in lines[begins + 1 : last + 1] if line.strip()]
    return any(len(indent(line)) <= margin and like_code(line) for line in rest)
