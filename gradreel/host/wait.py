"""Waiting for a run without holding on to it: who waits is asked again and again whether the reply is still wanted.

Somebody has one run at a time: asking for another gives up the one before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYet

from .executors import executor
from .lost_runs import CANCELLED
from .work import refusal

SLICE_SECONDS = 0.1


_latest: dict[object, Future[bytes]] = {}
_lock = threading.Lock()


def patient(pulse: Callable[[], object]) -> Callable[[bytes], bytes]:
    """A `run_program` that calls `pulse` while it waits; if that raises, the run is stopped.

    `pulse` gives who is asking, or None; of each there is one run at a time.
    """

    def run(request: bytes) -> bytes:
        used = executor()
        who = pulse()
        future = used.ask(request)
        with _lock:
            before = None if who is None else _latest.get(who)
            if who is not None:
                _latest[who] = future
        if before is not None:
            used.cancel(before)
        try:
            while True:
                try:
                    return future.result(SLICE_SECONDS)
                except NotYet:
                    pulse()
                except CancelledError:
                    return refusal(CANCELLED)
        finally:
            if not future.done():
                used.cancel(future)
            with _lock:
                if who is not None and _latest.get(who) is future:
                    del _latest[who]

    return run
