"""What the reader knows of what tensors hold: as last told, or computed again; see Note [Same bits]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .facts import Known, array, as_noted, defaults, form_of, scalar
from .snapshot import Value, snapshot

if TYPE_CHECKING:
    from ..dispatch.op import Op


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
