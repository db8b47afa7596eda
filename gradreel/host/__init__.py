"""Runs programs safely for many people: a fresh process per run, limits, and a queue."""

from .layers import Layer, held, layers
from .pool import Pool
from .shared import executor, run_program
from .work import opened

__all__ = ["Layer", "Pool", "executor", "held", "layers", "opened", "run_program"]
