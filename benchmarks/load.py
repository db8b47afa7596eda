"""Fifty people at once: sessions that speak to the real server as browsers do, over web sockets.

Each opens the Lab and then runs a program of forty lines every five seconds, a different one each time, so that nothing
is answered from what is kept. Meanwhile warm processes are killed: who was being served by one is told so, and asks
again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from .host import FORTY_LINES

ROOT = Path(__file__).parents[1]
CLIENTS, EVERY, SECONDS, KILL_EVERY = 50, 5.0, 120.0, 15.0
PATIENCE = 20.0
"""Seconds without an answer after which a run counts as failed."""
PREFIX = "$$STREAMLIT_INTERNAL_KEY"


class Client:
    """One person: a session of the page's own protocol."""

    def __init__(self, number: int, url: str) -> None:
        self.number, self.url = number, url
        self.asked = 0
        self.stage: tuple[str, str] = ("", "")
        """The component that answers, and the fragment it is in."""

    async def enter(self) -> None:
        """Open the page and wait for its first program."""
        from streamlit.proto.BackMsg_pb2 import BackMsg

        self.socket: ClientConnection = await connect(self.url, subprotocols=[Subprotocol("streamlit")], max_size=None)
        hello = BackMsg()
        hello.rerun_script.query_string = ""
        await self.socket.send(hello.SerializeToString())
        await asyncio.wait_for(self.letter(None), 60)

    async def letter(self, request: int | None) -> dict[str, Any]:
        """The head of the letter that answers `request`; of the first one for None."""
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        while True:
            message = ForwardMsg()
            message.ParseFromString(await self.socket.recv(decode=False))
            component = message.delta.new_element.bidi_component
            if message.WhichOneof("type") != "delta" or not component.bytes:
                continue
            self.stage = (component.id, message.delta.fragment_id)
            head: dict[str, Any] = json.loads(component.bytes.partition(b"\n")[0])
            if head.get("request") == request:
                return {**head, "bytes": len(component.bytes)}

    async def run(self, source: str) -> dict[str, Any]:
        """Run a program: the head of what comes back."""
        from streamlit.proto.BackMsg_pb2 import BackMsg

        self.asked += 1
        question = {"kind": "run", "source": source, "values": None, "request": self.asked}
        back = BackMsg()
        back.rerun_script.fragment_id = self.stage[1]
        state = back.rerun_script.widget_states.widgets.add()
        state.id = f"{PREFIX}_{self.stage[0]}__events"
        back.rerun_script.widget_states.widgets.add(id=self.stage[0], json_value="{}")
        state.json_trigger_value = json.dumps([{"event": "question", "value": question}])
        await self.socket.send(back.SerializeToString())
        return await asyncio.wait_for(self.letter(self.asked), PATIENCE)


class Tally:
    """What became of all runs."""

    def __init__(self) -> None:
        self.took: list[float] = []
        self.ends: Counter[str] = Counter()

    async def live(self, client: Client, until: float) -> None:
        """One person's time at the page."""
        await asyncio.sleep(EVERY * client.number / CLIENTS)
        turn = 0
        while time.monotonic() < until:
            turn += 1
            began = time.monotonic()
            with contextlib.suppress(asyncio.TimeoutError):
                self.ends[await self.once(client, f"{FORTY_LINES}print({client.number}, {turn})\n")] += 1
            await asyncio.sleep(max(0.0, began + EVERY - time.monotonic()))

    async def once(self, client: Client, source: str) -> str:
        """One run, asked for again as long as the page offers that: how it ended."""
        for attempt in range(3):
            began = time.monotonic()
            try:
                head = await client.run(source)
            except TimeoutError:
                return "no answer"
            if not head.get("message"):
                self.took.append(time.monotonic() - began)
                return "answered" if attempt == 0 else "answered when asked again"
            self.ends[f"(told: {head['message']})"] += 1
            if not head.get("again"):
                return "refused"
        return "given up"

    def report(self) -> int:
        """Print it; the number of failures."""
        for end, count in sorted(self.ends.items()):
            print(f"  {count:5} {end}")
        if took := sorted(self.took):
            median, late = statistics.median(took), took[int(len(took) * 0.95)]
            print(f"a run: median {median * 1000:.0f} ms, 95% under {late * 1000:.0f} ms")
        failures = sum(self.ends[end] for end in ("no answer", "given up", "refused"))
        print(f"failures: {failures}")
        return failures


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def server() -> Iterator[tuple[str, int]]:
    """The real app on a port of its own: where, and its process."""
    port = free_port()
    command = [sys.executable, "-m", "gradreel", "serve"]
    with serving(
        command, f"127.0.0.1:{port}", "health", cwd=ROOT, env={**os.environ, "GRADREEL_PORT": str(port)}
    ) as app:
        yield f"127.0.0.1:{port}", app


@contextlib.contextmanager
def serving(command: list[str], address: str, health: str, **options: Any) -> Iterator[int]:
    """The process of a server, from when it answers at `health` until it is stopped."""
    app = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://{address}/{health}", timeout=30):
                break
            time.sleep(0.1)
        yield app.pid
    finally:
        app.terminate()
        app.wait(20)


def measure(clients: int = CLIENTS, seconds: float = SECONDS) -> int:
    """Print how fifty people fare; the number of failures."""
    with server() as (url, pid):
        return asyncio.run(crowd(url, pid, clients, seconds))


async def crowd(url: str, pid: int, clients: int, seconds: float) -> int:
    people = [Client(number, f"ws://{url}/_stcore/stream") for number in range(clients)]
    for person in people:
        await person.enter()
    lines = len(FORTY_LINES.splitlines()) + 1
    print(f"\n{clients} sessions over web sockets; each runs {lines} lines every {EVERY:g} s, for {seconds:g} s")
    before = memory([pid]), memory(below(pid))
    tally, until = Tally(), time.monotonic() + seconds
    killing = asyncio.create_task(kill_now_and_then(pid, until))
    await asyncio.gather(*(tally.live(person, until) for person in people))
    print(f"warm processes killed meanwhile: {await killing}")
    for person in people:
        await person.socket.close()
    after = memory([pid]), memory(below(pid))
    for what, first, then in zip(("the server", "its processes"), before, after, strict=True):
        print(f"memory of {what}: {first:.0f} MB, at the end {then:.0f} MB")
    return tally.report()


async def kill_now_and_then(pid: int, until: float) -> int:
    """Kill a warm process every few seconds: how many."""
    kills = 0
    while time.monotonic() + KILL_EVERY < until:
        await asyncio.sleep(KILL_EVERY)
        if warm := below(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(warm), signal.SIGKILL)
                kills += 1
    return kills


def below(pid: int) -> list[int]:
    """The processes that `pid` started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def memory(pids: list[int]) -> float:
    """Megabytes of memory that these processes have."""
    pages = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
