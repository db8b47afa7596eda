"""Refusals: what this interpreter does not run, said with the line and in words for a learner."""

from __future__ import annotations

from autograd_core.errors import Unsupported


class Refusal(BaseException):
    """The program asks for something that is not offered here. Not an error of the program: no handler sees it."""

    def __init__(self, sentence: str, line: int | None = None, kind: str = "Unsupported") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.line = line
        self.kind = kind


def refusal(limit: Unsupported, line: int | None) -> Refusal:
    """What the engine says that it does not do, said as a refusal."""
    first, _, rest = str(limit).rstrip(".").partition(" ")
    named = f"{first[:1].upper()}{first[1:]}" if first.isalpha() else f"`{first}`"
    return Refusal(f"{named} {rest}.", line)
