"""itertools, functools and operator: what is not written in Python in `guest`."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import Any

from ..builtins.asking import is_callable
from ..builtins.comparing import COMPARE, contains
from ..builtins.iterating import iterate, listed
from ..builtins.operators import BINARY, UNARY, binary
from ..builtins.subscripts import fetch
from ..calls import call, truth
from ..machine import Machine
from ..objects.attributes import load
from ..objects.values import MISSING, Builtin, Function, Value
from .making import module


def _iterator(way: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, *sources, **named: way(*(iterate(machine, source) for source in sources), **named)


def _product(machine: Machine, *sources: Value, repeat: int = 1) -> Any:
    return itertools.product(*(listed(machine, source) for source in sources), repeat=repeat)


def _repeat(machine: Machine, item: Value, times: int | None = None) -> Any:
    return itertools.repeat(item) if times is None else itertools.repeat(item, times)


CHAIN = Builtin("chain", _iterator(itertools.chain), machine=True)
CHAIN.more = {
    "from_iterable": Builtin(
        "from_iterable",
        lambda machine, sources: itertools.chain.from_iterable(
            iterate(machine, source) for source in listed(machine, sources)
        ),
        machine=True,
    )
}

ITERTOOLS = module(
    "itertools",
    {
        "count": lambda machine, start=0, step=1: itertools.count(start, step),
        "repeat": _repeat,
        "zip_longest": _iterator(itertools.zip_longest),
        "islice": lambda machine, source, *bounds: itertools.islice(iterate(machine, source), *bounds),
        "pairwise": _iterator(itertools.pairwise),
        "cycle": lambda machine, source: itertools.cycle(listed(machine, source)),
        "product": _product,
        "combinations": lambda machine, source, r: itertools.combinations(listed(machine, source), r),
        "permutations": lambda machine, source, *r: itertools.permutations(listed(machine, source), *r),
        "combinations_with_replacement": lambda machine, source, r: itertools.combinations_with_replacement(
            listed(machine, source), r
        ),
        "compress": lambda machine, data, selectors: (
            item
            for item, keep in zip(iterate(machine, data), iterate(machine, selectors), strict=False)
            if truth(machine, keep)
        ),
        "tee": lambda machine, source, n=2: tuple(iter(list(items)) for items in [listed(machine, source)] * n),
    },
    {"chain": CHAIN},
    guest=True,
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
    made = Builtin("partial", lambda m, *more, **named: call(m, function, [*args, *more], {**kwargs, **named}), True)
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


FUNCTOOLS = module(
    "functools", {"reduce": _reduce, "partial": _partial, "wraps": _wraps, "update_wrapper": _update}, guest=True
)

# ---- operator


def _binary(kind: type[ast.operator], inplace: bool) -> Callable[..., Any]:
    return lambda machine, a, b: binary(machine, kind, inplace)(a, b)


def _getter(machine: Machine, *wanted: Value) -> Builtin:
    def get(m: Machine, owner: Value) -> Value:
        found = tuple(fetch(m, owner, one) for one in wanted)
        return found[0] if len(found) == 1 else found

    return Builtin("itemgetter", get, True)


def _attributes(machine: Machine, *names: str) -> Builtin:
    from ..builtins.asking import plain_name

    def one(m: Machine, owner: Value, path: str) -> Value:
        for name in path.split("."):
            owner = load(m, owner, plain_name(name))
        return owner

    def get(m: Machine, owner: Value) -> Value:
        found = tuple(one(m, owner, name) for name in names)
        return found[0] if len(found) == 1 else found

    return Builtin("attrgetter", get, True)


def _caller(machine: Machine, name: str, /, *args: Value, **kwargs: Value) -> Builtin:
    from ..builtins.asking import plain_name

    plain_name(name)
    return Builtin("methodcaller", lambda m, owner: call(m, load(m, owner, name), list(args), kwargs), True)


NAMES = {"and": "and_", "or": "or_"}
TESTS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
TESTS |= {ast.Is: "is_", ast.IsNot: "is_not"}

OPERATOR = module(
    "operator",
    {NAMES.get(row.method, row.method): _binary(kind, False) for kind, row in BINARY.items()}
    | {f"i{row.method}": _binary(kind, True) for kind, row in BINARY.items()}
    | {name: COMPARE[kind] for kind, name in TESTS.items()}
    | {
        name: (lambda way: lambda machine, value: way(value))(UNARY[kind][1])
        for kind, name in ((ast.USub, "neg"), (ast.UAdd, "pos"), (ast.Invert, "invert"))
    }
    | {
        "not_": lambda machine, value: not truth(machine, value),
        "truth": truth,
        "abs": lambda machine, value: abs(value),
        "contains": lambda machine, holder, item: contains(machine, item, holder),
        "getitem": fetch,
        "itemgetter": _getter,
        "attrgetter": _attributes,
        "methodcaller": _caller,
    },
)
