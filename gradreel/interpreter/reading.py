"""Reading a program: sizes and characters checked, parsed, its values echoed or not."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from dataclasses import dataclass

from .limits import Limits
from .pasting import Pasted, paste
from .refusal import Refusal

HEADER = re.compile(r"^#\s*record:(.*)$", re.MULTILINE)
FUTURE = re.compile(r"^from __future__ import [\w, ]+$", re.MULTILINE)
"""May come at any prompt, where every statement is a program of its own."""
INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
MOST_NODES = 20_000
DEEPEST = 120
ERRORS = ("traceback", "error")
"""What was pasted instead of a program that a gallery of errors can tell of."""


@dataclass(frozen=True)
class Reading:
    """A program ready to be checked: its lines keep their numbers. `echo`: bare expressions print their value.

    With `cells` (by first and last line) only the last expression of each does, and not if a semicolon ends it.
    """

    tree: ast.Module
    mode: str
    echo: bool
    cells: tuple[tuple[int, int], ...] = ()
    lines: tuple[str, ...] = ()

    def echoes(self, node: ast.stmt) -> bool:
        """Whether the value of this statement, if it is an expression, is shown."""
        if not self.echo or not self.cells:
            return self.echo
        if behind(self.lines, node).startswith(";"):
            return False
        end = next((end for start, end in self.cells if start <= node.lineno <= end), 0)
        return not any(node.lineno < other.lineno <= end for other in self.tree.body)


def behind(lines: tuple[str, ...], node: ast.stmt) -> str:
    """What stands behind a statement on its last line."""
    if node.end_lineno is None or node.end_col_offset is None or node.end_lineno > len(lines):
        return ""
    return lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode().strip()


def mode_of(pasted: Pasted) -> str:
    """A transcript has prompts or says so in a first comment."""
    header = " ".join(HEADER.findall(pasted.program))
    return "transcript" if pasted.transcript or "transcript" in header else "script"


def read(pasted: Pasted, mode: str, limits: Limits) -> Reading:
    """Raises Refusal for what cannot be a program here."""
    if pasted.answer is not None:
        kind = "ErrorMessage" if pasted.answer.kind in ERRORS else "SyntaxError" if pasted.answer.line else "NoProgram"
        raise Refusal(pasted.answer.sentence, pasted.answer.line, kind)
    if len(pasted.program) > limits.source or len(pasted.text) > 4 * limits.source:
        raise Refusal(f"The program is longer than {limits.source:,} characters: paste the part that matters.", None)
    header = " ".join(HEADER.findall(pasted.program))
    check_characters(pasted.program)
    tree = parse(FUTURE.sub("pass", pasted.program) if pasted.transcript else pasted.program)
    echo = mode == "transcript" and (pasted.transcript or "echo" in header)
    return Reading(tree, mode, echo, pasted.cells, tuple(pasted.program.split("\n")))


def check_characters(text: str) -> None:
    """Refuses characters that make a program look other than it is."""
    if text.isascii() and not any(ord(letter) < 32 and letter not in "\t\n" for letter in text):
        return
    for number, line in enumerate(text.split("\n"), 1):
        for letter in line:
            if unicodedata.category(letter) in INVISIBLE and letter != "\t":
                code = f"U+{ord(letter):04X}"
                raise Refusal(
                    f"There is an invisible character ({code}) in this line: delete it, or type the line anew.",
                    number,
                    "SyntaxError",
                )


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


def pointed(source: str) -> list[str]:
    """The line of a program that is no Python, and carets under the place, as Python shows them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(paste(source).program, "<program>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return carets(error)
    except (ValueError, MemoryError, RecursionError):
        return []
    return []


def carets(error: SyntaxError) -> list[str]:
    if not error.text or error.offset is None or error.offset < 1:
        return []
    line = error.text.rstrip("\n").expandtabs(1)
    margin = len(line) - len(line.lstrip())
    last = error.end_offset if error.end_lineno == error.lineno and (error.end_offset or 0) > error.offset else None
    width = (last or error.offset + 1) - error.offset
    return [f"    {line.strip()}", "    " + " " * max(error.offset - 1 - margin, 0) + "^" * max(width, 1)]


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
