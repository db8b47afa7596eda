"""Calling and iterating: what a call does for each kind of callable, and what a `for` walks through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .bridge import PLAIN, Companion, from_engine, function_class, new_module, to_engine
from .engine import torch
from .machine import Machine
from .sizes import ASKED
from .values import (
    MISSING,
    Bound,
    Builtin,
    Class,
    ClassMethod,
    Error,
    ExceptionType,
    Foreign,
    Function,
    Generator,
    Instance,
    Namespace,
    StaticMethod,
    Super,
    Type,
    Value,
)

ITERABLE = (list, tuple, str, dict, set, frozenset, range, enumerate, zip, Generator, np.ndarray, torch.Tensor)


def call(machine: Machine, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`function(*args, **kwargs)`. The list `args` is given away."""
    kind = type(function)
    if kind is Function:
        return function.invoke(args, kwargs)
    if kind is Foreign:
        return foreign(machine, function, args, kwargs)
    machine.meter.charge()
    if kind is Builtin:
        if function.receiver is not MISSING:
            args.insert(0, function.receiver)
        if function.machine:
            return function.run(machine, *args, **kwargs)
        return function.run(*args, **kwargs)
    if kind is Bound:
        args.insert(0, function.receiver)
        return call(machine, function.function, args, kwargs)
    if kind is Class:
        return instantiate(machine, function, args, kwargs)
    if kind is Type:
        if function.make is None:
            raise TypeError(f"cannot create '{function.title}' instances")
        if args and type(args[0]) is Function and issubclass(function.hosts[0], CONTEXTS):
            return decorated(function.hosts[0](), args[0])
        return call(machine, function.make, args, kwargs)
    if kind is ExceptionType:
        return Error(function, tuple(args))
    if isinstance(function, torch.nn.Module):
        return call_module(machine, function, args, kwargs)
    if kind is Instance and function.kind.find("__call__") is not MISSING:
        return call(machine, Bound(function.kind.find("__call__"), function), args, kwargs)
    if kind is StaticMethod:
        return call(machine, function.function, args, kwargs)
    if isinstance(function, CONTEXTS):
        return decorated(function, args[0])
    raise TypeError(f"'{kind_name(function)}' object is not callable")


def decorated(context: Any, function: Value) -> Function:
    """`@torch.no_grad()`: the function, each call of it inside such a context."""
    if not isinstance(function, Function):
        raise TypeError(f"'{kind_name(context)}' object is not callable")
    made = Function(function.name, function.doc)
    made.home = function.home

    def invoke(args: list[Value], kwargs: dict[str, Value]) -> Value:
        with context.fresh():
            return function.invoke(args, kwargs)

    made.invoke = invoke
    return made


CONTEXTS: tuple[type, ...] = (torch.no_grad, torch.enable_grad, torch.set_grad_enabled, torch.inference_mode)
"""Context managers of the engine that serve as decorators too."""


def foreign(machine: Machine, function: Foreign, args: list[Value], kwargs: dict[str, Value]) -> Value:
    machine.meter.charge()
    if function.receiver is not MISSING:
        args.insert(0, function.receiver)
    asked = ASKED.get(function.name)
    if asked is not None and args:
        machine.meter.elements(asked((*args, *kwargs.values())))
    for arg in args:
        if type(arg) not in PLAIN:
            arg = None
            args[:] = [to_engine(machine, arg) for arg in args]
            break
    arg = None
    if kwargs:
        kwargs = {name: to_engine(machine, value) for name, value in kwargs.items()}
    result = function.run(*args, **kwargs)
    return result if type(result) in PLAIN else from_engine(result)


HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def call_module(machine: Machine, module: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`module(...)`: a module of the program without hooks runs its forward directly, others by the engine's way."""
    if isinstance(module, Companion):
        own = module.kind.find("__call__")
        if own is not MISSING:
            return call(machine, Bound(own, module), args, kwargs)
        forward = module.kind.find("forward")
        state = module.__dict__
        if isinstance(forward, Function) and not any(state.get(name) for name in HOOKS):
            args.insert(0, module)
            return forward.invoke(args, kwargs)
    return foreign(machine, Foreign("forward", module), args, kwargs)


def instantiate(machine: Machine, kind: Class, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A new object of the program's class, with its `__init__` run."""
    this: Value
    if kind.exception is not None:
        this = Error(kind.exception, tuple(args), kind)
    elif kind.host is not None and kind.native is None:
        this = new_module(kind, kind.host.hosts[0])
    else:
        this = Instance(kind)
    start = kind.find("__init__")
    if start is not MISSING:
        args.insert(0, this)
        if call(machine, start, args, kwargs) is not None:
            raise TypeError("__init__() should return None")
    elif kind.host is not None and kind.native is None:
        kind.host.hosts[0].__init__(this, *[to_engine(machine, a) for a in args], **kwargs)  # type: ignore[misc]
    elif (args or kwargs) and kind.exception is None:
        raise TypeError(f"{kind.name}() takes no arguments")
    return this


def call_method(machine: Machine, owner: Value, name: str, args: list[Value]) -> Value:
    """A special method of an object of the program; NotImplemented if its class has none."""
    found = owner.kind.find(name) if isinstance(owner, (Instance, Companion)) else MISSING
    if found is MISSING or found is None:
        return NotImplemented
    if isinstance(found, StaticMethod):
        return call(machine, found.function, args, {})
    if isinstance(found, ClassMethod):
        return call(machine, found.function, [owner.kind, *args], {})
    return call(machine, found, [owner, *args], {})


class Walk:
    """Iteration by the `__next__` of an object of the program."""

    __slots__ = ("machine", "source")

    def __init__(self, machine: Machine, source: Value) -> None:
        self.machine = machine
        self.source = source

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        return call_method(self.machine, self.source, "__next__", [])


class Indexed:
    """Iteration by `__getitem__` with 0, 1, 2, ... until IndexError."""

    __slots__ = ("machine", "source", "at")

    def __init__(self, machine: Machine, source: Value) -> None:
        self.machine = machine
        self.source = source
        self.at = -1

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        self.at += 1
        try:
            return call_method(self.machine, self.source, "__getitem__", [self.at])
        except IndexError:
            raise StopIteration from None


def iterate(machine: Machine, value: Any) -> Iterator[Value]:
    """An iterator over `value`. Each item is charged by whoever asks for it."""
    if isinstance(value, ITERABLE):
        return iter(value)
    if isinstance(value, (Instance, Companion)):
        found = call_method(machine, value, "__iter__", [])
        if found is not NotImplemented:
            return Walk(machine, found) if isinstance(found, Instance) else iterate(machine, found)
        if value.kind.find("__getitem__") is not MISSING:
            return Indexed(machine, value)
    if isinstance(value, (Walk, Indexed)) or (isinstance(value, Iterator) and not isinstance(value, Namespace)):
        return value
    if isinstance(value, VIEWS) or (isinstance(value, torch.nn.Module) and hasattr(type(value), "__iter__")):
        source: Any = value
        return iter(source)
    raise TypeError(f"'{kind_name(value)}' object is not iterable")


VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def listed(machine: Machine, value: Value) -> list[Value]:
    """All items of `value`, charged one by one."""
    meter, items = machine.meter, []
    limit = machine.limits.length
    for item in iterate(machine, value):
        items.append(item)
        meter.steps += 1
        if meter.steps >= meter.check_at:
            meter.check()
        if len(items) > limit:
            meter.length(len(items))
    return items


def own_length(machine: Machine, value: Value) -> int | None:
    """What the class's `__len__` says, or None if it has none."""
    answer = call_method(machine, value, "__len__", [])
    if answer is NotImplemented:
        return None
    if not isinstance(answer, int):
        raise TypeError(f"'{kind_name(answer)}' object cannot be interpreted as an integer")
    if answer < 0:
        raise ValueError("__len__() should return >= 0")
    if answer.bit_length() > 63:
        raise OverflowError("cannot fit 'int' into an index-sized integer")
    return answer


def truth(machine: Machine, value: Value) -> bool:
    if isinstance(value, Instance):
        answer = call_method(machine, value, "__bool__", [])
        if answer is not NotImplemented:
            if not isinstance(answer, bool):
                raise TypeError(f"__bool__ should return bool, returned {kind_name(answer)}")
            return answer
        count = own_length(machine, value)
        return count is None or count > 0
    return bool(value)


# ---- names of types


NAMES: dict[type, str] = {
    Function: "function",
    Bound: "method",
    Builtin: "builtin_function_or_method",
    Foreign: "builtin_function_or_method",
    Class: "type",
    Type: "type",
    ExceptionType: "type",
    Namespace: "module",
    Super: "super",
    Walk: "iterator",
    Indexed: "iterator",
}


def kind_name(value: Value) -> str:
    """The name of the type of `value`, as Python's messages give it."""
    if isinstance(value, (Instance, Companion)):
        return value.kind.name
    if isinstance(value, Error):
        return value.own.name if value.own else value.kind.name
    if isinstance(value, Generator):
        return value.name
    return NAMES.get(type(value)) or type(value).__name__


def finish_class(kind: Class) -> None:
    """Gives a class that extends autograd.Function its companion in the engine."""
    if kind.host is not None and issubclass(kind.host.hosts[0], torch.autograd.Function):
        kind.native = function_class(kind)
