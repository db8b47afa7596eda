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
from .snapshot import Value, item_size, snapshot

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
    return prod(shape) * item_size(dtype)


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


# ---- what tensors hold: as last told, or computed again; see Note [Same bits]


class Contents:
    """The contents of each tensor, by its number."""

    def __init__(self) -> None:
        self.base = 0
        """What facts count numbers from."""
        self.values: dict[int, Value] = {}
        self.raws: dict[int, Any] = {}
        """The same as the fact or flight has them."""
        self.numbers: set[int] = set()
        """The tensors that are wrapped numbers."""

    def forget(self, number: int) -> None:
        self.values.pop(number, None)
        self.raws.pop(number, None)
        self.numbers.discard(number)

    def computed(self, op: Op, operands: list[Any]) -> Any:
        """The result of `op`, of operands in the order of its forward, and with its defaults."""
        return as_noted(op.forward(*operands, **defaults(op)))

    def again(self, known: Known, grad: Any, given: dict[int, Any]) -> list[Any]:
        """What a node handed on, computed as the engine did, but for those `given`.

        What the node keeps has the contents that were last told, for every write is.
        """
        fact, base = known.fact, self.base
        form = form_of(fact[0])
        parts = [self.data(grad)]
        for _, place, version in form.slots:
            parts.append(None if fact[version] is None else self.held(fact[1 if place is None else place] - base))
        parts += fact[form.plain :]
        found: list[Any] = []
        for i, ((formula, needs), edge) in enumerate(zip(form.formulas, known.edges, strict=True)):
            if edge[0] is None or i in given:
                found.append(given.get(i))
            else:
                found.append(as_noted(formula(*[parts[need] for need in needs])))
        return found

    def held(self, number: int) -> Any:
        """What a tensor held when it was last told of, as formulas take it: a number where one was wrapped."""
        return self.values[number].data if number in self.numbers else self.data(self.raws[number])

    def data(self, raw: Any) -> Any:
        """The array of what a fact or a flight has."""
        if raw.__class__ is float:
            return np.float32(raw)
        if raw.__class__ is tuple:
            (shape, dtype), contents = raw
            return np.frombuffer(contents, dtype).reshape(shape)[()]
        return raw if raw.__class__ is np.ndarray else np.array(raw.data, raw.dtype)[()]

    def keep(self, number: int, raw: Any) -> Value:
        """The Value of a tensor, which is remembered."""
        self.raws[number] = raw
        self.values[number] = value = self.value(raw)
        return value

    def value(self, raw: Any) -> Value:
        """The Value of what a fact or a flight has."""
        if raw.__class__ is float:
            return scalar(raw) if raw else snapshot(np.float32(raw))
        if raw.__class__ is np.ndarray:
            return array((raw.shape, raw.dtype), raw.tobytes())
        found: Value = array(*raw) if raw.__class__ is tuple else raw
        return found
