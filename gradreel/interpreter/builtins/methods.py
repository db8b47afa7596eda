"""The methods of Python's own types, as tables: str, list, tuple, dict, set, int, float.

A method that can make something large asks the meter first; one that compares does so by our own `same`.
"""

from __future__ import annotations

import re
import string
from collections import deque
from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from autograd_core.ordered_dict import OrderedDict

from ..machine import Machine
from ..refusal import Refusal
from ..runtime.attribute_tables import register
from ..runtime.attributes import load
from ..runtime.calls import call, truth_of
from ..runtime.values import Builtin, Value
from .formatting import format_field, join_texts, repr_of
from .hashing import charge_key, charge_keys, charge_unfolded, take_any
from .iteration import collect_items, extend, extend_queue, update
from .operators import is_same, less
from .subscripts import fetch

# ---- str.format: the fields of a template, with what belongs to them

BELONGING = re.compile(r"\.(?P<attribute>[^.\[]+)|\[(?P<key>[^\]]+)\]")
"""What may follow the argument that a field names."""


def str_format(machine: Machine, template: str, /, *args: Value, **kwargs: Value) -> str:
    """`template.format(...)`: `{}`, `{0}`, `{name}` and what they have, each with conversion and specification."""
    return Filling(machine, args, kwargs).fill(template)


class Filling:
    """The fields of a template and of the specifications in it, which are counted through together."""

    def __init__(self, machine: Machine, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
        self.machine, self.args, self.kwargs = machine, args, kwargs
        self.count = 0
        self.numbered = False

    def fill(self, template: str, depth: int = 2) -> str:
        if not depth:
            raise ValueError("Max string recursion exceeded")
        meter = self.machine.meter
        meter.length(len(template))
        parts: list[str] = []
        for literal, name, spec, conversion in string.Formatter().parse(template):
            parts.append(literal)
            if name is not None:
                value = self.value_of(name)
                spec = self.fill(spec, depth - 1) if spec and "{" in spec else spec or ""
                parts.append(format_field(self.machine, value, conversion, spec))
        meter.length(sum(map(len, parts)))
        return "".join(parts)

    def value_of(self, name: str) -> Value:
        """The value of a field: an argument, or an attribute or an item of one."""
        first = re.split(r"[.\[]", name, maxsplit=1)[0]
        value = self.kwargs[first] if first and not first.isdigit() else self.at(first)
        end = len(first)
        for part in BELONGING.finditer(name, end):
            if part.start() != end:
                break
            self.machine.meter.charge()
            end, attribute, key = part.end(), part["attribute"], part["key"]
            if (attribute or key).startswith("_"):
                raise Refusal(f"str.format with the field {{{name}}} is not supported here: give the value itself.")
            if attribute:
                value = load(self.machine, value, attribute)
            else:
                value = fetch(self.machine, value, int(key) if key.isdigit() else key)
        if end < len(name):
            raise ValueError("Empty attribute in format string")
        return value

    def at(self, number: str) -> Value:
        """The argument at a place that is given, or the next one."""
        if not number:
            if self.numbered:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            place = self.count
            self.count += 1
        elif self.count:
            raise ValueError("cannot switch from automatic field numbering to manual field specification")
        else:
            place, self.numbered = int(number[:9]), True
        if place >= len(self.args):
            raise IndexError(f"Replacement index {place} out of range for positional args tuple")
        return self.args[place]


Method = Builtin
"""A method is a builtin that is handed its object as first argument (behind the machine, if it asks for it)."""


# ---- str


def _replace(machine: Machine, this: str, old: str, new: str, count: int = -1) -> str:
    found = this.count(old) if count < 0 else min(count, this.count(old))
    machine.meter.length(len(this) + found * len(new))
    return this.replace(old, new, count)


def _make_padding(way: Callable[..., str]) -> Callable[..., str]:
    def run(machine: Machine, this: str, width: int, fill: str = " ") -> str:
        machine.meter.length(max(width, len(this)))
        return way(this, width, fill)

    return run


def _zfill(machine: Machine, this: str, width: int) -> str:
    machine.meter.length(max(width, len(this)))
    return this.zfill(width)


def _expandtabs(machine: Machine, this: str, tabsize: int = 8) -> str:
    machine.meter.length(len(this) + this.count("\t") * max(tabsize, 0))
    return this.expandtabs(tabsize)


def _translate(machine: Machine, this: str, table: dict[int, Value]) -> str:
    made = [table.get(ord(letter), letter) for letter in this]
    if any(not isinstance(part, (str, int, type(None))) for part in made):
        raise TypeError("character mapping must return integer, None or str")
    parts = ["" if part is None else chr(part) if isinstance(part, int) else str.__str__(part) for part in made]
    machine.meter.length(sum(map(len, parts)))
    return "".join(parts)


def maketrans(machine: Machine, x: Value, y: str = "", z: str = "") -> dict[int, Value]:
    """`str.maketrans`"""
    if isinstance(x, dict):
        return {ord(key) if isinstance(key, str) else key: value for key, value in x.items()}
    if len(x) != len(y):
        raise ValueError("the first two maketrans arguments must have equal length")
    return {**{ord(a): ord(b) for a, b in zip(x, y, strict=True)}, **{ord(letter): None for letter in z}}


STR_PLAIN = (
    "capitalize casefold count endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier "
    "islower isnumeric isspace istitle isupper lower lstrip partition removeprefix removesuffix "
    "rstrip split splitlines startswith strip swapcase title upper"
)
STR_BACKWARD = "rfind rindex rpartition rsplit"
"""These try what they look for at each place: the host knows no better way backwards."""


def _read(name: str, backward: bool = False) -> Method:
    """A method of str that goes through the text once, or at each place through what it looks for."""
    way = getattr(str, name)

    def run(machine: Machine, this: str, /, *given: Value, **named: Value) -> Value:
        if not isinstance(this, str):
            return way(this, *given, **named)  # says what it is no method of
        machine.meter.charge(len(this) >> 6)
        part = given[0] if given else named.get("sep")
        if backward and isinstance(part, str):
            machine.meter.charge(len(this) * len(part) >> 14)
        return way(this, *given, **named)

    return Method(name, run, machine=True)


# ---- list


def _append(machine: Machine, this: list[Value], item: Value) -> None:
    if len(this) >= machine.limits.length:
        machine.meter.length(len(this) + 1)
    this.append(item)


def _insert(machine: Machine, this: list[Value], at: int, item: Value) -> None:
    machine.meter.length(len(this) + 1)
    this.insert(at, item)


def _make_append(way: Callable[..., None]) -> Callable[..., None]:
    def run(machine: Machine, this: deque[Value], item: Value) -> None:
        if len(this) >= machine.limits.length:
            machine.meter.length(len(this) + 1)
        way(this, item)

    return run


def _extend_left(machine: Machine, this: deque[Value], items: Value) -> None:
    found = collect_items(machine, items)
    machine.meter.length(len(this) + len(found))
    this.extendleft(found)


def _copy(machine: Machine, this: Any) -> Any:
    machine.meter.length(len(this))
    return this.copy()


def _remove(machine: Machine, this: list[Value], item: Value) -> None:
    for at, other in enumerate(this):
        if is_same(machine, other, item):
            del this[at]
            return
    raise ValueError("list.remove(x): x not in list" if isinstance(this, list) else "deque.remove(x): x not in deque")


def _index(machine: Machine, this: Any, item: Value, start: int = 0, stop: int | None = None) -> int:
    for at in range(*slice(start, stop).indices(len(this))):
        if is_same(machine, this[at], item):
            return at
    raise ValueError(
        "tuple.index(x): x not in tuple"
        if isinstance(this, tuple)
        else f"{repr_of(machine, item)} is not in {'deque' if isinstance(this, deque) else 'list'}"
    )


def _count(machine: Machine, this: Any, item: Value) -> int:
    return sum(1 for other in this if is_same(machine, other, item))


EASY = (bool, int, float)


def sort_items(machine: Machine, items: list[Value], key: Value = None, reverse: Value = False) -> list[Value]:
    """`items` sorted, each comparison charged."""
    keys = [call(machine, key, [item], {}) for item in items] if key is not None else items
    machine.meter.charge(len(items) * max(len(items).bit_length(), 1) // 8)
    if all(type(k) in EASY for k in keys) or all(type(k) is str for k in keys):
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=truth_of(machine, reverse))
        return [items[at] for at in order]

    def compare(left: int, right: int) -> int:
        machine.meter.charge()
        if truth_of(machine, less(machine, keys[left], keys[right])):
            return -1
        return 1 if truth_of(machine, less(machine, keys[right], keys[left])) else 0

    order = sorted(range(len(items)), key=cmp_to_key(compare), reverse=truth_of(machine, reverse))
    return [items[at] for at in order]


def _sort(machine: Machine, this: list[Value], *, key: Value = None, reverse: Value = False) -> None:
    this[:] = sort_items(machine, list(this), key, reverse)


# ---- dict and set


def _setdefault(machine: Machine, this: dict[Value, Value], key: Value, default: Value = None) -> Value:
    machine.meter.length(len(this) + 1)
    return this.setdefault(charge_key(machine, key), default)


def _fromkeys(machine: Machine, keys: Value, value: Value = None) -> dict[Value, Value]:
    return dict.fromkeys(charge_keys(machine, collect_items(machine, keys)), value)


def _add(machine: Machine, this: set[Value], item: Value) -> None:
    machine.meter.length(len(this) + 1)
    this.add(charge_key(machine, item))


def _make_combination(way: Callable[..., Any]) -> Callable[..., Any]:
    def run(machine: Machine, this: Any, *others: Value) -> Any:
        charge_unfolded(machine, this)
        sets = [charge_keys(machine, collect_items(machine, other)) for other in others]
        machine.meter.length(len(this) + sum(map(len, sets)))
        return way(this, *sets)

    return run


def _plain(kind: type, names: str) -> dict[str, Method]:
    """Methods that Python's own do as they are; `names` is written here, never by a program."""
    return {name: Method(name, getattr(kind, name)) for name in names.split()}


def _ours(**ways: Callable[..., Any]) -> dict[str, Method]:
    return {name.rstrip("_"): Method(name.rstrip("_"), way, machine=True) for name, way in ways.items()}


def _by_key(kind: type, names: str) -> dict[str, Method]:
    """Methods that hash what they are given; `names` as in `_plain`."""

    def one(way: Callable[..., Any]) -> Callable[..., Any]:
        return lambda machine, this, /, key, *rest, **named: way(this, charge_key(machine, key), *rest, **named)

    return {name: Method(name, one(getattr(kind, name)), machine=True) for name in names.split()}


SET = _plain(set, "clear") | _ours(pop=take_any) | _by_key(set, "discard remove")
COMBINE = (
    "difference intersection issubset issuperset isdisjoint symmetric_difference union update "
    "difference_update intersection_update symmetric_difference_update"
).split()
READING = ("difference", "intersection", "issubset", "issuperset", "isdisjoint", "symmetric_difference", "union")

METHODS: dict[type, dict[str, Method]] = {
    str: {name: _read(name) for name in STR_PLAIN.split()}
    | {name: _read(name, backward=True) for name in STR_BACKWARD.split()}
    | _ours(
        replace=_replace,
        center=_make_padding(str.center),
        ljust=_make_padding(str.ljust),
        rjust=_make_padding(str.rjust),
        zfill=_zfill,
        expandtabs=_expandtabs,
        translate=_translate,
        join=lambda machine, this, parts: join_texts(machine, this, parts),
        format=str_format,
    ),
    list: _plain(list, "clear pop reverse")
    | _ours(
        append=_append,
        extend=extend,
        insert=_insert,
        copy=_copy,
        remove=_remove,
        index=_index,
        count=_count,
        sort=_sort,
    ),
    tuple: _ours(index=_index, count=_count),
    dict: _plain(dict, "clear items keys values popitem")
    | _by_key(dict, "get pop")
    | _ours(copy=_copy, update=update, setdefault=_setdefault),
    set: SET | _ours(add=_add, copy=_copy, **{name: _make_combination(getattr(set, name)) for name in COMBINE}),
    frozenset: _ours(copy=_copy, **{name: _make_combination(getattr(frozenset, name)) for name in READING}),
    int: _plain(int, "bit_length bit_count conjugate"),
    float: _plain(float, "is_integer conjugate as_integer_ratio hex"),
    complex: _plain(complex, "conjugate"),
    bool: {},
    range: _ours(index=_index, count=_count),
}
METHODS[OrderedDict] = METHODS[dict] | _plain(OrderedDict, "clear items keys popitem values")
METHODS[OrderedDict] |= _by_key(OrderedDict, "move_to_end pop")
METHODS[deque] = _plain(deque, "clear pop popleft reverse rotate") | _ours(
    append=_make_append(deque.append),
    appendleft=_make_append(deque.appendleft),
    extend=extend_queue,
    extendleft=_extend_left,
    insert=_insert,
    copy=_copy,
    remove=_remove,
    index=_index,
    count=_count,
)
for _kind, _methods in METHODS.items():
    for _method in _methods.values():
        _method.title = f"{_kind.__name__}.{_method.name}"

register(METHODS)
