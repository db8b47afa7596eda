"""Calling: how arguments become the variables of a function, and what a call does for each kind of callable."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np

from autograd_core.nn.module import AROUND

from ..engine.bridge import PLAIN, Callback, class_argument, from_engine, to_engine
from ..engine.cost_model import ASKED
from ..engine.engine import torch
from ..engine.gate import check, computes
from ..engine.subclasses import ProgramModule
from ..machine import Machine
from ..torch_module.devices import replace_gpu_arguments
from .allowed_types import KNOWN, check_value
from .errors import split_os_error
from .instances import instantiate
from .type_names import kind_name, refuse_stub
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
    StaticMethod,
    Stub,
    Type,
    Value,
)

# ---- arguments: how they become variables, and what Python says when they do not fit


class Signature(NamedTuple):
    """The parameters of a function. `filled` are those with a default: as many of the last positional ones."""

    title: str
    positional: tuple[str, ...]
    only_positional: int
    keyword: tuple[str, ...]
    rest: str | None
    named: str | None


def bind_arguments(
    of: Signature, defaults: dict[str, Value], args: list[Value], kwargs: dict[str, Value]
) -> dict[str, Value]:
    """The variables that a call begins with. `args` is emptied: the caller keeps nothing of them."""
    count = len(of.positional)
    given = len(args)
    names = dict(zip(of.positional, args, strict=False))
    if of.rest is not None:
        names[of.rest] = tuple(args[count:])
    args.clear()
    if given > count and of.rest is None:
        raise too_many_arguments(of, defaults, given, kwargs)
    extra: dict[str, Value] = {}
    for name, value in kwargs.items():
        if name in of.keyword or name in of.positional[of.only_positional :]:
            if name in names:
                raise TypeError(f"{of.title}() got multiple values for argument '{name}'")
            names[name] = value
        elif of.named is not None:
            extra[name] = value
        elif name in of.positional:
            raise TypeError(f"{of.title}() got some positional-only arguments passed as keyword arguments: '{name}'")
        else:
            raise TypeError(f"{of.title}() got an unexpected keyword argument '{name}'")
    if of.named is not None:
        names[of.named] = extra
    for wanted, kind in ((of.positional, "positional"), (of.keyword, "keyword-only")):
        missing = [name for name in wanted if name not in names and name not in defaults]
        if missing:
            raise too_few_arguments(of, missing, kind)
        for name in wanted:
            if name not in names:
                names[name] = defaults[name]
    return names


def too_many_arguments(of: Signature, defaults: dict[str, Value], given: int, kwargs: dict[str, Value]) -> TypeError:
    count = len(of.positional)
    least = count - sum(1 for name in of.positional if name in defaults)
    takes = f"{count}" if least == count else f"from {least} to {count}"
    also = sum(1 for name in kwargs if name in of.keyword)
    were = "was" if given == 1 and not also else "were"
    extra = (
        f" positional argument{'s' * (given != 1)} (and {also} keyword-only argument{'s' * (also != 1)})"
        if also
        else ""
    )
    plural = "s" if count != 1 or least != count else ""
    return TypeError(f"{of.title}() takes {takes} positional argument{plural} but {given}{extra} {were} given")


def too_few_arguments(of: Signature, missing: list[str], kind: str) -> TypeError:
    quoted = [f"'{name}'" for name in missing]
    listing = (
        quoted[0]
        if len(quoted) == 1
        else (f"{quoted[0]} and {quoted[1]}" if len(quoted) == 2 else f"{', '.join(quoted[:-1])}, and {quoted[-1]}")
    )
    plural = "s" if len(missing) > 1 else ""
    return TypeError(f"{of.title}() missing {len(missing)} required {kind} argument{plural}: {listing}")


# ---- builtins

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def argument_error(function: Builtin, given: int, kwargs: dict[str, Value], error: TypeError) -> TypeError:
    """What Python says of a call of one of its builtins whose arguments do not fit; `error` says it of our function."""
    hidden = bool(function.machine) + (function.receiver is not MISSING)
    given -= function.receiver is not MISSING
    title = function.title or function.name
    parameters = list(inspect.signature(function.run).parameters.values())[hidden:]
    names = {p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    odd = next((name for name in kwargs if name not in names), None)
    if odd is not None:
        if not any(p.kind is p.KEYWORD_ONLY or p.default is not p.empty for p in parameters):
            return TypeError(f"{title}() takes no keyword arguments")
        return TypeError(f"'{odd}' is an invalid keyword argument for {title}()")
    places = [p for p in parameters if p.kind in POSITIONAL]
    least, most = sum(p.default is p.empty for p in places), len(places)
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        most = given + 1
    if least <= given <= most:
        return error
    name = title.rpartition(".")[2]
    if given < least and name in TOO_FEW:
        return TypeError(TOO_FEW[name])
    if name in BY_NAME:
        if given > most:
            return TypeError(f"{name}() takes at most {most} arguments ({given} given)")
        return TypeError(f"{name}() missing required argument '{BY_NAME[name][given]}' (pos {given + 1})")
    if not most and any(p.kind is p.KEYWORD_ONLY for p in parameters):
        return TypeError(f"{name}() takes no positional arguments")
    if least == most:
        if most <= 1 and name not in COUNTED:
            takes = "exactly one argument" if most else "no arguments"
            return TypeError(f"{title}() takes {takes} ({given} given)")
        return TypeError(f"{name} expected {most} argument{'s' * (most != 1)}, got {given}")
    bound, count = ("least", least) if given < least else ("most", most)
    return TypeError(f"{name} expected at {bound} {count} argument{'s' * (count != 1)}, got {given}")


BY_NAME: dict[str, tuple[str, ...]] = {
    "sum": (),
    "enumerate": (),
    "round": ("number",),
    "pow": ("base", "exp"),
    "int": (),
    "complex": (),
}
"""Builtins of C that take arguments by name, too, and what they cannot do without: they count in words of their own."""

TOO_FEW = {
    "sum": "sum() takes at least 1 positional argument (0 given)",
    "enumerate": "enumerate() missing required argument 'iterable'",
    "map": "map() must have at least two arguments.",
}

COUNTED = ("sorted", "reversed")
"""Builtins that say how many arguments they expected, though it is one."""


# ---- what a call does for each kind of callable


def call(machine: Machine, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`function(*args, **kwargs)`. The list `args` is given away."""
    kind = type(function)
    if kind is Function:
        return function.invoke(args, kwargs)
    if kind is Foreign:
        return call_engine(machine, function, args, kwargs)
    machine.meter.charge()
    if kind is Builtin:
        if function.receiver is not MISSING:
            args.insert(0, function.receiver)
        if computes(function.run):
            check(function.run, function.name, args, kwargs)
        try:
            made = function.run(machine, *args, **kwargs) if function.machine else function.run(*args, **kwargs)
            kind = type(made)
            return made if KNOWN[kind] and kind is not np.ndarray else check_value(made)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None or type(function.run) is TOLD:
                raise
            raise argument_error(function, len(args), kwargs, error) from None
    if kind is Bound:
        args.insert(0, function.receiver)
        return call(machine, function.function, args, kwargs)
    if kind is Class:
        return instantiate(machine, function, args, kwargs)
    if kind is Type:
        if function.make is None:
            raise TypeError(f"cannot create '{function.title}' instances")
        if args and type(args[0]) is Function and issubclass(function.hosts[0], CONTEXTS):
            return decorate(function.hosts[0](), args[0])
        return call(machine, function.make, args, kwargs)
    if kind is ExceptionType:
        if kwargs and function.name not in ("ImportError", "ModuleNotFoundError", "NameError", "AttributeError"):
            raise TypeError(f"{function.name}() takes no keyword arguments")
        made = Error(function, tuple(args))
        made.attributes.update(kwargs)
        split_os_error(made)
        return made
    if isinstance(function, torch.nn.Module):
        return call_module(machine, function, args, kwargs)
    if isinstance(function, torch.distributions.Transform):
        return call_engine(machine, Foreign("transform", function), args, kwargs)
    if isinstance(function, OBJECTS) and function.kind.find("__call__") is not MISSING:
        return call(machine, Bound(function.kind.find("__call__"), function), args, kwargs)
    if kind is StaticMethod or isinstance(function, Callback):
        return call(machine, function.function, args, kwargs)
    if kind is Stub:
        return function
    if kind is Instance and (host := function.kind.host) and issubclass(host.hosts[0], torch.autograd.Function):
        return torch.autograd.Function.__call__(function)
    if isinstance(function, CONTEXTS):
        return decorate(function, args[0])
    raise TypeError(f"'{kind_name(function)}' object is not callable")


def decorate(context: Any, function: Value) -> Function:
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


def call_engine(machine: Machine, function: Foreign, args: list[Value], kwargs: dict[str, Value]) -> Value:
    machine.meter.charge()
    if function.receiver is not MISSING:
        args.insert(0, function.receiver)
    if "device" in kwargs or function.name == "to":
        kwargs = replace_gpu_arguments(machine, function.name, args, kwargs)
    asked = ASKED.get(function.name)
    if asked is not None and args:
        machine.meter.elements(asked((*args, *kwargs.values())))
    for arg in args:
        if type(arg) not in PLAIN:
            arg = None
            args[:] = [
                class_argument(machine, function, arg) if type(arg) is Type else to_engine(machine, arg) for arg in args
            ]
            if computes(function.run):
                check(function.run, function.name, args, {})
            break
    arg = None
    if kwargs:
        kwargs = {
            name: class_argument(machine, function, value, name) if type(value) is Type else to_engine(machine, value)
            for name, value in kwargs.items()
        }
        if computes(function.run):
            check(function.run, function.name, [], kwargs)
    try:
        result = function.run(*args, **kwargs)
    except TypeError as error:
        if isinstance(function.run, type):
            name_made_type(error, function.run)
        raise
    return result if type(result) in PLAIN else from_engine(result)


def name_made_type(error: TypeError, made: type) -> None:
    """Has a complaint about the arguments for a new `made` speak of it, where a class that torch has not began it."""
    owner, mark, rest = str(error).partition(".__init__() ")
    if mark and owner in [base.__name__ for base in made.__mro__] and not hasattr(torch.nn, owner):
        error.args = (f"{made.__name__}{mark}{rest}",)


def call_module(machine: Machine, module: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`module(...)`: a module of the program without hooks runs its forward directly, others by the engine's way."""
    if isinstance(module, ProgramModule):
        own = module.kind.find("__call__")
        if own is not MISSING:
            return call(machine, Bound(own, module), args, kwargs)
    return call_forward(machine, module, args, kwargs)


def call_forward(machine: Machine, module: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """The same, whatever `__call__` the program has written for it."""
    if isinstance(module, ProgramModule):
        forward = module.kind.find("forward")
        state = module.__dict__
        if isinstance(forward, Function) and "forward" not in state and not any(state.get(name) for name in AROUND):
            args.insert(0, module)
            return forward.invoke(args, kwargs)
    return call_engine(machine, Foreign("forward", module), args, kwargs)


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


def truth_of(machine: Machine, value: Value) -> bool:
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
    if type(value) is Stub:
        raise refuse_stub(value)
    return bool(value)


# ---- names of types


def exception_instance(machine: Machine, given: Value, what: str = "exceptions") -> Error:
    """The exception that `raise given` raises: a class is called first."""
    if isinstance(given, ExceptionType) or (isinstance(given, Class) and given.exception is not None):
        given = call(machine, given, [], {})
    if not isinstance(given, Error):
        raise TypeError(f"{what} must derive from BaseException")
    return given
