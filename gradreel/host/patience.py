"""Waiting for a run without holding on to it: who waits is asked again and again whether the reply is still wanted."""

from collections.abc import Callable
from concurrent.futures import TimeoutError as NotYet

from .pool import Pool, shared_pool

SLICE_SECONDS = 0.1


def patient(pulse: Callable[[], object], pool: Pool | None = None) -> Callable[[bytes], bytes]:
    """A `run_program` that calls `pulse` while it waits; if that raises, the run is stopped."""
    used = pool or shared_pool()

    def run(request: bytes) -> bytes:
        future = used.ask(request)
        try:
            while True:
                try:
                    return future.result(SLICE_SECONDS)
                except NotYet:
                    pulse()
        finally:
            if not future.done():
                used.cancel(future)

    return run
