"""One browser for all tests of a process: a second one beside it is not to be had.

Hypothesis tries the same examples in every run, so that what was green stays green; `make nightly` looks for others."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.chromium import chromium
from tests.nightly import NIGHTLY

settings.register_profile("same", derandomize=True)
if not NIGHTLY:
    settings.load_profile("same")


def pytest_collection_finish() -> None:
    """What collecting the tests made stays to the end: the collector of garbage, which many call, may pass it by."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened
