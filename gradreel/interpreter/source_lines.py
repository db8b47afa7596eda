"""Where statements stand in a source text: their first and last lines, and the loops by the line of their header."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Loop:
    """A `for` or `while`: the line of its header, and the lines from the first to the last of its body."""

    line: int
    first: int
    last: int

    @property
    def on_one_line(self) -> bool:
        return self.first == self.line

    def holds(self, line: int) -> bool:
        """Whether `line` is of the body."""
        return self.first <= line <= self.last

    def covers(self, line: int) -> bool:
        """Whether `line` is of the header or the body."""
        return self.line <= line <= self.last


class Places:
    """The lines of `source`.

    Raises:
        SyntaxError: `source` is no Python.
    """

    def __init__(self, source: str) -> None:
        tree = ast.parse(source)
        self.loops: dict[int, Loop] = {}
        self.ends: dict[int, int] = {}
        self.starts: dict[int, int] = {}
        for node in ast.walk(tree):
            if isinstance(node, (ast.For, ast.While)):
                self.loops[node.lineno] = Loop(
                    node.lineno, node.body[0].lineno, node.body[-1].end_lineno or node.lineno
                )
            if isinstance(node, ast.stmt):
                body = getattr(node, "body", None)
                end = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno
                last = max(node.lineno, end or node.lineno)
                self.ends.setdefault(node.lineno, last)
                self.starts.update({line: node.lineno for line in range(node.lineno, last + 1)})

    def end_of(self, line: int) -> int:
        """The last line of the statement that begins on `line`; of a compound one, of its header."""
        return self.ends.get(line, line)

    def start_of(self, line: int) -> int:
        """The first line of the statement that `line` belongs to."""
        return self.starts.get(line, line)
