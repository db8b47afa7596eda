"""Arrays that show the memory of tensors: what is written into the one is told as a write into the other."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ..engine.engine import tell_written
from ..machine import Machine

WORK = 1000
"""How far to look for a number that two arrays have in common: odd strides can make that very long."""


def mirror_tensor(machine: Machine, tensor: Any) -> None:
    """From now on an array shows the memory of `tensor`, and of what it was detached from."""
    while tensor is not None:
        machine.mirrored.append(weakref.ref(tensor))
        tensor = tensor.alias_of()


def emit_write(machine: Machine, array: np.ndarray[Any, Any]) -> None:
    """The program wrote into `array`: torch does not count that, and one tensor that shows it speaks for all."""
    machine.mirrored = [ref for ref in machine.mirrored if ref() is not None]
    for ref in machine.mirrored:
        tensor = ref()
        if tensor is not None and isinstance(tensor.data_, np.ndarray) and share_memory(array, tensor.data_):
            tell_written(tensor, "numpy", (), False)
            return


def share_memory(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays have a number in common; those for which it takes long to tell are said to."""
    try:
        return np.shares_memory(one, other, max_work=WORK)  # type: ignore[arg-type]  # any number will do
    except np.exceptions.TooHardError:
        return True
