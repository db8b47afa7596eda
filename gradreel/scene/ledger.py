"""The state of all things as a player will see it, and the changes since the last step."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .model import Changes


class Ledger:
    """Properties of things by name; absent means None."""

    def __init__(self) -> None:
        self.state: dict[str, dict[str, Any]] = defaultdict(dict)
        self._before: dict[tuple[str, str], Any] = {}

    def set(self, thing: str, name: str, new: Any) -> None:
        """Let property `name` of `thing` be `new` from this step on."""
        properties = self.state[thing]
        old = properties.get(name)
        if old != new or type(old) is not type(new):
            self._before.setdefault((thing, name), old)
            properties[name] = new

    def get(self, thing: str, name: str) -> Any:
        return self.state[thing].get(name)

    def take(self) -> Changes:
        """What changed since this was last asked, as {thing: {property: [old, new]}}."""
        changes: Changes = {}
        for (thing, name), old in self._before.items():
            new = self.state[thing][name]
            if old != new:
                changes.setdefault(thing, {})[name] = [old, new]
        self._before.clear()
        return changes
