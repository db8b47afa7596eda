"""Addresses as programs see them: made up and the same from run to run. What counts is what they say of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..builtins.formatting import COLLECTED
from ..engine import torch
from ..objects.tables import TABLES
from ..objects.values import Builtin, Foreign

if TYPE_CHECKING:
    from ..machine import Machine

FIRST, APART = 1 << 40, 1 << 26
"""Where the first memory lies that is asked for, and how far behind it the next."""

STORAGE = type(torch.zeros(0).untyped_storage())


def address(machine: Machine, storage: Any) -> int:
    """Where `storage` lies."""
    places = machine.addresses
    return FIRST + APART * places.setdefault(storage.data_ptr(), len(places))


def data_ptr(machine: Machine, tensor: Any) -> int:
    """`tensor.data_ptr()`: 0 where there are no elements."""
    found = int(tensor.data_ptr())
    return 0 if found == 0 else address(machine, storage := tensor.untyped_storage()) + found - storage.data_ptr()


ROW = 5
"""Characters at most that tell of one byte."""


def written(machine: Machine, storage: Any, around: tuple[int, ...]) -> str:
    """`repr(storage)`: byte by byte."""
    machine.meter.length(ROW * len(storage))
    return repr(storage)


def _install() -> None:
    COLLECTED[STORAGE] = written
    TABLES[torch.Tensor]["data_ptr"] = Builtin("data_ptr", data_ptr, machine=True)
    TABLES[STORAGE] = {
        "data_ptr": Builtin("data_ptr", address, machine=True),
        "nbytes": Foreign("nbytes", STORAGE.nbytes),
        "size": Foreign("size", STORAGE.nbytes),
    }


_install()
