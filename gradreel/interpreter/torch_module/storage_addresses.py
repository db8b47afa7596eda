"""Where tensors lie, as programs see it: storages, and addresses that are made up and the same from run to run.

What counts of an address is what it says of others.
"""

from __future__ import annotations

import operator
from typing import Any

from ..builtins.formatting import COLLECTED
from ..builtins.iteration import WALKED
from ..engine.engine import STORAGES, torch
from ..machine import Machine
from ..runtime.attribute_tables import TABLES
from ..runtime.values import Attribute, Builtin, Foreign

FIRST, APART = 1 << 40, 1 << 26
"""Where the first memory lies that is asked for, and how far behind it the next."""


def address(machine: Machine, storage: Any) -> int:
    """Where `storage` lies."""
    places = machine.addresses
    return FIRST + APART * places.setdefault(storage.data_ptr(), len(places))


def data_ptr(machine: Machine, tensor: Any) -> int:
    """`tensor.data_ptr()`: 0 where there are no elements."""
    found = int(tensor.data_ptr())
    return 0 if found == 0 else address(machine, storage := tensor.untyped_storage()) + found - storage.data_ptr()


ROW = 25
"""Characters at most that tell of one byte or number."""


def repr_storage(machine: Machine, storage: Any, around: tuple[int, ...]) -> str:
    """`repr(storage)`: one after the other."""
    machine.meter.length(ROW * len(storage))
    return repr(storage)


def tolist(machine: Machine, storage: Any) -> list[Any]:
    """`storage.tolist()`"""
    machine.meter.length(len(storage))
    listed: list[Any] = storage.tolist()
    return listed


def install() -> None:
    """Put these into the tables of torch's names and attributes."""
    TABLES[torch.Tensor]["data_ptr"] = Builtin("data_ptr", data_ptr, machine=True)
    for kind in STORAGES:
        COLLECTED[kind] = repr_storage
        WALKED.append(kind)
        methods = {name: Foreign(name, getattr(kind, name)) for name in METHODS if hasattr(kind, name)}
        reads = {name: Attribute(operator.attrgetter(name)) for name in READ}
        own = {"data_ptr": address, "tolist": tolist}
        TABLES[kind] = {**methods, **reads, **{name: Builtin(name, run, machine=True) for name, run in own.items()}}


METHODS = ("nbytes", "size", "element_size", "fill_", "untyped", "type")
READ = ("device", "dtype", "is_cuda")
