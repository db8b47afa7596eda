"""The histories of all things as a player will see them, written step by step."""

from __future__ import annotations

from typing import Any

from .model import Histories


class Ledger:
    """Properties of things by name; absent means None."""

    def __init__(self) -> None:
        self.step = 0
        self.histories: Histories = {}
        self._touched: dict[tuple[str, str], None] = {}

    def set(self, thing: str, name: str, new: Any) -> None:
        """Let property `name` of `thing` be `new` from this step on."""
        tracks = self.histories.get(thing)
        track = None if tracks is None else tracks.get(name)
        if tracks is None or track is None:
            if new is not None:
                self.histories.setdefault(thing, {})[name] = [self.step], [new]
                self._touched[thing, name] = None
            return
        steps, values = track
        if values[-1] == new:
            return
        if steps[-1] != self.step:
            steps.append(self.step)
            values.append(new)
            self._touched[thing, name] = None
            return
        values[-1] = new
        if new == (values[-2] if len(values) > 1 else None):
            self._undo(thing, name)

    def _undo(self, thing: str, name: str) -> None:
        """What was changed in this step is as before: it did not change."""
        tracks = self.histories[thing]
        steps, values = tracks[name]
        steps.pop()
        values.pop()
        del self._touched[thing, name]
        if not steps:
            del tracks[name]
        if not tracks:
            del self.histories[thing]

    def get(self, thing: str, name: str) -> Any:
        tracks = self.histories.get(thing)
        track = None if tracks is None else tracks.get(name)
        return None if track is None else track[1][-1]

    def take(self) -> tuple[tuple[str, str], ...]:
        """What changed in this step, as (thing, property); the next step begins."""
        changed = tuple(self._touched)
        self._touched.clear()
        self.step += 1
        return changed
