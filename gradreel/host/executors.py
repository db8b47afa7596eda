"""The one executor of this process: its own pool, or dask's workers if a setting names their scheduler."""

from __future__ import annotations

from concurrent.futures import Future
from functools import cache
from typing import Protocol

from .pool import own_pool
from .remote import Remote
from .settings import settings
from .zygote import Hear


class Asked(Protocol):
    """What runs programs: a Pool, or somebody far away who is asked in the same way."""

    def ask(self, request: bytes, hear: Hear | None = None) -> Future[bytes]: ...

    def cancel(self, future: Future[bytes]) -> None: ...


@cache
def executor() -> Asked:
    """Whatever runs programs for this process."""
    return Remote(settings().dask) if settings().dask else own_pool()


def run_program(request: bytes, hear: Hear | None = None) -> bytes:
    """The reply to a request (see work.py), computed in a process of its own; takes a few seconds at most."""
    return executor().ask(request, hear).result()
