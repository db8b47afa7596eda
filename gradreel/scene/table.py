"""Tables: what a scene has thousands of, kept column by column. A row is made when somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, TypeVar, overload

Row = TypeVar("Row")
Item = TypeVar("Item")


class Column(Sequence[Item]):
    """Things that stand in another form than one after the other; `item` gives one of them."""

    __slots__ = ()

    def item(self, at: int) -> Item:
        raise NotImplementedError

    @overload
    def __getitem__(self, at: int) -> Item: ...

    @overload
    def __getitem__(self, at: slice) -> list[Item]: ...

    def __getitem__(self, at: int | slice) -> Item | list[Item]:
        places = range(len(self))[at]
        return [self.item(place) for place in places] if isinstance(places, range) else self.item(places)

    def __iter__(self) -> Iterator[Item]:
        return map(self.item, range(len(self)))


class Ids(Column[Any]):
    """A letter and a number each: n1, n2. In places there may be None."""

    __slots__ = ("letter", "numbers")

    def __init__(self, letter: str, numbers: Sequence[int | None]) -> None:
        self.letter, self.numbers = letter, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def item(self, at: int) -> str | None:
        number = self.numbers[at]
        return None if number is None else f"{self.letter}{number}"


class Picks(Column[Item]):
    """Few distinct things, and which one stands where."""

    __slots__ = ("at", "of")

    def __init__(self, things: Iterable[Item] = ()) -> None:
        self.of: dict[Item, int] = {}
        self.at = [self.of.setdefault(thing, len(self.of)) for thing in things]

    def __len__(self) -> int:
        return len(self.at)

    def item(self, at: int) -> Item:
        return list(self.of)[self.at[at]]

    def __iter__(self) -> Iterator[Item]:
        return map(list(self.of).__getitem__, self.at)

    def append(self, thing: Item) -> None:
        self.at.append(self.of.setdefault(thing, len(self.of)))


class Lists(Column[tuple[Item, ...]]):
    """Lists, their items one after the other."""

    __slots__ = ("items", "lengths")

    def __init__(self, lengths: Sequence[int], items: Sequence[Item]) -> None:
        self.lengths, self.items = lengths, items

    def __len__(self) -> int:
        return len(self.lengths)

    def item(self, at: int) -> tuple[Item, ...]:
        start = sum(self.lengths[:at])
        return tuple(self.items[start : start + self.lengths[at]])

    def __iter__(self) -> Iterator[tuple[Item, ...]]:
        for length, end in zip(self.lengths, accumulate(self.lengths), strict=True):
            yield tuple(self.items[end - length : end])


class Table(Column[Row]):
    """Rows of one kind of NamedTuple, by its fields."""

    __slots__ = ("columns", "kind")

    def __init__(self, kind: type[Row], columns: Sequence[Sequence[Any]]) -> None:
        self.kind, self.columns = kind, columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def item(self, at: int) -> Row:
        return self.kind(*[column[at] for column in self.columns])

    def __iter__(self) -> Iterator[Row]:
        return iter([self.kind(*row) for row in zip(*self.columns, strict=True)])
