"""Which name was probably meant: Python's own measure of likeness for "Did you mean".

Letters that were moved, left out or added cost 2 each, a change of case 1; a name is near if that stays under a third
of both lengths, as in CPython 3.11.
"""

from __future__ import annotations

from collections.abc import Iterable

MOVE, CASE = 2, 1
LONGEST, MOST = 40, 750
"""Longer names and longer lists are not looked through."""


def distance(one: str, other: str, most: int) -> int:
    """What it costs to make one of the other, or more than `most`."""
    if abs(len(one) - len(other)) * MOVE > most:
        return most + 1
    row = list(range(0, (len(one) + 1) * MOVE, MOVE))
    for nr, letter in enumerate(other, 1):
        before, row[0] = row[0], nr * MOVE
        for at, mine in enumerate(one, 1):
            changed = before + change(mine, letter)
            before = row[at]
            row[at] = min(changed, row[at] + MOVE, row[at - 1] + MOVE)
        if min(row) > most:
            return most + 1
    return row[-1]


def change(one: str, other: str) -> int:
    if one == other:
        return 0
    return CASE if one.lower() == other.lower() else MOVE


def nearest(wrong: str, known: Iterable[str]) -> str | None:
    """The known name that is most like `wrong`, the first among equals; None if none is near."""
    names = list(known)
    if len(names) > MOST or len(wrong) > LONGEST:
        return None
    best, least = None, None
    for name in names:
        if name == wrong or len(name) > LONGEST:
            continue
        most = (len(wrong) + len(name) + 3) * MOVE // 6
        if least is not None:
            most = min(most, least - 1)
        cost = distance(wrong, name, most)
        if cost <= most:
            best, least = name, cost
    return best
