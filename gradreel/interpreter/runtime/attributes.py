"""Attributes: `owner.name` by explicit tables. No name of a program is ever looked up on an object of the host.

For each type of value a table says what its names mean: an `Attribute` (how to read it, perhaps how to set it) or a
method (a Foreign of the engine or a Builtin of ours). Objects of the program have dictionaries of their own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property, partial
from typing import Any

import numpy as np

from autograd_core.nn.attributes import PLAIN, set_part
from autograd_core.nn.module import AROUND
from gradreel.trace.events import GradMissing

from ..builtins.iteration import collect_items
from ..engine.bridge import Callback, Parcel, from_engine, to_engine
from ..engine.engine import tensor_id, torch
from ..engine.subclasses import ProgramModule, is_ready
from ..machine import Machine
from ..refusal import Refusal
from ..torch_module.devices import is_backend_switch
from ..torch_module.namespace import NAMES, SURFACE
from .allowed_types import ENGINE_TYPES, record_of
from .attribute_tables import Entry, fields_of, table_of
from .calls import CONTEXTS, call, call_method
from .instances import abstract_names_in, allocate
from .type_names import function_kind, kind_name, refuse_stub, type_name, unbound
from .type_tables import TypeTable
from .values import (
    ATTRIBUTES,
    MISSING,
    OBJECTS,
    VACANT,
    Attribute,
    Bound,
    Builtin,
    Class,
    ClassMethod,
    Error,
    ExceptionType,
    Foreign,
    Function,
    Instance,
    Namespace,
    Own,
    Property,
    StaticMethod,
    Stub,
    Type,
    Value,
)

# ---- the type of a value as a program sees it, and what is said when a value or module lacks a name

FUNCTION_TYPES: dict[str, Type] = {}
"""Those of functions, by name; filled likewise."""


MODULES = ("torch.", "itertools.", "random.", "numpy.dtypes.")
"""Where types are at home that say so."""


def type_of(value: Value) -> Value:
    """`type(value)`"""
    if isinstance(value, OBJECTS):
        return value.kind
    if isinstance(value, Error):
        return value.own or value.kind
    if isinstance(value, (Callback, Parcel)):
        return type_of(from_engine(value))
    if isinstance(value, Stub):
        raise refuse_stub(value)
    kind = type(value)
    if kind in (Builtin, Foreign):
        made = function_kind(value)
        return FUNCTION_TYPES.get(made) or FUNCTION_TYPES.setdefault(
            made, Type(made.rpartition(".")[2], (), None, made)
        )
    return record_of(kind) or NAMELESS_TYPES[kind]


def nameless_type(kind: type) -> Type:
    """The record of a type that is in no table: programs meet its objects, and cannot say its name."""
    title = f"{kind.__module__}.{kind.__qualname__}".replace(torch.__name__, "torch", 1)
    return Type(type_name(kind).rpartition(".")[2], (kind,), None, title if title.startswith(MODULES) else None)


NAMELESS_TYPES = TypeTable("record", nameless_type)


PUBLIC: dict[type, frozenset[str]] = {
    kind: frozenset(name for name in dir(kind) if not name.startswith("_"))
    for kind in (str, list, tuple, dict, set, frozenset, int, float, bool, range)
}
"""The names that values of Python's own types have there."""


def missing_attribute(owner: Value, name: str) -> BaseException:
    """The AttributeError, or the refusal where torch has the name and we do not."""
    for kind, path in ((torch.Tensor, "torch.Tensor"), (torch.nn.Module, "torch.nn.Module")):
        if isinstance(owner, kind) and is_known_name(path, name):
            near = near_names(name, table_of(kind))
            hint = f" Near to it: {', '.join(near)}." if near else ""
            what = "a tensor" if kind is torch.Tensor else "a module"
            return Refusal(f"`{name}` of {what} exists in PyTorch, but is not supported here.{hint}")
    if name in PUBLIC.get(type(owner), ()):
        near = near_names(name, table_of(type(owner)))
        hint = f" Near to it: {', '.join(near)}." if near else ""
        return Refusal(f"`{name}` of a {kind_name(owner)} is not supported here.{hint}")
    raised = AttributeError(f"'{kind_name(owner)}' object has no attribute '{name}'")
    raised.candidates = Names(owner)  # type: ignore[attr-defined]
    return raised


class Names(Sequence[str]):
    """The names that a value has, found out when they are asked for."""

    def __init__(self, owner: Value) -> None:
        self.own = [*getattr(owner, "attributes", ())]
        kind = getattr(owner, "kind", None)
        self.classes = kind.order if isinstance(kind, Class) else ()
        self.host = type(owner)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, at: Any) -> Any:
        return self.names[at]

    @cached_property
    def names(self) -> list[str]:
        inherited = [name for base in self.classes for name in base.attributes]
        return sorted({*self.own, *inherited, *table_of(self.host)})


def missing_module_name(owner: Namespace, name: str) -> BaseException:
    """A name that a module does not have here: a refusal if the real module has it, else Python's error."""
    if is_known_name(owner.name, name):
        near = near_names(name, owner.table)
        hint = f" Near to it: {', '.join(near)}." if near else ""
        what = "exists in PyTorch, but is" if owner.name.startswith("torch") else "is"
        return Refusal(f"`{owner.name}.{name}` {what} not supported here.{hint}")
    said = (numpy_once(name) if owner.name == "numpy" else None) or f"module '{owner.name}' has no attribute '{name}'"
    raised = AttributeError(said)
    raised.candidates = tuple(sorted(owner.table))  # type: ignore[attr-defined]
    return raised


def numpy_once(name: str) -> str | None:
    """What numpy says of a name that it had once; of some also that they will come again."""
    once = vars(np)
    if name in once["__future_scalars__"]:
        again = f"In the future `np.{name}` will be defined as the corresponding NumPy scalar."
        warnings.warn(again, FutureWarning, stacklevel=2)
    if name in once["__former_attrs__"]:
        return str(once["__former_attrs__"][name])
    removed = once["__expired_attributes__"].get(name)
    return f"`np.{name}` was removed in the NumPy 2.0 release. {removed}" if removed else None


def is_known_name(module: str, name: str) -> bool:
    """Whether the real module has the name."""
    return name in NAMES.get(module, ()) or name in SURFACE.get(module, ()) or name in PYTHON.get(module, ())


PYTHON: dict[str, Container[str]] = {}
"""The names that modules which are not torch's have."""


def near_names(name: str, known: Iterable[str]) -> list[str]:
    return get_close_matches(name, [k for k in known if not k.startswith("_")], 3, 0.6)


DUNDERS = frozenset(
    (
        "__init__ __new__ __call__ __repr__ __str__ __format__ __len__ __getitem__ __setitem__ __delitem__ __missing__ "
        "__iter__ __next__ __reversed__ __contains__ __enter__ __exit__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ "
        "__bool__ __neg__ __pos__ __abs__ __invert__ __int__ __float__ __complex__ __index__ __round__ __trunc__ "
        "__floor__ __ceil__ __hash__ __getattr__ __setattr__ __delattr__ __getattribute__ __get__ __set__ __delete__ "
        "__set_name__ __init_subclass__ __class_getitem__ __post_init__ __copy__ __deepcopy__ __divmod__ __rdivmod__ "
        "__fspath__ __name__ __qualname__ __class__ __doc__ __version__ __self__ __func__ __module__ __dict__ "
        "__bases__ __mro__ __slots__ __match_args__ __annotations__ __defaults__ __wrapped__ __members__ __all__ "
        "__author__ __cause__ __context__ __suppress_context__ __notes__ __traceback__ __isabstractmethod__ "
        "__abstractmethods__ __stdout__ __stderr__ __total__ "
        "__getstate__ __setstate__ __constants__"
    ).split()
) | {
    f"__{side}{name}__"
    for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
    for side in ("", "r", "i")
}
"""Special names that programs may say."""


def is_special(wanted: str) -> bool:
    """Whether Python itself gives a meaning to this name."""
    return len(wanted) > 4 and wanted.startswith("__") and wanted.endswith("__")


ENGINE = torch.__name__

# ---- what every object has of Python itself


def load_basic(machine: Machine, this: Value, kind: Class | None, name: str, host: Type | None = None) -> Value:
    """The method `name` of `this` that its class inherits from Python itself; of the class, if `this` is MISSING."""
    if name == "__new__":
        return Builtin("__new__", lambda m, cls, /, *args, **kwargs: allocate(m, cls, list(args)), True)
    way = EVERY.get(name)
    if way is None:
        base = host or (kind.host if kind is not None else None)
        if base is None or not base.hosts or not issubclass(base.hosts[0], CONTAINERS):
            return MISSING
        way = CONTENT.get(name)
        if way is None or name not in dir(base.hosts[0]):  # what its class has is not its own
            return MISSING
        if this is MISSING:
            way = of_kind(base, name, way)
    return Builtin(name, way, True, this)


def of_kind(kind: Type, name: str, way: Callable[..., Value]) -> Callable[..., Value]:
    """`kind.name`, which takes an object of that kind first, and no other."""

    def run(machine: Machine, this: Value, /, *args: Value, **kwargs: Value) -> Value:
        if not isinstance(this, kind.hosts):
            raise TypeError(f"descriptor '{name}' requires a '{kind.name}' object but received a '{kind_name(this)}'")
        return way(machine, this, *args, **kwargs)

    return run


def load_walk(owner: Value, name: str) -> Value:
    """How to go through what is no container of Python's: iterators, the keys of a dict; MISSING if it is not that."""
    kinds = {"__next__": Iterator, "__iter__": Iterable}
    return Builtin(name, WALKS[name], True, owner) if name in kinds and isinstance(owner, kinds[name]) else MISSING


EVERY: dict[str, Callable[..., Value]] = {}
"""What every object has of Python itself; this table and the next two are filled by `library`, which knows all."""
CONTENT: dict[str, Callable[..., Value]] = {}
"""What the types with content have."""
WALKS: dict[str, Callable[..., Value]] = {}
"""How to begin and to go on with what is walked through."""

CONTAINERS: tuple[Any, ...] = (
    *(list, dict, tuple, range, set, frozenset, str, int, float),
    *(torch.Tensor, torch.nn.Module, np.ndarray),
)


# ---- reading


def load(machine: Machine, owner: Value, name: str) -> Value:
    """`owner.name`"""
    if type(owner) is Instance:
        return of_instance(machine, owner, name)
    way = WAYS.get(type(owner))
    if way is not None:
        if name == "__class__" and way is not of_instance:
            return type_of(owner)
        return way(machine, owner, name)
    if isinstance(owner, torch.nn.Module):
        return of_module(machine, owner, name)
    if isinstance(owner, OBJECTS):
        return of_instance(machine, owner, name)
    entry = table_of(type(owner)).get(name)
    if entry is not None:
        value = read_entry(entry, owner)
        if value is None and name == "grad" and isinstance(owner, torch.Tensor) and machine.records:
            machine.emit((GradMissing, tensor_id(owner)))
        return value
    own = own_attributes(owner)
    if own is not None and name in own:
        return own[name]
    if name == "__class__":
        return type_of(owner)
    if name in ("__enter__", "__exit__") and isinstance(owner, CONTEXTS):
        context: Any = owner
        return Builtin(name, context.__enter__ if name == "__enter__" else context.__exit__)
    if name.startswith("__"):
        kind = type_of(owner)
        found = load_basic(machine, owner, None, name, kind) if isinstance(kind, Type) else MISSING
        if found is MISSING:
            found = load_walk(owner, name)
        if found is not MISSING:
            return found
    raise missing_attribute(owner, name)


def read_entry(entry: Entry, owner: Value) -> Value:
    if isinstance(entry, Attribute):
        return from_engine(entry.get(owner))
    if isinstance(entry, Foreign):
        return Foreign(entry.name, entry.run, owner)
    return Builtin(entry.name, entry.run, entry.machine, owner, entry.title)


SHARED = (
    *(torch.device, torch.layout, torch.memory_format, torch.dtype, torch.Generator, torch.finfo, torch.iinfo),
    torch.distributions.constraints.Constraint,
)
"""Of these the engine has objects that all runs of a process see."""


def own_attributes(owner: Any) -> dict[str, Value] | None:
    """What the program itself has put on an object of the engine: on a context of autograd.Function, a module."""
    if isinstance(owner, SHARED) or owner is torch.distributions.identity_transform:
        return None
    held = getattr(owner, "__dict__", None)
    if not isinstance(held, dict):
        return None
    found: dict[str, Value] = held.setdefault(ATTRIBUTES, {})
    return found


def by_class(
    machine: Machine, this: Any, kind: Class, name: str, own: dict[str, Value], after: Class | None = None
) -> Value:
    """`this.name` as its class has it: a property goes before its `own` attributes, all else behind; MISSING if none.

    With `after`, what the class inherits from those behind it.
    """
    found = kind.find(name, after)
    if type(found) is Property:
        return call(machine, found.getter, [this], {})
    if isinstance(found, Instance) and found.kind.find("__get__") is not MISSING:
        own = own if found.kind.find("__set__") is MISSING else {}
        if name not in own:
            return call_method(machine, found, "__get__", [this, kind])
    if name in own:
        return own[name]
    return found if found is MISSING else bind(found, this, kind)


def of_instance(machine: Machine, owner: Value, name: str) -> Value:
    """An attribute of an object of the program's classes, modules aside."""
    kind = owner.kind
    if not kind.traits:  # the usual case, by the shortest way
        held = kind.find(name)
        if held is MISSING:
            if name in owner.attributes:
                return owner.attributes[name]
        elif type(held) is Function and name not in owner.attributes:
            return Bound(held, owner)
    if "__getattribute__" in kind.traits:
        try:
            return call_method(machine, owner, "__getattribute__", [name])
        except AttributeError:
            answer = call_method(machine, owner, "__getattr__", [name])
            if answer is NotImplemented:
                raise
            return answer
    found = load_plainly(machine, owner, name)
    if found is not MISSING:
        return found
    answer = call_method(machine, owner, "__getattr__", [name])
    if answer is not NotImplemented:
        return answer
    raise missing_attribute(owner, name)


def load_plainly(machine: Machine, owner: Value, name: str) -> Value:
    """The attribute by the usual rules, MISSING if there is none."""
    kind = owner.kind
    found = by_class(machine, owner, kind, name, owner.attributes)
    if found is not MISSING:
        return found
    if name == "__class__":
        return kind
    if name == "__dict__":
        if "__slots__" in kind.traits:
            return MISSING
        return owner.attributes
    if kind.native is not None:
        return of_class(machine, kind, name)
    if isinstance(owner, Own):
        entry = table_of(type(owner)).get(name)
        if entry is not None:
            return read_entry(entry, owner)
    if name in ("__doc__", "__module__"):
        return of_class(machine, kind, name)
    return load_basic(machine, owner, kind, name)


def bind(found: Value, owner: Value, kind: Class) -> Value:
    """A class attribute, read through an object of the class."""
    if type(found) is Function:
        return Bound(found, owner)
    if isinstance(found, StaticMethod):
        return found.function
    if isinstance(found, ClassMethod):
        return Bound(found.function, kind)
    if type(found) is Builtin and found.receiver is MISSING and found.method:
        return Builtin(found.name, found.run, found.machine, owner, found.title, True)
    return found


def of_module(machine: Machine, owner: Any, name: str) -> Value:
    held = owner.__dict__
    if "parametrizations" in held.get("_modules", ()):
        made = torch.nn.utils.parametrize.compute(owner, name)
        if made is not None:
            return from_engine(torch.nn.utils.parametrize.current(owner, name, made))
    if isinstance(owner, ProgramModule):
        found = by_class(machine, owner, owner.kind, name, owner.attributes)
        if found is not MISSING:
            return found
        if name == "__class__":
            return owner.kind
        if name == "__dict__":
            for part in ("_parameters", "_buffers", "_modules"):
                owner.attributes.setdefault(part, held.get(part))
            return owner.attributes
    for place in ("_parameters", "_buffers", "_modules"):
        if name in held.get(place, ()):
            return held[place][name]
    if name in held.get(ATTRIBUTES, ()):
        return held[ATTRIBUTES][name]
    if name in held.get(PLAIN, ()):
        return from_engine(held[PLAIN][name])  # such as a weight that a hook of the engine made anew
    entry = table_of(type(owner)).get(name)
    if isinstance(entry, Attribute):
        if name in held or name == "all_weights":
            return from_engine(entry.get(owner))
    elif entry is not None:
        return read_entry(entry, owner)
    if name == "__class__":
        return type_of(owner)
    if name == "__dict__":
        return fields_of(owner)
    if name == "__doc__" and not isinstance(owner, ProgramModule):
        return type(owner).__doc__
    if isinstance(owner, ProgramModule):
        answer = call_method(machine, owner, "__getattr__", [name])
        if answer is not NotImplemented:
            return answer
    if name.startswith("__"):
        own, kind = isinstance(owner, ProgramModule), type_of(owner)
        host = kind if isinstance(kind, Type) else None
        found = load_basic(machine, owner, owner.kind if own else None, name, host)
        if found is not MISSING:
            return found
    raise missing_attribute(owner, name)


def of_class(machine: Machine, owner: Class, name: str) -> Value:
    found = owner.find(name)
    if found is not MISSING:
        if isinstance(found, Instance) and found.kind.find("__get__") is not MISSING and owner.members is None:
            return call_method(machine, found, "__get__", [None, owner])
        return bind(found, owner, owner) if isinstance(found, (StaticMethod, ClassMethod)) else found
    if name in CLASS_READS:
        return CLASS_READS[name](machine, owner)
    if owner.native is not None and name == "apply":
        return Foreign("apply", owner.native.apply)  # type: ignore[attr-defined]
    if owner.members is not None:
        raise AttributeError(name)
    if owner.exception is not None:
        return WAYS[ExceptionType](machine, owner.exception, name)
    if owner.host is not None:
        try:
            return of_type(machine, owner.host, name)
        except AttributeError:
            raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'") from None
    found = load_basic(machine, MISSING, owner, name)
    if found is not MISSING:
        return found
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def order_of(machine: Machine, owner: Class) -> tuple[Value, ...]:
    """`__mro__`"""
    rest = [owner.exception.bases[1:]] if owner.exception is not None else [(owner.host,)] if owner.host else []
    own = {kind.exception for kind in owner.order}
    return (*owner.order, *(kind for row in rest for kind in row if kind not in own), OBJECT[0])


def abstract_names(machine: Machine, owner: Class) -> frozenset[str]:
    """`__abstractmethods__`, which classes have that abc looks after."""
    if "abstract" not in owner.traits:
        raise AttributeError("__abstractmethods__")
    return frozenset(abstract_names_in(owner))


def order_of_host(host: type) -> list[Value]:
    """The types that programs know, of those that an object of `host` has."""
    found = [record for base in host.__mro__ if (record := record_of(base)) is not None]
    return [*found, TENSOR_BASE] if issubclass(host, torch.Tensor) else found


TENSOR_BASE = Type("TensorBase", (), None, "torch._C.TensorBase")
"""What torch wrote in C++ of its tensors."""

OBJECT: list[Value] = []
"""The record of `object`; put in by `builtins/namespace`."""

CLASS_READS: dict[str, Callable[[Machine, Class], Value]] = {
    "__name__": lambda machine, owner: owner.name,
    "__qualname__": lambda machine, owner: owner.qualname,
    "__bases__": lambda machine, owner: owner.bases or (OBJECT[0],),
    "__mro__": order_of,
    "mro": lambda machine, owner: Builtin("mro", lambda: list(order_of(machine, owner))),
    "__module__": lambda machine, owner: owner.title.rpartition("." + owner.qualname)[0],
    "__dict__": lambda machine, owner: dict(owner.attributes),
    "__doc__": lambda machine, owner: None,
    "__annotations__": lambda machine, owner: {},
    "__members__": lambda machine, owner: dict(owner.members or {}),
    "__class__": lambda machine, owner: TYPE_OF_TYPES[0],
    "__abstractmethods__": abstract_names,
}
TYPE_OF_TYPES: list[Value] = []
"""The record of `type`; put in by `builtins/namespace`."""


def of_type(machine: Machine, owner: Type, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name in owner.methods:
        entry = owner.methods[name]
        shared = owner.hosts and table_of(owner.hosts[0]).get(name) is entry
        return unbound(entry, owner.hosts[0], name) if shared else entry
    if name == "__module__":
        return owner.title.rpartition(".")[0] or "builtins"
    if name == "__doc__" and owner.hosts:
        return owner.hosts[0].__doc__
    if name == "__mro__" and owner in ENGINE_TYPES.values():  # those of Python's own lead to its insides
        return (*order_of_host(owner.hosts[0]), OBJECT[0])
    found = load_basic(machine, MISSING, None, name, owner)
    if found is not MISSING and not (name == "__init__" and owner.hosts and ENGINE in owner.hosts[0].__module__):
        return found
    if owner.hosts:
        if name == "__init__" and owner.make is not None:
            return Foreign("__init__", partial(begin_host, owner))
        entry = table_of(owner.hosts[0]).get(name)
        if isinstance(entry, (Foreign, Builtin)):
            return unbound(entry, owner.hosts[0], name)
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def begin_host(kind: Type, this: Value, *args: Value, **kwargs: Value) -> None:
    """`kind.__init__(this, ...)`, of an object of that kind alone.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(this, kind.hosts):
        raise TypeError(f"descriptor '__init__' requires a '{kind.name}' object but received a '{type(this).__name__}'")
    kind.hosts[0].__init__(this, *args, **kwargs)  # type: ignore[misc]


WAYS: dict[type, Callable[[Machine, Any, str], Value]] = {Instance: of_instance, Class: of_class, Type: of_type}
"""How a name is looked up, by the type of the owner; more are put in by the modules that bring such types."""


# ---- setting and deleting


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
        elif not set_by_descriptor(machine, found, owner, name, value):
            check_slots(owner, name)
            owner.attributes[name] = value
    elif kind is Error:
        found = owner.own.find(name) if owner.own else None
        if name == "args":
            owner.args = tuple(collect_items(machine, value))
        elif name == "__cause__":
            owner.cause, owner.suppressed = value, True
        elif not set_by_descriptor(machine, found, owner, name, value):
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
        elif not is_backend_switch(machine, owner, name):
            raise Refusal(f"Names of modules cannot be set here: `{owner.name}.{name}` stays as it is.")
    elif kind is not Stub:
        entry = table_of(kind).get(name)
        if isinstance(entry, Attribute) and entry.set is not None:
            entry.set(owner, to_engine(machine, value))
            return
        own = own_attributes(owner) if entry is None else None
        if own is None or isinstance(missing_attribute(owner, name), Refusal):
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


def set_by_descriptor(machine: Machine, found: Value, owner: Value, name: str, value: Value) -> bool:
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


CALLED = "forward"
"""What a call of a module runs: that of the object, where it was given one of its own, before that of its class."""


def store_on_module(machine: Machine, owner: Any, name: str, value: Value) -> None:
    held = owner.__dict__
    own = isinstance(owner, ProgramModule)
    if "parametrizations" in held.get("_modules", ()):
        made = torch.nn.utils.parametrize.compute(owner, name)
        if made is not None:
            made.right_inverse(to_engine(machine, value))
            return
    if own and isinstance(owner.kind.find(name), Property):
        set_property(machine, owner.kind.find(name), owner, name, value)
        return
    if name in AROUND:
        if not isinstance(value, dict):
            raise TypeError(f"'{name}' is a dict of hooks, and cannot be '{kind_name(value)}' (clear() empties it)")
        held[name] = value
        return
    places = [held.get(place, {}) for place in ("_parameters", "_modules", "_buffers")]
    registered = any(name in place for place in places)
    if registered or isinstance(value, (torch.nn.Parameter, torch.nn.Module)):
        if not is_ready(owner):
            part = "module" if isinstance(value, torch.nn.Module) else "parameters"
            raise AttributeError(f"cannot assign {part} before Module.__init__() call")
        if name.startswith("__"):
            raise Refusal(f"A part of a module cannot be called {name} here.")
        (owner.attributes if own else held.get(ATTRIBUTES, {})).pop(name, None)
        if name == CALLED:
            held.pop(name, None)
        set_part(owner, name, value)
        return
    if name in held.get(PLAIN, ()):
        held[PLAIN][name] = to_engine(machine, value)
        return
    entry = table_of(type(owner)).get(name)
    if isinstance(entry, Attribute) and entry.set is not None and (not own or name == "training"):
        entry.set(owner, to_engine(machine, value))
        return
    if name == CALLED:
        held[name] = to_engine(machine, value)
    held.setdefault(ATTRIBUTES, {})[name] = value
    if not own and name in held.get(VACANT, ()) and isinstance(value, torch.Tensor):
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
                if name == CALLED:
                    held.pop(name, None)
                if place in ("_parameters", "_buffers"):
                    held.setdefault(VACANT, set()).add(name)
                elif name in held.get(VACANT, ()):
                    held.get(PLAIN, {}).pop(name, None)
                return
        if name in held.get(VACANT, ()) and name in held:
            del held[name]  # what a layer was given in the place of its parameter
            return
    elif isinstance(owner, Class) and owner.machine is None:
        raise TypeError(f"cannot set '{name}' attribute of immutable type '{owner.name}'")
    elif isinstance(owner, (*OBJECTS, Class, Error, Function)) and name in owner.attributes:
        del owner.attributes[name]
        return
    elif isinstance(owner, torch.Tensor):
        delete_of_tensor(owner, name)
        return
    raise missing_attribute(owner, name)


def delete_of_tensor(owner: Any, name: str) -> None:
    """`del tensor.name`: what the program put there, or as the engine answers for its own."""
    own = own_attributes(owner) or {}
    if name in own:
        del own[name]
    elif isinstance(table_of(type(owner)).get(name), Attribute):
        delattr(owner, name)  # a name of the table
    else:
        raise AttributeError(f"'{kind_name(owner)}' object has no attribute '{name}'")
