"""Which warnings a program wants to see: the filters of Python's `warnings`, the newest first.

A pattern is matched as far as it is letters with `.*` between them, which is how filters are written: Python's regular
expressions could take for ever.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

ACTIONS = ("default", "error", "ignore", "always", "all", "module", "once")
PLAIN = re.compile(r"(?:\\[^\w\s]|[^\\\[\](){}|+?*^$])*\Z")
"""A piece of a pattern that stands for itself."""


@dataclass(frozen=True)
class Filter:
    """What to do about warnings of `kind` that say `says`, from the module `home`."""

    action: str
    kind: str = "Warning"
    says: str = ""
    home: str = ""

    def takes(self, message: str, kinds: Collection[str], home: str) -> bool:
        return self.kind in kinds and begins(self.says.lower(), message.lower()) and begins(self.home, home)


def begins(pattern: str, text: str) -> bool:
    """Whether `text` begins as `pattern` says; not, where that is more than pieces in a row."""
    at = 0
    for number, piece in enumerate(pattern.removeprefix("^").split(".*")):
        if not PLAIN.match(piece):
            return False
        letters = re.sub(r"\\(.)", r"\1", piece)
        found = text.find(letters, at)
        if found < 0 or (number == 0 and found):
            return False
        at = found + len(letters)
    return True


class Filters:
    """The filters of a run, and what was shown under them."""

    def __init__(self) -> None:
        self.all: tuple[Filter, ...] = ()
        self.shown: set[tuple[str, str, int]] = set()
        self.shown_once: set[tuple[str, str]] = set()

    def put(self, all: tuple[Filter, ...]) -> None:
        """Have these filters instead. Python then forgets what it showed by line."""
        self.all = all
        self.shown.clear()

    def answer(self, message: str, kinds: tuple[str, ...], line: int) -> str:
        """What becomes of a warning for `line`, 0 where it is for a line of the library: show, error or ignore."""
        home = "__main__" if line else "torch"
        action = next((f.action for f in self.all if f.takes(message, kinds, home)), "default")
        if action in ("error", "ignore"):
            return action
        if action == "once":
            new = (kinds[0], message) not in self.shown_once
            self.shown_once.add((kinds[0], message))
        else:
            key = (kinds[0], message, 0 if action == "module" else line)
            new = key not in self.shown or action in ("always", "all")
            self.shown.add(key)
        return "show" if new else "ignore"
