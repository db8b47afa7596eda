"""How many visits a server takes: beyond, a sentence with status 503; those that say nothing for long are closed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import MutableMapping
from typing import Any

import pytest

from gradreel.host import session_limit
from gradreel.host.session_limit import SessionLimit

Message = MutableMapping[str, Any]


class Visitor:
    """One side of a connection: what it says, what it is told."""

    def __init__(self, kind: str, path: str = "/") -> None:
        self.scope: Message = {"type": kind, "path": path, "method": "GET", "headers": []}
        self.says: asyncio.Queue[Message] = asyncio.Queue()
        self.told: list[Message] = []

    async def meet(self, application: SessionLimit) -> None:
        async def send(message: Message) -> None:
            self.told.append(message)

        await application(self.scope, self.says.get, send)


async def page(scope: Message, receive: Any, send: Any) -> None:
    """An application: it answers once, or goes on until its visitor leaves."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a page"})
        return
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def crowded() -> None:
    application = SessionLimit(page, 2, 60, ["/", "/Lessons"])
    inside = [Visitor("websocket") for _ in range(2)]
    tasks = [asyncio.create_task(visitor.meet(application)) for visitor in inside]
    await settled()
    assert [visitor.told[0]["type"] for visitor in inside] == ["websocket.accept"] * 2

    late, newcomer, browser = Visitor("websocket"), Visitor("http", "/Lessons"), Visitor("http", "/health")
    late.says.put_nowait({"type": "websocket.connect"})
    for visitor in (late, newcomer, browser):
        await visitor.meet(application)
    assert [(message["type"], message["code"]) for message in late.told] == [("websocket.close", 1013)]
    start, body = newcomer.told
    assert start["status"] == 503 and (b"retry-after", b"60") in start["headers"]
    assert b"2 pages are open here just now" in body["body"] and b"Try again" in body["body"]
    assert browser.told[0]["status"] == 200

    inside[0].says.put_nowait({"type": "websocket.disconnect"})
    await tasks[0]
    after = Visitor("http", "/Lessons")
    await after.meet(application)
    assert after.told[0]["status"] == 200 and application.open == 1
    inside[1].says.put_nowait({"type": "websocket.disconnect"})
    await tasks[1]


async def silent() -> None:
    application = SessionLimit(page, 2, 0.01, ["/"])
    visitor = Visitor("websocket")
    await visitor.meet(application)
    assert [message["type"] for message in visitor.told] == ["websocket.accept", "websocket.close"]
    assert application.open == 0


async def failing() -> None:
    async def fails(scope: Message, receive: Any, send: Any) -> None:
        raise ValueError

    application = SessionLimit(fails, 1, 60, [])
    with pytest.raises(ValueError):
        await Visitor("websocket").meet(application)
    assert application.open == 0


@pytest.mark.parametrize("story", [crowded, silent, failing])
def test_visits(story: Any) -> None:
    asyncio.run(story())


@pytest.mark.skipif(sys.platform == "win32", reason="nobody counts descriptors there")
def test_there_is_room_for_as_many_as_there_are_descriptors_for(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    held = [256, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda which: tuple(held))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: held.__setitem__(slice(None), limits))
    assert session_limit.room(500) == 500 and held == [4096, 4096]
    assert session_limit.room(5000) == (4096 - 256) // 5
