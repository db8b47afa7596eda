"""Where tensors lie, as programs see it: storages, and addresses that are made up and the same from run to run.

What counts of an address is what it says of others.
"""

from __future__ import annotations

import operator
from typing import Any

from autograd_core.api.methods.storage import UntypedStorage

from ..builtins.formatting import COLLECTED
from ..builtins.iteration import WALKED
from ..engine.engine import torch
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
"""Characters at most that tell of one byte."""


def repr_storage(machine: Machine, storage: Any, around: tuple[int, ...]) -> str:
    """`repr(storage)`: one after the other."""
    machine.meter.length(ROW * len(storage))
    return repr(storage)


def install() -> None:
    """Put these into the tables of torch's names and attributes."""
    TABLES[torch.Tensor]["data_ptr"] = Builtin("data_ptr", data_ptr, machine=True)
    COLLECTED[UntypedStorage] = repr_storage
    WALKED.append(UntypedStorage)
    methods: dict[str, Any] = {name: Foreign(name, getattr(UntypedStorage, name)) for name in ("nbytes", "size")}
    own: dict[str, Any] = {
        "device": Attribute(operator.attrgetter("device")),
        "data_ptr": Builtin("data_ptr", address, machine=True),
    }
    TABLES[UntypedStorage] = methods | own
