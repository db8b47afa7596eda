"""The names of a program as a player will see them, step by step."""

from __future__ import annotations

from collections.abc import Mapping

from gradreel.trace import events as e

from .ledger import Ledger

Bound = Mapping[int, Mapping[str, e.NameBound]]
"""By scope what each name stands for."""


class Names:
    """What names stand for at the end of each step; what came and went within it nobody sees."""

    def __init__(self, bound: Bound, ledger: Ledger) -> None:
        self._bound = bound
        self._shown: dict[int, dict[str, e.NameBound]] = {}
        self._text, self._tensor = ledger.tracks("name", "text"), ledger.tracks("name", "tensor")
        self.numbers: dict[tuple[int, str], int] = {}
        """All that was ever shown, by scope and text, numbered as it first came."""
        self.changed: list[e.NameBound | e.NameUnbound] = []
        self.left: list[int] = []
        """What happened to names in this step, and the calls of functions that ended."""

    def settle(self) -> None:
        """End a step."""
        if self.left:
            for scope in self.left:
                ended = [self.numbers[scope, name] for name in self._shown.pop(scope, ())]
                self._text.end(ended)
                self._tensor.end(ended)
            self.left.clear()
        if not self.changed:
            return
        here, names, shown = None, None, {}
        for event in self.changed:
            scope, name = event.scope, event.name
            if scope != here:
                here, names = scope, self._bound.get(scope)
                shown = {} if names is None else self._shown.setdefault(scope, {})
            if names is None:
                continue
            bound = names.get(name)
            if bound is shown.get(name):
                continue
            if bound is None:
                del shown[name]
            else:
                shown[name] = bound
            self._show(scope, name, bound)
        self.changed.clear()

    def of(self, tensor: int) -> list[str]:
        """All names that `tensor` ever had, the latest first."""
        keys = list(self.numbers)
        history = self._tensor.history
        places = [number for number, value in zip(history.things, history.values, strict=True) if value == tensor]
        return [keys[number][1] for number in reversed(places)]

    def _show(self, scope: int, name: str, bound: e.NameBound | None) -> None:
        """Show what `name` stands for from now on: a tensor, or what its text tells."""
        number = self.numbers.setdefault((scope, name), len(self.numbers))
        tensor = None if bound is None else bound.tensor
        self._text.put(number, None if bound is None or tensor is not None else bound.text)
        self._tensor.put(number, tensor)
