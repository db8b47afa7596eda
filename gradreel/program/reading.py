"""Reading a program: prompts and pasted outputs taken off, sizes and characters checked, parsed, echoed or not."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from dataclasses import dataclass

from .limits import Limits
from .refusal import Refusal

PROMPT = re.compile(r"^\s*>>>", re.MULTILINE)
PROMPTED = re.compile(r"^\s*(>>>|\.\.\.)( ?)(.*)$")
HEADER = re.compile(r"^#\s*record:(.*)$", re.MULTILINE)
INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
MOST_NODES = 20_000
DEEPEST = 120


@dataclass(frozen=True)
class Reading:
    """A program ready to be checked: its lines keep their numbers. `echo`: bare expressions print their value."""

    tree: ast.Module
    mode: str
    echo: bool


def without_prompts(source: str) -> tuple[str, bool]:
    """The lines behind prompts; the others, pasted outputs, become empty. Whether there were prompts."""
    if not PROMPT.search(source):
        return source, False
    lines = []
    for line in source.split("\n"):
        match = PROMPTED.match(line)
        lines.append(match.group(3) if match else "")
    return "\n".join(lines), True


def guess_mode(source: str) -> str:
    """A transcript has prompts or says so in a first comment."""
    header = " ".join(HEADER.findall(source))
    return "transcript" if PROMPT.search(source) or "transcript" in header else "script"


def read(source: str, mode: str | None, limits: Limits) -> Reading:
    """Raises Refusal for what cannot be a program here."""
    if len(source) > limits.source:
        raise Refusal(f"The program is longer than {limits.source:,} characters.", None)
    if source.count("\n") > limits.lines:
        raise Refusal(f"The program has more than {limits.lines:,} lines.", None)
    mode = mode or guess_mode(source)
    header = " ".join(HEADER.findall(source))
    text = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text, prompts = without_prompts(text)
    text = text.replace("\f", " ")
    check_characters(text)
    tree = parse(text)
    return Reading(tree, mode, mode == "transcript" and (prompts or "echo" in header))


def check_characters(text: str) -> None:
    """Refuses characters that make a program look other than it is."""
    if text.isascii() and not any(ord(letter) < 32 and letter not in "\t\n" for letter in text):
        return
    for number, line in enumerate(text.split("\n"), 1):
        for letter in line:
            if unicodedata.category(letter) in INVISIBLE and letter != "\t":
                code = f"U+{ord(letter):04X}"
                raise Refusal(f"There is an invisible character ({code}) in this line.", number, "SyntaxError")


def parse(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            check_size(tree)
            compile(text, "<program>", "exec", dont_inherit=True)  # for the errors that only the compiler finds
        return tree
    except SyntaxError as error:
        message = error.msg if error.msg != "too many statically nested blocks" else "too many nested blocks"
        raise Refusal(message, error.lineno, type(error).__name__) from None
    except (MemoryError, RecursionError):
        raise Refusal("The program is nested too deeply.", None, "SyntaxError") from None
    except ValueError as error:
        raise Refusal(str(error), None, "SyntaxError") from None


def check_size(tree: ast.Module) -> None:
    """Bounds the number of syntax nodes and their nesting, without recursion."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    count = 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if count > MOST_NODES:
            raise Refusal("The program is too large.", getattr(node, "lineno", None))
        if depth > DEEPEST:
            raise Refusal("This expression is nested too deeply.", getattr(node, "lineno", None))
        waiting.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
