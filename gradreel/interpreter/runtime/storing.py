"""Setting and deleting attributes: `owner.name = value`, `del owner.name`."""

from __future__ import annotations

from typing import Any

from autograd_core.nn.attributes import PLAIN, set_part

from ..builtins.iterating import listed
from ..engine.bridge import to_engine
from ..engine.engine import torch
from ..engine.subclasses import Companion, ready
from ..machine import Machine
from ..refusal import Refusal
from ..torch_module.devices import switch
from .attributes import own_attributes
from .calls import call, call_method
from .kinds import missing
from .looks import kind_name
from .tables import Entry, table_of
from .values import (
    ATTRIBUTES,
    MISSING,
    OBJECTS,
    VACANT,
    Attribute,
    Class,
    Error,
    Function,
    Instance,
    Namespace,
    Property,
    Silent,
    Value,
)


def store(machine: Machine, owner: Value, name: str, value: Value) -> None:
    """`owner.name = value`"""
    if type(owner) is Instance and not owner.kind.traits and owner.kind.find(name) is MISSING:
        owner.attributes[name] = value  # the usual case, by the shortest way
    elif isinstance(owner, OBJECTS) and "__setattr__" in owner.kind.traits:
        call_method(machine, owner, "__setattr__", [name, value])
    else:
        store_plainly(machine, owner, name, value)


def store_plainly(machine: Machine, owner: Value, name: str, value: Value) -> None:
    """`owner.name = value` by the usual rules, whatever the class of `owner` says of it."""
    kind = type(owner)
    if isinstance(owner, torch.nn.Module):
        store_on_module(machine, owner, name, value)
    elif isinstance(owner, OBJECTS):
        found = owner.kind.find(name) if owner.kind.find(name) is not MISSING else None
        entry = table_of(kind).get(name) if kind is not Instance else None
        if isinstance(entry, Attribute) and entry.set is not None:
            entry.set(owner, to_engine(machine, value))  # the engine reads it too
        elif not described(machine, found, owner, name, value):
            check_slots(owner, name)
            owner.attributes[name] = value
    elif kind is Error:
        found = owner.own.find(name) if owner.own else None
        if name == "args":
            owner.args = tuple(listed(machine, value))
        elif name == "__cause__":
            owner.cause, owner.suppressed = value, True
        elif not described(machine, found, owner, name, value):
            owner.attributes[name] = value
    elif kind is Class:
        if owner.machine is None:
            raise TypeError(f"cannot set '{name}' attribute of immutable type '{owner.name}'")
        if owner.members is not None and name in owner.members:
            raise AttributeError(f"cannot reassign member '{name}'")
        owner.attributes[name] = value
    elif kind is Function:
        store_on_function(owner, name, value)
    elif kind is Namespace:
        if owner.name == "sys" and name in ("stdout", "stderr"):
            machine.streams[name] = value
        elif not switch(machine, owner, name):
            raise Refusal(f"Names of modules cannot be set here: `{owner.name}.{name}` stays as it is.")
    elif kind is not Silent:
        entry = table_of(kind).get(name)
        if isinstance(entry, Attribute) and entry.set is not None:
            entry.set(owner, to_engine(machine, value))
            return
        own = own_attributes(owner) if entry is None else None
        if own is None or isinstance(missing(owner, name), Refusal):
            raise AttributeError(unsettable(owner, name, entry))
        own[name] = value


def store_on_function(owner: Function, name: str, value: Value) -> None:
    if name in ("__name__", "__qualname__"):
        if not isinstance(value, str):
            raise TypeError(f"{name} must be set to a string object")
        owner.name = value
    elif name == "__doc__":
        owner.doc = value
    else:
        owner.attributes[name] = value


def described(machine: Machine, found: Value, owner: Value, name: str, value: Value) -> bool:
    """Sets by a property or another descriptor of the class, if `found` is one."""
    if isinstance(found, Property):
        if name in getattr(owner.kind, "fields", ()):
            raise AttributeError("can't set attribute")
        set_property(machine, found, owner, name, value)
        return True
    if isinstance(found, Instance) and found.kind.find("__set__") is not MISSING:
        call_method(machine, found, "__set__", [owner, value])
        return True
    return False


def check_slots(owner: Value, name: str) -> None:
    """Raises AttributeError where the class of `owner` lists its attributes and `name` is not among them."""
    kind = owner.kind
    if "__slots__" not in kind.traits:
        return
    slots = [named.attributes.get("__slots__", ()) for named in kind.order]
    if not any(name == slot or name in slot for slot in slots):
        raise AttributeError(f"'{kind.name}' object has no attribute '{name}'")


def unsettable(owner: Value, name: str, entry: Entry | None) -> str:
    if isinstance(entry, Attribute) and isinstance(owner, torch.Tensor):
        return f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable"
    if entry is not None:
        return f"'{kind_name(owner)}' object attribute '{name}' is read-only"
    return f"'{kind_name(owner)}' object has no attribute '{name}'"


def set_property(machine: Machine, found: Property, owner: Value, name: str, value: Value) -> None:
    if found.setter is None:
        raise AttributeError(f"property '{name}' of '{kind_name(owner)}' object has no setter")
    call(machine, found.setter, [owner, value], {})


def store_on_module(machine: Machine, owner: Any, name: str, value: Value) -> None:
    held = owner.__dict__
    own = isinstance(owner, Companion)
    if "parametrizations" in held.get("_modules", ()):
        made = torch.nn.utils.parametrize.computed(owner, name)
        if made is not None:
            made.right_inverse(to_engine(machine, value))
            return
    if own and isinstance(owner.kind.find(name), Property):
        set_property(machine, owner.kind.find(name), owner, name, value)
        return
    places = [held.get(place, {}) for place in ("_parameters", "_modules", "_buffers")]
    registered = any(name in place for place in places)
    if registered or isinstance(value, (torch.nn.Parameter, torch.nn.Module)):
        if not ready(owner):
            part = "module" if isinstance(value, torch.nn.Module) else "parameters"
            raise AttributeError(f"cannot assign {part} before Module.__init__() call")
        if name.startswith("__"):
            raise Refusal(f"A part of a module cannot be called {name} here.")
        set_part(owner, name, value)
        (owner.attributes if own else held.get(ATTRIBUTES, {})).pop(name, None)
        return
    if name in held.get(PLAIN, ()):
        held[PLAIN][name] = to_engine(machine, value)
        return
    entry = table_of(type(owner)).get(name)
    if isinstance(entry, Attribute) and entry.set is not None and (not own or name == "training"):
        entry.set(owner, to_engine(machine, value))
    elif own:
        owner.attributes[name] = value
    else:
        held.setdefault(ATTRIBUTES, {})[name] = value
        if name in held.get(VACANT, ()) and isinstance(value, torch.Tensor):
            set_part(owner, name, value)  # the layer computes with it in place of its parameter


def delete(machine: Machine, owner: Value, name: str) -> None:
    """`del owner.name`"""
    if isinstance(owner, OBJECTS) and "__delattr__" in owner.kind.traits:
        call_method(machine, owner, "__delattr__", [name])
    else:
        delete_plainly(machine, owner, name)


def delete_plainly(machine: Machine, owner: Value, name: str) -> None:
    """`del owner.name` by the usual rules."""
    found = owner.kind.find(name) if isinstance(owner, OBJECTS) else None
    if isinstance(found, Property):
        if found.deleter is None:
            raise AttributeError(f"property '{name}' of '{kind_name(owner)}' object has no deleter")
        call(machine, found.deleter, [owner], {})
        return
    if isinstance(found, Instance) and found.kind.find("__delete__") is not MISSING:
        call_method(machine, found, "__delete__", [owner])
        return
    if isinstance(owner, torch.nn.Module):
        held = owner.__dict__
        for place in ("_parameters", "_modules", "_buffers", ATTRIBUTES, PLAIN):
            if name in held.get(place, ()):
                del held[place][name]
                if place in ("_parameters", "_buffers"):
                    held.setdefault(VACANT, set()).add(name)
                elif name in held.get(VACANT, ()):
                    held.get(PLAIN, {}).pop(name, None)
                return
    elif isinstance(owner, (*OBJECTS, Class, Error, Function)) and name in owner.attributes:
        del owner.attributes[name]
        return
    elif isinstance(owner, torch.Tensor):
        delete_of_tensor(owner, name)
        return
    raise missing(owner, name)


def delete_of_tensor(owner: Any, name: str) -> None:
    """`del tensor.name`: what the program put there, or as the engine answers for its own."""
    own = own_attributes(owner) or {}
    if name in own:
        del own[name]
    elif isinstance(table_of(type(owner)).get(name), Attribute):
        delattr(owner, name)  # a name of the table
    else:
        raise AttributeError(f"'{kind_name(owner)}' object has no attribute '{name}'")
