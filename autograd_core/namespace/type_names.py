"""How messages name things: a method by its class, where it is printed or a call does not fit; a type as C does. And
which names of a program may stand for something of the host."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from types import FunctionType
from typing import Any


def name_methods(title: str, *parts: type) -> None:
    """Let the methods of classes that are `parts` of a class of torch be those of that class."""
    for part in parts:
        for name, method in vars(part).items():
            if isinstance(method, FunctionType) and method.__name__ == name:
                method.__qualname__ = f"{title}.{name}"


def own_method(kind: Any, name: str, owner: str) -> None:
    """Let the method `name` of `kind` be that of `owner`, in a copy if others have it, too; one that takes anything
    stays."""
    shared = getattr(kind, name)
    title = f"{owner}.{name}"
    if shared.__qualname__ == title or shared.__code__.co_flags & inspect.CO_VARARGS:
        return
    own = FunctionType(shared.__code__, shared.__globals__, shared.__name__, shared.__defaults__, shared.__closure__)
    own.__kwdefaults__, own.__annotations__, own.__doc__ = shared.__kwdefaults__, shared.__annotations__, shared.__doc__
    own.__qualname__ = title
    setattr(kind, name, own)


def binder(title: str, signature: inspect.Signature) -> Callable[..., dict[str, Any]]:
    """A method with the parameters of `signature` that gives its arguments by name: what Python says of a call that
    does not fit names `title`."""
    parameters = signature.parameters.values()
    by_name = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    names = ["self", *(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY), *["*"] * bool(by_name), *by_name]
    place: dict[str, Any] = {}
    pairs = ", ".join(f"{name!r}: {name}" for name in signature.parameters)
    exec(f"def bind({', '.join(names)}):\n    return {{{pairs}}}", place)
    bind = place["bind"]
    given = {p.name: p.default for p in parameters if p.default is not p.empty}
    bind.__defaults__ = tuple(default for name, default in given.items() if name not in by_name)
    bind.__kwdefaults__ = {name: given[name] for name in by_name if name in given}
    bind.__qualname__ = title
    return bind


HEAP_TYPE = 1 << 9
"""The flag of classes made by a class statement."""


def named_in_c(value: Any) -> str:
    """What C calls the type of `value`: with its module, if it was written in C and is no builtin."""
    kind = type(value)
    if kind.__module__ == "builtins" or (kind.__flags__ & HEAP_TYPE and kind.__module__ != "torch.return_types"):
        return kind.__name__
    return f"{kind.__module__}.{kind.__name__}"


# ---- names that come from a program and stand for something of the host: which of them may


def is_special(name: str) -> bool:
    """Whether Python or numpy ask objects of the host for `name` by themselves: `__class__`, `__array_interface__`."""
    return str.startswith(name, "__") and str.endswith(name, "__")  # a class of a program may extend str


def check_attribute(name: str) -> str:
    """`name`, which a program gave, as the name of an attribute of one of the engine's objects.

    Raises:
        AttributeError: it is special.
    """
    if is_special(name):
        raise AttributeError(f"{name[:60]!r} cannot be the name of a part here: Python itself looks it up on objects")
    return str.__str__(name)


@lru_cache(maxsize=1024)
def names_of(kind: type) -> frozenset[str]:
    """The attributes that every object of `kind` has: to look a program's name up among, not on the object."""
    return frozenset(dir(kind))
