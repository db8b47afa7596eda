"""What a proposer gets and gives: a diagnosis with the text it is about, and edited sources."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..diagnostics.diagnosis import Diagnosis
from .text import Edit, Text


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edited program: what the edit does, in the words of a button, and what it costs."""

    title: str
    cost: str
    source: str
    workaround: bool = False
    """Whether it only gets around the trouble: such come last."""
    decisive: bool = False
    """Whether it fixes the cause, so that what else is proposed behind it only gets around the trouble."""


@dataclass(frozen=True, slots=True)
class FixContext:
    """A mend is wanted for `found`, in `text`."""

    text: Text
    found: Diagnosis

    def line(self, role: str) -> int | None:
        return self.found.lines.get(role)

    def at(self, role: str) -> ast.stmt | None:
        """The innermost statement on the line of `role`."""
        line = self.line(role)
        return self.text.statement(line) if line else None

    def beside(self, role: str, other: ast.stmt) -> ast.stmt | None:
        """The statement that led to `role` and stands in the same block as `other`, or in one around it."""
        stack = self.found.stacks.get(role, ())
        own = self.line(role)
        lines = [*stack, own] if own else list(stack)
        block: ast.stmt | None = other
        while block is not None:
            among = self.text.block(block)
            for line in lines:
                for statement in among:
                    if statement.lineno <= line <= (statement.end_lineno or 0) and statement is not block:
                        return statement
            block = next((node for node in self.text.around(block) if isinstance(node, ast.stmt)), None)
        return None

    def name(self, role: str) -> str | None:
        return self.found.names.get(role)

    def proposal(self, title: str, cost: str, *edits: Edit) -> Proposal:
        return Proposal(title, cost, self.text.edited(*edits))

    def workaround(self, title: str, cost: str, *edits: Edit) -> Proposal:
        return Proposal(title, cost, self.text.edited(*edits), True)


FREE = "costs nothing"
