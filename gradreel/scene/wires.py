"""The wires of a scene while they are laid, column by column. A wire goes by its number."""

from __future__ import annotations

from collections.abc import Callable

from gradreel.explain import Slope
from gradreel.trace.events import Edges

from .model import Wire
from .table import Ids, Table


class Wires:
    def __init__(self) -> None:
        self._from: list[int] = []
        self._to: list[int] = []
        self._outputs: list[int] = []
        self._inputs: list[int] = []

    def out_of(self, node: int, edges: Edges) -> list[int | None]:
        """The wire of each edge of `node`, None where no gradient flows."""
        made: list[int | None] = []
        for output, (target, input_nr) in enumerate(edges):
            if target is None:
                made.append(None)
                continue
            made.append(len(self._from))
            self._from.append(node)
            self._to.append(target)
            self._outputs.append(output)
            self._inputs.append(input_nr)
        return made

    def end(self, wire: int) -> tuple[int, int]:
        """The node that a wire leads to, and which of its inputs."""
        return self._to[wire], self._inputs[wire]

    def table(self, slope: Callable[[int, int], Slope]) -> Table[Wire]:
        """All wires; `slope` tells that of a node and the number of one of its edges."""
        ids = Ids("w", range(len(self._from)))
        slopes = list(map(slope, self._from, self._outputs))
        texts = [each.text for each in slopes]
        factors = [None if each.number is None else float(f"{each.number:.8g}") for each in slopes]
        return Table(Wire, (ids, Ids("n", self._from), Ids("n", self._to), self._outputs, self._inputs, texts, factors))
