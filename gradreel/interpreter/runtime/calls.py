"""Calling and iterating: what a call does for each kind of callable, and what a `for` walks through."""

from __future__ import annotations

from typing import Any

from ..engine.bridge import PLAIN, Callback, class_taken, from_engine, to_engine
from ..engine.cost_model import ASKED
from ..engine.engine import torch
from ..engine.gate import check, computes
from ..engine.subclasses import Companion
from ..machine import Machine
from ..torch_module.devices import at_home
from .allowed_types import KNOWN, check_value
from .arguments import unfit
from .creating import instantiate
from .errors import parted
from .looks import kind_name, unseen
from .values import (
    MISSING,
    OBJECTS,
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
    Silent,
    StaticMethod,
    Type,
    Value,
)


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
        if computes(function.run):
            check(function.run, function.name, args, kwargs)
        try:
            made = function.run(machine, *args, **kwargs) if function.machine else function.run(*args, **kwargs)
            return made if KNOWN.get(type(made)) else check_value(made)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None or type(function.run) is TOLD:
                raise
            raise unfit(function, len(args), kwargs, error) from None
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
        if kwargs and function.name not in ("ImportError", "ModuleNotFoundError", "NameError", "AttributeError"):
            raise TypeError(f"{function.name}() takes no keyword arguments")
        made = Error(function, tuple(args))
        made.attributes.update(kwargs)
        parted(made)
        return made
    if isinstance(function, torch.nn.Module):
        return call_module(machine, function, args, kwargs)
    if isinstance(function, torch.distributions.Transform):
        return foreign(machine, Foreign("transform", function), args, kwargs)
    if isinstance(function, OBJECTS) and function.kind.find("__call__") is not MISSING:
        return call(machine, Bound(function.kind.find("__call__"), function), args, kwargs)
    if kind is StaticMethod or isinstance(function, Callback):
        return call(machine, function.function, args, kwargs)
    if kind is Silent:
        return function
    if kind is Instance and (host := function.kind.host) and issubclass(host.hosts[0], torch.autograd.Function):
        return torch.autograd.Function.__call__(function)
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
            result = function.invoke(args, kwargs)
        if isinstance(result, Generator) and result.name == function.title:
            result.source = Inside(result.source, context)
        return result

    made.invoke = invoke
    return made


class Inside:
    """A running generator function, each step of it in a context of its own."""

    __slots__ = ("source", "context")

    def __init__(self, source: Any, context: Any) -> None:
        self.source, self.context = source, context

    def __iter__(self) -> Inside:
        return self

    def __next__(self) -> Value:
        return self.send(None)

    def send(self, value: Value) -> Value:
        with self.context.fresh():
            return self.source.send(value)

    def throw(self, raised: BaseException) -> Value:
        with self.context.fresh():
            return self.source.throw(raised)

    def close(self) -> None:
        with self.context.fresh():
            self.source.close()


TOLD = type(str.upper)
"""Functions of the host written in C: their own words about wrong arguments are Python's."""

CONTEXTS: tuple[type, ...] = (torch.no_grad, torch.enable_grad, torch.set_grad_enabled, torch.inference_mode)
"""Context managers of the engine that serve as decorators too."""


def foreign(machine: Machine, function: Foreign, args: list[Value], kwargs: dict[str, Value]) -> Value:
    machine.meter.charge()
    if function.receiver is not MISSING:
        args.insert(0, function.receiver)
    if "device" in kwargs or function.name == "to":
        kwargs = at_home(machine, function.name, args, kwargs)
    asked = ASKED.get(function.name)
    if asked is not None and args:
        machine.meter.elements(asked((*args, *kwargs.values())))
    for arg in args:
        if type(arg) not in PLAIN:
            arg = None
            args[:] = [
                class_taken(machine, function, arg) if type(arg) is Type else to_engine(machine, arg) for arg in args
            ]
            if computes(function.run):
                check(function.run, function.name, args, {})
            break
    arg = None
    if kwargs:
        kwargs = {
            name: class_taken(machine, function, value, name) if type(value) is Type else to_engine(machine, value)
            for name, value in kwargs.items()
        }
        if computes(function.run):
            check(function.run, function.name, [], kwargs)
    try:
        result = function.run(*args, **kwargs)
    except TypeError as error:
        if isinstance(function.run, type):
            named_after(error, function.run)
        raise
    return result if type(result) in PLAIN else from_engine(result)


def named_after(error: TypeError, made: type) -> None:
    """Has a complaint about the arguments for a new `made` speak of it, where a class that torch has not began it."""
    owner, mark, rest = str(error).partition(".__init__() ")
    if mark and owner in [base.__name__ for base in made.__mro__] and not hasattr(torch.nn, owner):
        error.args = (f"{made.__name__}{mark}{rest}",)


HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def call_module(machine: Machine, module: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`module(...)`: a module of the program without hooks runs its forward directly, others by the engine's way."""
    if isinstance(module, Companion):
        own = module.kind.find("__call__")
        if own is not MISSING:
            return call(machine, Bound(own, module), args, kwargs)
    return call_forward(machine, module, args, kwargs)


def call_forward(machine: Machine, module: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """The same, whatever `__call__` the program has written for it."""
    if isinstance(module, Companion):
        forward = module.kind.find("forward")
        state = module.__dict__
        if isinstance(forward, Function) and not any(state.get(name) for name in HOOKS):
            args.insert(0, module)
            return forward.invoke(args, kwargs)
    return foreign(machine, Foreign("forward", module), args, kwargs)


def call_method(machine: Machine, owner: Value, name: str, args: list[Value]) -> Value:
    """A special method of an object of the program; NotImplemented if its class has none."""
    found = owner.kind.find(name) if isinstance(owner, OBJECTS) else MISSING
    if found is MISSING or found is None:
        return NotImplemented
    if type(found) is Function:
        return found.invoke([owner, *args], {})
    if isinstance(found, StaticMethod):
        return call(machine, found.function, args, {})
    if isinstance(found, ClassMethod):
        return call(machine, found.function, [owner.kind, *args], {})
    if isinstance(found, OBJECTS):
        return call(machine, found, args, {})
    return call(machine, found, [owner, *args], {})


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
    if value is True or value is False:
        return value
    if isinstance(value, OBJECTS):
        answer = call_method(machine, value, "__bool__", [])
        if answer is not NotImplemented:
            if not isinstance(answer, bool):
                raise TypeError(f"__bool__ should return bool, returned {kind_name(answer)}")
            return answer
        count = own_length(machine, value)
        if count is not None:
            return count > 0
        if isinstance(value, Instance):
            return True
    if type(value) is Silent:
        raise unseen(value)
    return bool(value)


# ---- names of types


def instance(machine: Machine, given: Value, what: str = "exceptions") -> Error:
    """The exception that `raise given` raises: a class is called first."""
    if isinstance(given, ExceptionType) or (isinstance(given, Class) and given.exception is not None):
        given = call(machine, given, [], {})
    if not isinstance(given, Error):
        raise TypeError(f"{what} must derive from BaseException")
    return given
