"""The dtypes of numpy: what programs ask of them, and what they are equal to."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..machine import Machine
from ..runtime.values import Builtin, Namespace, Type, Value
from .arrays import ARRAY_TYPES, dtype_of

HOSTS = tuple(type(np.dtype(kind)) for kind in ARRAY_TYPES)
"""The type of each dtype."""
READ = ("name", "kind", "itemsize", "char", "str", "num", "alignment")


def dtype(machine: Machine, kind: Value) -> Any:
    return np.dtype(dtype_of(kind))


DTYPE = Type("dtype", (np.dtype,), Builtin("dtype", dtype, machine=True), "numpy.dtype")


def issubdtype(machine: Machine, kind: Value, other: Value) -> bool:
    """Whether numbers of the one are of the other, which may be abstract: np.floating, np.integer."""
    left, right = (
        of.hosts[0] if isinstance(of, Type) and of.hosts and issubclass(of.hosts[0], np.generic) else dtype_of(of)
        for of in (kind, other)
    )
    return bool(np.issubdtype(left, right))


def finfo(machine: Machine, kind: Value) -> Namespace:
    found = np.finfo(dtype_of(kind))
    names = ("eps", "max", "min", "tiny", "bits", "resolution", "smallest_normal")
    return Namespace("finfo", {name: getattr(found, name) for name in names})


def iinfo(machine: Machine, kind: Value) -> Namespace:
    found = np.iinfo(dtype_of(kind))
    return Namespace("iinfo", {"max": found.max, "min": found.min, "bits": found.bits})
