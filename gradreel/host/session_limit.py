"""How many visitors a server takes at once: as ASGI middleware.

A visit holds a websocket, a thread and some descriptors for as long as its page is open. Beyond the number of visits
that there is room for, a page is a sentence with status 503, and a websocket is refused; one that says nothing for long
is closed, and a page that is still looked at opens another by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, MutableMapping
from typing import Any

from starlette.responses import HTMLResponse

from .policy import Application, Receive, Scope, Send

FULL = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Gradreel is full</title>"
    "<meta name=viewport content='width=device-width'>"
    "<body style='font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto; padding: 0 1rem'>"
    "<h1>Gradreel is full</h1><p>{n:,} pages are open here just now, as many as there is room for. "
    "Try again in a minute.</p>"
)
RETRY_SECONDS = 60
TRY_AGAIN_LATER, GOING_AWAY = 1013, 1001
DESCRIPTORS_EACH, DESCRIPTORS_OWN = 5, 256
"""Descriptors that a visit takes, with one to spare, and that are kept for all else."""
MOST_DESCRIPTORS = 65_536


def raise_descriptors() -> int:
    """Let this process have as many descriptors as it may; how many that are, 0 where nobody counts."""
    try:
        import resource
    except ImportError:
        return 0
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft if soft != resource.RLIM_INFINITY else 0
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def room(wanted: int) -> int:
    """How many visits there may be: `wanted`, or fewer where there are not enough descriptors for so many."""
    descriptors = raise_descriptors()
    return min(wanted, max((descriptors - DESCRIPTORS_OWN) // DESCRIPTORS_EACH, 1)) if descriptors else wanted


class SessionLimit:
    """Refuses visits beyond `most` to `application`, and ends those that say nothing for `idle_seconds`.

    `pages` are the paths that somebody comes in by.
    """

    def __init__(self, application: Application, most: int, idle_seconds: float, pages: Collection[str]) -> None:
        self.application = application
        self.most = room(most)
        self.idle_seconds = idle_seconds
        self.pages = frozenset(pages)
        self.open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        full = self.open >= self.most
        if scope["type"] == "websocket":
            await (self.refuse(receive, send) if full else self.visit(scope, receive, send))
        elif full and scope["type"] == "http" and scope["path"] in self.pages:
            headers = {"retry-after": str(RETRY_SECONDS), "cache-control": "no-store"}
            await HTMLResponse(FULL.format(n=self.open), 503, headers)(scope, receive, send)
        else:
            await self.application(scope, receive, send)

    async def refuse(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.close", "code": TRY_AGAIN_LATER, "reason": "full"})

    async def visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_in_time() -> MutableMapping[str, Any]:
            try:
                return await asyncio.wait_for(receive(), self.idle_seconds)
            except TimeoutError:
                await send({"type": "websocket.close", "code": GOING_AWAY, "reason": "idle"})
                return {"type": "websocket.disconnect", "code": GOING_AWAY}

        self.open += 1
        try:
            await self.application(scope, receive_in_time, send)
        finally:
            self.open -= 1
