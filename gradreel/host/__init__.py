"""Runs programs safely for many people: a fresh process per run, limits, and a queue."""

from .executors import executor, run_program
from .layers import Layer, active_layers, layers
from .pool import Pool
from .work import split_reply

__all__ = ["Layer", "Pool", "active_layers", "executor", "layers", "run_program", "split_reply"]
