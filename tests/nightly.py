"""What runs in every run of the tests, and what is left to `make nightly`, which sets GRADREEL_NIGHTLY."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

NIGHTLY = bool(os.environ.get("GRADREEL_NIGHTLY"))
Case = TypeVar("Case")


def sample(cases: Sequence[Case], every: int) -> Sequence[Case]:
    """One in `every` of `cases`; all of them by night."""
    return cases if NIGHTLY else cases[::every]
