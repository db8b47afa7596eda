"""Columns -> things: back what `columns.write` wrote, see Note [Columns] there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import accumulate, chain
from typing import Any

from .columns import FIRST, LETTERS, Column


def read(column: Column) -> list[Any]:
    """The things that `write` was given, as JSON data."""
    if isinstance(column, list):
        return column
    return next(reader(column) for name, reader in READERS.items() if name in column)


def read_steps(column: Column) -> list[int]:
    return list(accumulate([column["first"], *read(column["step"])]))


def read_run(column: Column) -> list[int]:
    return [column["from"] + column["by"] * place for place in range(column["n"])]


def read_letters(column: Column) -> list[int]:
    """Each integer of its digits, the first of which is the most significant."""
    digits = zip(*column["letters"], strict=True)
    return [reduce(lambda told, letter: told * LETTERS + ord(letter) - FIRST, of, 0) + column["least"] for of in digits]


def read_turns(column: Column) -> list[Any]:
    return list(chain.from_iterable(zip(*map(read, column["turns"]), strict=True)))


def read_table(column: Column) -> list[Any]:
    return list(map(read(column["of"]).__getitem__, read(column["at"])))


def read_texts(column: Column) -> list[str]:
    numbers = [zip(*map(read, places), strict=True) if places else None for places in column["holes"]]

    def text(sort: int) -> str:
        pieces, found = column["text"][sort], numbers[sort]
        filled = () if found is None else next(found)
        return "".join(chain.from_iterable(zip(pieces, (*map(str, filled), ""), strict=True)))

    return list(map(text, read(column["at"])))


def read_lists(column: Column) -> list[list[Any]]:
    items = iter(read(column["items"]))
    return [[next(items) for _ in range(length)] for length in read(column["lengths"])]


def read_rows(column: Column) -> list[dict[str, Any]]:
    names, found = list(column["rows"]), map(read, column["rows"].values())
    return [dict(zip(names, row, strict=True)) for row in zip(*found, strict=True)]


def read_sorts(column: Column) -> list[Any]:
    sorts = [iter(read(sort)) for sort in column["sorts"]]
    return [next(sorts[sort]) for sort in read(column["at"])]


def read_decimals(column: Column) -> list[float]:
    pairs = zip(read(column["digits"]), read(column["tens"]), strict=True)
    return [float(f"{'-' if tens & 1 else ''}{digits}e{tens >> 1}") for digits, tens in pairs]


def read_nested(column: Column) -> list[Any]:
    items = iter(read(column["nested"]))
    return [nest(items, shape) for shape in read(column["shape"])]


def nest(items: Iterator[Any], shape: Sequence[int]) -> Any:
    """The next of `items` as a tensor of this shape."""
    return [nest(items, shape[1:]) for _ in range(shape[0])] if shape else next(items)


READERS: dict[str, Callable[[Column], list[Any]]] = {
    "all": lambda column: [column["all"]] * column["n"],
    "step": read_steps,
    "from": read_run,
    "letters": read_letters,
    "turns": read_turns,
    "of": read_table,
    "text": read_texts,
    "lengths": read_lists,
    "rows": read_rows,
    "sorts": read_sorts,
    "digits": read_decimals,
    "nested": read_nested,
}
