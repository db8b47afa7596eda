"""One browser for all tests of a process: a second one beside it is not to be had.

Hypothesis tries the same examples in every run, so that what was green stays green; `make nightly` looks for others."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.chromium import chromium
from tests.nightly import NIGHTLY

settings.register_profile("same", derandomize=True)
if not NIGHTLY:
    settings.load_profile("same")


QUICK_EVERY = 8
NOT_QUICK = ("browser", "host", "player", "pages")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="one in eight cases of each table; no browser, no processes")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With --quick, what drives a browser or starts processes is not even imported."""
    return (config.getoption("quick") and collection_path.name in NOT_QUICK) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --quick, of each test that has a table of cases one case in some runs, and each test at least once."""
    if not config.getoption("quick"):
        return
    seen: Counter[str] = Counter()
    chosen, others = [], []
    for item in items:
        test = item.nodeid.partition("[")[0]
        (others if seen[test] % QUICK_EVERY else chosen).append(item)
        seen[test] += 1
    config.hook.pytest_deselected(items=others)
    items[:] = chosen


def pytest_collection_finish() -> None:
    """What collecting the tests made stays to the end: the collector of garbage, which many call, may pass it by."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened
