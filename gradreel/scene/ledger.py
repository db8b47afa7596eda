"""The histories of all things as a player will see them, written step by step."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from .history import History
from .model import Histories


class Tracks:
    """One property of one kind of things while it is written. What is never put was never anything but None."""

    __slots__ = ("_again", "_last", "_now", "_steps", "_things", "_values")

    def __init__(self, now: list[int], last: list[int] | Unset) -> None:
        self._now = now
        self._things, self._steps = array("q", (-1,)), array("q", (-1,))
        self._values: list[Any] = [None]
        self._last = last
        """For each thing its last entry; what has none has the first, which is nobody's and from before all steps."""
        self._again = False
        """Whether anything changed twice within a step: it may then be as it was before."""

    def put(self, thing: int, new: Any) -> None:
        """Let the property of `thing` be `new` from this step on."""
        try:
            last = self._last[thing]
        except IndexError:
            last = self._grow(thing)
        if self._values[last] == new:
            return
        step, steps = self._now[0], self._steps
        if steps[last] == step:
            self._values[last] = new
            self._again = True
            return
        self._last[thing] = len(steps)
        self._things.append(thing)
        steps.append(step)
        self._values.append(new)

    def begin(self, things: Iterable[int], value: Any) -> None:
        """Let the property of things that are new be `value` from this step on."""
        step = self._now[0]
        for thing in things:
            try:
                self._last[thing] = len(self._steps)
            except IndexError:
                self._grow(thing)
                self._last[thing] = len(self._steps)
            self._things.append(thing)
            self._steps.append(step)
            self._values.append(value)

    def end(self, things: Iterable[int]) -> None:
        """Let the property be nothing from this step on."""
        for thing in things:
            self.put(thing, None)

    def change(self, things: Iterable[int], old: Any, new: Any) -> None:
        """Let the property be `new` from this step on where it was `old` until now."""
        for thing in things:
            if self._values[self._last[thing]] == old:
                self.put(thing, new)

    def now(self, thing: int) -> Any:
        try:
            return self._values[self._last[thing]]
        except IndexError:
            return None

    def _grow(self, thing: int) -> int:
        """Have room for `thing`, of which there is no entry."""
        assert isinstance(self._last, list)
        self._last += [0] * max(thing + 1 - len(self._last), len(self._last) // 4)
        return 0

    @property
    def history(self) -> History:
        written = History(self._things[1:], self._steps[1:], self._values[1:])
        return written.changes() if self._again else written


class Unset(dict[int, int]):
    """Numbers by number, 0 for those that nobody set: for things whose numbers lie far apart."""

    def __missing__(self, number: int) -> int:
        return 0


DENSE, SMALL = 4, 50_000
"""A list serves for numbers up to so many times as many as there are things, and for small ones."""


class Ledger:
    """Tracks by kind of thing and property. All things go by numbers; `numbers` are those of some kinds."""

    def __init__(self, numbers: Mapping[str, Collection[int]]) -> None:
        self._sparse = {kind for kind, of in numbers.items() if max(of, default=0) > max(DENSE * len(of), SMALL)}
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
            found = properties[name] = Tracks(self._now, Unset() if kind in self._sparse else [])
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
