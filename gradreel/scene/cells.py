"""Which matrices travel number by number: those that a tensor or its gradient was, the latest, while there is room."""

from collections.abc import Iterable, Sequence

from gradreel.trace.events import Value

from .history import History

CELLS = 250_000
"""So many letters a scene spends on cells, for about ninety matrices of 32 by 32. Nothing packs them."""


def with_cells(table: Sequence[Value], histories: Iterable[History]) -> set[int]:
    """The places in `table` of the values whose cells are sent; `histories` tell when which value was held."""
    sent: set[int] = set()
    if all(value.cells is None for value in table):
        return sent
    held = [(step, place) for _, *track in histories for step, place in zip(*track, strict=True) if place is not None]
    room = CELLS
    for _, place in sorted(held, reverse=True):
        cells = table[place].cells
        if cells is None or place in sent:
            continue
        room -= len(cells[1])
        if room < 0:
            break
        sent.add(place)
    return sent
