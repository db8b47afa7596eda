"""Columns: a list of alike things as JSON that is small and quick to write and to read.

Note [Columns]. A scene is thousands of rows that differ little from their neighbours. So rows become columns, and a
column is written in whichever form says least. What a column is, its form tells: a reader needs no schema.

    [3, 1, 4, 1]                          as it is
    {"all": 0, "n": 9}                    nine times the same
    {"from": 3, "by": 1, "n": 9}          nine integers, each so much more than the one before
    {"letters": "#$#'", "least": 5}       integers near one another, a letter each: # for `least`, $ for one more
    {"turns": [COLUMN]}                   things that come by turns from several columns
    {"step": [5, 1, 1, null, 1]}          integers, each as the difference to the one before; null stays null
    {"of": COLUMN, "at": COLUMN}          few distinct things and which one stands where
    {"text": [["n", ""]], "at": COLUMN, "holes": [[COLUMN]]}
                                          texts that differ in their numbers: for each sort of text the pieces around
                                          its numbers; which sort stands where; for each sort its numbers by place
    {"lengths": COLUMN, "items": COLUMN}  lists, one after the other
    {"rows": {name: COLUMN}}              records, column by column
    {"sorts": [COLUMN], "at": COLUMN}     things of several sorts, each sort in a column of its own

`columns.js` reads them in the browser, `reading.py` here. `write` gives plain JSON data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain
from operator import attrgetter, itemgetter, sub
from typing import Any

from . import table

Column = Any
"""JSON data in one of the forms above."""

NUMBER = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
CANONICAL = re.compile(r"0|[1-9]\d{0,14}")
FIRST, LETTERS = ord("#"), ord("\\") - ord("#")
"""The letters that stand for integers: those between the quote and the backslash, which JSON would have to mark."""
PROSE = 40
"""Texts of so many letters are written as they are: what they share gzip finds, and sooner."""
WORTH = 2
"""A table of distinct things is worth it if each stands, on average, in so many places."""


def write(things: Sequence[Any]) -> Column:
    """`things` (what JSON knows, tuples and dataclasses), all in one column."""
    if not things:
        return []
    if isinstance(things, table.Column):
        return ready(things)
    kinds = set(map(type, things))
    some = kinds - {type(None)}
    if len(some) > 1:
        return sorted_out(things)
    kind = some.pop() if some else type(None)
    writer = WRITERS.get(kind)
    if writer is not None:
        return writer(things, type(None) in kinds)
    if type(None) in kinds:
        return sorted_out(things)
    return rows(things, kind)


def ready(things: table.Column[Any]) -> Column:
    """Things that stand in a form of a column already."""
    match things:
        case table.Ids():
            return numbered(things.letter, things.numbers)
        case table.Picks():
            return picked(list(things.of), things.at)
        case table.Lists():
            return {"lengths": integers(things.lengths, False), "items": write(things.items)}
        case table.Table():
            names = map(bare, things.kind._fields)
            return {"rows": {name: write(column) for name, column in zip(names, things.columns, strict=True)}}
    raise TypeError(f"no form for a {type(things).__name__}")


def picked(of: Sequence[Any], at: Sequence[int]) -> Column:
    """Few distinct things and which one stands where."""
    return {"of": write(of), "at": integers(at, False)}


def same(things: Sequence[Any]) -> Column:
    return {"all": things[0], "n": len(things)}


def plain(things: Sequence[Any], gaps: bool) -> Column:
    return list(things)


def flags(things: Sequence[Any], gaps: bool) -> Column:
    return same(things) if len(set(things)) == 1 else list(things)


def integers(things: Sequence[Any], gaps: bool) -> Column:
    """Integers, perhaps with None among them, as they are or as differences."""
    if isinstance(things, range) and len(things) > 2:
        return {"from": things[0], "by": things.step, "n": len(things)}
    distinct = set(things)
    if len(distinct) < 2:
        return same(things) if distinct else []
    known = [number for number in things if number is not None] if gaps else things
    steps = [known[0], *map(sub, known[1:], known)]
    kinds = set(steps[1:])
    if len(kinds) == 1 and not gaps:
        return {"from": known[0], "by": steps[1], "n": len(known)}
    if len(kinds) + 1 >= len(distinct):
        return list(things) if gaps else letters(things, distinct)
    if gaps:
        following = iter(steps)
        return {"step": [None if number is None else next(following) for number in things]}
    return {"step": letters(steps, {steps[0], *kinds})}


def letters(things: Sequence[int], distinct: set[int]) -> Column:
    """Integers by letters if they are near enough to one another."""
    least, most = min(distinct), max(distinct)
    if most - least >= LETTERS:
        return list(things)
    if least >= 0 and most < 256:
        shifted = bytes(things).translate(shifts(least))
    else:
        shifted = bytes([number + FIRST - least for number in things])
    return {"letters": shifted.decode("ascii"), "least": least}


@cache
def shifts(least: int) -> bytes:
    """For each byte from `least` on its letter."""
    return bytes([max(0, number + FIRST - least) & 255 for number in range(256)])


def turns(things: Sequence[Any], every: int) -> Column:
    """Things of which each in turn is another part of something that has `every` parts, if it comes often enough."""
    if every < 2 or len(things) < every * every:
        return write(things)
    return {"turns": [write(things[part::every]) for part in range(every)]}


def texts(things: Sequence[Any], gaps: bool) -> Column:
    if not gaps and (numbered := ids(things)) is not None:
        return numbered
    places = distinct_in(things)
    if len(places) == 1:
        return same(things)
    if not gaps and sum(map(len, places)) > PROSE * len(things):
        return list(things)
    if len(places) * WORTH <= len(things):
        return {"of": texts(list(places), gaps), "at": integers(list(map(places.__getitem__, things)), False)}
    return sorted_out(things) if gaps else holes(things)


def distinct_in(things: Iterable[Any]) -> dict[Any, int]:
    """The distinct things, each with its place in a table of them."""
    return {thing: place for place, thing in enumerate(dict.fromkeys(things))}


def holes(things: Sequence[str]) -> Column:
    """Texts by the pieces between their numbers; as they are if nearly every one is of its own sort."""
    split = [NUMBER.split(text) for text in things]
    pieces = [tuple(parts[::2]) for parts in split]
    places = distinct_in(pieces)
    if len(places) * WORTH > len(things):
        return list(things)
    numbers: list[list[list[str]]] = [[] for _ in places]
    at = list(map(places.__getitem__, pieces))
    for place, parts in zip(at, split, strict=True):
        numbers[place].append(parts[1::2])
    filled = [[digits(place) for place in zip(*found, strict=True)] for found in numbers]
    return {"text": list(map(list, places)), "at": integers(at, False), "holes": filled}


def ids(things: Sequence[str]) -> Column | None:
    """A letter and a number, the same letter everywhere, which is quick to see; None if `things` are not so."""
    letter = things[0][:1]
    if len(things) < 2 or not letter.isalpha() or not things[0][1:].isdecimal():
        return None
    whole = "\n" + "\n".join(things)
    words = whole.split("\n" + letter)[1:]
    if not len(words) == len(things) == whole.count("\n"):
        return None
    figures = "".join(words)
    zeros = whole.count(f"\n{letter}0")
    if not (figures.isascii() and figures.isdecimal() and all(words) and zeros == words.count("0")):
        return None
    return numbered(letter, list(map(int, words)))


def numbered(letter: str, numbers: Sequence[int]) -> Column:
    """Texts of a letter and a number each."""
    return {"text": [[letter, ""]], "at": {"all": 0, "n": len(numbers)}, "holes": [[integers(numbers, False)]]}


def pointing(letter: str, numbers: Sequence[int | None]) -> Column:
    """Texts of a letter and a number each, or None."""
    known = [number for number in numbers if number is not None]
    if len(known) == len(numbers):
        return numbered(letter, known)
    at = [int(number is None) for number in numbers]
    return {"sorts": [numbered(letter, known), {"all": None, "n": sum(at)}], "at": integers(at, False)}


def digits(words: Sequence[str]) -> Column:
    """Numbers in texts: as integers where all are, so that they can be told by their differences."""
    if all(map(CANONICAL.fullmatch, words)):
        return integers(list(map(int, words)), False)
    places = distinct_in(words)
    if len(places) == 1:
        return same(words)
    if len(places) * WORTH <= len(words):
        return {"of": list(places), "at": integers(list(map(places.__getitem__, words)), False)}
    return list(words)


def lists(things: Sequence[Any], gaps: bool) -> Column:
    if gaps:
        return sorted_out(things)
    places = distinct_in(things) if type(things[0]) is tuple and told_apart(things) else {}
    if places and len(places) * WORTH <= len(things):
        return {"of": lists(list(places), False), "at": integers(list(map(places.__getitem__, things)), False)}
    lengths, items = integers(list(map(len, things)), False), list(chain.from_iterable(things))
    return {"lengths": lengths, "items": write(items)}


def told_apart(things: Sequence[Sequence[Any]]) -> bool:
    """Whether a table can tell lists apart: all has a hash, and nothing is equal that JSON writes differently."""
    kinds = set(map(type, chain.from_iterable(things)))
    if kinds & {list, dict, float} or {bool, int} <= kinds:
        return False
    return tuple not in kinds or told_apart([part for part in chain.from_iterable(things) if type(part) is tuple])


def rows(things: Sequence[Any], kind: type) -> Column:
    """Dataclasses and named tuples by their fields, a trailing underscore dropped."""
    return {"rows": {name: write(column) for name, column in columns_of(things, kind)}}


def columns_of(things: Sequence[Any], kind: type[Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Each field with what the things have in it."""
    if hasattr(kind, "_fields"):
        yield from zip(map(bare, kind._fields), zip(*things, strict=True), strict=True)
    elif is_dataclass(kind):
        for field in fields(kind):
            yield bare(field.name), list(map(attrgetter(field.name), things))
    else:
        raise TypeError(f"a scene holds no {kind.__name__}")


def bare(name: str) -> str:
    return name.rstrip("_")


def records(things: Sequence[dict[str, Any]], gaps: bool) -> Column:
    """Dicts that have the same names, by these; any others sort by sort."""
    if gaps or len({tuple(thing) for thing in things}) > 1:
        return sorted_out(things)
    if not things[0]:
        return same(things)
    return {"rows": {name: write(list(map(itemgetter(name), things))) for name in things[0]}}


def sorted_out(things: Sequence[Any]) -> Column:
    """Things of several sorts: by type, dicts by their names."""
    kinds = [tuple(thing) if type(thing) is dict else type(thing) for thing in things]
    places = distinct_in(kinds)
    if len(places) == 1:
        return list(things)
    sorts = [[thing for thing, kind in zip(things, kinds, strict=True) if kind == sort] for sort in places]
    return {"sorts": list(map(write, sorts)), "at": integers(list(map(places.__getitem__, kinds)), False)}


def nothing(things: Sequence[Any], gaps: bool) -> Column:
    return same(things)


WRITERS: dict[type, Callable[[Sequence[Any], bool], Column]] = {
    type(None): nothing,
    bool: flags,
    int: integers,
    float: plain,
    str: texts,
    tuple: lists,
    list: lists,
    dict: records,
}
