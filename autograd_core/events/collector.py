"""The collector of cycles, which comes seldom while tapes grow: a tape has many objects, and no cycle.

It goes on as before once it has come after the last tape was closed, not at once: else its next visit would be to all
that lies on the tape.
"""

from __future__ import annotations

import gc

SELDOM = 100_000
"""It comes after so many new objects."""

_growing: set[int] = set()
"""The tapes that are open, by their id."""

_often: list[tuple[int, int, int]] = []
"""The thresholds to go back to, if it comes seldom now."""


def open_tape(tape: object) -> None:
    """From now on it comes seldom, until it has come after `tape`, and all others, were closed."""
    often = gc.get_threshold()
    if 0 < often[0] < SELDOM:
        _often.append(often)
        gc.set_threshold(SELDOM, *often[1:])
        gc.callbacks.append(came)
    _growing.add(id(tape))


def close_tape(tape: object) -> None:
    """The tape grows no more."""
    _growing.discard(id(tape))


def came(phase: str, _: dict[str, int]) -> None:
    """The collector begins or ends."""
    if phase == "stop" and not _growing and _often:
        gc.callbacks.remove(came)
        often = _often.pop()
        if gc.get_threshold()[0] == SELDOM:  # nobody has set another one
            gc.set_threshold(*often)
