"""The histories of all things as a player will see them, written step by step."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from .history import History
from .model import NUMBERED, Histories


class Tracks:
    """One property of one kind of things while it is written. What is never put was never anything but None."""

    __slots__ = ("_again", "_last", "_now", "_steps", "_things", "_values")

    def __init__(self, now: list[int], numbered: bool) -> None:
        self._now = now
        self._things: list[Any] | array[int] = array("q") if numbered else []
        self._steps = array("q")
        self._values: list[Any] = []
        self._last: dict[Any, int] = {}
        """For each thing its last entry."""
        self._again = False
        """Whether anything changed twice within a step: it may then be as it was before."""

    def put(self, thing: Any, new: Any) -> None:
        """Let the property of `thing` be `new` from this step on."""
        last = self._last.get(thing)
        if last is None:
            if new is None:
                return
        elif self._values[last] == new:
            return
        elif self._steps[last] == self._now[0]:
            self._values[last] = new
            self._again = True
            return
        self._last[thing] = len(self._steps)
        self._things.append(thing)
        self._steps.append(self._now[0])
        self._values.append(new)

    def begin(self, things: Iterable[Any], value: Any) -> None:
        """Let the property of things that are new be `value` from this step on."""
        step = self._now[0]
        for thing in things:
            self._last[thing] = len(self._steps)
            self._things.append(thing)
            self._steps.append(step)
            self._values.append(value)

    def end(self, things: Iterable[Any]) -> None:
        """Let the property be nothing from this step on."""
        for thing in things:
            self.put(thing, None)

    def change(self, things: Iterable[Any], old: Any, new: Any) -> None:
        """Let the property be `new` from this step on where it was `old` until now."""
        for thing in things:
            if self._values[self._last[thing]] == old:
                self.put(thing, new)

    def now(self, thing: Any) -> Any:
        last = self._last.get(thing)
        return None if last is None else self._values[last]

    @property
    def history(self) -> History:
        written = History(self._things, self._steps, self._values)
        return written.changes() if self._again else written


class Ledger:
    """Tracks by kind of thing and property."""

    def __init__(self) -> None:
        self._now = [0]
        """The step that is being written. All tracks share it and know no ledger: that would be a cycle."""
        self.kinds: dict[str, dict[str, Tracks]] = {}

    def begin(self, step: int) -> None:
        self._now[0] = step

    def tracks(self, kind: str, name: str) -> Tracks:
        """The tracks of property `name`; the first ask for it makes them."""
        properties = self.kinds.setdefault(kind, {})
        found = properties.get(name)
        if found is None:
            found = properties[name] = Tracks(self._now, kind in NUMBERED)
        return found

    def kind(self, kind: str) -> Callable[[str], Tracks]:
        """What gives the tracks of one kind of things by property."""
        return partial(self.tracks, kind)

    @property
    def histories(self) -> Histories:
        """All histories but those of properties that nothing ever had."""
        kinds = {
            kind: {name: history for name, tracks in properties.items() if (history := tracks.history).things}
            for kind, properties in self.kinds.items()
        }
        return {kind: properties for kind, properties in kinds.items() if properties}
