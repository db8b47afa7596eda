"""Attributes: `owner.name` by explicit tables. No name of a program is ever looked up on an object of the host.

For each type of value a table says what its names mean: an `Attribute` (how to read it, perhaps how to set it) or a
method (a Foreign of the engine or a Builtin of ours). Objects of the program have dictionaries of their own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gradreel.trace.events import OptimizerStepped

from .bridge import Companion, from_engine, ready, to_engine
from .calls import call, call_method, kind_name
from .engine import torch
from .errors import TYPES as ERRORS
from .face import NAMES, SPACES, TYPES, presented
from .formatting import error_text
from .machine import Machine
from .methods import METHODS
from .numpy_face import ARRAY_METHODS, ARRAY_TYPES
from .refusal import Refusal
from .values import (
    MISSING,
    Attribute,
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
    Property,
    StaticMethod,
    Super,
    Type,
    Value,
)


Entry = Attribute | Foreign | Builtin

# ---- tables of the engine's types, made once from our own names


def _table(host: type, names: list[str], settable: str = "") -> dict[str, Entry]:
    table: dict[str, Entry] = {}
    for name in names:
        found = getattr(host, name, MISSING)  # a name of torch_names.txt or of this file, never of a program
        if found is MISSING:
            continue
        if callable(found) and not isinstance(found, property):
            table[name] = Foreign(name, _late(name) if host in OVERRIDDEN else found)
        else:
            setter = (lambda owner, value, name=name: setattr(owner, name, value)) if name in settable.split() else None
            table[name] = Attribute(operator.attrgetter(name), setter)
    return table


OVERRIDDEN = (torch.nn.Module, getattr(torch.optim, "Optimizer", None))
"""Types of the engine whose methods its subclasses override."""


def _late(name: str) -> Callable[..., Any]:
    """Calls the method `name` (of ours) of the object's own class."""
    return lambda owner, *args, **kwargs: getattr(owner, name)(*args, **kwargs)


def _reads(names: str, settable: bool = False) -> dict[str, Entry]:
    """Attributes that objects have without their class saying so."""

    def one(name: str) -> Attribute:
        return Attribute(
            operator.attrgetter(name), (lambda owner, value: setattr(owner, name, value)) if settable else None
        )

    return {name: one(name) for name in names.split()}


SETTINGS = (
    "training in_features out_features reduction p inplace negative_slope alpha dim eps momentum affine num_features "
    "num_embeddings embedding_dim padding_idx in_channels out_channels kernel_size stride padding dilation groups "
    "hidden_size input_size num_layers batch_first bidirectional normalized_shape track_running_stats start_dim end_dim"
)
CONTEXT = "save_for_backward saved_tensors saved_variables needs_input_grad mark_dirty mark_non_differentiable"
CONTEXT += " set_materialize_grads materialize_grads next_functions name metadata"
SLOTS = [prefix + name for name in NAMES["saved"] for prefix in ("_saved_", "_raw_saved_")]
NODE = getattr(torch.autograd.graph, "Node", None)


def step(machine: Machine, optimizer: Any, closure: Value = None) -> Value:
    """`optimizer.step()`, told when it begins and ends: the writes between belong to it."""
    name = type(optimizer).__name__
    machine.emit((OptimizerStepped, name, "began"))
    result = optimizer.step() if closure is None else optimizer.step(to_engine(machine, closure))
    machine.emit((OptimizerStepped, name, "ended"))
    return from_engine(result)


def _tables() -> dict[type, dict[str, Entry]]:
    tables: dict[type, dict[str, Entry]] = {kind: dict(methods) for kind, methods in METHODS.items()}
    tables[torch.Tensor] = _table(torch.Tensor, NAMES["torch.Tensor"], "requires_grad grad data")
    tables[torch.nn.Module] = _table(torch.nn.Module, NAMES["torch.nn.Module"]) | _reads(SETTINGS, settable=True)
    tables[torch.nn.Module] |= _reads("_parameters _modules _buffers")
    optimizer = getattr(torch.optim, "Optimizer", None)
    if optimizer is not None:
        tables[optimizer] = _table(optimizer, NAMES["torch.optim.Optimizer"]) | _reads("param_groups state defaults")
        tables[optimizer]["step"] = Builtin("step", step, machine=True)
    tables[torch.Size] = tables[tuple] | _table(torch.Size, NAMES["torch.Size"])
    tables[torch.dtype] = _reads("is_floating_point itemsize")
    if NODE is not None:
        tables[NODE] = _table(NODE, NAMES["torch.autograd.graph.Node"]) | _reads(
            "next_functions metadata variable " + " ".join(SLOTS)
        )
        tables[NODE]["name"] = Foreign("name", lambda node: node.name())
        tables[NODE]["register_hook"] = Foreign("register_hook", lambda node, hook: node.register_hook(hook))
        tables[NODE]["register_prehook"] = Foreign("register_prehook", lambda node, hook: node.register_prehook(hook))
    tables[np.ndarray] = dict(ARRAY_METHODS)
    for kind in ARRAY_TYPES:
        tables[kind] = dict(ARRAY_METHODS)
    return tables


TABLES = _tables()
HANDLE = "remove"
RESULTS = "values indices sign logabsdet solution eigenvalues eigenvectors U S V Q R L hist bin_edges primal tangent"
FINFO = " ".join(NAMES["torch.finfo"])


@cache
def table_of(kind: type) -> dict[str, Entry]:
    """Every attribute of values of the host's type `kind`."""
    merged: dict[str, Entry] = {}
    for base in reversed(kind.__mro__):
        merged |= TABLES.get(base, {})
    if not merged and kind.__module__.startswith((torch.__name__, "torch")):
        merged = _others(kind)
    return merged


def _others(kind: type) -> dict[str, Entry]:
    """Small types of the engine that programs meet but do not name."""
    if kind.__name__ == "RemovableHandle":
        return {HANDLE: Foreign(HANDLE, lambda handle: handle.remove())}
    if kind.__name__ in ("finfo", "iinfo"):
        return _reads(FINFO)
    if issubclass(kind, tuple):
        return TABLES[tuple] | _table(kind, RESULTS.split())
    if kind.__name__ == "device":
        return _reads("type index")
    if kind.__name__ == "Generator":
        return _table(kind, NAMES["torch.Generator"])
    if kind.__name__.endswith(("LR", "OnPlateau", "WarmRestarts")):
        return _table(kind, ["step", "get_last_lr", "state_dict", "get_lr"])
    if hasattr(kind, "save_for_backward"):
        return _reads(CONTEXT)
    return {}


# ---- reading


def load(machine: Machine, owner: Value, name: str) -> Value:
    """`owner.name`"""
    way = OWN.get(type(owner))
    if way is not None:
        return way(machine, owner, name)
    if isinstance(owner, torch.nn.Module):
        return of_module(machine, owner, name)
    entry = table_of(type(owner)).get(name)
    if entry is not None:
        return read(entry, owner)
    own = own_attributes(owner)
    if own is not None and name in own:
        return own[name]
    if name == "__class__":
        return type_of(owner)
    raise missing(owner, name)


def read(entry: Entry, owner: Value) -> Value:
    if isinstance(entry, Attribute):
        return from_engine(entry.get(owner))
    if isinstance(entry, Foreign):
        return Foreign(entry.name, entry.run, owner)
    return Builtin(entry.name, entry.run, entry.machine, owner)


def own_attributes(owner: Any) -> dict[str, Value] | None:
    """What the program itself has put on an object of the engine: on a context of autograd.Function, a module."""
    held = getattr(owner, "__dict__", None)
    if not isinstance(held, dict) or isinstance(owner, torch.Tensor):
        return None
    found: dict[str, Value] = held.setdefault("own_attributes", {})
    return found


def missing(owner: Value, name: str) -> BaseException:
    """The AttributeError, or the refusal where torch has the name and we do not."""
    if isinstance(owner, torch.Tensor) and name in NAMES["torch.Tensor"]:
        return Refusal(f"`{name}` of a tensor exists in PyTorch, but is not supported here.")
    raised = AttributeError(f"'{kind_name(owner)}' object has no attribute '{name}'")
    return raised


def of_instance(machine: Machine, owner: Instance, name: str) -> Value:
    found = owner.kind.find(name)
    if isinstance(found, Property):
        return call(machine, found.getter, [owner], {})
    if name in owner.attributes:
        return owner.attributes[name]
    if found is not MISSING:
        return bound(found, owner, owner.kind)
    if owner.kind.native is not None:
        return of_class(machine, owner.kind, name)
    if name == "__class__":
        return owner.kind
    if name == "__dict__":
        return owner.attributes
    answer = call_method(machine, owner, "__getattr__", [name])
    if answer is not NotImplemented:
        return answer
    raise missing(owner, name)


def bound(found: Value, owner: Value, kind: Class) -> Value:
    """A class attribute, read through an object of the class."""
    if isinstance(found, Function):
        return Bound(found, owner)
    if isinstance(found, StaticMethod):
        return found.function
    if isinstance(found, ClassMethod):
        return Bound(found.function, kind)
    return found


def of_module(machine: Machine, owner: Any, name: str) -> Value:
    held = owner.__dict__
    if isinstance(owner, Companion):
        found = owner.kind.find(name)
        if isinstance(found, Property):
            return call(machine, found.getter, [owner], {})
        if name in owner.attributes:
            return owner.attributes[name]
        if found is not MISSING:
            return bound(found, owner, owner.kind)
        if name == "__class__":
            return owner.kind
    for place in ("_parameters", "_buffers", "_modules"):
        if name in held.get(place, ()):
            return held[place][name]
    if name in held.get("own_attributes", ()):
        return held["own_attributes"][name]
    entry = table_of(type(owner)).get(name)
    if isinstance(entry, Attribute):
        if name in held:
            return from_engine(held[name])
    elif entry is not None:
        return read(entry, owner)
    if name == "__class__":
        return type_of(owner)
    if name in ("append", "extend", "insert", "keys", "values", "items", "update") and hasattr(type(owner), name):
        return Foreign(name, CONTAINER_METHODS[name], owner)
    raise missing(owner, name)


CONTAINER_METHODS: dict[str, Callable[..., Any]] = {
    "append": lambda owner, item: owner.append(item),
    "extend": lambda owner, items: owner.extend(items),
    "insert": lambda owner, at, item: owner.insert(at, item),
    "keys": lambda owner: owner.keys(),
    "values": lambda owner: owner.values(),
    "items": lambda owner: owner.items(),
    "update": lambda owner, items: owner.update(items),
}
"""What ModuleList, ModuleDict, Sequential and ParameterList add to a module."""


def of_class(machine: Machine, owner: Class, name: str) -> Value:
    found = owner.find(name)
    if found is not MISSING:
        return bound(found, owner, owner) if isinstance(found, (StaticMethod, ClassMethod)) else found
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name == "__bases__":
        return owner.bases
    if owner.native is not None and name == "apply":
        return Foreign("apply", owner.native.apply)  # type: ignore[attr-defined]
    if owner.host is not None:
        return of_type(machine, owner.host, name)
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def of_type(machine: Machine, owner: Type, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name in owner.methods:
        return owner.methods[name]
    if owner.hosts:
        if name == "__init__":
            host = owner.hosts[0]
            return Foreign("__init__", lambda this, *args, **kwargs: host.__init__(this, *args, **kwargs))  # type: ignore[misc]
        entry = table_of(owner.hosts[0]).get(name)
        if isinstance(entry, (Foreign, Builtin)):
            return entry
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def of_function(machine: Machine, owner: Function, name: str) -> Value:
    if name in owner.attributes:
        return owner.attributes[name]
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name == "__doc__":
        return owner.doc
    raise AttributeError(f"'function' object has no attribute '{name}'")


def of_bound(machine: Machine, owner: Bound, name: str) -> Value:
    if name == "__self__":
        return owner.receiver
    return load(machine, owner.function, name)


def of_builtin(machine: Machine, owner: Builtin | Foreign, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    raise AttributeError(f"'builtin_function_or_method' object has no attribute '{name}'")


def of_namespace(machine: Machine, owner: Namespace, name: str) -> Value:
    if name in owner.table:
        return owner.table[name]
    if name == "__name__":
        return owner.name
    raise unknown_name(owner, name)


def unknown_name(owner: Namespace, name: str) -> BaseException:
    """A name that a module does not have here: a refusal if torch has it, else Python's error."""
    if name in NAMES.get(owner.name, ()) or owner.name not in NAMES:
        near = nearest(name, owner.table)
        hint = f" Near to it: {', '.join(near)}." if near else ""
        exists = "exists in PyTorch, but is" if owner.name in NAMES else "is"
        return Refusal(f"`{owner.name}.{name}` {exists} not supported here.{hint}")
    return AttributeError(f"module '{owner.name}' has no attribute '{name}'")


def nearest(name: str, known: Any) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(name, [k for k in known if not k.startswith("_")], 3, 0.6)


def of_error(machine: Machine, owner: Error, name: str) -> Value:
    if name in owner.attributes:
        return owner.attributes[name]
    if owner.own is not None:
        found = owner.own.find(name)
        if isinstance(found, Property):
            return call(machine, found.getter, [owner], {})
        if found is not MISSING:
            return bound(found, owner, owner.own)
    if name == "args":
        return owner.args
    if name == "__class__":
        return owner.own or owner.kind
    if name == "__cause__":
        return owner.cause
    if name == "value" and owner.kind is ERRORS["StopIteration"]:
        return owner.args[0] if owner.args else None
    if name == "__str__":
        return Builtin("__str__", lambda: error_text(machine, owner))
    raise missing(owner, name)


def of_exception_type(machine: Machine, owner: ExceptionType, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name == "__init__":
        return Builtin("__init__", start_error)
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def start_error(this: Error, *args: Value) -> None:
    this.args = args


def of_super(machine: Machine, owner: Super, name: str) -> Value:
    found = owner.kind.find(name, owner.after)
    if isinstance(found, Property):
        return call(machine, found.getter, [owner.this], {})
    if found is not MISSING:
        return bound(found, owner.this, owner.kind)
    if owner.kind.exception is not None and name == "__init__":
        return Builtin("__init__", lambda *args: start_error(owner.this, *args))
    host = owner.kind.host
    if host is not None and host.hosts and owner.kind.native is None:
        base, this = host.hosts[0], owner.this
        if name == "__init__":
            return Foreign("__init__", lambda *args, **kwargs: base.__init__(this, *args, **kwargs))  # type: ignore[misc]
        if name == "forward":
            return Foreign("forward", lambda *args, **kwargs: base.forward(this, *args, **kwargs))  # type: ignore[attr-defined]
        entry = table_of(base).get(name)
        if isinstance(entry, Foreign):
            return Foreign(entry.name, entry.run, this)
        return of_module(machine, this, name)
    if name in ("__init__", "__init_subclass__"):
        return Builtin(name, lambda *args, **kwargs: None)
    if name == "__repr__" and isinstance(owner.this, Instance):
        return Builtin(name, lambda: f"<{owner.kind.title} object at 0x...>")
    raise AttributeError(f"'super' object has no attribute '{name}'")


def of_generator(machine: Machine, owner: Generator, name: str) -> Value:
    raise missing(owner, name)


def of_property(machine: Machine, owner: Property, name: str) -> Value:
    if name == "setter":
        return Builtin("setter", lambda function: Property(owner.getter, function))
    raise missing(owner, name)


OWN: dict[type, Callable[[Machine, Any, str], Value]] = {
    Instance: of_instance,
    Class: of_class,
    Type: of_type,
    Function: of_function,
    Bound: of_bound,
    Builtin: of_builtin,
    Foreign: of_builtin,
    Namespace: of_namespace,
    Error: of_error,
    ExceptionType: of_exception_type,
    Super: of_super,
    Generator: of_generator,
    Property: of_property,
}


# ---- writing


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


# ---- types of values


PYTHON_TYPES: dict[type, Type] = {}
"""The records of Python's own types; filled by `builtin`."""


def type_of(value: Value) -> Value:
    """`type(value)`"""
    if isinstance(value, (Instance, Companion)):
        return value.kind
    if isinstance(value, Error):
        return value.own or value.kind
    kind = type(value)
    if kind in PYTHON_TYPES:
        return PYTHON_TYPES[kind]
    if kind in TYPES:
        return TYPES[kind]
    if kind.__module__.startswith((torch.__name__, "torch")):
        return presented(kind.__name__, kind.__module__.replace(torch.__name__, "torch", 1), kind)
    found = Type(kind_name(value), (kind,), None)
    PYTHON_TYPES[kind] = found
    return found


__all__ = ["SPACES", "delete", "load", "store", "table_of", "type_of"]
