"""Whether lines are Python, how much of them is looked at, programs that end in the middle, and patterns of lines."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast


class Regex:
    """Does what the compiled pattern does. It is compiled when it is first used: a plain program meets few of them."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Asked once for each name: then it is there."""
        found = getattr(re.compile(*self.given), name)
        setattr(self, name, found)
        return found


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, but later."""
    return cast("re.Pattern[str]", Regex(pattern, flags))


STATEMENT = regex(
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
def limit_parsing() -> Iterator[None]:
    """Within it, TooMuch is raised by who would parse more than ALLOWED."""
    token = METER.set(Meter())
    try:
        yield
    finally:
        METER.reset(token)


def join_charged(lines: Sequence[str]) -> str:
    """The text of the lines, which is about to be parsed."""
    text, meter = "\n".join(lines), METER.get()
    if meter is not None:
        meter.charge(len(text))
    return text


def fault(lines: Sequence[str]) -> SyntaxError | None:
    """Why the lines are no program; None if they are one."""
    found = tree_or_fault(lines)
    return found if isinstance(found, SyntaxError) else None


def tree_or_fault(lines: Sequence[str]) -> ast.Module | SyntaxError:
    """The lines as a program, or why they are none."""
    text = join_charged(lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, MemoryError, RecursionError):
        return SyntaxError("too deeply nested")


class Oversize(Exception):
    """A program of more syntax than is run here: what is said of it, and the line."""

    def __init__(self, sentence: str, node: ast.AST) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.line: int | None = getattr(node, "lineno", None)


MOST_NODES = 20_000
DEEPEST_SYNTAX = 120


def check_size(tree: ast.Module) -> None:
    """Bounds the number of syntax nodes and their nesting, without recursion."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    count = 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if count > MOST_NODES:
            raise Oversize("The program is too large.", node)
        if depth > DEEPEST_SYNTAX:
            raise Oversize("This expression is nested too deeply.", node)
        waiting.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def compile_bounded(text: str) -> ast.Module:
    """The tree of a program in which Python's own compiler finds no error.

    Its compiler takes time with the square of how deep functions nest, so the tree is measured first.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
        check_size(tree)
        compile(text, "<program>", "exec", dont_inherit=True)
    return tree


def compiles(lines: Sequence[str]) -> bool:
    """Whether the lines are a program that Python starts, without a `return` outside of functions and the like."""
    text = join_charged(lines)
    try:
        compile_bounded(text)
    except Oversize:
        return True  # its size is what is said of it
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def bare(line: str) -> bool:
    """Whether the line is a value and no more: a number, a list of them, `tensor(...)`."""
    return re.fullmatch(r"\s*(-?\d[\d.e+-]*|nan|inf|True|False|None|tensor\(.*\)|\[[-\d.,e+ ]*\])\s*", line) is not None


GAP = regex(r"\s{17,}")


def shorten(line: str) -> str:
    """What patterns see of a line: its beginning, without wide gaps."""
    return GAP.sub(" " * 16, line[:LOOKED])


def like_code(line: str) -> bool:
    return STATEMENT.match(shorten(line)) is not None


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


# ---- programs that end in the middle: of a string, a bracket, a line or a block

PIECE = regex(r"""#[^\n]*|'{3}|"{3}|'(?:\\.|[^'\\\n])*('?)|"(?:\\.|[^"\\\n])*("?)|[()\[\]{}]""", re.S)
CLOSES = {")": "(", "]": "[", "}": "{"}
GOES_ON = regex(
    r"(?:[-+*/%@&|^~=<>,.\\:]|\b(?:and|or|not|in|is|import|from|as|if|elif|while|for|with|def|class|lambda|assert|del|global|await|except))\s*$"
)
LAMBDA = regex(r".*\blambda\b[^:]*:?\s*$")


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
