"""Columns: a list of alike things as JSON that is small and quick to write and to read.

Note [Columns]. A scene is thousands of rows that differ little from their neighbours. So rows become columns, and a
column is written in whichever form says least. What a column is, its form tells: a reader needs no schema.

    [3, 1, 4, 1]                          as it is
    {"all": 0, "n": 9}                    nine times the same
    {"from": 3, "by": 1, "n": 9}          nine integers, each so much more than the one before
    {"letters": ["#$#'"], "least": 5}     integers, a letter each: # for `least`, $ for one more. Where they lie farther
                                          apart, more strings of letters, of which the first tells of the 57s, and so on
    {"step": COLUMN, "first": 5}          integers, each as the difference to the one before
    {"turns": [COLUMN]}                   things that come by turns from several columns
    {"of": COLUMN, "at": COLUMN}          few distinct things and which one stands where
    {"text": [["n", ""]], "at": COLUMN, "holes": [[COLUMN]]}
                                          texts that differ in their numbers: for each sort of text the pieces around
                                          its numbers; which sort stands where; for each sort its numbers by place
    {"lengths": COLUMN, "items": COLUMN}  lists, one after the other
    {"rows": {name: COLUMN}}              records, column by column
    {"sorts": [COLUMN], "at": COLUMN}     things of several sorts, each sort in a column of its own
    {"digits": COLUMN, "tens": COLUMN}    floats of few digits: integers, and by which power of ten each is multiplied,
                                          doubled, and one more for a minus
    {"nested": COLUMN, "shape": COLUMN}   tensors as lists in lists: their numbers one after the other, and their shapes

`player/web/scene/columns.js` reads them in the browser, `reading.py` here. `write` gives plain JSON data.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from . import table

Array = npt.NDArray[np.int64]
least_of, most_of = np.minimum.reduce, np.maximum.reduce
"""As methods of arrays, which take twice as long for short ones."""

Column = Any
"""JSON data in one of the forms above."""

NUMBER = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
LONG = 10**15
"""Texts of larger numbers stay texts."""
FIRST, LETTERS = ord("#"), ord("\\") - ord("#")
"""The letters that stand for integers: those between the quote and the backslash, which JSON would have to mark."""
SAFE = 2**53
MOST = LETTERS**5
"""Integers so far apart are written as they are."""
EXACT, SMALLEST, LARGEST = 8, 1e-280, 1e280
"""Floats of more digits, or so small or large, are written as they are."""
POWERS = np.array([float(f"1e{power}") for power in range(300)])
FEW = 64
"""So are fewer integers than that, unless they are all the same or a run."""
NEARER = 4
"""Differences are worth it if they lie so many times nearer together than the integers themselves."""
PROSE = 40
"""Texts of so many letters are written as they are: what they share gzip finds, and sooner."""
WORTH = 2
"""A table of distinct things is worth it if each stands, on average, in so many places."""


def write(things: Sequence[Any]) -> Column:
    """`things` (what JSON knows, tuples and dataclasses), all in one column."""
    if len(things) == 0:
        return []
    if isinstance(things, np.ndarray):
        return numbers(things)
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
            return pointing(things.letter, things.numbers)
        case table.Picks():
            return dictionary_column(list(things.of), things.at)
        case table.Lists():
            return {"lengths": integers(things.lengths, False), "items": write(things.items)}
        case table.Table():
            names = map(bare, things.kind._fields)
            return {"rows": {name: write(column) for name, column in zip(names, things.columns, strict=True)}}
    raise TypeError(f"no form for a {type(things).__name__}")


def dictionary_column(of: Sequence[Any], at: Sequence[int]) -> Column:
    """Few distinct things and which one stands where."""
    return {"of": write(of), "at": integers(at, False)}


def same(things: Sequence[Any]) -> Column:
    return {"all": things[0], "n": len(things)}


def plain(things: Sequence[Any], gaps: bool) -> Column:
    return list(things)


def flags(things: Sequence[Any], gaps: bool) -> Column:
    return same(things) if len(set(things)) == 1 else list(things)


def integers(things: Sequence[Any], gaps: bool) -> Column:
    """Integers, perhaps with None among them."""
    if not gaps and len(things) < FEW:
        return fewer(list(things))
    try:
        return with_gaps(things, numbers) if gaps else numbers(array_of(things))
    except OverflowError:
        return list(things)


def with_gaps(things: Sequence[Any], form: Callable[[Array], Column]) -> Column:
    """Integers with None among them: those that are known in the `form` given."""
    known = [number for number in things if number is not None]
    gaps = [int(number is None) for number in things]
    sorts = [form(array_of(known)), {"all": None, "n": len(things) - len(known)}]
    return {"sorts": sorts, "at": numbers(array_of(gaps))}


def array_of(things: Sequence[int]) -> Array:
    """The integers `things`.

    Raises:
        OverflowError: one is beyond what a player can count to.
    """
    if type(things) is array:  # of a ledger, which counts things and steps
        return np.frombuffer(things, np.int64)
    if isinstance(things, range):
        return np.arange(things.start, things.stop, things.step)
    found = np.frombuffer(array("q", things), np.int64)
    if len(found) and not -SAFE <= least_of(found) <= most_of(found) <= SAFE:
        raise OverflowError
    return found


def numbers(things: Array) -> Column:
    """Integers as they are, or as differences where these are less varied."""
    if len(things) < FEW:
        return fewer(things.tolist())
    first, least, most = int(things[0]), int(least_of(things)), int(most_of(things))
    if least == most:
        return {"all": first, "n": len(things)}
    steps = things[1:] - things[:-1]
    by, up = int(least_of(steps)), int(most_of(steps))
    if by == up:
        return {"from": first, "by": by, "n": len(things)}
    if again(steps) > again(things) or (up - by) * NEARER < most - least:
        return {"step": numbers(steps), "first": first}
    return letters(things, least, most - least)


def fewer(things: list[int]) -> Column:
    """So few integers that nothing is won by letters."""
    if len(things) < 2:
        return [] if not things else same(things)
    first, by = things[0], things[1] - things[0]
    run = list(range(first, first + by * len(things), by)) if by else [first] * len(things)
    if things != run:
        return things
    return {"from": first, "by": by, "n": len(things)} if by else same(things)


def again(things: Array) -> int:
    """How often an integer comes twice in a row."""
    return int(np.count_nonzero(things[1:] == things[:-1]))


def letters(things: Array, least: int, spread: int) -> Column:
    """Integers by letters, of each its digits to the base of LETTERS."""
    if spread >= MOST:
        return things.tolist()
    rest, digits = things - least, []
    while spread >= LETTERS:
        rest, digit = np.divmod(rest, LETTERS)
        digits.append(digit)
        spread //= LETTERS
    told = [(digit + FIRST).astype(np.uint8).tobytes().decode("ascii") for digit in (rest, *reversed(digits))]
    return {"letters": told, "least": least}


def round_digits(number: float, digits: int) -> float:
    """A finite `number` with so many digits; the largest of all would be rounded to infinity."""
    found = float(f"{number:.{digits}g}")
    return found if math.isfinite(found) else number


def decimals(things: npt.NDArray[np.float64], digits: int) -> Column:
    """Finite floats, rounded to so many `digits`."""
    sizes = np.abs(things)
    few = len(things) < FEW or digits > EXACT
    if few or sizes.max() >= LARGEST or sizes.min(initial=1.0, where=sizes != 0) <= SMALLEST:
        return [round_digits(number, digits) for number in things.tolist()]
    there = sizes != 0
    tens = np.zeros(len(things), np.int64)
    tens[there] = np.floor(np.log10(sizes[there])).astype(np.int64)
    tens -= digits - 1
    wholes = np.rint(divide_by_tens(sizes, tens))
    for wrong, by in ((wholes >= 10**digits, 1), (there & (wholes < 10 ** (digits - 1)), -1)):
        if wrong.any():  # by the rounding of the number, or of its logarithm
            tens[wrong] += by
            wholes[wrong] = np.rint(divide_by_tens(sizes[wrong], tens[wrong]))
    return {"digits": numbers(wholes.astype(np.int64)), "tens": numbers(2 * tens + np.signbit(things))}


def divide_by_tens(sizes: npt.NDArray[np.float64], tens: Array) -> npt.NDArray[np.float64]:
    """`sizes` divided by these powers of ten, exactly rounded where the powers are exact."""
    powers: npt.NDArray[np.float64] = POWERS[np.abs(tens)]
    return np.where(tens < 0, sizes * powers, sizes / powers)


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
    if (alike := of_one_sort(things)) is not None:
        return alike
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


def of_one_sort(things: Sequence[str]) -> Column | None:
    """Texts that differ in their numbers alone, looked through as one; None if they are not so."""
    whole = "\n".join(things)
    masks = NUMBER.sub("\0", whole).split("\n")
    if len(masks) != len(things) or len(set(masks)) > 1 or "\0" in whole:
        return None
    pieces, numbers = masks[0].split("\0"), NUMBER.findall(whole)
    each = [digits(numbers[place :: len(pieces) - 1]) for place in range(len(pieces) - 1)]
    return {"text": [pieces], "at": integers([0] * len(things), False), "holes": [each]}


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
    try:
        return numbered_texts(letter, array_of(list(map(int, words))))
    except OverflowError:
        return None


def numbered_texts(letter: str, things: Array) -> Column:
    """Texts of a letter and a number each."""
    return {"text": [[letter, ""]], "at": {"all": 0, "n": len(things)}, "holes": [[numbers(things)]]}


def pointing(letter: str, things: Sequence[int | None]) -> Column:
    """Texts of a letter and a number each, or None."""
    form = partial(numbered_texts, letter)
    return with_gaps(things, form) if None in things else form(array_of(things))  # type: ignore[arg-type]


def digits(words: Sequence[str]) -> Column:
    """Numbers in texts: as integers where all are, so that they can be told by their differences."""
    try:
        found = list(map(int, words))
    except ValueError:
        found = []
    if found and max(found) < LONG and list(map(str, found)) == list(words):
        return integers(found, False)
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
