"""The real app and a real browser, once for all tests that drive the page."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

ROOT = Path(__file__).parents[2]
START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="session")
def app_url() -> Iterator[str]:
    """The address of the app, started for these tests."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    app = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + START_SECONDS
        while not healthy(url):
            assert app.poll() is None and time.monotonic() < end, "the app did not start"
            time.sleep(0.1)
        yield url
    finally:
        app.terminate()
        app.wait(20)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page, watched."""
    with watched(browser) as opened:
        yield opened


@contextmanager
def watched(browser: Browser) -> Iterator[Page]:
    """A page of 1440x900; whoever leaves it fails on an error in its console or a request that left the machine."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text) if complains(message) else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "request", lambda request: complaints.append(f"request to {request.url}") if leaves(request.url) else None
    )
    yield opened
    context.close()
    assert complaints == []


def complains(message: ConsoleMessage) -> bool:
    """Whether it is an error, other than Streamlit's own: it looks for its server below a page's address first."""
    probe = message.location["url"].endswith(("/_stcore/health", "/_stcore/host-config"))
    return message.type == "error" and not probe


def leaves(url: str) -> bool:
    """Whether a request to `url` would leave the machine."""
    return not url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "blob:", "data:", "file:"))
