"""Runs programs safely for many people: a fresh process per run, limits, and a queue."""

from .pool import Pool, run_program, safety, shared_pool
from .work import opened

__all__ = ["Pool", "opened", "run_program", "safety", "shared_pool"]
