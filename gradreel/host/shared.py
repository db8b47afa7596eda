"""The one executor of this process: its own pool, or dask's workers if a setting names their scheduler."""

from __future__ import annotations

from functools import cache

from .pool import Pool


@cache
def own_pool() -> Pool:
    """The processes of this machine."""
    return Pool()


@cache
def executor() -> Pool:
    """Whatever runs programs here."""
    return own_pool()


def run_program(request: bytes) -> bytes:
    """The reply to a request (see work.py), computed in a process of its own; takes a few seconds at most."""
    return executor().ask(request).result()
