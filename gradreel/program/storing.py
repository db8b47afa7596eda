"""Setting and deleting attributes: `owner.name = value`, `del owner.name`."""

from __future__ import annotations

from typing import Any

from .attributes import own_attributes
from .bridge import Companion, ready, to_engine
from .calls import call, kind_name
from .engine import torch
from .kinds import missing
from .machine import Machine
from .refusal import Refusal
from .tables import Entry, table_of
from .values import MISSING, Attribute, Class, Error, Function, Instance, Property, Value


def store(machine: Machine, owner: Value, name: str, value: Value) -> None:
    """`owner.name = value`"""
    kind = type(owner)
    if kind is Instance or kind is Error:
        found = owner.kind.find(name) if kind is Instance else MISSING
        if isinstance(found, Property):
            set_property(machine, found, owner, name, value)
        else:
            owner.attributes[name] = value
    elif kind is Class or kind is Function:
        owner.attributes[name] = value
    elif isinstance(owner, torch.nn.Module):
        store_on_module(machine, owner, name, value)
    else:
        entry = table_of(kind).get(name)
        if isinstance(entry, Attribute) and entry.set is not None:
            entry.set(owner, to_engine(machine, value))
            return
        own = own_attributes(owner) if entry is None else None
        if own is None:
            raise AttributeError(unsettable(owner, name, entry))
        own[name] = value


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
    if own and isinstance(owner.kind.find(name), Property):
        set_property(machine, owner.kind.find(name), owner, name, value)
        return
    places = [held.get(place, {}) for place in ("_parameters", "_modules", "_buffers")]
    registered = any(name in place for place in places)
    if registered or isinstance(value, (torch.nn.Parameter, torch.nn.Module)):
        if not ready(owner):
            part = "module" if isinstance(value, torch.nn.Module) else "parameters"
            raise AttributeError(f"cannot assign {part} before Module.__init__() call")
        if name.startswith("__") or name in ("kind", "attributes"):
            raise Refusal(f"A part of a module cannot be called {name} here.")
        # `name` becomes a key of the module's tables of parameters, modules and buffers, and nothing else.
        torch.nn.Module.__setattr__(owner, name, value)
        owner.attributes.pop(name, None) if own else None
        return
    entry = table_of(type(owner)).get(name)
    if isinstance(entry, Attribute) and entry.set is not None and (not own or name == "training"):
        entry.set(owner, to_engine(machine, value))
    elif own:
        owner.attributes[name] = value
    else:
        held.setdefault("own_attributes", {})[name] = value


def delete(machine: Machine, owner: Value, name: str) -> None:
    """`del owner.name`"""
    if isinstance(owner, torch.nn.Module):
        for place in ("_parameters", "_modules", "_buffers", "attributes", "own_attributes"):
            if name in owner.__dict__.get(place, ()):
                del owner.__dict__[place][name]
                return
    elif isinstance(owner, (Instance, Class, Error)) and name in owner.attributes:
        del owner.attributes[name]
        return
    elif isinstance(owner, torch.Tensor) and name == "grad":
        owner.grad = None
        return
    raise missing(owner, name)
