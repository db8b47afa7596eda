"""One browser for all tests of a process: a second one beside it is not to be had."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.chromium import chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened
