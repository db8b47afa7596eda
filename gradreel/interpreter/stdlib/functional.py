"""itertools, functools and operator: what is not written in Python in `pure_python`."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import Any

from ..builtins.introspection import is_callable, plain_name
from ..builtins.iteration import OFTEN, Charged, collect_items, iterate, source_of
from ..builtins.operators import BINARY, COMPARE, UNARY, apply_unary, contains, make_binary
from ..builtins.sequences import absolute
from ..builtins.subscripts import fetch
from ..engine.engine import TENSORS
from ..engine.gate import NUMBERS
from ..machine import Machine
from ..runtime.attributes import load
from ..runtime.calls import call, truth_of
from ..runtime.values import MISSING, Builtin, Function, Value, make_module

ITERATORS = "count repeat cycle product combinations permutations combinations_with_replacement".split()


KINDS = {name: type(name, (Charged,), {"__slots__": (), "__module__": "itertools"}) for name in ITERATORS}
"""The same by the name of the type that programs see."""


def _iterator(way: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, /, *sources, **named: way(*(source_of(machine, each) for each in sources), **named)


COUNTED: Any = (int, float, complex, *NUMBERS, *TENSORS)


def _count(machine: Machine, start: Value = 0, step: Value = 1) -> Any:
    if not isinstance(start, COUNTED) or not isinstance(step, COUNTED):
        raise TypeError("a number is required")
    return KINDS["count"](machine, itertools.count(start, step))


def _repeat(machine: Machine, item: Value, times: int | None = None) -> Any:
    return KINDS["repeat"](machine, itertools.repeat(item) if times is None else itertools.repeat(item, times))


def _cycle(machine: Machine, source: Value) -> Any:
    return KINDS["cycle"](machine, itertools.cycle(collect_items(machine, source)))


def _product(machine: Machine, *sources: Value, repeat: int = 1) -> Any:
    pools = [collect_items(machine, source) for source in sources]
    return choosing(machine, "product", len(pools) * max(repeat, 0), *pools, repeat=repeat)


def _choices(name: str) -> Callable[..., Any]:
    """What gives tuples of `r` items of one source."""

    def run(machine: Machine, iterable: Value, r: int | None = None) -> Any:
        items = collect_items(machine, iterable)
        return choosing(machine, name, len(items) if r is None else r, items, *([] if r is None else [r]))

    return run


def choosing(machine: Machine, /, name: str, length: int, *given: Any, **named: Any) -> Any:
    """An iterator over tuples of so many items."""
    machine.meter.length(length)
    return KINDS[name](machine, getattr(itertools, name)(*given, **named), length // OFTEN)  # a name of this file


def _slice(machine: Machine, source: Value, *bounds: Value) -> Any:
    return itertools.islice(Charged(machine, iterate(machine, source)), *bounds)


def _compress(machine: Machine, data: Value, selectors: Value) -> Any:
    marked = zip(Charged(machine, iterate(machine, data)), source_of(machine, selectors), strict=False)
    return (item for item, keep in marked if truth_of(machine, keep))


def _tee(machine: Machine, iterable: Value, n: int = 2) -> Any:
    items = collect_items(machine, iterable)
    machine.meter.length(len(items) * max(n, 0) + max(n, 0))
    return tuple(iter(list(items)) for _ in range(n))


CHAIN = Builtin("chain", _iterator(itertools.chain), machine=True)
CHAIN.more = {
    "from_iterable": Builtin(
        "from_iterable",
        lambda machine, sources: itertools.chain.from_iterable(
            source_of(machine, each) for each in collect_items(machine, sources)
        ),
        machine=True,
    )
}

ITERTOOLS = make_module(
    "itertools",
    {
        "count": _count,
        "repeat": _repeat,
        "zip_longest": _iterator(itertools.zip_longest),
        "islice": _slice,
        "pairwise": _iterator(itertools.pairwise),
        "cycle": _cycle,
        "product": _product,
        **{name: _choices(name) for name in ("combinations", "permutations", "combinations_with_replacement")},
        "compress": _compress,
        "tee": _tee,
    },
    {"chain": CHAIN},
    pure_python=True,
)

# ---- functools


def _reduce(machine: Machine, function: Value, items: Value, start: Value = MISSING) -> Value:
    result = start
    for item in iterate(machine, items):
        machine.meter.charge()
        result = item if result is MISSING else call(machine, function, [result, item], {})
    if result is MISSING:
        raise TypeError("reduce() of empty iterable with no initial value")
    return result


def _partial(machine: Machine, function: Value, /, *args: Value, **kwargs: Value) -> Builtin:
    if not is_callable(machine, function):
        raise TypeError("the first argument must be callable")
    if isinstance(function, Builtin) and function.name == "partial" and "func" in function.more:
        before = function.more
        function, args, kwargs = before["func"], (*before["args"], *args), {**before["keywords"], **kwargs}
    made = Builtin("partial", lambda m, /, *more, **named: call(m, function, [*args, *more], {**kwargs, **named}), True)
    made.more = {"func": function, "args": args, "keywords": kwargs}
    return made


def _wraps(machine: Machine, wrapped: Value, assigned: Value = (), updated: Value = ()) -> Builtin:
    return Builtin("wraps", lambda m, made: _update(m, made, wrapped), True)


def _update(machine: Machine, wrapper: Value, wrapped: Value, *rest: Value) -> Value:
    """functools.update_wrapper"""
    if isinstance(wrapper, Function):
        if isinstance(wrapped, Function):
            wrapper.name, wrapper.title, wrapper.doc = wrapped.name, wrapped.title, wrapped.doc
            wrapper.attributes.update(wrapped.attributes)
        wrapper.attributes["__wrapped__"] = wrapped
    return wrapper


FUNCTOOLS = make_module(
    "functools", {"reduce": _reduce, "partial": _partial, "wraps": _wraps, "update_wrapper": _update}, pure_python=True
)

# ---- operator


def _binary(kind: type[ast.operator], inplace: bool) -> Callable[..., Any]:
    return lambda machine, a, b: make_binary(machine, kind, inplace)(a, b)


def _getter(machine: Machine, *wanted: Value) -> Builtin:
    def get(m: Machine, owner: Value) -> Value:
        found = tuple(fetch(m, owner, one) for one in wanted)
        return found[0] if len(found) == 1 else found

    return Builtin("itemgetter", get, True)


def _attributes(machine: Machine, *names: str) -> Builtin:
    def one(m: Machine, owner: Value, path: str) -> Value:
        for name in path.split("."):
            owner = load(m, owner, plain_name(name))
        return owner

    def get(m: Machine, owner: Value) -> Value:
        found = tuple(one(m, owner, name) for name in names)
        return found[0] if len(found) == 1 else found

    return Builtin("attrgetter", get, True)


def _caller(machine: Machine, name: str, /, *args: Value, **kwargs: Value) -> Builtin:
    plain_name(name)
    return Builtin("methodcaller", lambda m, owner: call(m, load(m, owner, name), list(args), kwargs), True)


NAMES = {"and": "and_", "or": "or_"}
TESTS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
TESTS |= {ast.Is: "is_", ast.IsNot: "is_not"}

OPERATOR = make_module(
    "operator",
    {NAMES.get(row.method, row.method): _binary(kind, False) for kind, row in BINARY.items()}
    | {f"i{row.method}": _binary(kind, True) for kind, row in BINARY.items()}
    | {name: COMPARE[kind] for kind, name in TESTS.items()}
    | {
        name: (lambda sign: lambda machine, value: apply_unary(machine, sign, value))(UNARY[kind][0])
        for kind, name in ((ast.USub, "neg"), (ast.UAdd, "pos"), (ast.Invert, "invert"))
    }
    | {
        "not_": lambda machine, value: not truth_of(machine, value),
        "truth": truth_of,
        "abs": absolute,
        "contains": lambda machine, holder, item: contains(machine, item, holder),
        "getitem": fetch,
        "itemgetter": _getter,
        "attrgetter": _attributes,
        "methodcaller": _caller,
    },
)
