"""The player alone in a real browser: a server of the modules and the stored scenes, and a page with one of them."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gradreel.player.bundle import vis_network

ROOT = Path(__file__).parents[2]
WEB = ROOT / "gradreel" / "player" / "web"
SCENES = ROOT / "tests" / "data" / "player"
KINDS = {"js": "text/javascript", "css": "text/css", "json": "application/json"}
PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/web/player.css"><link rel="stylesheet" href="/web/narrow.css">
<style>body{margin:0}#one{height:100vh}</style><div id="one"></div><script src="/vis.js"></script>
<script type="module">
import { createPlayer } from "/web/player/player.js";
window.scene = await (await fetch("/scenes/%s.json")).json();
window.make = (root, options) => createPlayer(root, scene, { vis, ...options });
window.player = make(document.getElementById("one"), { step: 0, onRun: (source) => (window.ran = source) });
</script>"""


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the modules, the stored scenes and a page for each of them."""

    def do_GET(self) -> None:
        folder, _, name = self.path.lstrip("/").partition("/")
        if folder == "play":
            body, kind = (PAGE % name).encode(), "text/html"
        elif folder == "vis.js":
            body, kind = vis_network().encode(), "text/javascript"
        else:
            body = ({"web": WEB, "scenes": SCENES}[folder] / name).read_bytes()
            kind = KINDS[name.rpartition(".")[2]]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    pytest.importorskip("playwright.sync_api")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """A window that keeps what it has loaded: each test makes a player anew in it."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def page(window: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page with a player on the scene the test asks for; the test fails if the console says anything."""
    said: list[str] = []
    listeners = {
        "console": lambda message: said.append(message.text),
        "pageerror": lambda error: said.append(str(error)),
    }
    for event, listener in listeners.items():
        window.on(event, listener)
    window.set_viewport_size({"width": 1000, "height": 700})
    window.goto(f"{address}/play/{getattr(request, 'param', 'shared_in_a_loop')}")
    window.wait_for_function("window.player")
    yield window
    for event, listener in listeners.items():
        window.remove_listener(event, listener)
    assert said == []


@pytest.fixture
def phone(browser: Any, address: str) -> Iterator[Any]:
    """A page 360 wide that is touched."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{address}/play/shared_in_a_loop")
    page.wait_for_function("window.player")
    page.evaluate("player.seek(20)")
    yield page
    context.close()
