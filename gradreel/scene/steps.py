"""The steps of a scene while they are told, column by column."""

from __future__ import annotations

from itertools import chain

from .model import Step
from .table import Ids, Lists, Table


class Steps:
    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.lines: list[int] = []
        self.sentences: list[str] = []
        self.focuses: list[tuple[int, ...]] = []
        """The nodes that each step is about."""

    def add(self, kind: str, line: int, sentence: str, focus: tuple[int, ...]) -> None:
        self.kinds.append(kind)
        self.lines.append(line)
        self.sentences.append(sentence)
        self.focuses.append(focus)

    def table(self) -> Table[Step]:
        focus = Lists(list(map(len, self.focuses)), Ids("n", list(chain.from_iterable(self.focuses))))
        return Table(Step, (self.kinds, self.lines, self.sentences, focus))
