"""The histories of all things as a player will see them, written step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from .model import Histories, Track


class Tracks(dict[Any, Track]):
    """One property of one kind of things: the track of each thing. What has no track was never anything but None."""

    __slots__ = ("_now",)

    def __init__(self, now: list[int]) -> None:
        self._now = now

    def put(self, thing: Any, new: Any) -> None:
        """Let the property of `thing` be `new` from this step on."""
        track = self.get(thing)
        step = self._now[0]
        if track is None:
            if new is not None:
                self[thing] = [step], [new]
            return
        steps, values = track
        if values[-1] == new:
            return
        if steps[-1] != step:
            steps.append(step)
            values.append(new)
            return
        values[-1] = new
        if new == (values[-2] if len(values) > 1 else None):
            self._undo(thing, track)

    def begin(self, things: Iterable[Any], value: Any) -> None:
        """Let the property of things that are new be `value` from this step on."""
        step = self._now[0]
        for thing in things:
            self[thing] = [step], [value]

    def end(self, things: Iterable[Any]) -> None:
        """Let the property be nothing from this step on."""
        step = self._now[0]
        for thing in things:
            track = self.get(thing)
            if track is None or track[1][-1] is None:
                continue
            if track[0][-1] == step:
                self.put(thing, None)
            else:
                track[0].append(step)
                track[1].append(None)

    def change(self, things: Iterable[Any], old: Any, new: Any) -> None:
        """Let the property be `new` from this step on where it was `old` until now."""
        for thing in things:
            if self[thing][1][-1] == old:
                self.put(thing, new)

    def _undo(self, thing: Any, track: Track) -> None:
        """What was changed in this step is as before: it did not change."""
        steps, values = track
        steps.pop()
        values.pop()
        if not steps:
            del self[thing]

    def now(self, thing: Any) -> Any:
        track = self.get(thing)
        return None if track is None else track[1][-1]


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
            found = properties[name] = Tracks(self._now)
        return found

    def kind(self, kind: str) -> Callable[[str], Tracks]:
        """What gives the tracks of one kind of things by property."""
        return partial(self.tracks, kind)

    @property
    def histories(self) -> Histories:
        """All tracks but those of properties that nothing ever had."""
        kinds = {
            kind: {name: tracks for name, tracks in properties.items() if tracks}
            for kind, properties in self.kinds.items()
        }
        return {kind: properties for kind, properties in kinds.items() if properties}
