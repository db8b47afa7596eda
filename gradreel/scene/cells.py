"""Which larger tensors travel with their cells: what is held, kept or on its way, the latest, while there is room."""

from collections.abc import Iterable, Sequence

from gradreel.trace.events import Value

from .model import Histories

CELLS = 250_000
"""So many letters a scene spends on cells, for about ninety matrices of 32 by 32. Nothing packs them."""
HELD = {
    "t": ("value", "grad"),
    "n": ("grad", "grad_in", "came", "before"),
    "w": ("value",),
    "sum": ("total",),
}
"""The properties that are values."""


def with_cells(table: Sequence[Value], histories: Histories, kept: Iterable[tuple[int, int]]) -> set[int]:
    """The places in `table` of the values whose cells are sent.

    `histories` tell at which step which value was held or handed on, `kept` at which step which was saved.
    """
    if all(value.cells is None for value in table):
        return set()
    held = [*kept]
    for kind, names in HELD.items():
        for name in names:
            history = histories.get(kind, {}).get(name)
            held += [] if history is None else zip(history.steps, history.values, strict=True)
    last: dict[int, int] = {}
    for step, place in held:
        if place is not None and table[place].cells is not None:
            last[place] = max(step, last.get(place, 0))
    sent: set[int] = set()
    room = CELLS
    for place in sorted(last, key=lambda place: (last[place], place), reverse=True):
        cells = table[place].cells
        room -= 0 if cells is None else len(cells[1])
        if room < 0:
            break
        sent.add(place)
    return sent
