"""Layers made without drawing their numbers."""

from __future__ import annotations

import inspect
from typing import Any

from ... import random
from ..module import Module


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Module:
    """A layer whose numbers are still to be set: none are drawn for it.

    Raises:
        RuntimeError: the class is none of layers, or does not say on which device.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    before = random.get_rng_state()
    try:
        made: Module = module_cls(*args, **kwargs)
    finally:
        random.set_rng_state(before)
    return made.to_empty(device=device)
