"""Making classes: what a class statement, `type(...)` and a named tuple make of a name, bases and attributes."""

from __future__ import annotations

from collections import defaultdict

from autograd_core.ordered_dict import OrderedDict

from ..builtins.operators import Keyed
from ..engine.engine import torch
from ..engine.subclasses import function_class
from ..machine import Machine
from ..refusal import Refusal
from ..stdlib.collections import ABOUT_FIELDS, fields_of
from ..stdlib.enum import enumerate_members
from .calls import call, call_method
from .type_names import kind_name
from .typing_classes import PROTOCOL, describe_fields, is_typed_dict
from .values import (
    MISSING,
    Bound,
    Class,
    ClassMethod,
    ExceptionType,
    Function,
    Instance,
    Property,
    StaticMethod,
    Stub,
    Type,
    Value,
)

IMPLIED = ("__init_subclass__", "__class_getitem__")
"""Methods that belong to the class without saying so."""


def make_class(
    machine: Machine,
    name: str,
    bases: tuple[Value, ...],
    attributes: dict[str, Value],
    keywords: dict[str, Value] | None = None,
    qualname: str | None = None,
    module: str = "__main__",
) -> Value:
    keywords = keywords or {}
    if any(base is ABOUT_FIELDS for base in bases):
        return fields_of(machine, name, attributes)
    silent = next((base for base in bases if isinstance(base, Stub)), None)
    if silent is not None:
        raise Refusal(f"Classes that extend `{silent.name}` are not supported here.")
    protocol, typed_dict = PROTOCOL in bases, any(map(is_typed_dict, bases))
    bases = tuple(base for base in bases if not (isinstance(base, Type) and base.title in HINTS))
    made = Class(name, bases, attributes, machine)
    made.qualname = qualname or name
    made.title = f"{attributes.get('__module__', module)}.{made.qualname}"
    for base in bases:
        inherit(made, base)
    made.order = linearize(made)
    traits = {trait for base in made.order[1:] for trait in base.traits} - {"protocol", "checkable"}
    traits |= {"protocol"} if protocol else set()
    made.traits = frozenset(traits | {trait for trait in TRAITS if trait in attributes} | read_metaclass(keywords))
    if any(base.title == "abc.ABC" for base in made.order):
        made.traits |= {"abstract"}
    if made.host is not None or not all("__slots__" in base.attributes for base in made.order):
        made.traits -= {"__slots__"}
    if any(made.find(name) is not MISSING for name in ("__eq__", "__hash__")):
        made.made = Keyed
        if "__eq__" in attributes and "__hash__" not in attributes:
            attributes["__hash__"] = None
    if typed_dict:
        describe_fields(made, keywords)
    claim_functions(made, attributes)
    finish_class(made)
    if any(base.members is not None for base in made.order[1:]):
        enumerate_members(machine, made)
    notify_bases(machine, made, keywords)
    return made


TRAITS = ("__getattribute__", "__setattr__", "__delattr__", "__slots__")


HINTS = ("typing.Generic", "typing.Protocol", "typing.TypedDict", "object")


def read_metaclass(keywords: dict[str, Value]) -> set[str]:
    """What `metaclass=` asks for; only ABCMeta can be had."""
    given = keywords.pop("metaclass", None)
    if given is None or (isinstance(given, Type) and given.name == "type"):
        return set()
    if isinstance(given, Class) and given.title == "abc.ABCMeta":
        return {"abstract"}
    raise Refusal("Metaclasses are not supported here, but for ABCMeta: leave it out, or use `__init_subclass__`.")


def inherit(made: Class, base: Value) -> None:
    """Takes over what `base` is of ours: a container, a module, an exception."""
    if isinstance(base, Class):
        if made.host is not None and base.host is not None and made.host is not base.host:
            made.host = wider_type(made.host, base.host)
        made.host = made.host or base.host
        made.fields = made.fields or base.fields
        if base.exception is not None:
            inherit_exception(made, base.exception)
    elif isinstance(base, ExceptionType):
        inherit_exception(made, base)
    elif isinstance(base, Type):
        made.host = made.host or check_extendable(base)
    else:
        raise TypeError(f"a class cannot extend a value of type '{kind_name(base)}'")


def inherit_exception(made: Class, base: ExceptionType) -> None:
    before = made.exception.bases[1:] if made.exception is not None else ()
    made.exception = ExceptionType(made.name, base, None)
    made.exception.bases += tuple(kind for kind in before if kind not in made.exception.bases)


def wider_type(one: Type, other: Type) -> Type:
    """Of two types of ours that a class extends, the one that is the other too."""
    if issubclass(one.hosts[0], other.hosts[0]):
        return one
    if issubclass(other.hosts[0], one.hosts[0]):
        return other
    raise TypeError("multiple bases have instance lay-out conflict")


def claim_functions(made: Class, attributes: dict[str, Value]) -> None:
    """Functions learn which class they belong to, for `super()`."""
    for name in IMPLIED:
        if isinstance(attributes.get(name), Function):
            attributes[name] = ClassMethod(attributes[name])
    if isinstance(attributes.get("__new__"), Function):
        attributes["__new__"] = StaticMethod(attributes["__new__"])
    seen: set[int] = set()
    for value in attributes.values():
        for function in functions_in(value, seen):
            if not function.home:
                function.home.append(made)


def notify_bases(machine: Machine, made: Class, keywords: dict[str, Value]) -> None:
    """`__set_name__` of what the class holds, `__init_subclass__` of what it extends."""
    for name, value in list(made.attributes.items()):
        if isinstance(value, Instance):
            call_method(machine, value, "__set_name__", [made, name])
    found = made.find("__init_subclass__", made)
    if isinstance(found, ClassMethod):
        call(machine, Bound(found.function, made), [], keywords)
    elif keywords:
        raise TypeError(f"{made.name}.__init_subclass__() takes no keyword arguments")


EXTENDABLE = (
    torch.nn.Module,
    torch.autograd.Function,
    torch.optim.Optimizer,
    torch.optim.lr_scheduler.LRScheduler,
    torch.distributions.Distribution,
    torch.distributions.Transform,
    list,
    dict,
    tuple,
    set,
    frozenset,
    str,
    int,
    float,
)


CLOSED = (bool, torch.Size, OrderedDict, defaultdict)


def check_extendable(base: Type) -> Type:
    """`base`, if classes of programs may extend it."""
    if base.make is not None and base.hosts and issubclass(base.hosts[0], EXTENDABLE) and base.hosts[0] not in CLOSED:
        return base
    if base.name == "bool":
        raise TypeError("type 'bool' is not an acceptable base type")
    raise Refusal(f"Classes that extend `{base.title}` are not supported here.")


def linearize(made: Class) -> tuple[Class, ...]:
    """Python's order of bases (C3)."""
    waiting = [list(base.order) for base in made.bases if isinstance(base, Class)]
    waiting.append([base for base in made.bases if isinstance(base, Class)])
    found = [made]
    while any(waiting):
        for row in waiting:
            if row and not any(row[0] in other[1:] for other in waiting):
                first = row[0]
                break
        else:
            names = ", ".join(row[0].name for row in waiting[:-1] if row)
            raise TypeError(f"Cannot create a consistent method resolution\norder (MRO) for bases {names}")
        found.append(first)
        for row in waiting:
            if row and row[0] is first:
                del row[0]
    return tuple(found)


def functions_in(value: Value, seen: set[int]) -> list[Function]:
    """The functions that `value` is made of, those in `seen` left out: one may be there many times."""
    if id(value) in seen:
        return []
    seen.add(id(value))
    if isinstance(value, Function):
        return [value]
    if isinstance(value, (StaticMethod, ClassMethod)):
        return functions_in(value.function, seen)
    if isinstance(value, Property):
        parts = (value.getter, value.setter, value.deleter)
        return [function for part in parts for function in functions_in(part, seen)]
    return []


def finish_class(kind: Class) -> None:
    """Gives a class that extends autograd.Function its subclass in the engine, and an optimizer's step its hooks."""
    if kind.host is None:
        return
    host, step = kind.host.hosts[0], kind.attributes.get("step")
    if issubclass(host, torch.autograd.Function):
        kind.native = function_class(kind)
    elif issubclass(host, torch.optim.Optimizer) and isinstance(step, Function):
        kind.attributes["step"] = make_step(step)


def make_step(function: Function) -> Function:
    """The `step` of an optimizer of the program, as the engine runs steps: with hooks, and seen by schedulers."""
    made = Function(function.name, function.doc)
    made.home, made.attributes = function.home, function.attributes
    run = torch.optim.optimizer.run_with_hooks(lambda this, *args, **kwargs: function.invoke([this, *args], kwargs))
    made.invoke = lambda args, kwargs: run(*args, **kwargs)
    return made
