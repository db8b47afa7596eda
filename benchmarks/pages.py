"""How soon each page can be seen, on a warm server: from its address, and from another page by a link.

The server runs as it does in earnest, and has shown every page before; each fresh time is that of a new tab in a
browser that has been here before. A bare Streamlit page that says "hello" is opened in turn with ours: nothing that
waits for Streamlit can be sooner.
"""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .load import free_port, server, serving
from .scenes import verdict

PLACES = ("Lab", "Lessons", "Compare", "Operators", "Gallery", "About")
PLAYER = "[data-testid=player][data-steps]"
SHOWN = {
    "Lab": f".gr-lab {PLAYER}",
    "About": "[data-testid=about] h2",
    **{name: f".gr-page-{name.lower()} {PLAYER}" for name in ("Lessons", "Compare", "Operators", "Gallery")},
}
HELLO = 'import streamlit as st\nst.write("hello")\n'
TABS = 7
MOST = 1000.0
"""Milliseconds that a page may take."""


def measure() -> None:
    """Print a row for each page: opened, gone to for the first time, gone back to; each beside the slowest of all."""
    from tests.chromium import chromium  # needs a browser, as the other parts do not

    print(f"\n{'page':<12}{'open':>9}{'slowest':>10}{'go to':>9}{'slowest':>10}{'go back':>9}   goal {MOST:.0f} ms")
    with server() as (url, _), bare() as hello, chromium() as browser:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        for place in PLACES:
            shown(context, f"http://{url}/{path(place)}", SHOWN[place])
        opened: dict[str, list[float]] = {place: [] for place in ("hello", *PLACES)}
        for _ in range(TABS):
            opened["hello"].append(shown(context, hello, "text=hello"))
            for place in PLACES:
                opened[place].append(shown(context, f"http://{url}/{path(place)}", SHOWN[place]))
        first, again = switched(context, f"http://{url}/")
        for place in PLACES:
            fresh = statistics.median(opened[place])
            go = statistics.median(first[place])
            print(
                f"{place:<12}{fresh:>6.0f} ms{max(opened[place]):>7.0f} ms{go:>6.0f} ms{max(first[place]):>7.0f} ms"
                f"{statistics.median(again[place]):>6.0f} ms   {verdict(max(fresh, go) <= MOST)}",
                flush=True,
            )
        print(f"(hello from bare Streamlit: {statistics.median(opened['hello']):.0f} ms)")


def path(place: str) -> str:
    return "" if place == "Lab" else place


def shown(context: Any, url: str, wanted: str) -> float:
    """Milliseconds until a new tab at `url` shows what is wanted."""
    tab = context.new_page()
    start = time.perf_counter()
    tab.goto(url, wait_until="commit")
    tab.wait_for_selector(wanted, timeout=60_000)
    took = (time.perf_counter() - start) * 1000
    tab.close()
    return took


def switched(context: Any, url: str) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Milliseconds from a link in the header to its page: for the first time, and back to it later."""
    first: dict[str, list[float]] = {place: [] for place in PLACES}
    again: dict[str, list[float]] = {place: [] for place in PLACES}
    for turn in range(TABS):
        tab = context.new_page()
        start, *others = PLACES[turn % len(PLACES) :] + PLACES[: turn % len(PLACES)]
        tab.goto(url + path(start))
        tab.wait_for_selector(SHOWN[start], timeout=60_000)
        tab.wait_for_timeout(3000)  # Streamlit is there
        for times, places in ((first, others), (again, [start, *others])):
            for place in places:
                began = time.perf_counter()
                tab.get_by_role("navigation", name="Pages").get_by_role("link", name=place, exact=True).first.click()
                tab.wait_for_selector(SHOWN[place], timeout=60_000)
                times[place].append((time.perf_counter() - began) * 1000)
                tab.wait_for_timeout(200)
        tab.close()
    return first, again


@contextlib.contextmanager
def bare() -> Iterator[str]:
    """The address of a Streamlit page that says hello."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "hello.py").write_text(HELLO)
        port = free_port()
        options = ["--server.port", str(port), "--server.headless", "true", "--browser.gatherUsageStats", "false"]
        command = [sys.executable, "-m", "streamlit", "run", "hello.py", *options]
        with serving(command, f"127.0.0.1:{port}", "_stcore/health", cwd=folder, stderr=subprocess.DEVNULL):
            yield f"http://127.0.0.1:{port}/"
