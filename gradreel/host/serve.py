"""`python -m gradreel serve`: the app as `streamlit run app.py` serves it, with a policy for browsers.

Both serve /health and the way in (see startup.py) beside Streamlit's own application. Of the house, only this module,
app.py and player/mount.py import Streamlit.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from concurrent.futures import TimeoutError as NotYet
from pathlib import Path
from typing import Any

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit.starlette import App

from . import startup
from .executors import executor
from .layers import POLICY, layers, note, probe, serve_with
from .pages import LANDINGS
from .policy import Policy
from .session_limit import SessionLimit
from .settings import Settings, place_of_server, settle_here
from .work import split_reply

HERE = Path(__file__).parent
SITE = HERE.parent / "site" if (HERE.parent / "site").is_dir() else HERE.parents[1]
"""Where the app, its pages and Streamlit's settings are: beside the packages, or in them once they are installed."""

APP = SITE / "app.py"
PROBE_SECONDS = 15.0
FRESH_SECONDS = 5.0
"""So long one answer about health is good for."""


def routes() -> list[Route]:
    """What is served beside Streamlit's own; warms a process, so that the first visitor finds one."""
    executor().ask(probe())
    return [Route("/health", Health().answer), *startup.routes()]


def application(settings: Settings) -> App:
    """The whole site as an ASGI application."""
    middleware = guards(settings)
    if settings.policy:
        serve_with(POLICY)
        middleware.insert(0, Middleware(Policy, embedders=settings.embedders))
    return App(APP, routes=routes(), middleware=middleware)


def guards(settings: Settings) -> list[Middleware]:
    """What bounds the visits, however the app is served."""
    pages = [f"/{name}" for name in LANDINGS]
    return [Middleware(SessionLimit, most=settings.sessions, idle_seconds=settings.idle_seconds, pages=pages)]


def serve(settings: Settings) -> None:
    """Serve until stopped."""
    settle_here(settings, place_of_server(settings))
    os.chdir(SITE)  # where Streamlit looks for its own settings
    sys.argv = [str(APP)]
    application(settings).run(config={"server.address": settings.address, "server.port": settings.port})


class Health:
    """Whether programs are run, and by which layers they are held; asked of a run, at most every few seconds."""

    def __init__(self) -> None:
        self.known: tuple[int, dict[str, Any]] = (503, {})
        self.until = 0.0
        self.lock = asyncio.Lock()

    async def answer(self, request: Request) -> Response:
        async with self.lock:
            if time.monotonic() > self.until:
                self.known = await asyncio.to_thread(probe_health)
                self.until = time.monotonic() + FRESH_SECONDS
        status, said = self.known
        return Response(
            json.dumps(said) + "\n", status, media_type="application/json", headers={"cache-control": "no-store"}
        )


def probe_health() -> tuple[int, dict[str, Any]]:
    """Status and content: 200 if a run was answered, be it with "busy"."""
    try:
        head = split_reply(executor().ask(probe()).result(PROBE_SECONDS))[0]
    except NotYet:
        return 503, {"status": "no run was answered"}
    if not head["ok"] and not head["again"]:
        return 503, {"status": head["message"]}
    note(head)
    return 200, {"status": "ok" if head["ok"] else "busy", "layers": {layer.name: layer.on for layer in layers()}}
