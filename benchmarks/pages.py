"""How soon each page can be seen, on a warm server: from the address to what the page is about.

The server runs as it does in earnest, and has shown every page before; each time is that of a new tab in a browser that
has been here before, as visitors' browsers have when they go from page to page.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from .load import server
from .scenes import verdict

PLACES = ("", "Lessons", "Compare", "Operators", "Gallery", "About")
SHOWN = {"About": "[data-testid=about] h2"}
PLAYER = "[data-testid=player][data-steps]"
TABS = 7
MOST = 1000.0
"""Milliseconds that a page may take."""


def measure() -> None:
    """Print a row for each page."""
    from tests.chromium import chromium  # needs a browser, as the other parts do not

    print(f"\n{'page':<12}{'median':>10}{'slowest':>10}   goal {MOST:.0f} ms")
    with server() as (url, _), chromium() as browser:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        for place in PLACES:
            shown(context, url, place)
        for place in PLACES:
            took = sorted(shown(context, url, place) for _ in range(TABS))
            median = statistics.median(took)
            print(f"{place or 'Lab':<12}{median:>7.0f} ms{took[-1]:>7.0f} ms   {verdict(median <= MOST)}", flush=True)


def shown(context: Any, url: str, place: str) -> float:
    """Milliseconds until a new tab at `place` shows what the page is about."""
    tab = context.new_page()
    start = time.perf_counter()
    tab.goto(f"http://{url}/{place}", wait_until="commit")
    tab.wait_for_selector(SHOWN.get(place, PLAYER), timeout=60_000)
    took = (time.perf_counter() - start) * 1000
    tab.close()
    return took
