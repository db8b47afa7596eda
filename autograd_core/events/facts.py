"""What the reader knows of facts: how they are laid out, what they tell of nodes, and the Values of what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from math import prod
from typing import TYPE_CHECKING, Any
from weakref import CallableProxyType, ProxyType

import numpy as np

from .. import events
from .frozen_dataclass import maker
from .limits import freeze_value
from .snapshot import Value, snapshot

if TYPE_CHECKING:
    from ..dispatch.op import Op

Flight = tuple[Any, ...]

FIELDS = 8
"""So many entries of the fact of an operator with a node come before its operands."""

PLAIN = 5
"""The same of an operator without a node."""

PROXIES = (ProxyType, CallableProxyType)


class Known:
    """What is known of a node: its edges, what it keeps (slot, version, bytes), what it reads, if it is a leaf's; and
    the fact that told of it, if one did, with the number of those that hold it, as long as it goes when they do."""

    __slots__ = ("edges", "slots", "reads", "leaf", "fact", "holders")

    def __init__(
        self, edges: events.Edges, slots: list[tuple[str, int, int]], leaf: bool = False, fact: Flight = ()
    ) -> None:
        self.edges, self.slots, self.leaf, self.fact = edges, slots, leaf, fact
        self.reads = sorted(slots)
        self.holders = 1 if fact else None


def proxies(items: list[Any]) -> Iterator[Any]:
    """The weak proxies in facts, those of what leaves stored among them."""
    for item in items:
        if type(item) is tuple:
            for part in item:
                if type(part) in PROXIES:
                    yield part
                elif type(part) is list:
                    yield from proxies(part)


def as_noted(result: Any) -> Any:
    """What was computed here as a fact may hold it, but for arrays, which nobody writes here: those in C order."""
    return np.ascontiguousarray(result) if result.__class__ is np.ndarray and result.ndim else freeze_value(result)


@lru_cache(1 << 12)
def array(sort: tuple[tuple[int, ...], np.dtype[Any]], contents: bytes) -> Value:
    return snapshot(np.frombuffer(contents, sort[1]).reshape(sort[0])[()])


make_value = maker(Value)


@lru_cache(1 << 14)
def scalar(number: float) -> Value:
    """A float32; not for zeros, which are equal and not alike."""
    value: Value = make_value((Value, (), "float32", number, True, None, None, None, None, None))
    return value


@lru_cache(1 << 10)
def size(shape: tuple[int, ...], dtype: str) -> int:
    return prod(shape) * np.dtype(dtype).itemsize


class Form:
    """How the facts of an operator are laid out, by place: FIELDS, its operands, its edges, the versions of what it
    keeps, plain values."""

    def __init__(self, op: Op) -> None:
        names = list(op.kept())
        assert op.node_class is not None
        self.title, self.name = op.node_class.__name__, op.name
        self.joined = FIELDS + len(op.tensors)
        self.kept = self.joined + len(op.inputs)
        tensors = [name for name in names if op.is_tensor(name)]
        self.plain = self.kept + len(tensors)
        places = {name: FIELDS + at for at, name in enumerate(op.tensors)}
        self.slots = [(name, places.get(name), self.kept + at) for at, name in enumerate(tensors)]
        """Of each slot its name, the place of the operand that it keeps (None: the result), that of the version."""
        plain = [name for name in names if not op.is_tensor(name)]
        self.values = [(self.plain + at, name) for at, name in enumerate(plain) if not name.endswith("_")]
        order = ["grad", *tensors, *plain]
        self.formulas = [(op.on_arrays[p], [order.index(need) for need in op.needs[p]]) for p in op.inputs]
        """What computes the gradient of each input, and of which of `grad`, the tensors kept, the values, by place."""


form_of = cache(Form)


@cache
def defaults(op: Op) -> dict[str, Any]:
    """What the forward takes beside tensors, where nothing was said."""
    return {p: q.default for p, q in op.signature.parameters.items() if p not in op.tensors}
