"""How soon each page can be seen, on a warm server: from its address, and from another page by a link.

From its address: until a person reads the page's own heading or program, and until the player has painted (About: all
its text), both by the browser's clock. The server runs as it does in earnest, and has shown every page before; each
fresh time is that of a new tab in a browser that has been here before. A bare Streamlit page that says "hello" is
opened in turn with ours.
"""

from __future__ import annotations

import contextlib
import json
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
WORDS = {
    "Lab": ".code, .cm-content",
    "Compare": ".gr-side-title",
    "About": "h1",
    **{name: "article h1" for name in ("Lessons", "Operators", "Gallery")},
}
HELLO = 'import streamlit as st\nst.write("hello")\n'
TABS = 7
NOTE = """(wanted) => {
  const times = (window.seen = wanted.map(() => null));
  const look = (now) => {
    const roots = [document, ...[...document.querySelectorAll("[data-testid=site]")].map((host) => host.shadowRoot)];
    wanted.forEach((selector, i) => {
      if (roots.some((root) => root.querySelector(selector)?.getClientRects().length)) times[i] ??= now;
    });
    if (times.includes(null)) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
"""Notes the first picture in which each of some selectors is to be seen, in milliseconds since the tab set out."""
MOST = 1000.0
"""Milliseconds that a page may take."""


def measure() -> None:
    """Print a row for each page: opened, gone to for the first time, gone back to; each beside the slowest of all."""
    from tests.chromium import chromium  # needs a browser, as the other parts do not

    columns = ("read", "slowest", "painted", "slowest", "go to", "slowest", "go back")
    print(f"\n{'page':<10}{''.join(f'{column:>10}' for column in columns)}   goal {MOST:.0f} ms")
    with server() as (url, _), bare() as hello, chromium() as browser:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        for place in PLACES:
            opened(context, f"http://{url}/{path(place)}", SHOWN[place])
        fresh: dict[str, list[list[float]]] = {place: [] for place in ("hello", *PLACES)}
        for _ in range(TABS):
            fresh["hello"].append(opened(context, hello, "[data-testid=stMarkdown] p"))
            for place in PLACES:
                fresh[place].append(opened(context, f"http://{url}/{path(place)}", WORDS[place], SHOWN[place]))
        first, again = switched(context, f"http://{url}/")
        for place in PLACES:
            read, painted = zip(*fresh[place], strict=True)
            columns_of = [read, painted, first[place]]
            row = "".join(f"{statistics.median(times):>7.0f} ms{max(times):>7.0f} ms" for times in columns_of)
            met = max(statistics.median(times) for times in columns_of) <= MOST
            print(f"{place:<10}{row}{statistics.median(again[place]):>7.0f} ms   {verdict(met)}", flush=True)
        said = [times[0] for times in fresh["hello"]]
        print(f"(hello from bare Streamlit: {statistics.median(said):.0f} ms, slowest {max(said):.0f} ms)")


def path(place: str) -> str:
    return "" if place == "Lab" else place


def opened(context: Any, url: str, *wanted: str) -> list[float]:
    """Milliseconds until a new tab at `url` has painted each of what is wanted."""
    tab = context.new_page()
    tab.add_init_script(f"({NOTE})({json.dumps(wanted)})")
    tab.goto(url, wait_until="commit")
    while None in (took := tab.evaluate("window.seen")):
        tab.wait_for_timeout(50)
    tab.close()
    return list(took)


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
