"""Refusals: what this interpreter does not run, said with the line and in words for a learner."""

from __future__ import annotations


class Refusal(BaseException):
    """The program asks for something that is not offered here. Not an error of the program: no handler sees it."""

    def __init__(self, sentence: str, line: int | None = None, kind: str = "Unsupported") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.line = line
        self.kind = kind
