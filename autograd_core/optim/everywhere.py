"""Hooks on the steps of all optimizers: before those of its own, and after them. There is one set for each run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph import Handle
from ..ordered_dict import OrderedDict
from ..state import state

Hook = Callable[..., Any]
Hooks = OrderedDict[int, Hook]

FIELD = "hooks_of_all_optimizers"
"""Where the state of a thread has them, if there are any."""

NOTHING: tuple[Hooks, Hooks] = (OrderedDict(), OrderedDict())


def on_all_optimizers() -> tuple[Hooks, Hooks]:
    """Those before and those after a step, to be read."""
    hooks: tuple[Hooks, Hooks] = vars(state).get(FIELD, NOTHING)
    return hooks


def own() -> tuple[Hooks, Hooks]:
    """The same, to be written."""
    hooks: tuple[Hooks, Hooks] = vars(state).setdefault(FIELD, (OrderedDict(), OrderedDict()))
    return hooks


def register_optimizer_step_pre_hook(hook: Hook) -> Handle:
    """`hook(optimizer, args, kwargs)` runs before each step of any optimizer and may change what it gets."""
    return Handle(own()[0], hook)


def register_optimizer_step_post_hook(hook: Hook) -> Handle:
    """`hook(optimizer, args, kwargs)` runs after each step of any optimizer."""
    return Handle(own()[1], hook)
