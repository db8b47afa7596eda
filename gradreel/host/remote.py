"""Runs on other machines: dask's workers do what the pool of this one would, behind the same two questions.

Each worker process has a pool of its own, so a run there is forked, locked down and killed in time as here. A worker
that is lost takes its runs with it for a moment only: dask gives them to another.
"""

from __future__ import annotations

import importlib
import threading
import uuid
from concurrent.futures import Future
from typing import Any

from .pool import TOO_LARGE, own_pool
from .work import refusal
from .zygote import LARGEST_REQUEST, Hear

LOST = "The machine of this run was lost. Nothing else was harmed; run it again."
PATIENCE = 30.0
"""Seconds until the scheduler has to be there."""

_here: dict[str, Future[bytes]] = {}
"""On a worker: the runs that are on, by their names."""
_lock = threading.Lock()


class Remote:
    """Dask's workers behind a scheduler, asked as a Pool is: `ask(request)`, `cancel(future)`."""

    def __init__(self, address: str) -> None:
        distributed = importlib.import_module("distributed")
        self.client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        self.names: dict[Future[bytes], str] = {}

    def ask(self, request: bytes, hear: Hear | None = None) -> Future[bytes]:
        future: Future[bytes] = Future()
        if len(request) > LARGEST_REQUEST:
            future.set_result(TOO_LARGE)
            return future
        name = f"gradreel-{uuid.uuid4().hex}"
        self.names[future] = name
        task = self.client.submit(run_here, name, request, key=name, pure=False, retries=1)
        task.add_done_callback(lambda done: self.answer(future, done))
        return future

    def answer(self, future: Future[bytes], task: Any) -> None:
        """Keep the promise of `future` with what became of `task`."""
        try:
            answer: bytes = task.result() if task.status == "finished" else refusal(LOST, again=True)
        except Exception:
            answer = refusal(LOST, again=True)
        self.names.pop(future, None)
        task.release()
        if not future.done():
            future.set_result(answer)

    def cancel(self, future: Future[bytes]) -> None:
        """Stop the run of `future`, wherever it is."""
        name = self.names.get(future)
        if name is not None:
            self.client.run(stop_here, name, wait=False)

    def shutdown(self) -> None:
        self.client.close()


def run_here(name: str, request: bytes) -> bytes:
    """On a worker: the reply to `request`."""
    future = own_pool().ask(request)
    with _lock:
        _here[name] = future
    try:
        return future.result()
    finally:
        with _lock:
            _here.pop(name, None)


async def stop_here(name: str) -> None:
    """On a worker: stop the run of that name, if it is here."""
    with _lock:
        future = _here.get(name)
    if future is not None:
        own_pool().cancel(future)
