"""Regular expressions that are compiled when they are first used: a plain program, as most are, meets few of them."""

from __future__ import annotations

import re
from typing import Any, cast


class Regex:
    """Does what the compiled pattern does."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Asked once for each name: then it is there."""
        found = getattr(re.compile(*self.given), name)
        setattr(self, name, found)
        return found


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, but later."""
    return cast("re.Pattern[str]", Regex(pattern, flags))
